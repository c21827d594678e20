package formats

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/result"
	"github.com/assay-dev/assay/test/testdata"
)

// ncclOutput is one table with the given rows and lines that end it.
func ncclOutput(rows, end string) string {
	return "# nccl-tests version 2.17.8 nccl-headers=22803 nccl-library=22803\n# Collective test starting: all_gather_perf\n" +
		"# nThread 1 nGpus 2 minBytes 8 maxBytes 1073741824 step: 2(factor) warmup iters: 1 iters: 20 agg iters: 1 validation: 1 graph: 0\n" +
		"#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong\n" +
		"#        (B)    (elements)                               (us)  (GB/s)  (GB/s)             (us)  (GB/s)  (GB/s)\n" + rows + end
}

const (
	ncclGoodRow = "  1073741824     134217728     float    none      -1   1900.0  565.10  282.55       0   1910.0  562.20  281.10       0\n"
	ncclGoodEnd = "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 281.825\n#\n"
)

func TestParseNCCLTestsReadsBothPlaces(t *testing.T) {
	noise := "1 more process has sent help message help-mtl-ofi.txt / OFI call fail\n"
	got := figures(parseTool(t, v1alpha1.FormatNCCLTests, ncclOutput("           0             0     float    none      -1    15.00    0.00    0.00       0    15.00    0.00    0.00     N/A\n"+noise+ncclGoodRow,
		"# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 140.91\n")))
	want := map[string]float64{
		"allGatherAlgorithmBandwidth GB/s 1GiB": 565.1, "allGatherBusBandwidth GB/s 1GiB": 282.55,
		"allGatherInPlaceAlgorithmBandwidth GB/s 1GiB": 562.2, "allGatherInPlaceBusBandwidth GB/s 1GiB": 281.1,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestParseNCCLTestsTakesTheMedianOfRowsOfOneSize(t *testing.T) {
	slow := strings.ReplaceAll(ncclGoodRow, "282.55", "262.55")
	d := parseTool(t, v1alpha1.FormatNCCLTests, ncclOutput(ncclGoodRow+slow+ncclGoodRow, "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 278.49\n"))
	for _, m := range d.Measurements {
		if m.Name == "allGatherBusBandwidth" && (m.Parts[0].Value != 282.55 || m.Parts[0].Samples != 3) {
			t.Errorf("%v of %d samples, want 282.55 of 3", m.Parts[0].Value, m.Parts[0].Samples)
		}
	}
}

func TestParseNCCLTestsTellsWrongData(t *testing.T) {
	for name, test := range map[string]struct {
		rows, end string
		want      []result.Check
	}{
		"right":        {ncclGoodRow, ncclGoodEnd, []result.Check{{Name: "dataIntegrity", OK: true}}},
		"not compared": {strings.ReplaceAll(ncclGoodRow, "       0", "     N/A"), ncclGoodEnd, nil},
		"wrong": {
			strings.Replace(ncclGoodRow, "281.10       0", "281.10   4e+06", 1), strings.Replace(ncclGoodEnd, "0 OK", "1 FAILED", 1),
			[]result.Check{{Name: "dataIntegrity", Message: "all_gather in place of 1073741824 bytes: 4e+06 elements are wrong"}},
		},
		"wrong, but not where": {
			ncclGoodRow, strings.Replace(ncclGoodEnd, "0 OK", "3 FAILED", 1),
			[]result.Check{{Name: "dataIntegrity", Message: "all_gather: 3 values are out of bounds"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := parseTool(t, v1alpha1.FormatNCCLTests, ncclOutput(test.rows, test.end))
			if diff := cmp.Diff(test.want, d.Checks); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestParseNCCLTestsRefuses(t *testing.T) {
	good := ncclOutput(ncclGoodRow, ncclGoodEnd)
	old := testdata.Output("nccl-tests-old-documented.txt")
	start := "# Collective test starting: all_gather_perf\n"
	refuses(t, v1alpha1.FormatNCCLTests, map[string][2]string{
		"another program's output":         {testdata.Output("stream.txt"), "no output of nccl-tests"},
		"a program that failed at once":    {good[:strings.Index(good, "#       size")], "cut off"},
		"a table without rows":             {ncclOutput("", "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 0\n"), "has no row"},
		"a table without its end":          {ncclOutput(ncclGoodRow, ""), "cut off"},
		"a row cut off":                    {swap(t, good, "281.10       0\n", "281.10\n"), "columns"},
		"a row without its head":           {ncclGoodRow + good, "the beginning is missing"},
		"a row behind the end":             {good + ncclGoodRow, "stands outside of the table"},
		"text in front of a row":           {swap(t, good, "  1073741824 ", "warning: 1073741824 "), "garbled"},
		"a value that is no number":        {swap(t, good, "282.55", "   nan"), "not a finite number"},
		"a negative value":                 {swap(t, good, "282.55", "-282.5"), "is negative"},
		"wrong elements that are none":     {swap(t, good, "282.55       0", "282.55       ?"), "not a number of them"},
		"rows that lack a sibling":         {swap(t, good, "281.825", "240"), "rows are missing or garbled"},
		"several types":                    {ncclOutput(ncclGoodRow+strings.Replace(ncclGoodRow, "float", " half", 1), ncclGoodEnd), "one type, operation and root"},
		"times of the processor":           {strings.ReplaceAll(good, "    time   algbw", " cputime   algbw"), "leave out -C"},
		"another table":                    {swap(t, good, "   busbw  #wrong     time", "   wibble #wrong    time"), "is not that of nccl-tests"},
		"other units":                      {swap(t, good, "(us)  (GB/s)", "(us)  (MB/s)"), "not nccl-tests' us and GB/s"},
		"two processes in one":             {swap(t, good, start, start+start), "built with MPI=1"},
		"two processes mixed":              {good[:strings.Index(good, ncclGoodRow)] + good, "before the first has ended"},
		"several tests without their name": {old + old, "run one"},
		"the same test twice":              {good + good, "appears twice"},
		"bounds that contradict":           {swap(t, good, "0 OK", "1 OK"), "the line is garbled"},
	})
}
