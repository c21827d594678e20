package summary

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// greatest is a status with all lists as long as the API has them or longer, of texts in this letter; others is how many bytes
// of conditions stand beside them.
func greatest(letter string, others int) *v1alpha1.ValidationRunStatus {
	s := &v1alpha1.ValidationRunStatus{Verdict: v1alpha1.VerdictFail, Worst: strings.Repeat("w", 512)}
	for i := range 16 {
		s.Conditions = append(s.Conditions, metav1.Condition{Type: fmt.Sprint("C", i), Status: "True", Reason: "R", Message: strings.Repeat("c", others/16)})
	}
	for i := range 120 {
		row := v1alpha1.NodeRow{Name: fmt.Sprintf("%s%03d", strings.Repeat("n", 250), i), Verdict: v1alpha1.VerdictFail, Message: strings.Repeat(letter, 512), Note: strings.Repeat(letter, 512)}
		for m := range 32 {
			row.Metrics = append(row.Metrics, v1alpha1.HeadlineValue{Benchmark: strings.Repeat("b", 63), Metric: fmt.Sprint("m", m), Unit: "GB/s",
				Value: "1.5", At: strings.Repeat(letter, 128), Verdict: v1alpha1.VerdictFail})
		}
		s.Nodes = append(s.Nodes, row)
	}
	for i := range 1024 {
		s.Benchmarks = append(s.Benchmarks, v1alpha1.BenchmarkSummary{Name: strings.Repeat("b", 63), Metric: fmt.Sprintf("m%04d", i), Unit: "GB/s",
			Median: "123456000000000", Min: "123456000000000", Max: "123456000000000", P5: "123456000000000", P95: "123456000000000"})
	}
	for i := range 60 {
		f := v1alpha1.FabricFinding{Kind: "Set", Benchmark: "b", Metric: fmt.Sprint("m", i), Message: strings.Repeat(letter, 1024)}
		for range 16 {
			f.Members = append(f.Members, strings.Repeat("n", 253))
		}
		s.Findings = append(s.Findings, f)
	}
	return s
}

func TestFitStatus(t *testing.T) {
	for sentence, c := range map[string]struct {
		status                       *v1alpha1.ValidationRunStatus
		nodes, findings, leastOfSums int
	}{
		"all there can be":                     {greatest("m", 0), 100, 11, 100},
		"beside conditions and a catalogue":    {greatest("m", 60<<10), 100, 8, 100},
		"of texts that JSON writes sixfold":    {greatest("<", 60<<10), 100, 4, 100},
		"nothing but findings":                 {&v1alpha1.ValidationRunStatus{Findings: greatest("m", 0).Findings}, 0, 48, 0},
		"nothing but sums":                     {&v1alpha1.ValidationRunStatus{Benchmarks: greatest("m", 0).Benchmarks}, 0, 0, 256},
		"what is left is hardly worth showing": {greatest("m", 250<<10), 1, 0, 0},
	} {
		t.Run(sentence, func(t *testing.T) {
			before := *c.status
			FitStatus(c.status)
			if n := size(c.status); n > maxStatus || len(c.status.Nodes) > 50 && n < maxStatus*9/10 {
				t.Errorf("%d bytes, want up to %d, and most of them used", n, maxStatus)
			}
			if n := len(c.status.Nodes); n < c.nodes || n > 100 {
				t.Errorf("%d rows, want at least %d, and at most 100", n, c.nodes)
			}
			if n := len(c.status.Findings); n < c.findings || n > 50 {
				t.Errorf("%d findings, want at least %d, and at most 50", n, c.findings)
			}
			if n := len(c.status.Benchmarks); n < c.leastOfSums || n > 256 {
				t.Errorf("%d benchmark summaries, want at least %d, and at most 256", n, c.leastOfSums)
			}
			for i, row := range c.status.Nodes {
				if row.Name != before.Nodes[i].Name || row.Message == "" {
					t.Errorf("row %d is of node %s and says %q; rows go from the end only, and keep a message", i, row.Name, row.Message)
				}
			}
			if diff := cmp.Diff(before.Conditions, c.status.Conditions); diff != "" {
				t.Errorf("the conditions changed:\n%s", diff)
			}
		})
	}
}

func TestFitStatusLeavesWhatFits(t *testing.T) {
	s := greatest("m", 1000)
	s.Nodes, s.Benchmarks, s.Findings = s.Nodes[:5], s.Benchmarks[:5], s.Findings[:3]
	before := s.DeepCopy()
	FitStatus(s)
	if diff := cmp.Diff(before, s); diff != "" {
		t.Errorf("status (-want +got):\n%s", diff)
	}
	empty := &v1alpha1.ValidationRunStatus{}
	FitStatus(empty)
	if diff := cmp.Diff(&v1alpha1.ValidationRunStatus{}, empty); diff != "" {
		t.Errorf("an empty status (-want +got):\n%s", diff)
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
		if want := maxStatus / share; got > want+want/10 || got < want-want/10 {
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
