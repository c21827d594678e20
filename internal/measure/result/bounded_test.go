package result

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/test/measuretest"
)

func TestTimesOfAnEnvelopeAreReadInUTC(t *testing.T) {
	at := func(text string) time.Time {
		parsed, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		return parsed
	}
	for name, test := range map[string]struct {
		start, end string
		taken      bool
	}{
		"the year 10000 by UTC, written as 9999": {"2026-01-01T00:00:00Z", "9999-12-31T23:59:59-23:59", false},
		"both":                                   {"9999-12-31T23:59:59-23:59", "9999-12-31T23:59:59-23:59", false},
		"1969 by UTC, written as 1970":           {"1970-01-01T00:00:00+00:01", "2026-01-01T00:00:00Z", false},
		"the last minute, east of Greenwich":     {"2026-01-01T00:00:00Z", "9999-12-31T23:59:59+23:59", true},
	} {
		t.Run(name, func(t *testing.T) {
			e := measured(smallDocument())
			e.Start, e.End = at(test.start), at(test.end)
			err := e.validate()
			if test.taken && err != nil {
				t.Errorf("refused: %v", err)
			}
			if !test.taken {
				measuretest.WantError(t, err, "not a span of time")
			}
		})
	}
}

// bigAttempt takes about so many bytes in JSON.
func bigAttempt(bytes int) v1alpha1.Attempt {
	a := v1alpha1.Attempt{Number: 3, Round: 2, Verdict: v1alpha1.VerdictPass, Reason: v1alpha1.ReasonMeasured, Pod: "p", PodUID: "u",
		StartTime: &metav1.Time{Time: testStart}, Measurements: []v1alpha1.Measurement{{Name: "rate", Unit: "GB/s", Better: v1alpha1.Higher}}}
	for i := range bytes / 100 {
		a.Measurements[0].Parts = append(a.Measurements[0].Parts, v1alpha1.PartValue{At: fmt.Sprintf("%073d", i), Value: "1"})
	}
	return a
}

func TestBoundedKeepsWhatFits(t *testing.T) {
	a := bigAttempt(200 << 10)
	if diff := cmp.Diff(a, Bounded(a, maxAttempts-Size(a))); diff != "" {
		t.Errorf("the attempt changed (-want +got):\n%s", diff)
	}
}

func TestBoundedSaysWhatDidNotFit(t *testing.T) {
	large := bigAttempt(maxAttempt * 11 / 10)
	small := bigAttempt(20_000)
	for name, test := range map[string]struct {
		attempt v1alpha1.Attempt
		result  int
		says    string
	}{
		"more than an attempt may take": {large, 0,
			fmt.Sprintf("the attempt takes %d bytes, at most 262144 can be stored: have the program report fewer parts", Size(large))},
		"more than is left": {small, maxAttempts - 5000,
			fmt.Sprintf("the attempt takes %d bytes, but 5000 of the 1048576 that one result holds are left: measure fewer benchmarks in one run, or have the programs report fewer parts", Size(small))},
		"nothing is left": {small, maxAttempts + 5000,
			fmt.Sprintf("the attempt takes %d bytes, but 0 of the 1048576 that one result holds are left: measure fewer benchmarks in one run, or have the programs report fewer parts", Size(small))},
	} {
		t.Run(name, func(t *testing.T) {
			want := v1alpha1.Attempt{Number: 3, Round: 2, Verdict: v1alpha1.VerdictError, Reason: v1alpha1.ReasonBadOutput, Message: test.says,
				Pod: "p", PodUID: "u", StartTime: &metav1.Time{Time: testStart}}
			if diff := cmp.Diff(want, Bounded(test.attempt, test.result)); diff != "" {
				t.Errorf("attempt (-want +got):\n%s", diff)
			}
		})
	}
}

func TestBoundedDropsTimesThatNoClientReads(t *testing.T) {
	for name, at := range map[string]time.Time{
		"none":                  {},
		"before 1970":           time.Unix(-1, 0),
		"after 9999":            time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC),
		"after 9999, by UTC":    time.Date(9999, 12, 31, 23, 0, 0, 0, time.FixedZone("", -2*3600)),
		"the end of protobuf's": time.Unix(1<<62, 0),
	} {
		t.Run(name, func(t *testing.T) {
			a := Bounded(v1alpha1.Attempt{StartTime: &metav1.Time{Time: at}, EndTime: &metav1.Time{Time: testStart}}, 0)
			if a.StartTime != nil || a.EndTime == nil {
				t.Errorf("start %v, end %v; want none, and the end as it was", a.StartTime, a.EndTime)
			}
		})
	}
}

func TestBoundedKeepsTheFirstAndTheLastYear(t *testing.T) {
	first, last := metav1.NewTime(time.Unix(0, 0)), metav1.NewTime(time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC))
	if a := Bounded(v1alpha1.Attempt{StartTime: &first, EndTime: &last}, 0); a.StartTime == nil || a.EndTime == nil {
		t.Errorf("start %v, end %v", a.StartTime, a.EndTime)
	}
}

// TestDecodeIsBounded: the worst a termination message can unpack to costs little memory, and becomes an attempt of bounded size.
func TestDecodeIsBounded(t *testing.T) {
	document := func(inner string) string {
		return `{"version":1,"outcome":"Measured","reason":"Measured","exitCode":0,"start":"2026-01-01T00:00:00Z","end":"2026-01-01T00:00:00Z","document":{"schema":"assay.dev/result/v1","benchmark":"b",` + inner + `}}`
	}
	fill := func(before, item, after string) string { // as many items as Decode reads
		room := maxDecoded - len(document(before+after)) - 1
		return document(before + strings.TrimSuffix(strings.Repeat(item, room/len(item)), ",") + after)
	}
	wide := strings.Repeat("<", 120)
	var parts strings.Builder
	for i := range 470 {
		fmt.Fprintf(&parts, `{"at":"%s%d","value":1},`, wide[:len(wide)-4], i)
	}
	for name, test := range map[string]string{
		"a gigabyte of spaces":   strings.Repeat(" ", 4<<20),
		"empty measurements":     fill(`"measurements":[`, `{},`, `]`),
		"empty devices":          fill(`"device":[`, `{},`, `]`),
		"empty notes":            fill(`"notes":[`, `"",`, `]`),
		"deep lists":             fill(`"parameters":{"a":`, `[`, `}`),
		"one long number":        fill(`"elapsedSeconds":`, `9`, ``),
		"parts that grow in API": document(`"measurements":[{"name":"m","unit":"u","better":"higher","parts":[` + strings.TrimSuffix(parts.String(), ",") + `]}]`),
	} {
		t.Run(name, func(t *testing.T) {
			text := pack(t, []byte(test))
			if len(text) > MaxEncoded {
				text = text[:MaxEncoded]
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			e, err := Decode(text)
			runtime.ReadMemStats(&after)
			if took := after.TotalAlloc - before.TotalAlloc; took > 16<<20 {
				t.Errorf("decoding took %d bytes of memory, want at most 16 MiB", took)
			}
			if err != nil {
				return
			}
			if a := Bounded(e.Attempt(1), 0); Size(a) > maxAttempt {
				t.Errorf("the attempt takes %d bytes, want at most %d", Size(a), maxAttempt)
			}
		})
	}
}

func TestFitKeepsTheWorstFindings(t *testing.T) {
	r := &v1alpha1.ValidationResult{}
	for b := range 32 {
		row := v1alpha1.BenchmarkResult{Name: fmt.Sprint("b", b), Verdict: v1alpha1.VerdictFail, Headline: []v1alpha1.HeadlineValue{{Metric: "m"}}}
		for i := range 256 {
			row.Findings = append(row.Findings, v1alpha1.Finding{Metric: fmt.Sprint("m", i), Message: strings.Repeat(">", 500)})
		}
		r.Benchmarks = append(r.Benchmarks, row)
	}
	Fit(r)
	if size := Size(r); size > maxResult {
		t.Errorf("%d bytes, want at most %d", size, maxResult)
	}
	for _, b := range r.Benchmarks {
		if len(b.Findings) == 0 || b.Findings[0].Metric != "m0" || len(b.Headline) == 0 {
			t.Errorf("benchmark %s keeps %d findings and %d headline values; want the worst finding and the headline", b.Name, len(b.Findings), len(b.Headline))
		}
	}
	before := r.DeepCopy()
	Fit(r)
	if diff := cmp.Diff(before, r); diff != "" {
		t.Errorf("what fits is changed again:\n%s", diff)
	}
}

func TestFitDropsWhatGroupsHoldToo(t *testing.T) {
	r := &v1alpha1.ValidationResult{Benchmarks: []v1alpha1.BenchmarkResult{{Name: "own", Attempts: []v1alpha1.Attempt{bigAttempt(100_000)}}}}
	for i := range 8 {
		shown := bigAttempt(200_000)
		shown.Pod, shown.Number = "", int32(i)
		r.Benchmarks = append(r.Benchmarks, v1alpha1.BenchmarkResult{Name: fmt.Sprint("group", i), Attempts: []v1alpha1.Attempt{shown}})
	}
	Fit(r)
	if size := Size(r); size > maxResult {
		t.Errorf("%d bytes, want at most %d", size, maxResult)
	}
	if len(r.Benchmarks[0].Attempts[0].Measurements) == 0 {
		t.Error("the node's own measurements are gone, which are nowhere else")
	}
	if note := r.Benchmarks[1].Attempts[0].Notes; len(note) != 1 || !strings.Contains(note[0], "results of the groups") {
		t.Errorf("notes %q do not say where the numbers are", note)
	}
}

func TestRefused(t *testing.T) {
	old := v1alpha1.Attempt{Number: 1, Verdict: v1alpha1.VerdictPass, Pod: "p1", Version: "1"}
	poisoned := v1alpha1.Attempt{Number: 2, Verdict: v1alpha1.VerdictPass, Pod: "p2", PodUID: "u2", Version: "1", Message: "m"}
	shown := v1alpha1.Attempt{Number: 1, Verdict: v1alpha1.VerdictPass, Version: "1", Notes: []string{"in group g"}}
	row := func(verdict v1alpha1.Verdict, name string, attempts ...v1alpha1.Attempt) v1alpha1.BenchmarkResult {
		return v1alpha1.BenchmarkResult{Name: name, Verdict: verdict, Attempts: attempts}
	}
	judged := func(b v1alpha1.BenchmarkResult) v1alpha1.BenchmarkResult {
		b.Reason, b.Message = "BelowExpectation", "slow"
		b.Findings, b.Headline = []v1alpha1.Finding{{Metric: "m"}}, []v1alpha1.HeadlineValue{{Metric: "m"}}
		return b
	}
	stored := &v1alpha1.ValidationResult{Verdict: v1alpha1.VerdictPending, Benchmarks: []v1alpha1.BenchmarkResult{row(v1alpha1.VerdictPending, "a", old)}}
	for name, test := range map[string]struct {
		refused, want []v1alpha1.BenchmarkResult
		verdict       v1alpha1.Verdict
	}{
		"an attempt is new": {
			[]v1alpha1.BenchmarkResult{judged(row(v1alpha1.VerdictFail, "a", old, poisoned)), judged(row(v1alpha1.VerdictMissing, "b"))},
			[]v1alpha1.BenchmarkResult{row(v1alpha1.VerdictPending, "a", old, v1alpha1.Attempt{Number: 2, Verdict: v1alpha1.VerdictError, Reason: v1alpha1.ReasonBadOutput,
				Message: "the API server refused to store what was measured: it is odd", Pod: "p2", PodUID: "u2"})},
			v1alpha1.VerdictPending,
		},
		"none is new": {
			[]v1alpha1.BenchmarkResult{judged(row(v1alpha1.VerdictFail, "a", old)), row(v1alpha1.VerdictPass, "g", shown)},
			[]v1alpha1.BenchmarkResult{{Name: "a", Verdict: v1alpha1.VerdictFail, Reason: "BelowExpectation", Message: "slow", Attempts: []v1alpha1.Attempt{old}},
				row(v1alpha1.VerdictPass, "g", v1alpha1.Attempt{Number: 1, Verdict: v1alpha1.VerdictPass, Version: "1",
					Notes: []string{"the numbers are only in the results of the groups: there was no room for them here"}})},
			v1alpha1.VerdictFail,
		},
	} {
		t.Run(name, func(t *testing.T) {
			refused := &v1alpha1.ValidationResult{Verdict: v1alpha1.VerdictFail, Reason: "BelowExpectation", Message: "slow", Benchmarks: test.refused}
			before := refused.DeepCopy()
			got := Refused(stored, refused, "it is odd")
			if diff := cmp.Diff(test.want, got.Benchmarks); diff != "" {
				t.Errorf("benchmarks (-want +got):\n%s", diff)
			}
			if got.Verdict != test.verdict {
				t.Errorf("verdict %s, want %s", got.Verdict, test.verdict)
			}
			if diff := cmp.Diff(before, refused); diff != "" {
				t.Errorf("the result that was refused is changed:\n%s", diff)
			}
		})
	}
}

func TestBoundedMakesTextsFitTheAPI(t *testing.T) {
	a := Bounded(v1alpha1.Attempt{Reason: strings.Repeat("R", 99), Message: strings.Repeat("\xff\n", 3000), ImageID: strings.Repeat("é", 600)}, 0)
	for what, text := range map[string]struct {
		text string
		max  int
	}{"reason": {a.Reason, 64}, "message": {a.Message, 2048}, "image ID": {a.ImageID, 512}} {
		if n := utf8.RuneCountInString(text.text); n != text.max || !utf8.ValidString(text.text) {
			t.Errorf("the %s has %d characters, want %d, all of them UTF-8", what, n, text.max)
		}
	}
}
