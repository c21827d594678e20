package cli

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-dev/assay/api/v1alpha1"
)

var update = flag.Bool("update", false, "write the golden files")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

func TestReportInEveryFormat(t *testing.T) {
	for _, format := range []string{formatTable, formatWide, formatJSON, formatMarkdown} {
		t.Run(format, func(t *testing.T) {
			report := NewReport(fourNodes())
			var out bytes.Buffer
			if err := report.Write(&out, format); err != nil {
				t.Fatal(err)
			}
			golden(t, "report."+format+".golden", out.Bytes())
		})
	}
}

func TestReportOfARunThatNobodyHasSeenYet(t *testing.T) {
	run := &v1alpha1.ValidationRun{}
	run.Name = "new"
	report := NewReport(run, nil)
	var out bytes.Buffer
	if err := report.Write(&out, formatTable); err != nil {
		t.Fatal(err)
	}
	if want := "Run new: Pending, 0 nodes"; !strings.Contains(out.String(), want) {
		t.Errorf("got %q, want %q in it", out.String(), want)
	}
}

func TestTaintOfAnEarlierRunIsShownWhereThisOneTaintsNothing(t *testing.T) {
	run, results := fourNodes()
	run.Spec.OnFailure = nil
	report := NewReport(run, results)
	var out bytes.Buffer
	if err := report.Write(&out, formatTable); err != nil {
		t.Fatal(err)
	}
	if want := "node-4: Fail, tainted\n"; !strings.Contains(out.String(), want) {
		t.Errorf("got %q, want %q in it", out.String(), want)
	}
}

func TestUnknownFormatIsRefusedByName(t *testing.T) {
	report := NewReport(fourNodes())
	err := report.Write(&bytes.Buffer{}, "yaml")
	if err == nil || !strings.Contains(err.Error(), `unknown output format "yaml": use table, wide, json, markdown`) {
		t.Errorf("got %v", err)
	}
}

func TestJSONDocumentNamesItsSchema(t *testing.T) {
	report := NewReport(fourNodes())
	var out bytes.Buffer
	if err := report.Write(&out, formatJSON); err != nil {
		t.Fatal(err)
	}
	var document struct {
		Schema string `json:"schema"`
		Nodes  []struct {
			Name    string `json:"name"`
			Tainted bool   `json:"tainted"`
		} `json:"nodes"`
	}
	if err := json.Unmarshal(out.Bytes(), &document); err != nil {
		t.Fatal(err)
	}
	if document.Schema != "assay.dev/report/v1" || len(document.Nodes) != 5 || document.Nodes[0].Name != "node-4" || !document.Nodes[0].Tainted {
		t.Errorf("got %+v", document)
	}
}

func TestQuantities(t *testing.T) {
	for _, c := range []struct {
		value float64
		unit  string
		want  string
	}{
		{0, "GB/s", "0 GB/s"},
		{4371.49, "GB/s", "4371 GB/s"},
		{12.3456, "GFLOP/s", "12.35 GFLOP/s"},
		{0.00123456, "us", "0.001235 us"},
		{-2.5, "C", "-2.500 C"},
		{0.975, "1", "0.9750"},
		{123456789, "options/s", "123.5 Moptions/s"},
	} {
		if got := quantity(&c.value, c.unit); got != c.want {
			t.Errorf("quantity(%v, %q) = %q, want %q", c.value, c.unit, got, c.want)
		}
	}
	if got := quantity(nil, "GB/s"); got != "-" {
		t.Errorf("an unknown quantity is %q, want -", got)
	}
}

func TestNodesAreInNaturalOrder(t *testing.T) {
	for _, c := range [][2]string{{"node-2", "node-10"}, {"a", "b"}, {"node-2", "node-2a"}, {"r1n9", "r2n1"}, {"", "a"}, {"a", "1a"}} {
		less, more := c[0], c[1]
		if c[0] == "a" && c[1] == "1a" {
			less, more = c[1], c[0]
		}
		if compareNatural(less, more) >= 0 || compareNatural(more, less) <= 0 {
			t.Errorf("want %q before %q", less, more)
		}
	}
	if compareNatural("node-1", "node-1") != 0 {
		t.Error("a name differs from itself")
	}
}

func TestAMessageCannotSteerTheTerminal(t *testing.T) {
	run, results := fourNodes()
	results[3].Benchmarks[0].Message = "slow\x1b]0;owned\x07 and \x1b[2Jcleared"
	report := NewReport(run, results)
	for _, format := range []string{formatTable, formatMarkdown} {
		var out bytes.Buffer
		if err := report.Write(&out, format); err != nil {
			t.Fatal(err)
		}
		if strings.ContainsAny(out.String(), "\x1b\x07") {
			t.Errorf("%s: control characters got through: %q", format, out.String())
		}
	}
}
