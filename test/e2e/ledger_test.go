//go:build e2e

package e2e_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// ledger is every benchmark pod that the tests ever saw. It proves afterwards that no attempt ran twice, and that no node was
// in two benchmarks at once.
type ledger struct {
	mu   sync.Mutex
	pods map[attempt][]types.UID
	// holds is the name of the pod that holds a node: bound to it and not over.
	holds map[string]string
	// clashes are pods that were bound to a node which another one held.
	clashes []string
}

type attempt struct{ run, node, benchmark, number string }

func newLedger() *ledger { return &ledger{pods: map[attempt][]types.UID{}, holds: map[string]string{}} }

// follow watches the benchmark pods until ctx ends.
func (l *ledger) follow(ctx context.Context, c client.WithWatch) error {
	w, err := c.Watch(ctx, &corev1.PodList{}, client.InNamespace(benchmarkNamespace))
	if err != nil {
		return fmt.Errorf("watching the benchmark pods: %w", err)
	}
	go func() {
		for {
			for e := range w.ResultChan() {
				if pod, ok := e.Object.(*corev1.Pod); ok {
					l.see(pod, e.Type == watch.Deleted)
				}
			}
			l.forget()
			// The server ends a watch now and then; a new one begins with all pods that are there.
			for w, err = c.Watch(ctx, &corev1.PodList{}, client.InNamespace(benchmarkNamespace)); err != nil; {
				select {
				case <-ctx.Done():
					return
				case <-time.After(100 * time.Millisecond):
					w, err = c.Watch(ctx, &corev1.PodList{}, client.InNamespace(benchmarkNamespace))
				}
			}
		}
	}()
	return nil
}

func (l *ledger) see(pod *corev1.Pod, deleted bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	node := pod.Spec.NodeName
	over := deleted || pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
	switch other := l.holds[node]; {
	case node == "" || pod.Labels[v1alpha1.LabelJobRole] == v1alpha1.JobRoleLauncher: // it measures nothing by itself
	case over && other == pod.Name:
		delete(l.holds, node)
	case over:
	case other != "" && other != pod.Name:
		l.clashes = append(l.clashes, fmt.Sprintf("pod %s was bound to %s, which pod %s held", pod.Name, node, other))
	default:
		l.holds[node] = pod.Name
	}
	a := attempt{pod.Labels[v1alpha1.LabelRunName], pod.Annotations[v1alpha1.AnnotationNode],
		pod.Labels[v1alpha1.LabelBenchmark], pod.Annotations[v1alpha1.AnnotationAttempt]}
	if !slices.Contains(l.pods[a], pod.UID) {
		l.pods[a] = append(l.pods[a], pod.UID)
	}
}

// forget who holds what: the end of a pod may be missed between two watches.
func (l *ledger) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	clear(l.holds)
}

func (l *ledger) allClashes() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.clashes)
}

// of returns how many pods each attempt of a run had, by "node/benchmark/number".
func (l *ledger) of(run string) map[string]int {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := map[string]int{}
	for a, uids := range l.pods {
		if a.run == run {
			out[a.node+"/"+a.benchmark+"/"+a.number] = len(uids)
		}
	}
	return out
}
