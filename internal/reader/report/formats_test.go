package report

import (
	"bytes"
	"encoding/csv"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/joshdk/go-junit"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/reader/export"
	"github.com/assay-dev/assay/test/golden"
)

func check(t *testing.T, name string, got []byte) {
	t.Helper()
	golden.Check(t, name, string(got))
}

func asJUnit(t *testing.T, all ...Report) ([]byte, []junit.Suite) {
	t.Helper()
	var out bytes.Buffer
	if err := WriteJUnit(&out, all); err != nil {
		t.Fatal(err)
	}
	suites, err := junit.Ingest(out.Bytes())
	if err != nil {
		t.Fatalf("%v in:\n%s", err, out.Bytes())
	}
	return out.Bytes(), suites
}

// TestJUnit reads what was written as a CI system does.
func TestJUnit(t *testing.T) {
	warned := New(rack7(t))
	warned.Run.Name = "rack-8"
	warned.Findings = []v1alpha1.FabricFinding{{Kind: "Shift", Benchmark: "gpustream", Members: []string{"node-1"}, Message: "most nodes got slower by 3%"}}
	warned.Nodes = warned.Nodes[:1]
	text, suites := asJUnit(t, New(rack7(t)), warned)
	check(t, "rack-7.junit.xml", text)
	if len(suites) != 2 || suites[0].Name != "rack-7" || suites[1].Name != "rack-8" {
		t.Fatalf("suites %v", suites)
	}
	suites[0].Aggregate()
	want := junit.Totals{Tests: 13, Passed: 5, Skipped: 1, Failed: 3, Error: 4}
	got := suites[0].Totals
	got.Duration = 0
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	found := map[string]junit.Status{}
	for _, c := range suites[0].Tests {
		found[c.Classname+" "+c.Name] = c.Status
	}
	for name, want := range map[string]junit.Status{
		"node-4 gpustream": junit.StatusFailed, "node-4 montecarlo": junit.StatusPassed, "node-10 gpustream": junit.StatusError, "node-3 node": junit.StatusSkipped,
		"fabric Link node-1, node-2: mpibench bandwidth": junit.StatusFailed, "fabric Group node-1, node-2, node-6: mpibench-all": junit.StatusError,
	} {
		if found[name] != want {
			t.Errorf("%s is %q, want %q, in %v", name, found[name], want, found)
		}
	}
	if got := suites[1].SystemOut; !strings.Contains(got, "Shift node-1: gpustream: most nodes got slower by 3%") {
		t.Errorf("warnings: %q", got)
	}
}

// What the node as a whole is judged by is no benchmark's.
func TestJUnitOfANodeThatFailsAlthoughItsBenchmarksPass(t *testing.T) {
	r := Report{Nodes: []Node{{Name: "node-1", Verdict: v1alpha1.VerdictFail, Reason: "DevicesMissing", Message: "it offers 7 of 8 GPUs",
		Benchmarks: []Benchmark{{Name: "stream", Verdict: v1alpha1.VerdictPass}}}}}
	_, suites := asJUnit(t, r)
	last := suites[0].Tests[1]
	var failure junit.Error
	if !errors.As(last.Error, &failure) || last.Status != junit.StatusFailed || last.Name != "node" || failure.Message != "it offers 7 of 8 GPUs" || failure.Type != "DevicesMissing" {
		t.Errorf("got %+v", last)
	}
}

// A run that did not pass is not green, whatever is known of its nodes.
func TestJUnitOfARunThatProvedNothing(t *testing.T) {
	passed := []Node{{Name: "node-1", Verdict: v1alpha1.VerdictPass}, {Name: "node-2", Verdict: v1alpha1.VerdictPass}}
	failed := []Node{{Name: "node-1", Verdict: v1alpha1.VerdictFail}, {Name: "node-2", Verdict: v1alpha1.VerdictPass}}
	pair := func(v v1alpha1.Verdict) []Group {
		return []Group{{Nodes: []string{"node-2", "node-1"}, Verdict: v, Message: "slow", Benchmarks: []Benchmark{{Name: "mpibench", Verdict: v}}}}
	}
	link := []v1alpha1.FabricFinding{{Kind: "Link", Benchmark: "mpibench", Members: []string{"node-1", "node-2"}}}
	for name, c := range map[string]struct {
		report Report
		want   junit.Totals
	}{
		"no node":                             {Report{Run: Run{Name: "a", Verdict: v1alpha1.VerdictInconclusive}}, junit.Totals{Tests: 1, Error: 1}},
		"a failure that no case has":          {Report{Run: Run{Verdict: v1alpha1.VerdictFail}, Nodes: passed}, junit.Totals{Tests: 3, Passed: 2, Failed: 1}},
		"a run that goes on":                  {Report{Run: Run{Verdict: v1alpha1.VerdictPending}, Nodes: passed}, junit.Totals{Tests: 3, Passed: 2, Skipped: 1}},
		"a group that was not measured":       {Report{Run: Run{Verdict: v1alpha1.VerdictInconclusive}, Nodes: passed, Groups: pair(v1alpha1.VerdictError)}, junit.Totals{Tests: 3, Passed: 2, Error: 1}},
		"a group that passed":                 {Report{Run: Run{Verdict: v1alpha1.VerdictPass}, Nodes: passed, Groups: pair(v1alpha1.VerdictPass)}, junit.Totals{Tests: 2, Passed: 2}},
		"a group that failed":                 {Report{Run: Run{Verdict: v1alpha1.VerdictFail}, Nodes: passed, Groups: pair(v1alpha1.VerdictFail)}, junit.Totals{Tests: 3, Passed: 2, Failed: 1}},
		"one that a finding speaks for":       {Report{Run: Run{Verdict: v1alpha1.VerdictFail}, Nodes: passed, Groups: pair(v1alpha1.VerdictFail), Findings: link}, junit.Totals{Tests: 3, Passed: 2, Failed: 1}},
		"one that its failed node speaks for": {Report{Run: Run{Verdict: v1alpha1.VerdictFail}, Nodes: failed, Groups: pair(v1alpha1.VerdictFail)}, junit.Totals{Tests: 2, Passed: 1, Failed: 1}},
	} {
		_, suites := asJUnit(t, c.report)
		suites[0].Aggregate()
		got := suites[0].Totals
		got.Duration = 0
		if got != c.want {
			t.Errorf("%s: got %+v, want %+v", name, got, c.want)
		}
	}
}

func TestJUnitOfHostileTexts(t *testing.T) {
	r := Report{Nodes: []Node{{Name: "</testcase>&", Verdict: v1alpha1.VerdictFail, Message: "\x1b[2J\x00]]>\xff<x a=\"'\u009b\u202e\t\n"}}}
	text, suites := asJUnit(t, r)
	if steers := bytes.ContainsFunc(text, func(r rune) bool { return r != '\n' && export.Steers(r) }); steers {
		t.Errorf("got\n%q", text)
	}
	if got := suites[0].Tests[0]; got.Classname != "</testcase>&" || got.Message != "\uFFFD[2J\uFFFD]]>\uFFFD<x a=\"'\uFFFD\uFFFD\t\n" {
		t.Errorf("got %+v", got)
	}
}

func TestJUnitSaysWhenAndHowLong(t *testing.T) {
	started := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	text, _ := asJUnit(t, Report{Run: Run{Name: "a", Started: &started, Seconds: 94.5}})
	if !bytes.Contains(text, []byte(`time="94.5" timestamp="2026-03-01T12:00:00Z"`)) {
		t.Errorf("got\n%s", text)
	}
}

func TestCSV(t *testing.T) {
	hostile := New(rack7(t))
	hostile.Run.Name, hostile.Nodes = "rack-8", []Node{{Name: "node-1", Verdict: v1alpha1.VerdictError, Message: "=HYPERLINK(\"http://x\")"}}
	var out bytes.Buffer
	if err := WriteCSV(&out, []Report{New(rack7(t)), hostile}); err != nil {
		t.Fatal(err)
	}
	check(t, "rack-7.csv", out.Bytes())
	rows, err := csv.NewReader(&out).ReadAll()
	report := New(rack7(t))
	if err != nil || len(rows) != 1+len(report.Rows())+1 {
		t.Errorf("%d rows, error %v", len(rows), err)
	}
}

func TestOnlyWhatFailed(t *testing.T) {
	r := New(rack7(t))
	summary := r.Run.Summary
	r.LeaveOutPassed()
	var names []string
	for _, n := range r.Nodes {
		names = append(names, n.Name)
	}
	if diff := cmp.Diff([]string{"node-4", "node-10", "node-5", "node-6", "node-3"}, names); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if r.Run.Summary != summary || len(r.Findings) != 1 {
		t.Errorf("the run itself changed: %+v", r)
	}
	for _, g := range r.Groups {
		if g.Verdict == v1alpha1.VerdictPass {
			t.Errorf("group %v passed", g.Nodes)
		}
	}
}
