package assess

import (
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/assess/judge"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
	"github.com/assay-dev/assay/internal/operate/pack"
)

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
				in.Tasks[0].Remembered = in.Tasks[0].Metrics
			}
			if c.anew {
				in.Known, in.KnownAnew = []observe.Known{{Benchmark: "another"}}, true
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
			in.Validations, in.Memory = map[string]*v1alpha1.NodeValidation{"a": v}, &observe.Memory{}
			collected, err := Collect(in)
			needed := judge.NeedsPast(collected)
			if err != nil || len(needed.Remembered) != c.want || len(needed.Together) != 0 {
				t.Fatalf("error %v, histories that are asked for: %+v, want %d", err, needed, c.want)
			}
			out := Run(collected)
			if waits := len(out.Nodes) == 0; waits != (c.want > 0) {
				t.Errorf("without the history the node waits: %v", waits)
			}
			if out = Run(collected.Given(map[string]*v1alpha1.NodeHistory{"a": nil})); len(out.Nodes) != 1 {
				t.Errorf("with its history %d nodes are judged, want 1", len(out.Nodes))
			}
			in.Results = []*pack.Result{pack.Plain(out.Nodes[0].Result)}
			collected, err = Collect(in)
			if needed = judge.NeedsPast(collected); err != nil || len(needed.Remembered)+len(needed.Together) != 0 {
				t.Errorf("error %v; once it is judged, histories that are asked for: %+v", err, needed)
			}
			later := v.DeepCopy()
			later.ResourceVersion = "2"
			in.Validations = map[string]*v1alpha1.NodeValidation{"a": later}
			collected, err = Collect(in)
			if needed = judge.NeedsPast(collected); err != nil || len(needed.Remembered)+len(needed.Together) != 0 {
				t.Errorf("error %v; once more is known of a node that is judged, histories that are asked for: %+v", err, needed)
			}
		})
	}
}
