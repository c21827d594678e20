package formats

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/result"
	"github.com/assay-dev/assay/test/testdata"
)

const burnOneGPU = "Burning for 10 seconds.\nGPU 2: NVIDIA H200 (UUID: GPU-0)\n" +
	"Initialized device 2 with 143771 MB of memory (143151 MB available, using 128836 MB of it), using FLOATS\n" +
	"\r20.0%  proc'd: 238 (40000 Gflop/s)   errors: 0   temps: -- \r40.0%  proc'd: 476 (50000 Gflop/s)   errors: 0   temps: 61 C " +
	"\r60.0%  proc'd: 476 (50000 Gflop/s)   errors: 0   temps: 64 C   power: 690 W \r80.0%  proc'd: 714 (51000 Gflop/s)   errors: 0   temps: 63 C   power: 700 W " +
	"\nKilling processes.. done\n\nTested 1 GPUs:\n\tGPU 0: OK\n"

// The first report contains the start, a report without new products repeats the one before, and -i 2 burns gpu2.
func TestParseGPUBurnTakesTheMedianOfWhatIsNew(t *testing.T) {
	d := parseTool(t, v1alpha1.FormatGPUBurn, burnOneGPU)
	want := []result.Measurement{
		{Name: "burn", Unit: "TFLOP/s", Better: result.BetterHigher, Parts: []result.Part{{At: "gpu2", Value: 50.5, Samples: 2}}},
		{Name: "temperature", Unit: "C", Better: result.BetterLower, Parts: []result.Part{{At: "gpu2", Value: 64}}},
	}
	d.Measurements[0].Parts[0].Spread = 0
	if diff := cmp.Diff(want, d.Measurements); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestParseGPUBurnTellsFaultyGPUs(t *testing.T) {
	for name, test := range map[string]struct{ errors, want string }{
		"with their errors":          {"30472096  (WARNING!)", "gpu2: FAULTY, 30472096 wrong elements in one of its reports"},
		"with more than it can hold": {"-524288000  (WARNING!)", "gpu2: FAULTY"},
	} {
		t.Run(name, func(t *testing.T) {
			output := swap(t, strings.ReplaceAll(burnOneGPU, "errors: 0", "errors: "+test.errors), "GPU 0: OK", "GPU 0: FAULTY")
			d := parseTool(t, v1alpha1.FormatGPUBurn, output)
			if diff := cmp.Diff([]result.Check{{Name: "dataIntegrity", Message: test.want}}, d.Checks); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestParseGPUBurnRefuses(t *testing.T) {
	four := testdata.Output("gpu-burn-documented.txt")
	refuses(t, v1alpha1.FormatGPUBurn, map[string][2]string{
		"another program's output":        {testdata.Output("stream.txt"), "no progress line"},
		"GPUs on which nothing ran":       {testdata.Output("gpu-burn-not-started-documented.txt"), "gpu0 computed nothing"},
		"a GPU whose process died":        {testdata.Output("gpu-burn-died-documented.txt"), "the process of gpu1 died"},
		"a program that did not start":    {"Burning for 10 seconds.\nCouldn't init a GPU test: Error in load module (gpu_burn-drv.cpp:239)\n", "Error in load module"},
		"a GPU that says why":             {swap(t, testdata.Output("gpu-burn-died-documented.txt"), "Burning", "Failure during compute: Error in DGEMM\nBurning"), "(\"Failure during compute: Error in DGEMM\")"},
		"an output without its end":       {four[:strings.Index(four, "Tested")], "cut off"},
		"an output without a verdict":     {four[:strings.LastIndex(four, "\tGPU 3")], "no verdict on gpu3"},
		"a verdict cut off":               {strings.TrimSuffix(four, "K\n"), "no verdict on gpu3"},
		"a verdict with text":             {swap(t, four, "GPU 3: OK", "GPU 3: OK Warning"), "is garbled"},
		"a verdict twice":                 {swap(t, four, "GPU 3: OK", "GPU 2: OK"), "two outputs are mixed"},
		"two outputs":                     {four + four, "stands twice"},
		"text in a progress line":         {swap(t, four, "  errors: 0", "  Warning errors: 0"), "expected products and a rate"},
		"a rate that is none":             {swap(t, four, "Gflop/s) -", "Tflop/s) -"), "expected products and a rate"},
		"a line that tells of fewer GPUs": {swap(t, four, "- 0 (0 Gflop/s)   errors: 0 - ", "  errors: "), "it is garbled"},
	})
}
