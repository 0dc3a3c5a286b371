package main

import (
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/cadvisor/lib/model"
)

var nginx = &model.ContainerInfo{ContainerReference: model.ContainerReference{
	Name:    "/docker/0123",
	Aliases: []string{"ws-proxy-bench-nginx-1", "0123"},
}}

func sample() *model.ContainerStats {
	return &model.ContainerStats{
		Timestamp: time.Unix(1700000000, 5),
		Cpu:       &model.CpuStats{Usage: model.CpuUsage{Total: 3, System: 1, User: 2, PerCpu: []uint64{30, 31}}, LoadAverage: 4},
		Memory: &model.MemoryStats{
			Usage: 10, MaxUsage: 11, Cache: 12, RSS: 13, Swap: 14, MappedFile: 15, WorkingSet: 16,
			TotalActiveFile: 17, TotalInactiveFile: 18, Failcnt: 19,
			ContainerData:    model.MemoryStatsMemoryData{Pgfault: 20, Pgmajfault: 21},
			HierarchicalData: model.MemoryStatsMemoryData{Pgfault: 22, Pgmajfault: 23},
		},
		Network:          &model.NetworkStats{InterfaceStats: model.InterfaceStats{RxBytes: 40, RxErrors: 41, TxBytes: 42, TxErrors: 43}},
		ReferencedMemory: 50,
		Hugetlb:          map[string]model.HugetlbStats{"2MB": {Usage: 60, MaxUsage: 61, Failcnt: 62}},
		Filesystem:       []model.FsStats{{Device: "/dev/vda", Usage: 70, Limit: 71}},
	}
}

// What the official cAdvisor 0.60.5 stores for such a sample.
const golden = `
cpu_usage_total,container_name=ws-proxy-bench-nginx-1,machine=host value=3i 1700000000000000005
cpu_usage_system,container_name=ws-proxy-bench-nginx-1,machine=host value=1i 1700000000000000005
cpu_usage_user,container_name=ws-proxy-bench-nginx-1,machine=host value=2i 1700000000000000005
cpu_usage_per_cpu,container_name=ws-proxy-bench-nginx-1,instance=0,machine=host value=30i 1700000000000000005
cpu_usage_per_cpu,container_name=ws-proxy-bench-nginx-1,instance=1,machine=host value=31i 1700000000000000005
load_average,container_name=ws-proxy-bench-nginx-1,machine=host value=4i 1700000000000000005
rx_bytes,container_name=ws-proxy-bench-nginx-1,machine=host value=40i 1700000000000000005
rx_errors,container_name=ws-proxy-bench-nginx-1,machine=host value=41i 1700000000000000005
tx_bytes,container_name=ws-proxy-bench-nginx-1,machine=host value=42i 1700000000000000005
tx_errors,container_name=ws-proxy-bench-nginx-1,machine=host value=43i 1700000000000000005
referenced_memory,container_name=ws-proxy-bench-nginx-1,machine=host value=50i 1700000000000000005
memory_usage,container_name=ws-proxy-bench-nginx-1,machine=host value=10i 1700000000000000005
memory_max_usage,container_name=ws-proxy-bench-nginx-1,machine=host value=11i 1700000000000000005
memory_cache,container_name=ws-proxy-bench-nginx-1,machine=host value=12i 1700000000000000005
memory_rss,container_name=ws-proxy-bench-nginx-1,machine=host value=13i 1700000000000000005
memory_swap,container_name=ws-proxy-bench-nginx-1,machine=host value=14i 1700000000000000005
memory_mapped_file,container_name=ws-proxy-bench-nginx-1,machine=host value=15i 1700000000000000005
memory_working_set,container_name=ws-proxy-bench-nginx-1,machine=host value=16i 1700000000000000005
memory_total_active_file,container_name=ws-proxy-bench-nginx-1,machine=host value=17i 1700000000000000005
memory_total_inactive_file,container_name=ws-proxy-bench-nginx-1,machine=host value=18i 1700000000000000005
memory_failcnt,container_name=ws-proxy-bench-nginx-1,machine=host value=19i 1700000000000000005
memory_failure,container_name=ws-proxy-bench-nginx-1,failure_type=pgmajfault,machine=host,scope=hierarchical value=23i 1700000000000000005
hugetlb_usage,container_name=ws-proxy-bench-nginx-1,machine=host,page_size=2MB value=60i 1700000000000000005
hugetlb_max_usage,container_name=ws-proxy-bench-nginx-1,machine=host,page_size=2MB value=61i 1700000000000000005
hugetlb_failcnt,container_name=ws-proxy-bench-nginx-1,machine=host,page_size=2MB value=62i 1700000000000000005
fs_usage,container_name=ws-proxy-bench-nginx-1,device=/dev/vda,machine=host,type=usage value=70i 1700000000000000005
fs_limit,container_name=ws-proxy-bench-nginx-1,device=/dev/vda,machine=host,type=limit value=71i 1700000000000000005
`

func set(t *testing.T, name, value string) {
	t.Helper()
	old := flag.Lookup(name).Value.String()
	if err := flag.Set(name, value); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { flag.Set(name, old) })
}

func TestLineProtocolEqualsOfficialDriver(t *testing.T) {
	set(t, "storage_driver_buffer_duration", "0s")
	got, err := newInfluxDB("host").add(nginx, sample())
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != strings.TrimPrefix(golden, "\n") {
		t.Errorf("got\n%s\nexpected%s", got, golden)
	}
}

func TestContainerWithoutAliasOrNetworkIsNamedByItsCgroup(t *testing.T) {
	set(t, "storage_driver_buffer_duration", "0s")
	stats := sample()
	stats.Network = nil
	got, err := newInfluxDB("host").add(&model.ContainerInfo{ContainerReference: model.ContainerReference{Name: "/a b"}}, stats)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(got), `container_name=/a\ b,`) || strings.Contains(string(got), "rx_bytes") {
		t.Errorf("got\n%s", got)
	}
}

func TestBufferIsSentWhenDueAndDroppedOnFailure(t *testing.T) {
	var lines, status = 0, http.StatusNoContent
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		if got := r.Method + " " + r.URL.String() + " " + user + ":" + password; got != "POST /write?db=cadvisor&rp=week root:root" {
			t.Errorf("got request %q", got)
		}
		body, _ := io.ReadAll(r.Body)
		lines = strings.Count(string(body), "\n")
		w.WriteHeader(status)
	}))
	defer server.Close()
	set(t, "storage_driver_host", strings.TrimPrefix(server.URL, "http://"))
	set(t, "storage_driver_influxdb_retention_policy", "week")
	db := newInfluxDB("host")
	perSample := strings.Count(golden, "\n") - 1

	// Not due for 60 s, the default.
	if err := db.AddStats(nginx, sample()); err != nil || lines != 0 {
		t.Errorf("sent %d lines before they were due, error %v", lines, err)
	}
	set(t, "storage_driver_buffer_duration", "0s")
	if err := db.AddStats(nginx, sample()); err != nil || lines != 2*perSample {
		t.Errorf("sent %d lines, expected two samples of %d; error %v", lines, perSample, err)
	}
	status = http.StatusNotFound
	if err := db.AddStats(nginx, sample()); err == nil {
		t.Error("no error for a refused write")
	}
	status = http.StatusNoContent
	if err := db.AddStats(nginx, sample()); err != nil || lines != perSample {
		t.Errorf("sent %d lines after a failure, expected one sample of %d; error %v", lines, perSample, err)
	}
}
