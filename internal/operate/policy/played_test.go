package policy

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// played is a world in which a script was played to its end.
func played(t *testing.T, script string) *world {
	t.Helper()
	w := newWorld(t)
	w.play(w.script(strings.Split(script, "\n")))
	return w
}

const sixtyBusy = `terse
benchmark gemm
nodes 60
policy gpu gate=assay.dev/unvalidated limit=1
at 10m set * busy=train
at 1h set * driver=570.20
`

// TestWhatNeedsSomebodyIsListedFirst: more nodes than there are rows wait for their work to end, for longer than the others.
func TestWhatNeedsSomebodyIsListedFirst(t *testing.T) {
	for sentence, c := range map[string]struct {
		script, reason string
		stuck          int32
	}{
		"a gate that is stuck": {"at 2h node new gate=assay.dev/unvalidated devices=0\nuntil 4h", v1alpha1.ReasonGateStuck, 1},
		"a failed node":        {"at 2h node new\nat 2h finds new gemm=fail\nuntil 3h", v1alpha1.ReasonFailed, 0},
		"a failed node behind a stuck gate": {"at 2h node new gate=assay.dev/unvalidated\nat 2h finds new gemm=fail\nuntil 8h",
			v1alpha1.ReasonFailed, 1},
		"a node that cannot be measured": {"at 2h node new cordoned=true\nuntil 3h", v1alpha1.ReasonNodeCordoned, 0},
	} {
		t.Run(sentence, func(t *testing.T) {
			p := played(t, sixtyBusy+c.script).policies[0]
			if a := p.Status.Attention; a[0].Name != "new" || a[0].Reason != c.reason {
				t.Errorf("first row is %s %s, want new %s", a[0].Name, a[0].Reason, c.reason)
			}
			if got := p.Status.Nodes.Stuck; got != c.stuck {
				t.Errorf("%d nodes are stuck, want %d", got, c.stuck)
			}
		})
	}
}

// TestAnIdleNodeIsMeasuredBesideABusyFleet: 400 busy nodes are due for a weightier reason, and use up all looks.
func TestAnIdleNodeIsMeasuredBesideABusyFleet(t *testing.T) {
	w := played(t, `terse
benchmark gemm
nodes 400
policy gpu
at 10m set * busy=train
at 1h set * driver=570.20
at 70m node new
until 75m`)
	if w.node("new").validation == nil {
		t.Error("a new, idle node is not measured within 5 minutes")
	}
}

// TestABusyNodeDoesNotSplitRuns: the others are still renewed together, as without it.
func TestABusyNodeDoesNotSplitRuns(t *testing.T) {
	renewals := func(incident string) int {
		w := played(t, "terse\nbenchmark gemm\nnodes 100\npolicy gpu validFor=7d\n"+incident+"\nuntil 8d")
		return strings.Count(w.said.String(), "run     gpu-renewal")
	}
	idle, busy := renewals(""), renewals("at 1h set node-0000 busy=train")
	if busy > idle+1 {
		t.Errorf("%d runs renew 100 nodes of which one is busy, and %d do when it is idle", busy, idle)
	}
}

// TestRunsOverGatedNodesEndInTime: one node that hangs keeps its whole batch closed until the run is over.
func TestRunsOverGatedNodesEndInTime(t *testing.T) {
	for sentence, c := range map[string]struct {
		policy, node string
		template     *int64
		want         *int64
	}{
		"as the gate's timeout":               {"timeout=1h", "gate=assay.dev/unvalidated", ptr.To[int64](14400), ptr.To[int64](3600)},
		"as the template, which is sooner":    {"timeout=1h", "gate=assay.dev/unvalidated", ptr.To[int64](600), ptr.To[int64](600)},
		"not before the benchmarks are done":  {"timeout=2m", "gate=assay.dev/unvalidated", nil, ptr.To[int64](240)},
		"of other nodes, as the template has": {"timeout=1h", "", ptr.To[int64](14400), ptr.To[int64](14400)},
	} {
		t.Run(sentence, func(t *testing.T) {
			w := newWorld(t)
			until := w.script([]string{"benchmark gemm cost=120s", "policy gpu gate=assay.dev/unvalidated " + c.policy, "node new " + c.node, "until 5m"})
			w.policies[0].Spec.Run.ActiveDeadlineSeconds = c.template
			w.play(until)
			if diff := cmp.Diff(c.want, w.runs[0].Spec.ActiveDeadlineSeconds); diff != "" {
				t.Errorf("deadline (-want +got):\n%s", diff)
			}
		})
	}
}

// TestRetriesEnd: also as many as the API allows, of which a node's history just has room.
func TestRetriesEnd(t *testing.T) {
	w := played(t, `benchmark gemm
nodes 1
policy gpu retry=1m limit=9
at 1h finds * gemm=fail
at 1h set * driver=570.20
until 20d`)
	if got := strings.Count(w.said.String(), "run     gpu-retry"); got != 9 {
		t.Errorf("%d retries, want 9", got)
	}
}
