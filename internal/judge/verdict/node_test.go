package verdict

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// verdictOf is a verdict as Node gives it.
type verdictOf struct {
	Verdict         v1alpha1.Verdict
	Reason, Message string
}

func asVerdict(v v1alpha1.Verdict, reason, message string) verdictOf {
	return verdictOf{v, reason, message}
}

func TestNodeSaysHowManyBenchmarksEndedAlike(t *testing.T) {
	result := func(name string, v v1alpha1.Verdict) v1alpha1.BenchmarkResult {
		return v1alpha1.BenchmarkResult{Name: name, Verdict: v, Reason: "R", Message: "m"}
	}
	for v, want := range map[v1alpha1.Verdict]string{
		v1alpha1.VerdictFail: "a: m; 2 of 3 benchmarks failed", v1alpha1.VerdictError: "a: m; 2 of 3 benchmarks could not be measured",
		v1alpha1.VerdictMissing: "a: m; 2 of 3 benchmarks lack a measurement",
	} {
		got, reason, text := Node([]v1alpha1.BenchmarkResult{result("a", v), result("b", v1alpha1.VerdictPass), result("c", v)})
		if got != v || reason != "R" || text != want {
			t.Errorf("%s, %s: %q; want %q", got, reason, text, want)
		}
	}
	if v, _, text := Node([]v1alpha1.BenchmarkResult{result("a", v1alpha1.VerdictSkipped)}); v != v1alpha1.VerdictSkipped || text != "a: m" {
		t.Errorf("%s: %q", v, text)
	}
}

func TestNode(t *testing.T) {
	result := func(name string, v v1alpha1.Verdict, reason, message string) v1alpha1.BenchmarkResult {
		return v1alpha1.BenchmarkResult{Name: name, Verdict: v, Reason: reason, Message: message}
	}
	pass := result("hbm", v1alpha1.VerdictPass, "Passed", "gpu0 fine")
	fail := result("p2p", v1alpha1.VerdictFail, "BelowExpectation", "gpu0->gpu1 slow")
	crash := result("hpl", v1alpha1.VerdictError, "OOMKilled", "out of memory")
	missing := result("stream", v1alpha1.VerdictMissing, "MeasurementMissing", "no triad")
	skipped := result("nccl", v1alpha1.VerdictSkipped, "NeedsNotMet", "1 GPU, 2 needed")
	open := result("dgemm", v1alpha1.VerdictPending, "", "")

	notJudged := result("gpustream", v1alpha1.VerdictInconclusive, "NotJudged", "nothing to compare with")
	tests := map[string]struct {
		in   []v1alpha1.BenchmarkResult
		want verdictOf
	}{
		"nothing measured":                       {nil, verdictOf{v1alpha1.VerdictPending, "", "no benchmark has been measured yet"}},
		"pending until each is judged":           {[]v1alpha1.BenchmarkResult{fail, open, pass}, verdictOf{v1alpha1.VerdictPending, "Running", "not judged yet: dgemm"}},
		"a fail is worse than an error":          {[]v1alpha1.BenchmarkResult{crash, fail, pass}, verdictOf{v1alpha1.VerdictFail, "BelowExpectation", "p2p: gpu0->gpu1 slow"}},
		"two fails are counted, the first told":  {[]v1alpha1.BenchmarkResult{fail, fail, pass}, verdictOf{v1alpha1.VerdictFail, "BelowExpectation", "p2p: gpu0->gpu1 slow; 2 of 3 benchmarks failed"}},
		"an error is worse than what is missing": {[]v1alpha1.BenchmarkResult{missing, crash}, verdictOf{v1alpha1.VerdictError, "OOMKilled", "hpl: out of memory"}},
		"what is missing is worse than a pass":   {[]v1alpha1.BenchmarkResult{pass, missing, skipped}, verdictOf{v1alpha1.VerdictMissing, "MeasurementMissing", "stream: no triad"}},
		"what nobody could judge is no pass":     {[]v1alpha1.BenchmarkResult{pass, notJudged, skipped}, verdictOf{v1alpha1.VerdictInconclusive, "NotJudged", "gpustream: nothing to compare with"}},
		"two of them are counted":                {[]v1alpha1.BenchmarkResult{pass, notJudged, notJudged}, verdictOf{v1alpha1.VerdictInconclusive, "NotJudged", "gpustream: nothing to compare with; 2 of 3 benchmarks could not be judged"}},
		"it hides nothing worse":                 {[]v1alpha1.BenchmarkResult{notJudged, missing}, verdictOf{v1alpha1.VerdictMissing, "MeasurementMissing", "stream: no triad"}},
		"one pass":                               {[]v1alpha1.BenchmarkResult{pass}, verdictOf{v1alpha1.VerdictPass, "Passed", "hbm: gpu0 fine"}},
		"all passed":                             {[]v1alpha1.BenchmarkResult{pass, pass}, verdictOf{v1alpha1.VerdictPass, "Passed", "all 2 benchmarks passed"}},
		"partly skipped is a pass that says so":  {[]v1alpha1.BenchmarkResult{skipped, pass}, verdictOf{v1alpha1.VerdictPass, "Passed", "1 of 2 benchmarks passed; skipped: nccl"}},
		"all skipped is no pass":                 {[]v1alpha1.BenchmarkResult{skipped}, verdictOf{v1alpha1.VerdictSkipped, "NeedsNotMet", "nccl: 1 GPU, 2 needed"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, asVerdict(Node(tt.in))); diff != "" {
				t.Errorf("node (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWorst(t *testing.T) {
	if got := Worst(); got != v1alpha1.VerdictPending {
		t.Errorf("of none: %s", got)
	}
	if got := Worst(v1alpha1.VerdictSkipped, v1alpha1.VerdictPass, v1alpha1.VerdictError, v1alpha1.VerdictMissing); got != v1alpha1.VerdictError {
		t.Errorf("worst: %s", got)
	}
}
