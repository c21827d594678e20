package formats

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/result"
	"github.com/assay-dev/assay/test/measuretest"
	"github.com/assay-dev/assay/test/testdata"
)

func round6(value float64) float64 { return math.Round(value*1e6) / 1e6 }

func streamDocument(check result.Check, rates ...float64) result.Document {
	d := result.Document{
		Schema: result.Schema, Benchmark: "stream", Version: "5.10",
		Parameters: map[string]any{"arrayElements": json.Number("20000000"), "threads": json.Number("2")},
		Checks:     []result.Check{check},
	}
	for i, name := range []string{"copy", "scale", "add", "triad"} {
		d.Measurements = append(d.Measurements, bandwidth(name, rates[i], 9))
	}
	return d
}

func hpccStreamDocument(elements string, rates ...float64) result.Document {
	d := result.Document{
		Schema: result.Schema, Benchmark: "stream",
		Parameters: map[string]any{"arrayElements": json.Number(elements)},
		Checks:     []result.Check{{Name: "dataIntegrity", OK: true}},
	}
	for i, name := range []string{"singleCopy", "singleScale", "singleAdd", "singleTriad", "starCopy", "starScale", "starAdd", "starTriad"} {
		d.Measurements = append(d.Measurements, bandwidth(name, rates[i], 9))
	}
	return d
}

func TestParseSTREAMReadsCapturedOutputs(t *testing.T) {
	failed := "Failed Validation on array a[], AvgRelAbsErr > epsilon (1.000000e-13)"
	for name, test := range map[string]struct {
		output string
		want   result.Document
	}{
		"the table of STREAM": {testdata.Output("stream.txt"), streamDocument(result.Check{Name: "dataIntegrity", OK: true}, 11.1534, 13.333, 12.1246, 14.743)},
		"wrong data":          {testdata.Output("stream-failed.txt"), streamDocument(result.Check{Name: "dataIntegrity", Message: failed}, 9.7618, 16.0021, 14.1361, 14.9906)},
		"the summary of hpcc": {testdata.Output("hpcc.txt"), hpccStreamDocument("166666", 78.6068, 51.5734, 60.3926, 61.3006, 57.2526, 49.4374, 46.9322, 54.6842)},
		"the sections of hpcc alone": {
			testdata.Output("stream-hpcc-2ranks.txt"),
			hpccStreamDocument("4166666", 19.29691, 22.641909, 11.890353, 9.422213, 17.37701, 21.158463, 11.890353, 9.422213),
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Parse(v1alpha1.FormatSTREAM, nil, nil, []byte(test.output))
			if err != nil {
				t.Fatal(err)
			}
			for i, m := range got.Measurements {
				got.Measurements[i].Parts[0].Value = round6(m.Parts[0].Value)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("document (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseSTREAMFailsWhenAnyProcessOfHPCCFoundWrongData(t *testing.T) {
	output := testdata.Output("hpcc.txt")
	begin := strings.Index(output, "Begin of SingleSTREAM section.")
	output = output[:begin] + strings.Replace(output[begin:], "Node(s) with error 0", "Node(s) with error 3", 1)
	d, err := Parse(v1alpha1.FormatSTREAM, nil, nil, []byte(output))
	if err != nil {
		t.Fatal(err)
	}
	want := []result.Check{{Name: "dataIntegrity", Message: "SingleSTREAM: 3 processes with wrong data"}}
	if diff := cmp.Diff(want, d.Checks); diff != "" {
		t.Errorf("checks (-want +got):\n%s", diff)
	}
}

func TestParseSTREAMRefuses(t *testing.T) {
	table, hpcc, sections := testdata.Output("stream.txt"), testdata.Output("hpcc.txt"), testdata.Output("stream-hpcc-2ranks.txt")
	replace := func(output, old, new string) string {
		if !strings.Contains(output, old) {
			t.Fatalf("the captured output has no %q", old)
		}
		return strings.Replace(output, old, new, 1)
	}
	for name, test := range map[string]struct {
		output string
		says   string
	}{
		"another program's output":                 {testdata.Output("hpl.txt"), "no table of STREAM"},
		"a table cut after its head":               {table[:strings.Index(table, "Copy:")], "no row Copy"},
		"a table cut in the last row":              {table[:strings.Index(table, "Triad:")+30], "columns, expected 5"},
		"an output cut before validation":          {table[:strings.Index(table, "Solution")], "no validation"},
		"a table without its head":                 {table[strings.Index(table, "Copy:"):], "the beginning is missing"},
		"two tables":                               {table + table, "2 tables of STREAM"},
		"a kernel twice":                           {replace(table, "Scale:", "Copy:"), "Copy appears twice"},
		"a rate of NaN":                            {replace(table, "11153.4", "-nan"), "not a finite number"},
		"a rate out of range":                      {replace(table, "11153.4", "1e309"), "out of range"},
		"a rate of zero":                           {replace(table, "11153.4", "0.0"), "not greater than zero"},
		"a decimal comma":                          {replace(table, "11153.4", "11153,4"), "LC_ALL=C"},
		"a time that is no number":                 {replace(table, "0.034184", "********"), "not a time"},
		"rows of two processes in one":             {replace(table, "0.036876", "0.036876 Copy: 1 2 3 4"), "columns, expected 5"},
		"a table in other units":                   {replace(table, "MB/s", "GiB/s"), "is not STREAM's"},
		"text before the validation":               {replace(table, "Solution", "rank 1: Solution"), "garbled"},
		"an unfinished output of hpcc":             {hpcc[:strings.Index(hpcc, "FFT_N=")], "hpcc was interrupted"},
		"hpcc without one of its figures":          {replace(hpcc, "StarSTREAM_Triad=54.6842\n", ""), "no starTriad"},
		"hpcc that did not run STREAM":             {replace(hpcc, "StarSTREAM_Triad=54.6842", "StarSTREAM_Triad=-1"), "not greater than zero"},
		"a section of hpcc cut off":                {sections[:strings.Index(sections, "Begin of SingleSTREAM")], "no singleCopy"},
		"a section of hpcc cut before its figures": {sections[:strings.Index(sections, "Average Copy")], "it did not finish"},
		"a section of hpcc twice":                  {sections + sections, "appears twice"},
		"two reports of hpcc":                      {hpcc + hpcc, "appears twice"},
		"a cursor that rewrites the number":        {replace(table, "11153.4", "99153.4\x1b[7D"), "not a number"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse(v1alpha1.FormatSTREAM, nil, nil, []byte(test.output))
			measuretest.WantError(t, err, test.says)
			if !errors.Is(err, result.ErrBadOutput) {
				t.Errorf("%v does not wrap ErrBadOutput", err)
			}
		})
	}
}

func bandwidth(name string, rate float64, samples int32) result.Measurement {
	return result.Measurement{Name: name, Unit: "GB/s", Better: result.BetterHigher, Parts: []result.Part{{At: result.NodePart, Value: rate, Samples: samples}}}
}
