package assess

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/verdict"
	"github.com/assay-dev/assay/internal/operate/pack"
)

// remember that the node reached a bandwidth in three runs.
func (n *Node) remember(value v1alpha1.Decimal) {
	h := v1alpha1.PassHistory{Runs: make([]v1alpha1.PassingRun, 3), Metrics: []v1alpha1.MetricHistory{{Metric: "bandwidth", Unit: "GB/s",
		Parts: []v1alpha1.PartHistory{{At: "node", Passes: 3, Recent: verdict.RecentOf([]v1alpha1.Decimal{value, value, value})}}}}}
	n.validation = &v1alpha1.NodeValidation{Fingerprint: v1alpha1.Fingerprint{NodeUID: n.node.UID}}
	n.history, n.pastGiven = &v1alpha1.NodeHistory{NodeUID: n.node.UID, Benchmarks: []v1alpha1.BenchmarkHistory{{Name: "pairs", Passes: []v1alpha1.PassHistory{h}}}}, true
}

// A healthy node whose partners have become slow is as fast as it was: its pairs are slower, and it is not.
func TestSlowPartnersAreNoRegression(t *testing.T) {
	for seed := range uint64(30) {
		s := pairScope(16, 1, bandwidth(v1alpha1.Expectation{MaxRegression: "0.05", MaxFleetDeviation: "0.1"}))
		r := rand.New(rand.NewPCG(seed, 3))
		slow := map[string]bool{}
		for _, i := range r.Perm(16)[:2] {
			slow[s.nodes[i].name] = true
		}
		for _, n := range s.nodes {
			n.remember("100")
		}
		s.play(t, func(a, b string) parts {
			v := 100.0
			if slow[a] || slow[b] {
				v = 60
			}
			return parts{"": v * math.Exp(0.03*r.NormFloat64())}
		})
		for _, n := range s.nodes {
			if d := n.decisions[0]; !slow[n.name] && d.Verdict != v1alpha1.VerdictPass {
				t.Errorf("seed %d: healthy %s is %s: %s", seed, n.name, d.Verdict, d.Message)
			}
		}
	}
}

// TestHistoriesAreReadWhereTheyMatter: reading one costs a live read. A metric that no history keeps is compared with none; but where the
// operator was started anew, a verdict that stands may rest on rules that only the history tells. A node whose history is not given waits.
func TestHistoriesAreReadWhereTheyMatter(t *testing.T) {
	for sentence, c := range map[string]struct {
		kept, anew, lost bool
		want             int
	}{
		"a metric that histories keep":              {true, false, false, 1},
		"a metric that none keeps":                  {false, false, false, 0},
		"none keeps it, but the operator came anew": {false, true, false, 1},
		"nothing is stored of the node":             {true, false, true, 0},
	} {
		t.Run(sentence, func(t *testing.T) {
			in := soloRun("a")
			if c.kept {
				in.Tasks[0].remembered = in.Tasks[0].Metrics
			}
			if c.anew {
				in.Known, in.KnownAnew = []Known{{Benchmark: "another"}}, true
			}
			r := &v1alpha1.ValidationResult{Verdict: v1alpha1.VerdictPending}
			r.Name, r.Run.UID, r.Node = v1alpha1.ResultName(in.Run, "a"), in.Run.UID, v1alpha1.ObjectReference{Name: "a", UID: "uid-a"}
			r.Benchmarks = []v1alpha1.BenchmarkResult{{Name: "stream", Verdict: v1alpha1.VerdictPending, Attempts: []v1alpha1.Attempt{{Number: 1,
				Verdict: v1alpha1.VerdictPass, Configuration: "c", Measurements: []v1alpha1.Measurement{{Name: "bandwidth", Unit: "GB/s",
					Parts: []v1alpha1.PartValue{{At: "node", Value: "100"}}}}}}}}
			in.Results = []*pack.Result{pack.Plain(r)}
			v := &v1alpha1.NodeValidation{Fingerprint: v1alpha1.Fingerprint{NodeUID: "uid-a"}, NodeHistory: &v1alpha1.HistoryReference{UID: "h"}}
			if c.lost {
				v.NodeHistory.UID = ""
			}
			in.Validations, in.Memory = map[string]*v1alpha1.NodeValidation{"a": v}, &Memory{}
			needed, err := NeedsPast(in)
			if err != nil || len(needed.Remembered) != c.want || len(needed.Together) != 0 {
				t.Fatalf("error %v, histories that are asked for: %+v, want %d", err, needed, c.want)
			}
			out, err := Run(in)
			if waits := err == nil && len(out.Nodes) == 0; waits != (c.want > 0) {
				t.Errorf("error %v, without the history the node waits: %v", err, waits)
			}
			in.Histories = map[string]*v1alpha1.NodeHistory{"a": nil}
			if out, err = Run(in); err != nil || len(out.Nodes) != 1 {
				t.Errorf("error %v, with its history %d nodes are judged, want 1", err, len(out.Nodes))
			}
			in.Results, in.Histories = []*pack.Result{pack.Plain(out.Nodes[0].Result)}, nil
			if needed, err = NeedsPast(in); err != nil || len(needed.Remembered)+len(needed.Together) != 0 {
				t.Errorf("error %v; once it is judged, histories that are asked for: %+v", err, needed)
			}
		})
	}
}
