package formats

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/test/testdata"
)

func TestParseHPCCReadsTheSummary(t *testing.T) {
	whole := testdata.Output("hpcc.txt")
	parameters := map[string]any{"ranks": json.Number("2"), "N": json.Number("1000"), "arrayElements": json.Number("166666"), "threads": json.Number("1")}
	figures := map[string]float64{
		"hpl GFLOP/s": 5.0349, "starDgemm GFLOP/s": 2.52212, "singleDgemm GFLOP/s": 24.9274, "transpose GB/s": 0.141691,
		"randomAccess GUP/s": 0.0105859, "starRandomAccess GUP/s": 0.32266,
		"starCopy GB/s": 57.2526, "starScale GB/s": 49.4374, "starAdd GB/s": 46.9322, "starTriad GB/s": 54.6842, "singleTriad GB/s": 61.3006,
		"fft GFLOP/s": 1.04183, "starFft GFLOP/s": 5.13962, "pingPongLatency us": 0.167938, "pingPongBandwidth GB/s": 9.11145,
		"naturalRingBandwidth GB/s": 8.24411, "randomRingBandwidth GB/s": 7.00691, "randomRingLatency us": 0.163776,
	}
	for name, output := range map[string]string{"all of it": whole, "the summary alone": whole[strings.Index(whole, "Begin of Summary"):]} {
		t.Run(name, func(t *testing.T) {
			reads(t, parseTool(t, v1alpha1.FormatHPCC, output), "1.5.0", parameters, figures)
		})
	}
}

func TestParseHPCCLeavesOutWhatDidNotRun(t *testing.T) {
	output := swap(t, swap(t, testdata.Output("hpcc.txt"), "MPIFFT_Gflops=1.04183", "MPIFFT_Gflops=-1"), "HPL_Tflops=0.0050349", "HPL_Tflops=-1")
	got := figures(parseTool(t, v1alpha1.FormatHPCC, output))
	for _, name := range []string{"fft GFLOP/s node", "hpl GFLOP/s node"} {
		if value, ok := got[name]; ok {
			t.Errorf("%s is %v, but did not run", name, value)
		}
	}
	if want := 18 - 2; len(got) != want {
		t.Errorf("%d figures, want the other %d", len(got), want)
	}
}

// hpcc takes the slowest repetition of PTRANS, and tells the time of the last one: on a machine that does other work, these differ by far.
func TestParseHPCCTakesTheSlowestTranspose(t *testing.T) {
	output := swap(t, testdata.Output("hpcc.txt"), "PTRANS_time=0.0141152", "PTRANS_time=0.000508259")
	if got := figures(parseTool(t, v1alpha1.FormatHPCC, output))["transpose GB/s node"]; got != 0.141691 {
		t.Errorf("transpose is %v", got)
	}
}

func TestParseHPCCTellsOfWrongData(t *testing.T) {
	output := testdata.Output("hpcc.txt")
	for text, wrong := range map[string]string{
		"Success=0": swap(t, output, "Success=1", "Success=0"),
		"2%":        swap(t, output, "MPIRandomAccess_ErrorsFraction=0", "MPIRandomAccess_ErrorsFraction=0.02"),
		"3 tests":   swap(t, output, "    0 tests completed and failed residual checks.", "    3 tests completed and failed residual checks."),
		"1 tests":   swap(t, output, "              0 tests completed and failed residual checks,", "              1 tests completed and failed residual checks,"),
	} {
		says(t, parseTool(t, v1alpha1.FormatHPCC, wrong), "verification", text)
	}
}

// hpcc says Success=0 too where memory was short, which is no fault of the node.
func TestParseHPCCTellsWhatCouldNotWorkFromWrongData(t *testing.T) {
	output := swap(t, testdata.Output("hpcc.txt"), "Success=1", "Success=0")
	refuses(t, v1alpha1.FormatHPCC, map[string][2]string{
		"HPL without memory":   {swap(t, output, "              0 tests skipped because", "              1 tests skipped because"), "1 tests skipped"},
		"FFT without memory":   {swap(t, output, "StarFFT_Gflops=", "StarFFT_Gflops=-"), "StarFFT_Gflops=-"},
		"a rank with an error": {strings.Replace(output, "Node(s) with error 0", "Node(s) with error 2", 1), "Node(s) with error 2"},
		"RandomAccess without memory": {
			strings.Replace(output, "\nMain table size", "\nFailed to allocate memory for the update table (262144).\nMain table size", 1), "Failed to allocate memory",
		},
	})
	both := swap(t, swap(t, output, "              0 tests skipped because", "              1 tests skipped because"),
		"    0 tests completed and failed residual checks.", "    3 tests completed and failed residual checks.")
	says(t, parseTool(t, v1alpha1.FormatHPCC, both), "verification", "3 tests")
}

func TestParseHPCCRefuses(t *testing.T) {
	output := testdata.Output("hpcc.txt")
	none := regexp.MustCompile(`(?m)^(\w+_(?:Tflops|Gflops|GBs|GUPs|Copy|Scale|Add|Triad|usec|GBytes))=.*$`).ReplaceAllString(output, "$1=-1")
	refuses(t, v1alpha1.FormatHPCC, map[string][2]string{
		"another program's output":       {testdata.Output("stream.txt"), "is not in it"},
		"an output without its summary":  {output[:strings.Index(output, "Begin of Summary")], "did not finish"},
		"a summary cut off":              {output[:strings.Index(output, "End of Summary")], "cut off"},
		"two outputs":                    {output + output, "twice"},
		"two outputs, one after another": {output + "Begin of Summary section.\nEnd of Summary section.\n", "2 summaries"},
		"a line lost":                    {swap(t, output, "StarSTREAM_Triad=54.6842\n", ""), "no StarSTREAM_Triad"},
		"a line garbled":                 {swap(t, output, "StarSTREAM_Triad=54.6842", "StarSTREAM_Triad=54.6 842"), "expected NAME=VALUE"},
		"a digit of a rate lost":         {swap(t, output, "HPL_Tflops=0.0050349", "HPL_Tflops=0.050349"), "HPL_Tflops=0.050349"},
		"a digit of a time lost":         {swap(t, output, "PTRANS_time=0.0141152", "PTRANS_time=0.141152"), "PTRANS_time=0.141152"},
		"updates of a digit more":        {swap(t, output, "ExeUpdates=2097152\nMPIRandomAccess_GUPs", "ExeUpdates=20971520\nMPIRandomAccess_GUPs"), "MPIRandomAccess_GUPs"},
		"a value that is none":           {swap(t, output, "MPIFFT_Gflops=1.04183", "MPIFFT_Gflops=nan"), "not a finite number"},
		"nothing that ran":               {none, "no part of it ran"},
	})
}
