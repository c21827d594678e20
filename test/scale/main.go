// Command scale measures the operator on a cluster of simulated nodes: the wall time of a ValidationRun against that of a
// native Indexed Job which makes the same pods, the operator's API writes per node by verb and resource, and its memory
// and CPU, at last beside finished runs that are kept; or what a ValidationPolicy over all nodes costs; or how single GPUs go out of service.
// kwok ends each benchmark pod with a stored result document, or this program does; everything else is real.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/assay-dev/assay/api/v1alpha1"
)

type bench struct {
	client.WithWatch
	config  *rest.Config
	nodes   int
	repeats int
	// finished runs that are kept, and how many megabytes of their results.
	finished, finishedMB int
	// policy: measure one for so long while nothing happens.
	policy  bool
	idleFor time.Duration
	// devices: take single GPUs out of service, so many one after the other, through so many restarts.
	devices           bool
	samples, restarts int
	manager           string
	dir               string
	goals             goals
}

func main() {
	b := bench{}
	var kubeconfig, stages string
	flag.StringVar(&kubeconfig, "kubeconfig", "", "The cluster of simulated nodes.")
	flag.IntVar(&b.nodes, "nodes", 1000, "Simulated nodes in it.")
	flag.IntVar(&b.repeats, "repeats", 3, "Repetitions of the Job and the run, interleaved.")
	flag.IntVar(&b.finished, "kept", 10, "Finished runs beside which the operator's memory is measured at last; 0 for none.")
	flag.IntVar(&b.finishedMB, "kept-mb", 500, "Megabytes of results of these runs, as far as etcd has room.")
	flag.BoolVar(&b.policy, "policy", false, "Measure a ValidationPolicy over all nodes, and nothing else.")
	flag.DurationVar(&b.idleFor, "idle", 10*time.Minute, "How long the operator is watched while nothing happens.")
	flag.BoolVar(&b.devices, "devices", false, "Take single GPUs of a DRA driver out of service, and nothing else.")
	flag.IntVar(&b.samples, "samples", 100, "GPUs that become slow one after the other.")
	flag.IntVar(&b.restarts, "restarts", 50, "How often the operator is killed while things happen to nodes.")
	flag.StringVar(&b.manager, "manager", "bin/manager", "The operator's binary.")
	flag.StringVar(&stages, "write-stages", "", "Only write kwok's stage for benchmark pods into this folder.")
	flag.Parse()
	log.SetLogger(logr.Discard())
	if err := run(&b, kubeconfig, stages); err != nil {
		fmt.Fprintln(os.Stderr, "scale:", err)
		os.Exit(1)
	}
}

func run(b *bench, kubeconfig, stages string) error {
	if stages != "" {
		return writeStages(stages)
	}
	if err := b.connect(kubeconfig); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "assay-scale-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b.dir = dir
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Hour)
	defer cancel()
	if err := b.prepare(ctx); err != nil {
		return err
	}
	if err := b.measureAll(ctx); err != nil {
		return err
	}
	return b.goals.err()
}

func (b *bench) measureAll(ctx context.Context) error {
	if b.devices {
		return b.measureDevices(ctx, b.samples, b.restarts)
	}
	if b.policy {
		return b.measurePolicy(ctx, b.idleFor)
	}
	if b.repeats > 0 {
		if err := b.measure(ctx); err != nil {
			return err
		}
	}
	if b.finished > 0 {
		return b.measureFinished(ctx)
	}
	return nil
}

func (b *bench) connect(kubeconfig string) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return fmt.Errorf("reading %s: %w", kubeconfig, err)
	}
	config.QPS = -1
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		return err
	}
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		return err
	}
	b.config = config
	b.WithWatch, err = client.NewWithWatch(config, client.Options{Scheme: scheme})
	return err
}

// measure interleaves Job and run, so that a change of the machine's mood meets both, and counts the writes of one more
// run through a counting proxy, whose cost is not in the times.
func (b *bench) measure(ctx context.Context) error {
	var jobs, runs []spent
	m, err := b.startManager(ctx, b.config.Host, "")
	if err != nil {
		return err
	}
	for i := range b.repeats {
		j, err := b.timeJob(ctx, fmt.Sprintf("job-%d", i))
		if err != nil {
			return err
		}
		r, err := b.timeRun(ctx, fmt.Sprintf("run-%d", i))
		if err != nil {
			return err
		}
		fmt.Printf("repetition %d: Job %.1f s, ValidationRun %.1f s\n", i+1, j.took.Seconds(), r.took.Seconds())
		jobs, runs = append(jobs, j), append(runs, r)
	}
	use, err := m.usage()
	if err != nil {
		return err
	}
	m.stop()
	counter, err := newCounter(b.config)
	if err != nil {
		return err
	}
	defer counter.close()
	if m, err = b.startManager(ctx, counter.url(), b.dir); err != nil {
		return err
	}
	defer m.stop()
	counter.reset()
	if _, err := b.timeRun(ctx, "counted"); err != nil {
		return err
	}
	b.print(jobs, runs, use, counter)
	return nil
}

func (b *bench) print(jobs, runs []spent, use usage, c *counter) {
	job, run := median(took(jobs)), median(took(runs))
	ratio, cpu, writes := run.Seconds()/job.Seconds(), use.cpuSeconds/float64(b.repeats), float64(c.writes())/float64(b.nodes)
	fmt.Printf("\n%d nodes, one benchmark each, median of %d\n", b.nodes, b.repeats)
	fmt.Printf("  native Indexed Job   %6.1f s\n", job.Seconds())
	fmt.Printf("  ValidationRun        %6.1f s   ratio %.2f (%s)\n", run.Seconds(), ratio, b.goals.most(1.1, ratio, "ratio"))
	fmt.Printf("  operator memory      %6.0f MB peak RSS (%s)\n", use.rssMB, b.goals.most(150, use.rssMB, "memory"))
	fmt.Printf("  operator CPU         %6.1f s a run (%s)\n", cpu, b.goals.most(5, cpu, "CPU"))
	fmt.Printf("  API writes per node  %6.2f (%s)\n", writes, b.goals.most(4, writes, "writes"))
	for _, line := range c.table(b.nodes) {
		fmt.Println("    " + line)
	}
	fmt.Println("  processor time, by program")
	for _, line := range processorTable(jobs, runs, b.nodes) {
		fmt.Println("    " + line)
	}
}

func median(d []time.Duration) time.Duration {
	s := slices.Sorted(slices.Values(d))
	return s[len(s)/2]
}
