package tournament

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/blame"
	"github.com/assay-dev/assay/internal/judge/term"
	"github.com/assay-dev/assay/internal/quantity"
)

// A slow node has one value and one distance from what is typical: in its message, its finding, its conviction, and its headline. Its pairs
// say nothing of what is typical of the others.
func TestASlowNodeHasOneValueEverywhere(t *testing.T) {
	s := pairScope(4, 1, bandwidth(v1alpha1.Expectation{MaxFleetDeviation: "0.4"}))
	healthy := noisy(1, 10, s.Nodes)
	s.play(t, func(a, b string) parts {
		p := healthy(a, b)
		if a == "n0002" || b == "n0002" {
			p[""] *= 0.27
		}
		return p
	})
	d := s.of(s.Nodes[2])
	if d.Verdict != v1alpha1.VerdictFail || len(d.Findings) == 0 || len(d.Terms.Broken) == 0 {
		t.Fatalf("%+v", d)
	}
	found, h := d.Findings[0], d.Headline[0]
	if convicted := d.Terms.Broken[0].RuleNumbers; convicted != found.RuleNumbers || found.Typical == "" || found.Bound == "" {
		t.Errorf("found %+v, convicted by %+v", found.RuleNumbers, convicted)
	}
	if h.Value != found.Value || h.Typical != found.Typical {
		t.Errorf("found %+v, shown %+v", found.RuleNumbers, h)
	}
	value, _ := quantity.ParseDecimal(found.Value)
	typical, _ := quantity.ParseDecimal(found.Typical)
	percent := 100 * (1 - value/typical)
	scale := quantity.NewScale("GB/s", value, typical)
	if want := fmt.Sprintf("n0002 reached %s, %s below typical %s", scale.Format(value), quantity.Percent(percent), scale.Format(typical)); !strings.Contains(d.Message, want) {
		t.Errorf("%q does not say %q", d.Message, want)
	}
	if string(h.FleetDeviationPercent) != string(quantity.DecimalPercent(-percent)) {
		t.Errorf("%s of %s is shown as %s%%", h.Value, h.Typical, h.FleetDeviationPercent)
	}
	if off, _ := quantity.ParseDecimal(s.of(s.Nodes[0]).Headline[0].FleetDeviationPercent); off < -5 || off > 5 {
		t.Errorf("a healthy node is %v%% from typical", off)
	}
	if h.FindsBy == term.Blame {
		t.Error("of a node that is slow, it is said what else would have been found")
	}
	if from, _ := quantity.ParseDecimal(s.of(s.Nodes[0]).Headline[0].FindsFromPercent); from < 40 || from > 50 || s.of(s.Nodes[0]).Headline[0].FindsBy != term.Blame {
		t.Errorf("where 40%% is the least that counts, %v%% would have been found, by %q", from, s.of(s.Nodes[0]).Headline[0].FindsBy)
	}
}

// Of a node that something speaks against, it is not said what else would have been found.
func TestOnlyOfAClearNodeItIsSaidWhatWouldHaveBeenFound(t *testing.T) {
	m := bandwidth(v1alpha1.Expectation{})
	for sentence, c := range map[string]struct {
		evidence
		by string
	}{
		"nothing speaks against it":   {evidence{}, term.Blame},
		"it is slow with one partner": {evidence{suspicions: []string{"slow with n0001"}}, ""},
		"it was part of wrong data":   {evidence{fails: []v1alpha1.Finding{{Rule: term.DataCheck}}}, ""},
		"a remark convicts nobody":    {evidence{remarks: []string{"a link of it is slow"}}, term.Blame},
	} {
		e, headline := c.evidence, []v1alpha1.HeadlineValue{{Metric: m.Name, Value: "10"}}
		e.readings, e.reached = []reading{{metric: m, median: 10}}, map[string]blame.NodeEffect{m.Name: {Finds: 0.08}}
		if e.showMeasured(headline, nil); headline[0].FindsBy != c.by {
			t.Errorf("%s: found by %q, want %q", sentence, headline[0].FindsBy, c.by)
		}
	}
}
