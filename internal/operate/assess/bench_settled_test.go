package assess

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"k8s.io/utils/clock"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/assess/collect"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
	"github.com/assay-dev/assay/internal/operate/pack"
	"github.com/assay-dev/assay/internal/operate/recentwrites"
)

// fleetRun is a run over a fleet that was measured, as the controller makes its passes.
type fleetRun struct {
	in     observe.Input
	writes *recentwrites.Writes
	index  map[string]int // of results, by name
}

func newFleetRun(in observe.Input) *fleetRun {
	r := &fleetRun{in: in, writes: recentwrites.New(clock.RealClock{}), index: map[string]int{}}
	r.in.Memory = &observe.Memory{}
	for i, packed := range r.in.Results {
		r.index[packed.Head.Name], r.in.Results[i] = i, r.writes.Pack(asRead(packed.Head))
	}
	return r
}

// asRead is a result as it is decoded: no text of it is shared with another.
func asRead(stored *v1alpha1.ValidationResult) *v1alpha1.ValidationResult {
	text, err := json.Marshal(stored)
	read := &v1alpha1.ValidationResult{}
	if err == nil {
		err = json.Unmarshal(text, read)
	}
	if err != nil {
		panic(err)
	}
	return read
}

func (r *fleetRun) pass(t testing.TB) Output {
	out, err := assessed(r.in)
	if err != nil {
		t.Fatal(err)
	}
	out.Report(Written{})
	return out
}

// settle makes passes until each node has its verdict. It returns what the first of them held while it wrote, in bytes.
func (r *fleetRun) settle(t testing.TB) (completing int) {
	stored, before := 0, liveBytes()
	for out := r.pass(t); len(out.Nodes) > 0; out = r.pass(t) {
		if stored == 0 {
			completing = liveBytes() - before
		}
		for _, w := range out.Nodes {
			w.Result.ResourceVersion = "2"
			r.in.Results[r.index[w.Result.Name]] = r.writes.Pack(asRead(w.Result))
		}
		stored += len(out.Nodes)
	}
	r.pass(t)
	if nodes := len(r.in.Nodes); stored < nodes*9/10 {
		t.Fatalf("%d of %d nodes were judged", stored, nodes)
	}
	return completing
}

// liveBytes are what the heap holds once all that is of no use is gone.
func liveBytes() int {
	runtime.GC()
	runtime.GC() // pools give up what they hold by the second
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// cpuSeconds that this process has used: unlike the time on the clock, it does not depend on what else the machine does.
func cpuSeconds() float64 {
	var r syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &r)
	return time.Duration(r.Utime.Nano() + r.Stime.Nano()).Seconds()
}

// BenchmarkSettledPass is one pass over 5,000 nodes of 8 GPUs that were measured and judged by every shipped benchmark of a node, of which
// one has a new result. live-MB is all that is held for it between two passes, with the nodes; completing-MB is what is held beside their
// results while the first verdicts are written, in the pass in which the last node is measured.
func BenchmarkSettledPass(b *testing.B) {
	for _, nodes := range []int{500, 5000} {
		b.Run(fmt.Sprintf("nodes=%d", nodes), func(b *testing.B) {
			before := liveBytes()
			r := newFleetRun(wholeFleet(b, nodes))
			completing := r.settle(b)
			changing, began := 0, cpuSeconds()
			for b.Loop() {
				changing = (changing + 1) % nodes
				r.in.Results[changing] = r.writes.Pack(asRead(r.in.Results[changing].Whole()))
				r.pass(b)
			}
			b.ReportMetric((cpuSeconds()-began)/float64(b.N), "cpu-s/op")
			b.ReportMetric(float64(liveBytes()-before)/1e6, "live-MB")
			b.ReportMetric(float64(completing)/1e6, "completing-MB")
			runtime.KeepAlive(r)
		})
	}
}

// TestSettledNodesTakeLittleMemory: a run holds every node's results until it is over, and 5,000 of them have to fit.
func TestSettledNodesTakeLittleMemory(t *testing.T) {
	const nodes, most = 100, 45_000 // bytes; 41,200 when this was written
	const packer = 1_500_000        // which all nodes share
	before := liveBytes()
	r := newFleetRun(wholeFleet(t, nodes))
	r.settle(t)
	if perNode := (liveBytes() - before - packer) / nodes; perNode > most {
		t.Errorf("a judged node of 8 GPUs and 12 benchmarks takes %d bytes, want at most %d", perNode, most)
	} else {
		t.Logf("%d bytes per node", perNode)
	}
	runtime.KeepAlive(r)
}

// TestNoDecisionIsHeldTwice: what the stored rows tell is not remembered beside them, whatever a program measured and however many nodes there are.
func TestNoDecisionIsHeldTwice(t *testing.T) {
	for sentence, sizes := range map[string][]string{"no sizes": {"node"}, "one GPU": {"1gpu"}, "two GPUs": {"1gpu", "2gpu"}} {
		t.Run(sentence, func(t *testing.T) {
			in := measuredRun(6, 1, false)
			in.Tasks[0].Metrics[0].Scaling = v1alpha1.ScalingWeak
			for i, packed := range in.Results {
				r := packed.Whole()
				m := &r.Benchmarks[0].Attempts[0].Measurements[0]
				m.Parts = nil
				for _, at := range sizes {
					m.Parts = append(m.Parts, v1alpha1.PartValue{At: at, Value: "100"})
				}
				in.Results[i] = pack.Plain(r)
			}
			r := newFleetRun(in)
			r.settle(t)
			for name, n := range r.in.Memory.Nodes {
				if d := n.Tasks[0].Decision; d != nil {
					t.Errorf("%s is %s, and the decision is held beside its row: %+v", name, d.Verdict, *d)
				}
			}
			for _, packed := range r.in.Results {
				if curves := packed.Head.Benchmarks[0].Curves; len(curves) != max(0, len(sizes)-1) {
					t.Errorf("%s has the curves %v, want one of several sizes", packed.Head.Name, curves)
				}
			}
		})
	}
}

// TestVerdictsAreStoredInPieces: when all of a fleet get their verdicts at once, no pass holds all that is written of them. Until all is
// stored the run goes on, and says so.
func TestVerdictsAreStoredInPieces(t *testing.T) {
	const nodes = 2*collect.MostStored + 10
	r := newFleetRun(measuredRun(nodes, 1, false))
	left := nodes
	for _, want := range []int{collect.MostStored, collect.MostStored, 10, 0} {
		out := r.pass(t)
		if len(out.Nodes) != want || len(out.Judged) != nodes-left+want {
			t.Fatalf("%d verdicts are to be stored and %d nodes acted on, want %d and %d", len(out.Nodes), len(out.Judged), want, nodes-left+want)
		}
		left -= want
		report := out.Report(Written{})
		if sum := report.Status.Summary; int(sum.Running) != left || int(sum.Passed) != nodes-left || report.Over != (left == 0) {
			t.Errorf("with %d verdicts to be stored: over %t, %+v", left, report.Over, *sum)
		}
		after := conclude(out.planned, Written{})
		if last := after.row(after.nodes[nodes-1]).Message; left > 0 && (report.Recheck != BatchDelay || !strings.Contains(last, "is being stored")) {
			t.Errorf("the next pass is due in %v, and a node says %q", report.Recheck, last)
		}
		for _, w := range out.Nodes {
			r.in.Results[r.index[w.Result.Name]] = r.writes.Pack(asRead(w.Result))
		}
	}
}
