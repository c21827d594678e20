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
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// ledger is every benchmark pod that the tests ever saw, by attempt. It proves afterwards that no attempt ran twice.
type ledger struct {
	mu   sync.Mutex
	pods map[attempt][]types.UID
}

type attempt struct{ run, node, benchmark, number string }

func newLedger() *ledger { return &ledger{pods: map[attempt][]types.UID{}} }

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
					l.see(pod)
				}
			}
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

func (l *ledger) see(pod *corev1.Pod) {
	l.mu.Lock()
	defer l.mu.Unlock()
	a := attempt{pod.Labels[v1alpha1.LabelRunName], pod.Annotations[v1alpha1.AnnotationNode],
		pod.Labels[v1alpha1.LabelBenchmark], pod.Annotations[v1alpha1.AnnotationAttempt]}
	if !slices.Contains(l.pods[a], pod.UID) {
		l.pods[a] = append(l.pods[a], pod.UID)
	}
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
