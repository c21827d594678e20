package page_test

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/compare"
	"github.com/assay-dev/assay/internal/page"
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
	html := compared(t, "gemm", "tf32", 0.8)
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
