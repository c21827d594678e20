package assess

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/assess/collect"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
)

// TestARunEndsWhereNothingIsStored: an API server that stores nothing does not keep a run from its end, however many nodes it has.
func TestARunEndsWhereNothingIsStored(t *testing.T) {
	for _, nodes := range []int{collect.MostStored, collect.MostStored + 1, 3 * collect.MostStored} {
		r := newFleetRun(measuredRun(nodes, 1, false))
		r.in.Now = r.in.Run.Status.StartTime.Add(observe.Allowed(r.in.Run) + observe.CleanupGrace + time.Second)
		out := r.pass(t)
		report := out.Report(r.write(out, func(string) bool { return false }))
		if sum := report.Status.Summary; !report.Over || int(sum.Errored) != nodes {
			t.Errorf("over: %t, with %d of %d nodes written off", report.Over, sum.Errored, nodes)
		}
		for _, row := range report.Status.Nodes {
			if row.Reason != v1alpha1.ReasonNotStored || !strings.Contains(row.Message, "etcd is full") {
				t.Errorf("%s is %s: %s", row.Name, row.Reason, row.Message)
			}
		}
	}
}

// TestARunThatStillStoresGoesOn: what is stored late is no reason to write off nodes that wait for their turn.
func TestARunThatStillStoresGoesOn(t *testing.T) {
	const nodes = 2*collect.MostStored + 10
	r := newFleetRun(measuredRun(nodes, 1, false))
	r.in.Now = r.in.Run.Status.StartTime.Add(observe.Allowed(r.in.Run) + observe.CleanupGrace + time.Second)
	bad := func(node string) bool { return node == "node-00000" }
	for _, over := range []bool{false, false, true} {
		out := r.pass(t)
		report := out.Report(r.write(out, func(node string) bool { return !bad(node) }))
		if report.Over != over || report.StoresMore == over {
			t.Fatalf("over: %t, want %t; it stores more: %t", report.Over, over, report.StoresMore)
		}
		if sum := report.Status.Summary; over && (sum.Errored != 1 || sum.Passed != nodes-1) {
			t.Errorf("one result was not stored: %+v", *sum)
		}
	}
}

// TestResultsThatCannotBeStoredHoldUpNoOthers: there may be as many of them as a pass stores at all.
func TestResultsThatCannotBeStoredHoldUpNoOthers(t *testing.T) {
	const nodes = 3 * collect.MostStored
	r := newFleetRun(measuredRun(nodes, 1, false))
	stored := 0
	for range 4 {
		out := r.pass(t)
		if len(out.Nodes) > collect.MostStored {
			t.Fatalf("a pass is to store %d results", len(out.Nodes))
		}
		w := r.write(out, func(node string) bool { return node >= "node-00128" })
		if stored += w.Stored; out.Report(w).Over {
			t.Fatal("the run is over before its deadline, with results that are not stored")
		}
	}
	if want := nodes - collect.MostStored; stored != want {
		t.Errorf("%d results were stored, want %d", stored, want)
	}
	out := r.pass(t)
	if w := r.write(out, func(string) bool { return true }); w.Stored != collect.MostStored || !out.Report(w).Over {
		t.Errorf("once all can be stored, %d are", w.Stored)
	}
}

// write the results of the nodes that can be stored, and say what came of all.
func (r *fleetRun) write(out Output, stores func(node string) bool) Written {
	w := Written{Nodes: map[string]NodeWritten{}}
	var errs []error
	for _, n := range out.Nodes {
		if name := n.Result.Node.Name; !stores(name) {
			err := errors.New("etcd is full")
			w.Nodes[name], errs = NodeWritten{Unstored: err}, append(errs, err)
			continue
		}
		w.Stored++
		r.in.Results[r.index[n.Result.Name]] = r.writes.Pack(n.Result)
	}
	w.Err = errors.Join(errs...)
	return w
}
