package export

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"strings"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"

	"github.com/assay-dev/assay/docs"
	"github.com/assay-dev/assay/test/golden"
	"sigs.k8s.io/yaml"
)

// rack3 is a run with a value of every kind.
func rack3(t testing.TB) Run {
	t.Helper()
	var run Run
	if err := yaml.UnmarshalStrict([]byte(golden.Text(t, "rack-3.yaml")), &run); err != nil {
		t.Fatal(err)
	}
	return run
}

func check(t *testing.T, name string, got []byte) {
	t.Helper()
	golden.Check(t, name, string(got))
}

func TestLinesOfARun(t *testing.T) { check(t, "rack-3.jsonl", saved(t, rack3(t))) }

func TestTableOfARun(t *testing.T) {
	var out bytes.Buffer
	table, err := NewTable(&out)
	if err != nil {
		t.Fatal(err)
	}
	pour(t, table, rack3(t))
	check(t, "rack-3.csv", out.Bytes())
	rows, err := csv.NewReader(&out).ReadAll()
	if err != nil || len(rows) != 1+10 {
		t.Errorf("%d rows, error %v", len(rows), err)
	}
}

func TestSamplesOfARun(t *testing.T) {
	var out bytes.Buffer
	samples, err := NewSamples(&out)
	if err != nil {
		t.Fatal(err)
	}
	pour(t, samples, rack3(t))
	check(t, "rack-3.om", out.Bytes())
	family := parsed(t, out.Bytes())[openMetricsName]
	if family.GetType() != dto.MetricType_GAUGE || len(family.GetMetric()) != 7 {
		t.Fatalf("%d samples of type %v", len(family.GetMetric()), family.GetType())
	}
	first := family.GetMetric()[0]
	if first.GetGauge().GetValue() != 3610 || first.GetTimestampMs() != 1772366460000 {
		t.Errorf("the first sample is %v", first)
	}
}

// parsed by Prometheus' own parser of OpenMetrics.
func parsed(t testing.TB, text []byte) map[string]*dto.MetricFamily {
	t.Helper()
	decoder, families := expfmt.NewDecoder(bytes.NewReader(text), expfmt.FmtOpenMetrics_1_0_0), map[string]*dto.MetricFamily{}
	for {
		var family dto.MetricFamily
		err := decoder.Decode(&family)
		if errors.Is(err, io.EOF) {
			return families
		}
		if err != nil {
			t.Fatalf("%v in:\n%s", err, text)
		}
		families[family.GetName()] = &family
	}
}

func TestACellIsNoFormula(t *testing.T) {
	for text, want := range map[string]string{
		"=1+1": "'=1+1", "@SUM(A1)": "'@SUM(A1)", "+a": "'+a", "-a": "'-a", "\tx": " x", "\t=x": "' =x", "\x1b=x": "'=x", "a\x1b[2J\u009b\u202eb\nc": "a[2Jb c", "-1.5": "-1.5", "+2e3": "+2e3", "gpu0->gpu1": "gpu0->gpu1", "": "",
	} {
		if got := Cell(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// A table says what a spreadsheet needs of every value: no column is empty throughout.
func TestEveryColumnIsInTheGoldenTable(t *testing.T) {
	rows, err := csv.NewReader(strings.NewReader(golden.Text(t, "rack-3.csv"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for column, name := range rows[0] {
		filled := false
		for _, row := range rows[1:] {
			filled = filled || row[column] != ""
		}
		if !filled {
			t.Errorf("column %s is empty", name)
		}
	}
	page, err := docs.Pages.ReadFile("export.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range rows[0] {
		if !strings.Contains(string(page), "`"+name+"`") {
			t.Errorf("docs/export.md says nothing of the column %s", name)
		}
	}
}
