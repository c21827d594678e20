package formats

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/result"
	"github.com/assay-dev/assay/test/measuretest"
	"github.com/assay-dev/assay/test/testdata"
)

func hplDocument(n string, gflops, seconds float64, samples int32, spread float64, check result.Check) result.Document {
	return result.Document{
		Schema: result.Schema, Benchmark: "hpl", Version: "2.0",
		Parameters: map[string]any{"N": json.Number(n), "NB": json.Number("80"), "P": json.Number("1"), "Q": json.Number("2")},
		Measurements: []result.Measurement{
			{Name: "hpl", Unit: "GFLOP/s", Better: result.BetterHigher, Parts: []result.Part{{At: "node", Value: gflops, Samples: samples, Spread: spread}}},
			{Name: "hplTime", Unit: "s", Better: result.BetterLower, Parts: []result.Part{{At: "node", Value: seconds, Samples: 1}}},
		},
		Checks: []result.Check{check},
	}
}

func TestParseHPLReadsCapturedReports(t *testing.T) {
	passed := func(residual string) result.Check {
		return result.Check{Name: "residual", OK: true, Message: "scaled residual " + residual + ": PASSED"}
	}
	for name, test := range map[string]struct {
		output string
		want   result.Document
	}{
		"a report of its own":             {testdata.Output("hpl.txt"), hplDocument("1000", 5.035, 0.132704, 1, 0, passed("0.0039687"))},
		"a report inside hpcc's output":   {testdata.Output("hpcc.txt"), hplDocument("1000", 5.035, 0.132704, 1, 0, passed("0.0039687"))},
		"two sizes: the better counts":    {testdata.Output("hpl-two-sizes.txt"), hplDocument("1200", 4.891, 0.235976, 1, 0, passed("0.0051412"))},
		"one size twice: two samples":     {sameSizeTwice(), hplDocument("1000", 5.1, 0.131013, 2, 0.009509, passed("0.0039687"))},
		"a report with Windows lines":     {strings.ReplaceAll(testdata.Output("hpl.txt"), "\n", "\r\n"), hplDocument("1000", 5.035, 0.132704, 1, 0, passed("0.0039687"))},
		"a report in colour":              {strings.ReplaceAll(testdata.Output("hpl.txt"), "PASSED", "\x1b[32mPASSED\x1b[0m"), hplDocument("1000", 5.035, 0.132704, 1, 0, passed("0.0039687"))},
		"NVIDIA's rate per GPU is left":   {strings.Replace(testdata.Output("hpl.txt"), "5.035e+00", "5.035e+00 ( 2.518e+00)", 1), hplDocument("1000", 5.035, 0.132704, 1, 0, passed("0.0039687"))},
		"a residual over the limit":       {testdata.Output("hpl-failed.txt"), hplDocument("1000", 2.866, 0.233136, 1, 0, result.Check{Name: "residual", Message: "scaled residual 0.0039687 for N 1000: FAILED"})},
		"a residual that is not a number": {strings.Replace(testdata.Output("hpl-failed.txt"), "0.0039687", "nan", 1), hplDocument("1000", 2.866, 0.233136, 1, 0, result.Check{Name: "residual", Message: "scaled residual nan for N 1000: FAILED"})},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Parse(v1alpha1.FormatHPL, nil, nil, []byte(test.output))
			if err != nil {
				t.Fatal(err)
			}
			for i, m := range got.Measurements {
				got.Measurements[i].Parts[0].Spread = round6(m.Parts[0].Spread)
				got.Measurements[i].Parts[0].Value = round6(m.Parts[0].Value)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("document (-want +got):\n%s", diff)
			}
		})
	}
}

// sameSizeTwice is the captured report with its result once more, a little faster.
func sameSizeTwice() string {
	report := testdata.Output("hpl.txt")
	begin, end := strings.Index(report, "WR11C2R4"), strings.Index(report, "\nFinished")
	again := strings.Replace(report[begin:end], "5.035e+00", "5.100e+00", 1)
	report = report[:end] + again + report[end:]
	return strings.NewReplacer("Finished      1", "Finished      2", "1 tests completed and passed", "2 tests completed and passed").Replace(report)
}

func TestParseHPLReadsReportsOfSeveralProblems(t *testing.T) {
	for name, test := range map[string]struct {
		n, nb  json.Number
		gflops float64
		check  result.Check
	}{
		"hpl-1rank-n1000.txt":       {"1000", "64", 10.08, result.Check{Name: "residual", OK: true, Message: "scaled residual 0.0037596: PASSED"}},
		"hpl-2ranks-n192.txt":       {"192", "192", 2.938, result.Check{Name: "residual", OK: true, Message: "scaled residual 0.0078156: PASSED"}},
		"hpl-2ranks-n6000.txt":      {"6000", "192", 10.66, result.Check{Name: "residual", OK: true, Message: "scaled residual 0.0034587: PASSED"}},
		"hpl-gpu-host.txt":          {"1000", "64", 1.321, result.Check{Name: "residual", OK: true, Message: "scaled residual 0.0056967: PASSED"}},
		"hpl-6-problems.txt":        {"500", "64", 23.69, result.Check{Name: "residual", OK: true, Message: "scaled residual 0.0059298: PASSED"}},
		"hpl-6-problems-failed.txt": {"500", "64", 24.38, result.Check{Name: "residual", Message: "scaled residual 0.0059298 for N 500: FAILED"}},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := Parse(v1alpha1.FormatHPL, nil, nil, []byte(testdata.Output(name)))
			if err != nil {
				t.Fatal(err)
			}
			if d.Parameters["N"] != test.n || d.Parameters["NB"] != test.nb || d.Measurements[0].Parts[0].Value != test.gflops {
				t.Errorf("N %v, NB %v, %v GFLOP/s; want %s, %s, %v", d.Parameters["N"], d.Parameters["NB"], d.Measurements[0].Parts[0].Value, test.n, test.nb, test.gflops)
			}
			if diff := cmp.Diff([]result.Check{test.check}, d.Checks); diff != "" {
				t.Errorf("checks (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseHPLRefuses(t *testing.T) {
	report := testdata.Output("hpl.txt")
	replace := func(old, new string) string {
		if !strings.Contains(report, old) {
			t.Fatalf("the captured report has no %q", old)
		}
		return strings.Replace(report, old, new, 1)
	}
	for name, test := range map[string]struct {
		output string
		says   string
	}{
		"another program's output":             {testdata.Output("stream.txt"), "no HPL result line"},
		"a report cut before the residual":     {report[:strings.LastIndex(report, "||Ax-b||")], "no residual line"},
		"a report cut in its residual":         {report[:strings.LastIndex(report, "PASSED")+3], "no residual line"},
		"a report cut before its end":          {report[:strings.LastIndex(report, "Finished")], "the end of the report is missing"},
		"a report cut before End of Tests":     {report[:strings.LastIndex(report, "End of Tests.")], "the end of the report is missing"},
		"a report without its beginning":       {report[strings.LastIndex(report, "||Ax-b||"):], "the beginning of the report is missing"},
		"two reports":                          {report + report, "two reports"},
		"a rate of NaN":                        {replace("5.035e+00", "nan"), "not a finite number"},
		"a rate of infinity":                   {replace("5.035e+00", "inf"), "not a finite number"},
		"a rate out of range":                  {replace("5.035e+00", "1e309"), "out of range"},
		"a rate of zero":                       {replace("5.035e+00", "0.000e+00"), "not greater than zero"},
		"a negative rate":                      {replace("5.035e+00", "-5.03e+00"), "not greater than zero"},
		"a decimal comma":                      {replace("5.035e+00", "5,035e+00"), "LC_ALL=C"},
		"a hexadecimal rate":                   {replace("5.035e+00", "0x1p3"), "not a number"},
		"a lost digit in the size":             {replace("        1000 ", "         100 "), "the line is garbled"},
		"a forged rate":                        {replace("5.035e+00", "5.035e+03"), "the line is garbled"},
		"a negative time":                      {replace("0.13              5", "-0.13              5"), "a time cannot be negative"},
		"a size that is no number":             {replace("    80     1     2", "    80     x     2"), "where a size is expected"},
		"a result line with another in it":     {replace("5.035e+00", "5.035e+00 WR11C2R4 1000"), "columns, expected 7"},
		"a forged extra result":                {replace("Finished", "WR11C2R4        1000    80     1     2               0.13              5.035e+00\n||Ax-b||_oo= 0.001 ...... PASSED\nFinished"), "missing or forged"},
		"a residual with text printed into it": {replace("||Ax-b||_oo/(eps*(||A||", "rank 3: ||Ax-b||_oo/(eps*(||A||"), "garbled"},
		"a residual of NaN that passed":        {replace("0.0039687", "nan"), "cannot have PASSED"},
		"counts that disagree":                 {replace("1 tests completed and passed", "2 tests completed and passed"), "missing or forged"},
		"a count out of range":                 {replace("Finished      1", "Finished 99999999999999999999"), "out of range"},
		"only tests with illegal input":        {"Finished 2 tests with the following results:\n0 tests completed and passed residual checks,\n0 tests completed and failed residual checks,\n2 tests skipped because of illegal input values.\nEnd of Tests.", "correct HPL.dat"},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := Parse(v1alpha1.FormatHPL, nil, nil, []byte(test.output))
			measuretest.WantError(t, err, test.says)
			if !errors.Is(err, result.ErrBadOutput) {
				t.Errorf("%v does not wrap ErrBadOutput", err)
			}
			if diff := cmp.Diff(result.Document{}, d); diff != "" {
				t.Errorf("something came back beside the error:\n%s", diff)
			}
		})
	}
}
