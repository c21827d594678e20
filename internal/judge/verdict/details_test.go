package verdict

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// Which parts are compared with each other: a link from a part to itself is unlike one that leads away from it.
func TestLikeness(t *testing.T) {
	for _, tt := range []struct {
		one, other string
		alike      bool
	}{
		{"gpu0", "gpu7", true}, {"gpu0->gpu1", "gpu2->gpu3", true}, {"gpu0->gpu0", "gpu1->gpu1", true}, {"gpu0->gpu0", "gpu0->gpu1", false},
		{"gpu0", "gpu0->gpu0", false}, {"node", "", false}, {"64KiB", "128KiB", false}, {"numa0->numa1", "gpu0->gpu1", false},
	} {
		if got := newPlace(tt.one).likeness == newPlace(tt.other).likeness; got != tt.alike {
			t.Errorf("%q and %q are alike: %v", tt.one, tt.other, got)
		}
	}
}

// What a status that is too long is cut to: findings and sums a quarter each at least, the rest rows; what those leave, findings first.
func TestFitStatusShares(t *testing.T) {
	bytes := func(v any) int {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return len(text)
	}
	near := func(what string, got, share int) {
		t.Helper()
		if want := MaxStatus / share; got > want+want/10 || got < want-want/10 {
			t.Errorf("%s take %d bytes, want about %d", what, got, want)
		}
	}
	all := greatest("m", 0)
	rows := all.DeepCopy()
	for i := range rows.Nodes {
		rows.Nodes[i].Message, rows.Nodes[i].Metrics = strings.Repeat("m", 1000), nil
		rows.Nodes[i].Name += strings.Repeat("n", 3000)
	}
	FitStatus(rows)
	near("findings", bytes(rows.Findings), 4)
	near("sums", bytes(rows.Benchmarks), 4)
	near("rows", bytes(rows.Nodes), 2)

	few := all.DeepCopy()
	few.Nodes = few.Nodes[:2]
	for i := range few.Nodes {
		few.Nodes[i].Metrics = nil
	}
	FitStatus(few)
	if len(few.Nodes) != 2 || len(few.Findings) < 30 {
		t.Errorf("%d rows and %d findings: findings get what few rows leave", len(few.Nodes), len(few.Findings))
	}
	near("findings and sums beside two rows", bytes(few.Findings)+bytes(few.Benchmarks), 1)
	if got := few.Nodes[0].Message; len(got) != 512 {
		t.Errorf("a message of %d bytes was cut, though there is room", 512-len(got))
	}

	numbers := greatest("m", 0)
	numbers.Findings, numbers.Benchmarks = nil, nil
	FitStatus(numbers)
	with := 0
	for _, row := range numbers.Nodes {
		if len(row.Metrics) > 0 {
			with++
		}
	}
	if len(numbers.Nodes) != 100 || with < 10 || with > 60 {
		t.Errorf("%d rows, %d of them with numbers; want all rows, and the numbers of the first", len(numbers.Nodes), with)
	}
	if len(numbers.Nodes[0].Metrics) == 0 {
		t.Error("the worst node has no numbers")
	}
}

func TestRoomOfRowsWithoutRoomIsShortMessages(t *testing.T) {
	s := greatest("m", 120<<10)
	FitStatus(s)
	if got, note := s.Nodes[0].Message, s.Nodes[0].Note; len(got)+len(note) != shortMessage || note == "" {
		t.Errorf("a message of %d bytes and a note of %d, want %d together", len(got), len(note), shortMessage)
	}
}

// The peak of a group of nodes, the worst verdicts and the words of each kind of end.
func TestNodeSaysHowManyBenchmarksEndedAlike(t *testing.T) {
	result := func(name string, v v1alpha1.Verdict) v1alpha1.BenchmarkResult {
		return v1alpha1.BenchmarkResult{Name: name, Verdict: v, Reason: "R", Message: "m"}
	}
	for v, want := range map[v1alpha1.Verdict]string{
		v1alpha1.VerdictFail: "a: m; 2 of 3 benchmarks failed", v1alpha1.VerdictError: "a: m; 2 of 3 benchmarks could not be measured",
		v1alpha1.VerdictMissing: "a: m; 2 of 3 benchmarks lack a measurement",
	} {
		got, reason, text := Node([]v1alpha1.BenchmarkResult{result("a", v), result("b", v1alpha1.VerdictPass), result("c", v)})
		if got != v || reason != "R" || text != want {
			t.Errorf("%s, %s: %q; want %q", got, reason, text, want)
		}
	}
	if v, _, text := Node([]v1alpha1.BenchmarkResult{result("a", v1alpha1.VerdictSkipped)}); v != v1alpha1.VerdictSkipped || text != "a: m" {
		t.Errorf("%s: %q", v, text)
	}
}

// A run's summary names the worst node only where its message explains the verdict.
func TestRunNamesTheWorstNode(t *testing.T) {
	for sentence, tt := range map[string]struct {
		s     v1alpha1.RunSummary
		named bool
	}{
		"one failed":                {v1alpha1.RunSummary{Nodes: 2, Passed: 1, Failed: 1}, true},
		"one could not be measured": {v1alpha1.RunSummary{Nodes: 2, Passed: 1, Errored: 1}, true},
		"none was measured":         {v1alpha1.RunSummary{Nodes: 2, Skipped: 2}, true},
		"one was skipped":           {v1alpha1.RunSummary{Nodes: 2, Passed: 1, Skipped: 1}, false}, // the first row is that of the other
		"all passed":                {v1alpha1.RunSummary{Nodes: 2, Passed: 2}, false},
	} {
		if _, _, text := Run(RunFacts{Summary: tt.s, WorstNode: "n17", WorstMessage: "slow"}); strings.Contains(text, "worst: n17: slow") != tt.named {
			t.Errorf("%s: %q", sentence, text)
		}
	}
}

// The figures of a finding come from the attempt that passed, at the part that had failed.
func TestAReRunShowsThePartThatFailed(t *testing.T) {
	m := triad(expecting(v1alpha1.Expectation{Min: "100"}))
	f := fleetOf(bench, []v1alpha1.Metric{m}, nil, true)
	d := f.Decide([]v1alpha1.Attempt{*attempt(m, 200, 90, 300), *attempt(m, 110, 120, 130)}, NodeFacts{}, 1)
	want := "suspect in only 1 of 2 measurements, so it is cleared: gpu1 hbmTriad 90 GB/s: expected at least 100 GB/s; measured last: gpu1 hbmTriad 120 GB/s"
	if diff := cmp.Diff(want, d.Message); diff != "" {
		t.Errorf("message (-want +got):\n%s", diff)
	}
}

// Parts of one metric are each compared with the peak of their own kind, in whatever order they come.
func TestEachKindOfPartHasItsOwnPeak(t *testing.T) {
	m := triad(expecting(v1alpha1.Expectation{MinFractionOfPeak: "0.5"}))
	peaks := NewPeaks(&v1alpha1.HardwareProfile{Spec: v1alpha1.HardwareProfileSpec{Peaks: []v1alpha1.Peak{
		{Name: "hbmBandwidth", At: "gpu", Value: "100", Unit: "GB/s"}, {Name: "hbmBandwidth", At: "node", Value: "800", Unit: "GB/s"}}}})
	a := attemptOf(v1alpha1.Measurement{Name: m.Name, Unit: "GB/s", Parts: []v1alpha1.PartValue{
		{At: "gpu0", Value: "60"}, {At: "node", Value: "300"}, {At: "gpu1", Value: "40"}}})
	var got []string
	for _, f := range judgeAlone(m, a, NodeFacts{Peaks: peaks}).Findings {
		got = append(got, f.Message)
	}
	want := []string{"node hbmTriad 300 GB/s: 37.5% of peak 800 GB/s, expected at least 50%", "gpu1 hbmTriad 40 GB/s: 40% of peak 100 GB/s, expected at least 50%"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
}

// A link between unlike GPUs is compared with links between the same two products only.
func TestHardwareOfAPart(t *testing.T) {
	hw := newHardware([]v1alpha1.Device{{Index: 0, Product: "H100"}, {Index: 1, Product: "H200"}, {Index: 2, Product: "H200"}, {Index: 3}})
	for at, want := range map[string]string{"gpu0": "H100", "gpu2": "H200", "gpu3": "", "gpu0->gpu1": "H100, H200", "gpu1->gpu0": "H200, H100",
		"gpu1->gpu2": "H200, H200", "node": "1 x H100, 2 x H200", "socket0": "1 x H100, 2 x H200"} {
		if got := hw.of(newPlace(at)); got != want {
			t.Errorf("%s is %q, want %q", at, got, want)
		}
	}
	if got := newHardware(nil).of(newPlace("gpu0")); got != "" {
		t.Errorf("without devices a GPU is %q", got)
	}
}

func TestSummariseConvertsUnits(t *testing.T) {
	node := func(value, unit, percent string) []v1alpha1.HeadlineValue {
		return []v1alpha1.HeadlineValue{{Benchmark: bench, Metric: "hbmTriad", Unit: unit, Value: v1alpha1.Decimal(value), PercentOfPeak: v1alpha1.Decimal(percent)}}
	}
	for sentence, tt := range map[string]struct {
		other, percent, want string
	}{
		"of one peak":                  {"4.4", "91.7", "87.5"},
		"of a peak that none reaches":  {"4.4", "0", ""},
		"beside one that measured 0":   {"0", "91.7", ""},
		"beside one that has no share": {"4.4", "", ""},
	} {
		got := Summarise([]v1alpha1.Metric{triad()}, bench, [][]v1alpha1.HeadlineValue{node("4000", "GB/s", "83.3"), node(tt.other, "TB/s", tt.percent)})
		if len(got) != 1 || got[0].Nodes != 2 || got[0].Min == got[0].Max || got[0].PercentOfPeak != v1alpha1.Decimal(tt.want) {
			t.Errorf("%s: %+v, want %q of peak", sentence, got, tt.want)
		}
		if tt.other == "4.4" && got[0].Median != "4200" {
			t.Errorf("%s: the median is %s, want 4200", sentence, got[0].Median)
		}
	}
}

// A rule that several parts broke is one broken term; those that come after it are not forgotten.
func TestBrokenTermsAreEachThereOnce(t *testing.T) {
	m := triad(expecting(v1alpha1.Expectation{Min: "100", Max: "300"}))
	j := judgeAlone(m, attempt(m, 60, 50, 330), NodeFacts{})
	var got []string
	for _, term := range j.Terms.Broken {
		got = append(got, term.Rule+" "+term.At+" "+string(term.Value)+" of "+string(term.Bound))
	}
	want := []string{"Min gpu1 50 of 100", "Max gpu2 330 of 300"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("broken terms, worst first (-want +got):\n%s", diff)
	}
	got = nil
	for _, term := range BrokenBy(j.Findings) {
		got = append(got, term.Rule+" "+term.At)
	}
	if diff := cmp.Diff([]string{"Min gpu1", "Max gpu2"}, got); diff != "" {
		t.Errorf("terms by findings (-want +got):\n%s", diff)
	}
}

// Only headline metrics are summed up, whatever rows have.
func TestSummariseLeavesOutOtherMetrics(t *testing.T) {
	quiet := triad(func(m *v1alpha1.Metric) { m.Headline = false })
	row := []v1alpha1.HeadlineValue{{Benchmark: bench, Metric: quiet.Name, Unit: "GB/s", Value: "1"}}
	if got := Summarise([]v1alpha1.Metric{quiet}, bench, [][]v1alpha1.HeadlineValue{row}); got != nil {
		t.Errorf("got %+v", got)
	}
}
