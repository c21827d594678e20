package assess

import (
	"slices"
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/pack"
)

// TestHistoriesAreAskedForWhereTheyMatter: reading one costs a live read. A metric that no history keeps is compared with none; but where the
// operator was started anew, a verdict that stands may rest on rules that only the history tells.
func TestHistoriesAreAskedForWhereTheyMatter(t *testing.T) {
	for sentence, c := range map[string]struct {
		kept, anew bool
		convicted  string // of a fact
		want       int
	}{
		"a metric that histories keep":              {true, false, "", 1},
		"a metric that none keeps":                  {false, false, "", 0},
		"none keeps it, but the operator came anew": {false, true, "", 1},
		"a fact that it was convicted of":           {false, false, "vbios", 1},
		"of another fact":                           {false, false, "ecc", 0},
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
			trimmed := &v1alpha1.NodeValidation{}
			trimmed.Name, trimmed.UID = "a", TrimmedUID
			in.Tasks[0].Benchmark.Spec.Facts = []v1alpha1.FactExpectation{{Name: "vbios", Uniform: true}, {Name: "ecc", Equal: "on"}}
			trimmed.Convictions = []v1alpha1.Conviction{{Benchmark: "stream", Metric: c.convicted}}
			in.Validations = map[string]*v1alpha1.NodeValidation{"a": trimmed}
			out, err := Run(in)
			if err != nil || len(out.Lacking) != c.want {
				t.Errorf("error %v, %d histories are asked for, want %d", err, len(out.Lacking), c.want)
			}
		})
	}
}

// TestTrimKeepsWhatStillStands: a failure that only passes of something else followed, and what came after it.
func TestTrimKeepsWhatStillStands(t *testing.T) {
	entry := func(run string, v v1alpha1.Verdict, asked string) v1alpha1.HistoryEntry {
		return v1alpha1.HistoryEntry{Run: run, Verdict: v, Asked: asked}
	}
	pass, fail := v1alpha1.VerdictPass, v1alpha1.VerdictFail
	for sentence, c := range map[string]struct {
		history []v1alpha1.HistoryEntry
		want    []string
	}{
		"the newest pass":                     {[]v1alpha1.HistoryEntry{entry("1", pass, ""), entry("2", pass, "a")}, []string{"2"}},
		"the last pass, failures since then":  {[]v1alpha1.HistoryEntry{entry("0", pass, ""), entry("1", pass, ""), entry("2", fail, ""), entry("3", fail, "a")}, []string{"1", "2", "3"}},
		"no failure that was refuted":         {[]v1alpha1.HistoryEntry{entry("1", fail, ""), entry("2", pass, "a")}, []string{"2"}},
		"a failure before a weaker pass":      {[]v1alpha1.HistoryEntry{entry("1", fail, "a"), entry("2", pass, "b")}, []string{"1", "2"}},
		"what passed between the two as well": {[]v1alpha1.HistoryEntry{entry("1", fail, "a"), entry("2", pass, "b"), entry("3", pass, "c")}, []string{"1", "2", "3"}},
		"but not what was asked again":        {[]v1alpha1.HistoryEntry{entry("1", fail, "a"), entry("2", pass, ""), entry("3", pass, "c")}, []string{"1", "3"}},
	} {
		t.Run(sentence, func(t *testing.T) {
			v := &v1alpha1.NodeValidation{Benchmarks: []v1alpha1.BenchmarkHistory{{Name: "gemm", History: c.history}}}
			var got []string
			for _, e := range Trim(v).Benchmarks[0].History {
				got = append(got, e.Run)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("runs %v are kept, want %v", got, c.want)
			}
		})
	}
}
