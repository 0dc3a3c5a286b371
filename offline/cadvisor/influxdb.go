package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/google/cadvisor/lib/model"
	"github.com/google/cadvisor/lib/storage"
	"github.com/google/cadvisor/lib/version"
	"github.com/influxdata/line-protocol/v2/lineprotocol"
)

var retentionPolicy = flag.String("storage_driver_influxdb_retention_policy", "", "retention policy; empty for the database's default")

func init() {
	storage.RegisterStorageDriver("influxdb", func() (storage.StorageDriver, error) {
		machine, err := os.Hostname()
		return newInfluxDB(machine), err
	})
}

// influxDB writes samples to an InfluxDB 1.x server, as the official driver
// does: one measurement per quantity, one field "value", the tags machine (host
// name of this process) and container_name (the container's first alias, or
// its cgroup path). It makes no database, sends the buffer when a sample
// arrives after the buffer duration, and drops the buffer if the write fails.
type influxDB struct {
	client  http.Client
	url     string
	machine string

	mu        sync.Mutex // guards what follows
	buffer    lineprotocol.Encoder
	lastWrite time.Time
}

func newInfluxDB(machine string) *influxDB {
	query := url.Values{"db": {*storage.ArgDbName}}
	if *retentionPolicy != "" {
		query.Set("rp", *retentionPolicy)
	}
	u := url.URL{Scheme: "http", Host: *storage.ArgDbHost, Path: "/write", RawQuery: query.Encode()}
	if *storage.ArgDbIsSecure {
		u.Scheme = "https"
	}
	return &influxDB{
		// A write runs in a container's sampling loop: a server that hangs must not end its curve.
		client:    http.Client{Timeout: 10 * time.Second},
		url:       u.String(),
		machine:   machine,
		lastWrite: time.Now(),
	}
}

// AddStats buffers one sample of one container and sends the buffer if it is due.
func (db *influxDB) AddStats(c *model.ContainerInfo, stats *model.ContainerStats) error {
	if stats == nil {
		return nil
	}
	batch, err := db.add(c, stats)
	if err != nil || batch == nil {
		return err
	}
	return db.write(batch)
}

// Close implements storage.StorageDriver. Nothing calls it.
func (db *influxDB) Close() error { return nil }

// add returns the lines to send, or nil if they are not due yet.
func (db *influxDB) add(c *model.ContainerInfo, stats *model.ContainerStats) ([]byte, error) {
	name := c.Name
	if len(c.Aliases) > 0 {
		name = c.Aliases[0]
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	for _, p := range points(stats) {
		db.buffer.StartLine(p.measurement)
		p.tags["container_name"], p.tags["machine"] = name, db.machine
		for _, key := range slices.Sorted(maps.Keys(p.tags)) {
			db.buffer.AddTag(key, p.tags[key])
		}
		db.buffer.AddField("value", lineprotocol.IntValue(int64(p.value)))
		db.buffer.EndLine(stats.Timestamp)
	}
	if err := db.buffer.Err(); err != nil {
		db.buffer.ClearErr()
		return nil, fmt.Errorf("encode a sample of %s: %w", name, err)
	}
	if time.Since(db.lastWrite) < *storage.ArgDbBufferDuration {
		return nil, nil
	}
	batch := db.buffer.Bytes()
	db.buffer.SetBuffer(nil)
	db.lastWrite = time.Now()
	return batch, nil
}

func (db *influxDB) write(batch []byte) error {
	req, err := http.NewRequest(http.MethodPost, db.url, bytes.NewReader(batch))
	if err != nil {
		return err
	}
	req.SetBasicAuth(*storage.ArgDbUsername, *storage.ArgDbPassword)
	req.Header.Set("User-Agent", "cAdvisor/"+version.Version)
	res, err := db.client.Do(req)
	if err != nil {
		return fmt.Errorf("dropped %d bytes of samples: %w", len(batch), err)
	}
	defer res.Body.Close()
	body, _ := io.ReadAll(res.Body) // to the end, or the connection is not used again
	if res.StatusCode/100 != 2 {
		return fmt.Errorf("dropped %d bytes of samples: InfluxDB answered %s: %s", len(batch), res.Status, body)
	}
	return nil
}

type point struct {
	measurement string
	value       uint64
	tags        map[string]string
}

// points names the quantities of one sample as the official driver does.
// Byte counts are in bytes, CPU times in nanoseconds since the container's start.
func points(s *model.ContainerStats) []point {
	var ps []point
	add := func(measurement string, value uint64, tags ...string) {
		p := point{measurement, value, map[string]string{}}
		for i := 0; i < len(tags); i += 2 {
			p.tags[tags[i]] = tags[i+1]
		}
		ps = append(ps, p)
	}

	add("cpu_usage_total", s.Cpu.Usage.Total)
	add("cpu_usage_system", s.Cpu.Usage.System)
	add("cpu_usage_user", s.Cpu.Usage.User)
	for cpu, usage := range s.Cpu.Usage.PerCpu {
		add("cpu_usage_per_cpu", usage, "instance", strconv.Itoa(cpu))
	}
	add("load_average", uint64(s.Cpu.LoadAverage))

	if s.Network != nil { // of the first interface
		add("rx_bytes", s.Network.RxBytes)
		add("rx_errors", s.Network.RxErrors)
		add("tx_bytes", s.Network.TxBytes)
		add("tx_errors", s.Network.TxErrors)
	}

	add("referenced_memory", s.ReferencedMemory)
	add("memory_usage", s.Memory.Usage)
	add("memory_max_usage", s.Memory.MaxUsage)
	add("memory_cache", s.Memory.Cache)
	add("memory_rss", s.Memory.RSS)
	add("memory_swap", s.Memory.Swap)
	add("memory_mapped_file", s.Memory.MappedFile)
	add("memory_working_set", s.Memory.WorkingSet)
	add("memory_total_active_file", s.Memory.TotalActiveFile)
	add("memory_total_inactive_file", s.Memory.TotalInactiveFile)
	add("memory_failcnt", s.Memory.Failcnt)
	// The official driver gives its four points of this measurement the tags of
	// the last one, so that only the last one survives.
	add("memory_failure", s.Memory.HierarchicalData.Pgmajfault, "failure_type", "pgmajfault", "scope", "hierarchical")

	for size, huge := range s.Hugetlb {
		add("hugetlb_usage", huge.Usage, "page_size", size)
		add("hugetlb_max_usage", huge.MaxUsage, "page_size", size)
		add("hugetlb_failcnt", huge.Failcnt, "page_size", size)
	}
	for _, fs := range s.Filesystem {
		add("fs_usage", fs.Usage, "device", fs.Device, "type", "usage")
		add("fs_limit", fs.Limit, "device", fs.Device, "type", "limit")
	}
	return ps
}
