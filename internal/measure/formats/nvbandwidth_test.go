package formats

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/result"
	"github.com/assay-dev/assay/test/measuretest"
	"github.com/assay-dev/assay/test/testdata"
)

func parseTool(t *testing.T, format v1alpha1.OutputFormat, output string) result.Document {
	t.Helper()
	d, err := Parse(format, nil, nil, []byte(output))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// refuses requires an error that says why, for each of the variants of an output.
func refuses(t *testing.T, format v1alpha1.OutputFormat, variants map[string][2]string) {
	t.Helper()
	for name, variant := range variants {
		t.Run(name, func(t *testing.T) {
			_, err := Parse(format, nil, nil, []byte(variant[0]))
			measuretest.WantError(t, err, variant[1])
			if !errors.Is(err, result.ErrBadOutput) {
				t.Errorf("%v does not wrap ErrBadOutput", err)
			}
		})
	}
}

// swap replaces the first old, which has to be there.
func swap(t *testing.T, output, old, new string) string {
	t.Helper()
	if !strings.Contains(output, old) {
		t.Fatalf("the output has no %q", old)
	}
	return strings.Replace(output, old, new, 1)
}

const nvbTwoGPUs = `nvbandwidth Version: v0.4
Built from Git version:

Running device_to_device_memcpy_read_ce.
memcpy CE GPU(row) -> GPU(column) bandwidth (GB/s)
           0         1
 0      0.00    300.25
 1    200.00      0.00

SUM device_to_device_memcpy_read_ce 500.25

Running device_to_device_memcpy_write_ce.
memcpy CE GPU(row) <- GPU(column) bandwidth (GB/s)
           0         1
 0       N/A    300.25
 1    200.00       N/A

SUM device_to_device_memcpy_write_ce 500.25
`

// What is slow is the way from gpu1 to gpu0 in writes, where each GPU sends, and from gpu0 to gpu1 in reads, where each GPU fetches.
func TestParseNVBandwidthNamesPairsByTheWayOfTheData(t *testing.T) {
	want := map[string]float64{
		"reachablePeers count gpu0": 1, "reachablePeers count gpu1": 1,
		"readBandwidth GB/s gpu1->gpu0": 300.25, "readBandwidth GB/s gpu0->gpu1": 200,
		"writeBandwidth GB/s gpu0->gpu1": 300.25, "writeBandwidth GB/s gpu1->gpu0": 200,
	}
	if diff := cmp.Diff(want, figures(parseTool(t, v1alpha1.FormatNVBandwidth, nvbTwoGPUs))); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestParseNVBandwidthCountsTheGPUsThatReachEachOther(t *testing.T) {
	output := swap(t, swap(t, nvbTwoGPUs, "1    200.00", "1       N/A"), "SUM device_to_device_memcpy_read_ce 500.25", "SUM device_to_device_memcpy_read_ce 300.25")
	got := figures(parseTool(t, v1alpha1.FormatNVBandwidth, output))
	if got["reachablePeers count gpu1"] != 0 || got["reachablePeers count gpu0"] != 1 {
		t.Errorf("gpu0 reaches %v, gpu1 %v GPUs", got["reachablePeers count gpu0"], got["reachablePeers count gpu1"])
	}
}

func TestParseNVBandwidthTellsWrongData(t *testing.T) {
	wrong := " Invalid value when checking the pattern at 0x735f80000000\n Current offset : 200064 \n" +
		"ASSERT in expression h_errorFlag == 0 in void memcmpPatternHelper() : memcpy.cpp:165\n"
	for name, test := range map[string]struct{ output, test string }{
		"as text":                {swap(t, nvbTwoGPUs, "memcpy CE GPU(row) <- GPU(column) bandwidth (GB/s)", wrong)[:strings.Index(nvbTwoGPUs, "memcpy CE GPU(row) <-")+len(wrong)], "device_to_device_memcpy_write_ce"},
		"before any measurement": {"nvbandwidth Version: v0.8\nRunning host_to_device_memcpy_ce.\n" + wrong, "host_to_device_memcpy_ce"},
		"as JSON": {`{"nvbandwidth": {"error": "Invalid value when checking the pattern at <0x7f>: Current offset [ 4/8]", "version": "v0.7",
			"testcases": [{"name": "host_to_device_memcpy_ce", "status": "Running"}]}}`, "host_to_device_memcpy_ce"},
	} {
		t.Run(name, func(t *testing.T) {
			d := parseTool(t, v1alpha1.FormatNVBandwidth, test.output)
			if diff := cmp.Diff([]result.Check{{Name: "dataIntegrity", Message: test.test + " copied wrong data"}}, d.Checks); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestParseNVBandwidthSkipsANodeOnWhichAllTestsAreWaived(t *testing.T) {
	for name, output := range map[string]string{
		"as text": "nvbandwidth Version: v0.8\nWaived: \nWaived: \n",
		"as JSON": `{"nvbandwidth": {"version": "v0.8", "testcases": [{"name": "device_to_device_memcpy_read_ce", "status": "Waived"}, {"name": "all_to_one_read_ce", "status": "Waived"}]}}`,
	} {
		t.Run(name, func(t *testing.T) {
			if d := parseTool(t, v1alpha1.FormatNVBandwidth, output); !strings.Contains(d.Skipped, "waived all 2 of its tests") {
				t.Errorf("skipped %q", d.Skipped)
			}
		})
	}
}

func TestParseNVBandwidthRefuses(t *testing.T) {
	const asJSON = `{"nvbandwidth": {"version": "v0.8", "testcases": [{"name": "host_to_device_memcpy_ce", "status": "Passed",
		"bandwidth_description": "GPU(column) (GB/s)", "bandwidth_matrix": [["55.5", "55.6"]], "sum": 111.1}]}}`
	refuses(t, v1alpha1.FormatNVBandwidth, map[string][2]string{
		"another program's output":  {testdata.Output("stream.txt"), "no table of nvbandwidth"},
		"an output without a test":  {"nvbandwidth Version: v0.8\n", "no table of nvbandwidth"},
		"a test without its table":  {"nvbandwidth Version: v0.8\nRunning host_to_device_memcpy_ce.\n", "cut off"},
		"two outputs, one in other": {swap(t, nvbTwoGPUs, " 1    200.00      0.00\n", nvbTwoGPUs), "stands"},
		"two outputs":               {nvbTwoGPUs + nvbTwoGPUs, "appears twice"},
		"a row of another machine":  {swap(t, nvbTwoGPUs, " 1    200.00", " 1    250.00"), "adds up to"},
		"a row without a value":     {swap(t, nvbTwoGPUs, " 1    200.00      0.00", " 1    200.00"), "row \"1\" has 1 values"},
		"a row twice":               {swap(t, nvbTwoGPUs, " 1    200.00", " 0    200.00"), "lines are missing or garbled"},
		"text in a row":             {swap(t, nvbTwoGPUs, " 1    200.00", " 1 warning 200.00"), "expected a row of numbers"},
		"a value that is no number": {swap(t, nvbTwoGPUs, "300.25", "   nan"), "expected a row of numbers"},
		"a row without its table":   {nvbTwoGPUs + " 0    300.25    200.00\n", "stands in no table"},
		"an error":                  {swap(t, nvbTwoGPUs, "Running device_to_device_memcpy_write_ce.", "Running device_to_device_memcpy_write_ce.\nError: no memory"), "reports an error"},
		"a sum of another test":     {swap(t, nvbTwoGPUs, "SUM device_to_device_memcpy_read_ce", "SUM all_to_one_read_ce"), "two runs is mixed"},
		"JSON cut off":              {asJSON[:len(asJSON)-4], "nothing else on stdout"},
		"JSON of another program":   {`{"fio": {}}`, "no object \"nvbandwidth\""},
		"JSON with text behind":     {asJSON + "\nWarning", "something follows"},
		"JSON with a key twice":     {swap(t, asJSON, `"sum": 111.1`, `"sum": 1, "sum": 111.1`), "twice"},
		"JSON with a wrong sum":     {swap(t, asJSON, "111.1", "222.2"), "adds up to"},
		"JSON with a ragged matrix": {swap(t, asJSON, `[["55.5", "55.6"]]`, `[["55.5", "55.6"], ["1"]]`), "differ in length"},
		"JSON with an infinite one": {swap(t, asJSON, `"55.5"`, `"inf"`), "not a finite number"},
		"JSON of a failed test":     {swap(t, asJSON, "Passed", "Error"), "has status"},
	})
}
