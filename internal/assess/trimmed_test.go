package assess

import (
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/result"
)

// TestHistoriesAreAskedForWhereTheyMatter: reading one costs a live read. A metric that no history keeps is compared with none; but where the
// operator was started anew, a verdict that stands may rest on rules that only the history tells.
func TestHistoriesAreAskedForWhereTheyMatter(t *testing.T) {
	for sentence, c := range map[string]struct {
		kept, anew bool
		want       int
	}{
		"a metric that histories keep":              {true, false, 1},
		"a metric that none keeps":                  {false, false, 0},
		"none keeps it, but the operator came anew": {false, true, 1},
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
			r.Name, r.Run.UID, r.Node = ResultName(in.Run, "a"), in.Run.UID, v1alpha1.ObjectReference{Name: "a", UID: "uid-a"}
			r.Benchmarks = []v1alpha1.BenchmarkResult{{Name: "stream", Verdict: v1alpha1.VerdictPending, Attempts: []v1alpha1.Attempt{{Number: 1,
				Verdict: v1alpha1.VerdictPass, Configuration: "c", Measurements: []v1alpha1.Measurement{{Name: "bandwidth", Unit: "GB/s",
					Parts: []v1alpha1.PartValue{{At: "node", Value: "100"}}}}}}}}
			in.Results = []*result.Packed{result.Unpacked(r)}
			trimmed := &v1alpha1.NodeValidation{}
			trimmed.Name, trimmed.UID = "a", TrimmedUID
			in.Validations = map[string]*v1alpha1.NodeValidation{"a": trimmed}
			out, err := Run(in)
			if err != nil || len(out.Lacking) != c.want {
				t.Errorf("error %v, %d histories are asked for, want %d", err, len(out.Lacking), c.want)
			}
		})
	}
}
