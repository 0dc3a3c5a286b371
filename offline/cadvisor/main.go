// Command cadvisor is a local build of cAdvisor for machines that reach no
// container registry. cAdvisor's own command is not a Go module that can be
// required, so this one puts its published parts together: the manager, the
// Docker handler and the Prometheus collectors. The InfluxDB driver is ours.
//
// It has the flags of the official binary that this project uses, with the same
// meanings and defaults. It has no web pages, no REST API and no other driver.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	// The Docker handler turns cgroups into container names; the rest is for disk metrics.
	_ "github.com/google/cadvisor/container/docker/install"
	_ "github.com/google/cadvisor/lib/fs/btrfs/install"
	_ "github.com/google/cadvisor/lib/fs/nfs/install"
	_ "github.com/google/cadvisor/lib/fs/overlay/install"
	_ "github.com/google/cadvisor/lib/fs/tmpfs/install"
	_ "github.com/google/cadvisor/lib/fs/vfs/install"
	_ "github.com/google/cadvisor/lib/fs/zfs/install"

	"github.com/google/cadvisor/lib/cache/memory"
	"github.com/google/cadvisor/lib/container"
	"github.com/google/cadvisor/lib/manager"
	"github.com/google/cadvisor/lib/metrics"
	"github.com/google/cadvisor/lib/model"
	"github.com/google/cadvisor/lib/storage"
	"github.com/google/cadvisor/lib/utils/sysfs"
	"github.com/google/cadvisor/lib/version"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"
)

// Flags that the official command defines itself. Importing the library
// registers the rest: -docker, -docker_only, -housekeeping_interval, ...
var (
	listenIP        = flag.String("listen_ip", "", "IP to listen on, empty for all")
	port            = flag.Int("port", 8080, "TCP port to listen on")
	storageDriver   = flag.String("storage_driver", "", "`driver` to push statistics to: influxdb, or empty for none")
	storageDuration = flag.Duration("storage_duration", 2*time.Minute, "how long to keep statistics in memory")
	storeLabels     = flag.Bool("store_container_labels", true, "add container labels to the Prometheus metrics")
	printVersion    = flag.Bool("version", false, "print the version and exit")
	keptLabels      = flag.String("whitelisted_container_labels", "", "comma-separated labels to add if -store_container_labels=false")

	enabledMetrics  = container.MetricSet{}
	disabledMetrics = container.MetricSet{
		container.CPUSetMetrics:                  {},
		container.CPUTopologyMetrics:             {},
		container.HugetlbUsageMetrics:            {},
		container.MemoryNumaMetrics:              {},
		container.NetworkAdvancedTcpUsageMetrics: {},
		container.NetworkTcpUsageMetrics:         {},
		container.NetworkUdpUsageMetrics:         {},
		container.ProcessMetrics:                 {},
		container.ProcessSchedulerMetrics:        {},
		container.ReferencedMemoryMetrics:        {},
		container.ResctrlMetrics:                 {},
	}
)

func main() {
	klog.InitFlags(nil)
	defer klog.Flush()
	flag.Set("v", "2") // the official default
	flag.Var(&enabledMetrics, "enable_metrics", "comma-separated `metrics` to collect; overrides -disable_metrics")
	flag.Var(&disabledMetrics, "disable_metrics", "comma-separated `metrics` not to collect, of: "+container.AllMetrics.String())
	flag.Parse()
	if *printVersion {
		fmt.Printf("cAdvisor version %s (local build)\n", version.Version)
		return
	}

	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil {
		klog.Exit(err)
	}
}

// run collects and serves statistics until ctx ends.
func run(ctx context.Context) error {
	included := enabledMetrics
	if len(included) == 0 {
		included = container.AllMetrics.Difference(disabledMetrics)
	}
	var backends []storage.StorageDriver
	if *storageDriver != "" {
		driver, err := storage.New(*storageDriver)
		if err != nil {
			return fmt.Errorf("-storage_driver: %w (expected one of: %s)", err, strings.Join(storage.ListDrivers(), ", "))
		}
		backends = append(backends, driver)
	}

	// The prefix list must have an element; the empty one matches every cgroup.
	m, err := manager.New(memory.New(*storageDuration, backends), sysfs.NewRealSysFs(),
		manager.HousekeepingConfigFlags, included, []string{""}, nil, "", 0)
	if err != nil {
		return fmt.Errorf("create the manager: %w", err)
	}
	if err := m.Start(); err != nil {
		return fmt.Errorf("start the manager: %w", err)
	}

	mux := http.NewServeMux()
	mux.HandleFunc("/healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "ok") })
	mux.Handle("/metrics", prometheusHandler(m, included))
	server := &http.Server{Addr: net.JoinHostPort(*listenIP, strconv.Itoa(*port)), Handler: mux}
	go func() {
		<-ctx.Done()
		if err := m.Stop(); err != nil {
			klog.Errorf("Stop the manager: %v", err)
		}
		server.Close()
	}()
	klog.Infof("cAdvisor %s listens on %s, collects %s", version.Version, server.Addr, included)
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// prometheusHandler serves the newest sample of every container. CPU throttling
// is here and only here: the InfluxDB driver, like the official one, omits it.
func prometheusHandler(m manager.Manager, included container.MetricSet) http.Handler {
	labels := metrics.DefaultContainerLabels
	if !*storeLabels {
		labels = metrics.BaseContainerLabels(strings.Split(*keptLabels, ","))
	}
	newest := model.RequestOptions{IdType: model.TypeName, Count: 1, Recursive: true}
	registry := prometheus.NewRegistry()
	registry.MustRegister(
		metrics.NewPrometheusCollector(m, labels, included, clock.RealClock{}, newest),
		metrics.NewPrometheusMachineCollector(m, included),
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	return promhttp.HandlerFor(registry, promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError})
}
