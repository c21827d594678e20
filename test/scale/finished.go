package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/test/scale/kept"
)

const (
	// creators work in parallel on what finished runs leave.
	creators = 16
	// restful is how long an operator that is at rest uses next to no CPU.
	restful = 5 * time.Second
)

// left is what was created of finished runs.
type left struct {
	runs, results, possible          int
	runBytes, resultBytes, nodeBytes int
}

// measureFinished is the operator's memory beside finished runs: at rest after its start, and when a run of all nodes is through.
func (b *bench) measureFinished(ctx context.Context) error {
	made, err := b.finishedRuns(ctx)
	if err != nil {
		return err
	}
	m, err := b.startManager(ctx, b.config.Host, "")
	if err != nil {
		return err
	}
	defer m.stop()
	rest, err := m.atRest(ctx)
	if err != nil {
		return err
	}
	fmt.Printf("\n%d nodes, %d finished runs of 14 benchmarks kept: runs of %d kB, NodeValidations of %d kB each\n",
		b.nodes, made.runs, made.runBytes/1000, made.nodeBytes/1000)
	fmt.Printf("  results created      %6d of %d, %d kB each, %.1f GB of %.1f GB\n", made.results, made.possible, made.resultBytes/1000,
		float64(made.results*made.resultBytes)/1e9, float64(made.possible*made.resultBytes)/1e9)
	fmt.Printf("  operator at rest     %6.0f MB peak RSS (%s), %.1f s of CPU\n", rest.rssMB, b.goals.most(200, rest.rssMB, "memory at rest"), rest.cpuSeconds)
	if _, err := b.timeRun(ctx, "beside-finished"); err != nil {
		return err
	}
	run, err := m.usage()
	if err != nil {
		return err
	}
	fmt.Printf("  during another run   %6.0f MB peak RSS, one benchmark on every node\n", run.rssMB)
	return nil
}

// atRest waits until the operator has nothing to do.
func (p *process) atRest(ctx context.Context) (usage, error) {
	last, err := p.usage()
	if err != nil {
		return usage{}, err
	}
	err = wait.PollUntilContextTimeout(ctx, restful, 10*time.Minute, false, func(context.Context) (bool, error) {
		now, err := p.usage()
		quiet := now.cpuSeconds-last.cpuSeconds < restful.Seconds()/50
		last = now
		return quiet, err
	})
	return last, err
}

// finishedRuns creates what so many runs of all nodes leave, as many of their results as the given bytes hold: etcd has room for
// 2 GiB, unless it is told otherwise, and the API server takes its time over each.
func (b *bench) finishedRuns(ctx context.Context) (left, error) {
	var nodes corev1.NodeList
	if err := b.List(ctx, &nodes, client.MatchingLabels{"type": "kwok"}); err != nil {
		return left{}, fmt.Errorf("listing the simulated nodes: %w", err)
	}
	made := left{possible: b.finished * len(nodes.Items)}
	if err := b.remember(ctx, nodes.Items, &made); err != nil {
		return left{}, err
	}
	var runs []*v1alpha1.ValidationRun
	for i := range b.finished {
		run, err := b.finishedRun(ctx, fmt.Sprintf("kept-%d", i), nodes.Items)
		if err != nil {
			return left{}, err
		}
		runs, made.runBytes = append(runs, run), size(run)
	}
	made.runs = len(runs)
	var g errgroup.Group
	g.SetLimit(creators)
	for i := range nodes.Items {
		for _, run := range runs {
			result := kept.Result(run, &nodes.Items[i], i)
			made.resultBytes = size(result)
			if (made.results+1)*made.resultBytes > b.finishedMB*1e6 {
				return made, g.Wait()
			}
			made.results++
			g.Go(func() error { return b.Create(ctx, result) })
		}
	}
	return made, g.Wait()
}

// remember puts full histories in place of what the nodes' few runs have left.
func (b *bench) remember(ctx context.Context, nodes []corev1.Node, made *left) error {
	if err := b.DeleteAllOf(ctx, &v1alpha1.NodeValidation{}); err != nil {
		return fmt.Errorf("deleting NodeValidations: %w", err)
	}
	var g errgroup.Group
	g.SetLimit(creators)
	for i := range nodes {
		v := kept.Validation(&nodes[i], i)
		made.nodeBytes = size(v)
		g.Go(func() error { return b.Create(ctx, v) })
	}
	return g.Wait()
}

func (b *bench) finishedRun(ctx context.Context, name string, nodes []corev1.Node) (*v1alpha1.ValidationRun, error) {
	run := &v1alpha1.ValidationRun{ObjectMeta: metav1.ObjectMeta{Name: name, Finalizers: []string{v1alpha1.FinalizerCleanup}},
		Spec: v1alpha1.ValidationRunSpec{Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"type": "kwok"}},
			Benchmarks: []v1alpha1.BenchmarkRef{{Name: "stub"}}}}
	if err := b.Create(ctx, run); err != nil {
		return nil, fmt.Errorf("creating run %s: %w", name, err)
	}
	run.Status = kept.Status(nodes)
	if err := b.Status().Update(ctx, run); err != nil {
		return nil, fmt.Errorf("finishing run %s: %w", name, err)
	}
	return run, nil
}

func size(o any) int {
	text, err := json.Marshal(o)
	if err != nil {
		return 0
	}
	return len(text)
}
