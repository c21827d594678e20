package judge

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/past"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
)

// nodesThat changed in one metric by so many percent, whose noise is half a percent.
func nodesThat(percents ...float64) []observe.Changed {
	nodes := make([]observe.Changed, len(percents))
	for i, p := range percents {
		nodes[i] = observe.Changed{Node: fmt.Sprintf("n%d", i), Changes: []past.Change{{Metric: "hbmTriad", Fraction: p / 100, Sigma: 0.005}}}
	}
	return nodes
}

func TestMostNodesChangedAlike(t *testing.T) {
	triad := v1alpha1.Metric{Name: "hbmTriad", Expectation: &v1alpha1.Expectation{MaxRegression: "0.02"}}
	driver := observe.Update{What: "driver", From: "580.1", To: "580.2"}
	updated := nodesThat(-5, -5.2, -4.9, -5.1)
	for i := range updated {
		updated[i].Updates = []observe.Update{driver}
	}
	updated[3].Updates = append(updated[3].Updates, observe.Update{What: "kernel", From: "5.15", To: "6.8"})
	for name, test := range map[string]struct {
		metric v1alpha1.Metric
		nodes  []observe.Changed
		want   string // the beginning of the message, empty: nothing is said
	}{
		"after an update": {triad, updated, "4 of 4 nodes changed alike: hbmTriad is 5.1% below their earlier passing runs (from -4.9% to -5.2%); " +
			"since then: driver 580.1 -> 580.2 on 4 of 4 nodes, kernel 5.15 -> 6.8 on 1 of 4 nodes; check whether"},
		"faster is a change as well":     {triad, nodesThat(3, 3, 3, 0, 3), "4 of 5 nodes changed alike: hbmTriad is 3% above their earlier passing runs; neither driver nor kernel"},
		"three nodes are too few":        {triad, nodesThat(-5, -5, -5), ""},
		"half of the nodes is not most":  {triad, nodesThat(-5, -5, 0, 0), ""},
		"to both sides is not alike":     {triad, nodesThat(-5, -5, 5, 5, 5.1, -5), ""},
		"within noise":                   {triad, nodesThat(-0.9, -0.9, -0.9, -0.9), ""},
		"less than is worth telling":     {v1alpha1.Metric{Name: "hbmTriad", Expectation: &v1alpha1.Expectation{MaxRegression: "0.1"}}, nodesThat(-4, -4, -4, -4), ""},
		"no rule says what is worth it":  {v1alpha1.Metric{Name: "hbmTriad"}, nodesThat(-1.2, -1.2, -1.2, -1.2), "4 of 4 nodes changed alike"},
		"another metric than was judged": {v1alpha1.Metric{Name: "hbmDot"}, nodesThat(-5, -5, -5, -5), ""},
	} {
		t.Run(name, func(t *testing.T) {
			f, ok := shift([]v1alpha1.Metric{test.metric}, test.nodes)
			if ok != (test.want != "") || !strings.HasPrefix(f.Message, test.want) {
				t.Errorf("found %v: %s, want %s", ok, f.Message, test.want)
			}
		})
	}
}

func TestAShiftNamesTheMetricThatChangedMost(t *testing.T) {
	nodes := nodesThat(-2, -2, -2, -2)
	for i := range nodes {
		nodes[i].Changes = append(nodes[i].Changes, past.Change{Metric: "hbmDot", Fraction: -0.05, Sigma: 0.005}, past.Change{Metric: "hbmAdd", Sigma: 0.005})
	}
	f, _ := shift([]v1alpha1.Metric{{Name: "hbmTriad"}, {Name: "hbmDot"}, {Name: "hbmAdd"}}, nodes)
	if f.Metric != "hbmDot" || len(f.Members) != 4 || !strings.Contains(f.Message, "hbmDot is 5% below their earlier passing runs, and hbmTriad -2%; ") {
		t.Errorf("%s of %v: %s", f.Metric, f.Members, f.Message)
	}
}

// A fleet that has not changed is not told that it did, however small it is.
func TestNoiseIsNoShift(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 7))
	metric := []v1alpha1.Metric{{Name: "hbmTriad", Expectation: &v1alpha1.Expectation{MaxRegression: "0"}}}
	const runs = 20000
	for _, nodes := range []int{4, 5, 8, 32} {
		said := 0
		for range runs {
			percents := make([]float64, nodes)
			for i := range percents {
				percents[i] = 0.5 * r.NormFloat64()
			}
			if _, ok := shift(metric, nodesThat(percents...)); ok {
				said++
			}
		}
		if said > runs/1000 {
			t.Errorf("%d nodes: %d of %d runs without a change were told one, want at most 1 in 1000", nodes, said, runs)
		}
	}
}
