package page

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
)

func curveResult(better v1alpha1.Direction, scaling v1alpha1.Scaling, points ...v1alpha1.CurvePoint) *v1alpha1.ValidationResult {
	b := v1alpha1.BenchmarkResult{Name: "gromacs-cluster",
		Attempts: []v1alpha1.Attempt{{Measurements: []v1alpha1.Measurement{{Name: "simulationRate", Better: better}}}},
		Curves:   []v1alpha1.Curve{{Metric: "simulationRate", Of: "node", Unit: "ns/day", Scaling: scaling, Points: points}}}
	nodes := []v1alpha1.ObjectReference{{Name: "node-10"}, {Name: "node-2"}}
	return &v1alpha1.ValidationResult{Group: &v1alpha1.GroupReference{Nodes: nodes}, Benchmarks: []v1alpha1.BenchmarkResult{b}}
}

func TestGroupGraphs(t *testing.T) {
	one, hole := v1alpha1.CurvePoint{Size: 1, Value: "95", Efficiency: "1"}, v1alpha1.CurvePoint{Size: 2, Message: "killed"}
	four := v1alpha1.CurvePoint{Size: 4, Value: "310", Efficiency: "0.816"}
	graphs := newCollection().groupGraphs([]*v1alpha1.ValidationResult{curveResult(v1alpha1.Higher, v1alpha1.ScalingStrong, one, hole, four),
		curveResult(v1alpha1.Higher, v1alpha1.ScalingStrong, one, hole)})
	if len(graphs) != 1 {
		t.Fatalf("%d graphs, want that of the curve with two values", len(graphs))
	}
	g := graphs[0]
	if g.Title != "gromacs-cluster (node-2, node-10)" || !strings.HasSuffix(g.Curves[0].Ends, ", efficiency 81.6%; not measured: 2") {
		t.Errorf("%s: %s", g.Title, g.Curves[0].Ends)
	}
	if g.Curves[0].Ideal == "" {
		t.Error("it does not show where a perfect curve would be")
	}
}

// TestACurveSaysWhetherItIsGood: by the least efficiency that is expected of it, and by what failed.
func TestACurveSaysWhetherItIsGood(t *testing.T) {
	least := &v1alpha1.Expectation{MinEfficiency: "0.9"}
	failure := []v1alpha1.Finding{{Metric: "simulationRate", At: "4node", Rule: "Efficiency", Verdict: v1alpha1.VerdictFail}}
	for sentence, x := range map[string]struct {
		four     v1alpha1.Decimal
		findings []v1alpha1.Finding
		expected map[[2]string]*v1alpha1.Expectation
		want     string
		crosses  int
	}{
		"good":             {"380", nil, map[[2]string]*v1alpha1.Expectation{{"gromacs-cluster", "simulationRate"}: least}, "at least 90% expected: good", 0},
		"too low":          {"310", nil, map[[2]string]*v1alpha1.Expectation{{"gromacs-cluster", "simulationRate"}: least}, "at least 90% expected: too low", 0},
		"failed":           {"310", failure, map[[2]string]*v1alpha1.Expectation{{"gromacs-cluster", "simulationRate"}: least}, "at least 90% expected: ✕ failed at 4", 1},
		"nothing expected": {"310", nil, map[[2]string]*v1alpha1.Expectation{}, "not judged, as nothing is expected of it", 0},
		"not known":        {"310", nil, nil, "no size failed", 0},
	} {
		t.Run(sentence, func(t *testing.T) {
			r := curveResult(v1alpha1.Higher, v1alpha1.ScalingStrong, v1alpha1.CurvePoint{Size: 1, Value: "100"}, v1alpha1.CurvePoint{Size: 4, Value: x.four})
			r.Benchmarks[0].Findings = x.findings
			c := newCollection()
			c.expected = x.expected
			got := c.groupGraphs([]*v1alpha1.ValidationResult{r})[0].Curves[0]
			if got.Verdict != x.want || len(got.Crosses) != x.crosses || (got.Bound != "") != strings.HasPrefix(x.want, "at least") {
				t.Errorf("%q, %d crosses, bound %q, want %q and %d", got.Verdict, len(got.Crosses), got.Bound, x.want, x.crosses)
			}
		})
	}
}

// TestIdealOfTimes: with a problem that stays the same, four times as many need a quarter of the time; with one that grows, the same.
func TestIdealOfTimes(t *testing.T) {
	for kind, want := range map[v1alpha1.Scaling]float64{v1alpha1.ScalingStrong: 25, v1alpha1.ScalingWeak: 100} {
		curve := trend{by: "node", unit: "s", lower: true, scaling: kind, samples: []sample{{x: 1, label: "1", value: 100}}}
		if got := curve.ideal(4); got != want {
			t.Errorf("%s: %v, want %v", kind, got, want)
		}
	}
}

// A browser refuses to draw a path with a number that is none.
func TestACurveOfOddNumbersCanBeDrawn(t *testing.T) {
	for _, values := range [][2]v1alpha1.Decimal{{"0", "0"}, {"1e308", "1e308"}, {"-1e308", "1e308"}} {
		of := func(size int32, value v1alpha1.Decimal) v1alpha1.CurvePoint {
			return v1alpha1.CurvePoint{Size: size, Value: value, Efficiency: "1"}
		}
		for _, g := range newCollection().groupGraphs([]*v1alpha1.ValidationResult{curveResult(v1alpha1.Higher, v1alpha1.ScalingWeak, of(1, values[0]), of(8, values[1]))}) {
			if drawn := g.Curves[0].Path + g.Curves[0].Dots.D + g.Curves[0].Ideal; strings.Contains(drawn, "NaN") || strings.Contains(drawn, "Inf") {
				t.Errorf("%s and %s: %s", values[0], values[1], drawn)
			}
		}
	}
}
