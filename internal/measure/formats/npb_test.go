package formats

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/result"
	"github.com/assay-dev/assay/test/testdata"
)

func TestParseNPBReadsResults(t *testing.T) {
	node := func(name, unit string, better result.Better, value float64) result.Measurement {
		return result.Measurement{Name: name, Unit: unit, Better: better, Parts: []result.Part{{At: result.NodePart, Value: value}}}
	}
	cg := testdata.Output("npb-cg-mpi-documented.txt")
	for name, test := range map[string]struct {
		output     string
		version    string
		parameters map[string]any
		want       []result.Measurement
	}{
		"CG over MPI": {cg, "3.4.2",
			map[string]any{"kernel": "CG", "class": "B", "size": "75000", "iterations": json.Number("75"), "ranks": json.Number("4")},
			[]result.Measurement{node("operationRate", "Mop/s", result.BetterHigher, 4749.18), node("runTime", "s", result.BetterLower, 11.52)}},
		"FT with threads": {testdata.Output("npb-ft-omp-documented.txt"), "3.4.2",
			map[string]any{"kernel": "FT", "class": "A", "size": "256x256x128", "iterations": json.Number("6"), "threads": json.Number("2")},
			[]result.Measurement{node("operationRate", "Mop/s", result.BetterHigher, 2961.05), node("runTime", "s", result.BetterLower, 2.41)}},
		"too short for its clock": {swap(t, cg, "                    11.52", "                     0.00"), "3.4.2",
			map[string]any{"kernel": "CG", "class": "B", "size": "75000", "iterations": json.Number("75"), "ranks": json.Number("4")},
			[]result.Measurement{node("operationRate", "Mop/s", result.BetterHigher, 4749.18)}},
	} {
		t.Run(name, func(t *testing.T) {
			d := parseTool(t, v1alpha1.FormatNPB, test.output)
			if d.Version != test.version {
				t.Errorf("version %q, want %q", d.Version, test.version)
			}
			if diff := cmp.Diff(test.want, d.Measurements); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if diff := cmp.Diff(test.parameters, d.Parameters); diff != "" {
				t.Errorf("parameters -want +got:\n%s", diff)
			}
			if diff := cmp.Diff([]result.Check{{Name: "verification", OK: true}}, d.Checks); diff != "" {
				t.Errorf("checks -want +got:\n%s", diff)
			}
		})
	}
}

func TestParseNPBTellsOfWrongResults(t *testing.T) {
	output := swap(t, testdata.Output("npb-cg-mpi-documented.txt"), "=               SUCCESSFUL", "=             UNSUCCESSFUL")
	d := parseTool(t, v1alpha1.FormatNPB, output)
	if len(d.Checks) != 1 || d.Checks[0].OK || !strings.Contains(d.Checks[0].Message, "CG of class B") {
		t.Errorf("checks are %+v", d.Checks)
	}
}

func TestParseNPBRefuses(t *testing.T) {
	output := testdata.Output("npb-cg-mpi-documented.txt")
	refuses(t, v1alpha1.FormatNPB, map[string][2]string{
		"another program's output": {testdata.Output("stream.txt"), "there is no result"},
		"a run that was ended":     {output[:strings.Index(output, " CG Benchmark Completed")], "did not finish"},
		"a result cut off":         {output[:strings.Index(output, " Verification    =")], "cut off"},
		"two results":              {output + output, "more than one result"},
		"a line twice":             {swap(t, output, " Operation type", " Class           = A\n Operation type"), "two lines"},
		"a digit lost":             {swap(t, output, "4749.18", "749.18"), "garbled"},
		"a rate that is none":      {swap(t, output, "4749.18", "nan"), "where a rate"},
		"no time":                  {swap(t, output, " Time in seconds =                    11.52\n", ""), "no time"},
		"a size of no class":       {swap(t, output, "             SUCCESSFUL", "          NOT PERFORMED"), "belongs to no class"},
		"a verification garbled":   {swap(t, output, "             SUCCESSFUL", "             SUCCESS"), "expected SUCCESSFUL"},
	})
}
