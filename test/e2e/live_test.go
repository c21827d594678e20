//go:build e2e

package e2e_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/assay-dev/assay/api/v1alpha1"
)

var (
	liveFor  = flag.Duration("live", 0, "how long TestLive breaks things; 0: it is not run")
	liveSeed = flag.Uint64("live-seed", 1, "what TestLive breaks, and when, follows from this number")
)

const (
	liveSlow = "node-4" // by testdata/live.yaml
	// liveRuns are in progress at once.
	liveRuns = 3
)

// TestLive is the campaign (test/campaign) on a real cluster: runs and policies go on while the processes that they rest on are killed, stopped and
// cut off. It checks all the time what must never be, and at the end that everything has come to what is true.
func TestLive(t *testing.T) {
	if *liveFor == 0 {
		t.Skip("not run: it takes minutes; `make campaign-live MINUTES=30` runs it")
	}
	t.Logf("-live %s -live-seed %d", *liveFor, *liveSeed)
	kubectl(t, "-n", "assay-system", "scale", "deployment/assay-manager", "--replicas=2")
	kubectl(t, "-n", "assay-system", "rollout", "status", "deployment/assay-manager", "--timeout=300s")
	if err := applyFile(t.Context(), filepath.Join("testdata", "live.yaml")); err != nil {
		t.Fatal(err)
	}
	kubectl(t, "wait", "--for=condition=Ready", "--timeout=120s", "validationpolicies", "--all")
	for _, n := range nodes {
		kubectl(t, "taint", "node", n, "example.com/owner=alice:PreferNoSchedule")
	}

	ctx, stop := context.WithTimeout(t.Context(), *liveFor)
	defer stop()
	load := &liveLoad{Rand: rand.New(rand.NewPCG(*liveSeed, 1))}
	var others sync.WaitGroup
	others.Go(func() { watchOver(ctx, t) })
	others.Go(func() { load.goOn(ctx, t) })
	figures := breakThings(ctx, t, rand.New(rand.NewPCG(*liveSeed, 2)))
	others.Wait()
	t.Logf("%d runs, of which %d were deleted; %v", load.created, load.deleted, figures)
	settle(t)
}

// liveLoad creates runs, and now and then deletes one.
type liveLoad struct {
	*rand.Rand
	created, deleted int
}

func (l *liveLoad) goOn(ctx context.Context, t *testing.T) {
	_ = wait.PollUntilContextCancel(ctx, 2*time.Second, true, func(ctx context.Context) (bool, error) {
		var runs v1alpha1.ValidationRunList
		if api.List(ctx, &runs) != nil {
			return false, nil // the API server is away
		}
		var current []*v1alpha1.ValidationRun
		for i := range runs.Items {
			if !meta.IsStatusConditionTrue(runs.Items[i].Status.Conditions, v1alpha1.ConditionFinished) {
				current = append(current, &runs.Items[i])
			}
		}
		if len(current) > 0 && l.IntN(100) == 0 {
			if victim := current[l.IntN(len(current))]; api.Delete(ctx, victim) == nil {
				t.Logf("%s  somebody deletes run %s", clock(), victim.Name)
				l.deleted++
			}
		}
		if len(current) < liveRuns {
			run := newRun(fmt.Sprintf("live-%d", l.created+1), l.someNodes(), "live-pace")
			if len(run.Spec.NodeNames) > 1 && l.IntN(3) == 0 {
				run.Spec.Benchmarks = append(run.Spec.Benchmarks, v1alpha1.BenchmarkRef{Name: "live-pair"})
			}
			if withDeadline(run, int64(120+l.IntN(240))); l.IntN(3) > 0 {
				tainting(run, 1+l.Int32N(2))
			}
			run.Spec.Confirmations = new(l.Int32N(3))
			if api.Create(ctx, run) == nil {
				l.created++
			}
		}
		return false, nil
	})
}

func (l *liveLoad) someNodes() []string {
	on := []string{nodes[l.IntN(len(nodes))]}
	for _, n := range nodes {
		if n != on[0] && l.IntN(2) == 0 {
			on = append(on, n)
		}
	}
	return on
}

// watchOver checks what must never be: a fine node tainted or convicted (P6), or somebody else's taint gone (P4). That no node is in two benchmarks
// at once (P1) is in the ledger.
func watchOver(ctx context.Context, t *testing.T) {
	said := map[string]bool{}
	broken := func(format string, args ...any) {
		if text := fmt.Sprintf(format, args...); !said[text] {
			said[text] = true
			t.Errorf("%s  %s", clock(), text)
		}
	}
	_ = wait.PollUntilContextCancel(ctx, 500*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		var all corev1.NodeList
		var known v1alpha1.NodeValidationList
		if api.List(ctx, &all) != nil || api.List(ctx, &known) != nil {
			return false, nil
		}
		for i := range all.Items {
			n := &all.Items[i]
			if is := marksOf(n); n.Name != liveSlow && len(is.Taints) > 0 {
				broken("P6: node %s is fine, and carries %v", n.Name, is.Taints)
			}
			if !carries(n, "example.com/owner") {
				broken("P4: somebody else's taint of node %s is gone", n.Name)
			}
		}
		for _, v := range known.Items {
			if v.Name != liveSlow && len(v.Convictions) > 0 {
				broken("P6: node %s is fine, and convicted: %+v", v.Name, v.Convictions[0])
			}
		}
		return false, nil
	})
}

func carries(n *corev1.Node, key string) bool {
	for _, taint := range n.Spec.Taints {
		if taint.Key == key {
			return true
		}
	}
	return false
}

// settle checks, once nothing is broken any more, that each run ends (P2), that nothing of it is left (P3), that an audit finds what is true (P9), and that
// then nobody writes (P8).
func settle(t *testing.T) {
	for _, n := range nodes {
		kubectl(t, "uncordon", n)
		kubectl(t, "wait", "--for=condition=Ready", "--timeout=300s", "node/"+n)
	}
	eventually(t, "all runs to end", func(ctx context.Context) (bool, string) {
		var runs v1alpha1.ValidationRunList
		if err := api.List(ctx, &runs); err != nil {
			return false, err.Error()
		}
		open := ""
		for i := range runs.Items {
			if r := &runs.Items[i]; !meta.IsStatusConditionTrue(r.Status.Conditions, v1alpha1.ConditionFinished) {
				open += fmt.Sprintf(" %s: %+v;", r.Name, summaryOf(r))
			}
		}
		return open == "", open
	})
	kubectl(t, "delete", "validationpolicies", "live-all", "live-some")
	audit := tainting(newRun("live-audit", nodes, "live-pace"), 1)
	create(t, audit)
	finish(t, audit)
	rows := each(nodes, "Pass/Passed")
	rows[liveSlow] = "Fail/BelowExpectation"
	if diff := cmp.Diff(rows, summaryOf(audit).Rows); diff != "" {
		t.Errorf("the audit (-want +got):\n%s", diff)
	}
	want := map[string]marks{liveSlow: markedUnfit}
	for _, n := range nodes[:3] {
		want[n] = markedPassed
	}
	eventually(t, "the nodes to be called what they are", func(context.Context) (bool, string) {
		diff := cmp.Diff(want, allMarks(t))
		return diff == "", diff
	})
	quiet(t)
	for _, n := range nodes {
		kubectl(t, "taint", "node", n, "example.com/owner-")
	}
}

func clock() string { return time.Now().Format("15:04:05") }
