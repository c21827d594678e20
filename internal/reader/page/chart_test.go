package page_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/reader/export"
	"github.com/assay-dev/assay/internal/reader/page"
	"github.com/assay-dev/assay/test/page/runs"
)

// chartOf a metric: its axis, and its marks by the class of their path.
func chartOf(t *testing.T, html, metric string) (low, high float64, paths map[string]string) {
	t.Helper()
	found := regexp.MustCompile(`(?s)<b>` + metric + `</b>.*?data-low="([^"]*)" data-high="([^"]*)".*?</figure>`).FindStringSubmatch(html)
	if found == nil {
		t.Fatalf("there is no chart of %s", metric)
	}
	paths = map[string]string{}
	for _, path := range regexp.MustCompile(`<path class="(marks[^"]*)"([^>]*)`).FindAllStringSubmatch(found[0], -1) {
		paths[path[1]] += path[2]
	}
	low, _ = strconv.ParseFloat(found[1], 64)
	high, _ = strconv.ParseFloat(found[2], 64)
	return low, high, paths
}

// A part at 81% of typical, where 0.5% less is too far, does not flatten what all others reached: it stands at the edge, with its value.
func TestAnOutlierFlattensNoChart(t *testing.T) {
	low, high, paths := chartOf(t, write(t, fleet(100)), "writeBandwidth")
	if low < 393 || low > 393.6 || high < 395.6 || high > 397 {
		t.Errorf("the axis reaches from %g to %g, want from just below the bound of 393.6 past typical, 395.6", low, high)
	}
	if edge := paths["marks failed edge"]; !strings.Contains(edge, `data-v="320.361`) || !strings.Contains(edge, ` 1800h0`) || !strings.Contains(edge, `data-note="mean of 2 attempts"`) {
		t.Errorf("the outlier is drawn as %q", edge)
	}
	if marks := paths["marks"]; strings.Contains(marks, " data-v=") || len(marks) < 1000 {
		t.Errorf("the others are drawn as %.80q", marks)
	}
}

// Noise alone fills no chart: where a bound is far, its values lie close to what is typical.
func TestNoiseLooksSmall(t *testing.T) {
	low, high, _ := chartOf(t, write(t, fleet(100)), "allReduceBusBandwidth")
	if low > 353.7 || high < 364.6 {
		t.Errorf("the axis reaches from %g to %g, want to see the bound at 353.7", low, high)
	}
}

// Where nodes stand at two levels, neither is an outlier.
func TestALevelIsNoOutlier(t *testing.T) {
	if _, _, paths := chartOf(t, write(t, runs.Recorded()), "hbmTriad"); strings.Count(paths["marks edge"], "h0") > 1 || strings.Count(paths["marks"], "h0") < 19 {
		t.Errorf("beyond the edge are %s", paths["marks edge"])
	}
}

// A fleet in which nothing is slow has no colours, and latencies that scatter are no fire.
func TestMapsOfNoiseAreLeftOut(t *testing.T) {
	calm := fleet(100)
	calm.Run = calm.Run.DeepCopy()
	calm.Run.Status.Findings = nil
	calm.Results = nil
	for _, r := range fleet(100).Results {
		if r.Verdict == v1alpha1.VerdictPass && !strings.Contains(r.Name, "gpu-0007-gpu-0008") {
			calm.Results = append(calm.Results, r)
		}
	}
	html := write(t, calm)
	shows(t, html, "within noise of typical: writeBandwidth, median of 95 nodes (", "; bandwidth of mpibench between nodes (48.", "; latency of mpibench between nodes (2.")
	if strings.Contains(html, `class="matrix`) {
		t.Error("there is a map all the same")
	}
}

// Half of the links that lost three quarters are slow, although they are most of what is typical.
func TestManySlowLinksHaveTheirColour(t *testing.T) {
	var out strings.Builder
	if err := page.Write(&out, []export.Run{runs.Demo()[1]}, false); err != nil {
		t.Fatal(err)
	}
	table := regexp.MustCompile(`(?s)<b>bandwidth</b>.*?</table>`).FindString(out.String())
	for class, least := range map[string]int{"d0": 2, "d3": 6} {
		if n := strings.Count(table, fmt.Sprintf(`<td class=%q>`, class)); n < least {
			t.Errorf("%d cells are %s, want %d", n, class, least)
		}
	}
}
