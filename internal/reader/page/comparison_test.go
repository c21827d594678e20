package page_test

import (
	"bytes"
	"html/template"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/reader/compare"
	"github.com/assay-dev/assay/internal/reader/page"
	"github.com/assay-dev/assay/test/page/runs"
)

// compared is the page of a recording against itself, in which a metric of a benchmark has so many times its value.
func compared(t *testing.T, benchmark, metric string, factor float64) string {
	t.Helper()
	golden := runs.Recorded()
	return writeCompared(t, runs.Compared(golden, runs.Times(golden, "candidate", benchmark, metric, factor)))
}

func writeCompared(t *testing.T, c *compare.Comparison) string {
	t.Helper()
	var out bytes.Buffer
	if err := page.WriteComparison(&out, c); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// A metric that is no headline is worse as well.
func TestAWorseMetricIsInTheHeadline(t *testing.T) {
	html := compared(t, "gpustream", "hbmCopy", 0.8)
	shows(t, html, `<section class="hero fail">`, "1 worse, ", "No headline metric differs.")
	if strings.Contains(html, "0 worse") {
		t.Error("the page says that nothing is worse")
	}
}

// Where noise explains everything, a mean would be read as a finding.
func TestNoDifferenceHasNoMean(t *testing.T) {
	html := compared(t, "", "", 1)
	hero := regexp.MustCompile(`(?s)<section class="hero none"><h2>.*?</h2>`).FindString(html)
	if !strings.Contains(hero, "no difference that noise does not explain") || strings.Contains(hero, "%") {
		t.Errorf("the page begins with %q", hero)
	}
}

// What the table of the command warns of, the page warns of, too, and in the same words.
func TestThePageOfAComparisonWarns(t *testing.T) {
	golden := runs.Recorded()
	candidate := runs.Times(golden, "candidate", "gpustream", "hbmCopy", 0.8)
	candidate.Run.Status.Conditions = nil
	candidate.Results = candidate.Results[:2]
	b := &candidate.Results[0].Benchmarks[0]
	b.Attempts = append(b.Attempts, v1alpha1.Attempt{Verdict: v1alpha1.VerdictError, Reason: v1alpha1.ReasonDisturbed})
	c := runs.Compared(golden, candidate)
	html := writeCompared(t, c)
	shows(t, html, "B: run candidate is not over", "B: attempts left out: 1 disturbed", "the noise that the Benchmark declares stands in for it", "P is corrected for ",
		"other metric is worse: gpustream hbmCopy gpu", "&lt;0.001")
	for _, said := range slices.Concat(c.A.Warnings("A", "B"), c.B.Warnings("B", "A"), c.Notes(true)) {
		if !strings.Contains(html, template.HTMLEscapeString(said)) {
			t.Errorf("the page lacks %q", said)
		}
	}
	for _, raw := range []string{"> Same<", "TooFew", "NotComparable", "e-1"} {
		if strings.Contains(html, raw) {
			t.Errorf("%q is on the page", raw)
		}
	}
	shows(t, html, "</span> ~<td", "</span> worse by ")
}

// What changed stands first, by how much, in words that need no sign; the rest is folded.
func TestWhatChangedComesFirst(t *testing.T) {
	html := writeCompared(t, runs.Compared(runs.Upgraded(8)))
	rows, _, _ := strings.Cut(regexp.MustCompile(`(?s)<h3 id="rows">.*</section>`).FindString(html), "<details>")
	var order []string
	for _, row := range regexp.MustCompile(`<th scope="row">([^<]*)<td.*</span> (worse by|better by) [\d.]+%<td`).FindAllStringSubmatch(rows, -1) {
		order = append(order, row[1]+" "+row[2])
	}
	if got := strings.Join(order, ", "); got != "hbmCopy worse by, hbmMul better by, hostToDeviceBandwidth better by, writeBandwidth worse by" {
		t.Errorf("the rows are %q", got)
	}
	shows(t, html, "<summary>41 that noise explains, or that cannot be compared</summary>", `<td class="n">worse by 1.5%<td`, `<td class="n">the same within noise<td`)
	if found := regexp.MustCompile(`better by -|better</b> by -|by -\d`).FindString(html); found != "" {
		t.Errorf("the page says %q", found)
	}
}
