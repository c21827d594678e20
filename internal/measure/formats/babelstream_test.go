package formats

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/result"
	"github.com/assay-dev/assay/test/testdata"
)

func TestParseBabelStreamKnowsMBFromMiB(t *testing.T) {
	table := testdata.Output("babelstream-documented.txt")
	mega := figures(parseTool(t, v1alpha1.FormatBabelStream, table))["hbmTriad GB/s gpu0"]
	mebi := figures(parseTool(t, v1alpha1.FormatBabelStream, swap(t, table, "Function    MBytes/sec ", "Function    MiBytes/sec")))["hbmTriad GB/s gpu0"]
	if ratio := mebi / mega; ratio < 1.048575 || ratio > 1.048577 {
		t.Errorf("%v GB/s in MB, %v in MiB: a ratio of %v, want 1.048576", mega, mebi, ratio)
	}
}

func TestParseBabelStreamTellsWrongData(t *testing.T) {
	output := swap(t, testdata.Output("babelstream-documented.txt"), "Function", "Validation failed on sum. Error 3.54711e-06\nSum was 39.79 but should be 39.80\nFunction")
	d := parseTool(t, v1alpha1.FormatBabelStream, output)
	if diff := cmp.Diff([]result.Check{{Name: "dataIntegrity", Message: "Validation failed on sum. Error 3.54711e-06"}}, d.Checks); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestParseBabelStreamNumbersRunsAsGPUs(t *testing.T) {
	table := testdata.Output("babelstream-documented.txt")
	d := parseTool(t, v1alpha1.FormatBabelStream, table+table+table)
	var at []string
	for _, part := range d.Measurements[0].Parts {
		at = append(at, part.At)
	}
	if diff := cmp.Diff([]string{"gpu0", "gpu1", "gpu2"}, at); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestParseBabelStreamRefuses(t *testing.T) {
	table, csv, cpu := testdata.Output("babelstream-documented.txt"), testdata.Output("babelstream-csv-documented.txt"), testdata.Output("babelstream-openmp-documented.txt")
	refuses(t, v1alpha1.FormatBabelStream, map[string][2]string{
		"another program's output":      {testdata.Output("hpl.txt"), "no output of BabelStream"},
		"STREAM's":                      {testdata.Output("stream.txt"), "no output of BabelStream"},
		"an output without its table":   {table[:strings.Index(table, "Function")], "has no table"},
		"a table without its last row":  {table[:strings.Index(table, "Dot")], "no row Dot"},
		"a table without its head":      {swap(t, table, "Function    MBytes/sec  Min (sec)   Max         Average", ""), "the beginning is missing"},
		"a row without a column":        {swap(t, table, "Copy        4040698.412 0.00106     0.00107     0.00107     ", "Copy        4040698.412 0.00106     0.00"), "columns"},
		"a rate without a decimal":      {swap(t, table, "Triad       4377767.468 ", "Triad       4377767.46  "), "three decimals"},
		"a rate of NaN":                 {swap(t, table, "Copy        4040", "Copy        nan"), "three decimals"},
		"a time that is none":           {swap(t, table, " 0.00106 ", " ******* "), "not a time"},
		"a row twice":                   {swap(t, table, "Mul ", "Copy"), "Copy appears twice"},
		"a table in other units":        {swap(t, table, "Function    MBytes/sec", "Function    GBytes/sec"), "is not BabelStream's"},
		"two runs on the processors":    {cpu + cpu, "one run on the processors"},
		"a GPU's run and the processor": {table + cpu, "not all on a device"},
		"two tables of one run":         {table + table[strings.Index(table, "Function"):], "two tables"},
		"a GPU without its CSV":         {"Using CUDA device NVIDIA H200\n" + csv, "did not finish"},
		"CSV cut in a row":              {csv[:strings.LastIndex(csv, ",")], "columns"},
		"CSV with half elements":        {swap(t, csv, "Copy,100,268435456,8,", "Copy,100,268435456,2,"), "expected 4 or 8"},
		"CSV without repeats":           {swap(t, csv, "Copy,100,", "Copy,0,"), "repeats"},
		"CSV of the end alone":          {csv[strings.Index(csv, "Copy"):strings.Index(csv, "Triad")], "the beginning is missing"},
	})
}
