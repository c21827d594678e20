package term

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// byRule is a conviction of gpu3, of four, by a rule of the Benchmark: it reached 3000 GB/s of at least 4000.
func byRule(rule string, limit v1alpha1.Decimal) v1alpha1.Conviction {
	return v1alpha1.Conviction{Benchmark: "hbm", Metric: "hbmTriad", Rule: rule, At: "gpu3",
		RuleNumbers: v1alpha1.RuleNumbers{Unit: "GB/s", Value: "3000", Bound: "4000", Limit: limit, Parts: 4}, Configuration: "c1", AsCatalogued: true}
}

// curved is a conviction of four GPUs together, which are slower than one of them predicts; two of them were judged, too.
func curved(limit v1alpha1.Decimal) v1alpha1.Conviction {
	c := byRule(Efficiency, limit)
	c.At, c.Parts = "4gpu", 2
	return c
}

// sizesHeld are what two and four GPUs reached together.
func sizesHeld(four v1alpha1.Decimal) []v1alpha1.HeldValue {
	return []v1alpha1.HeldValue{{Kind: "2gpu", Value: "1900"}, {Kind: "4gpu", Value: four}}
}

// TestRefutes: a conviction is refuted by a later measurement in which the rule held, of as many parts, under terms that an administrator
// vouches for or that are as hard; else what is missing is said.
func TestRefutes(t *testing.T) {
	type later struct {
		entry v1alpha1.HeldRules
		held  v1alpha1.HeldRule
	}
	const (
		less    = "this run asked for less: Min of hbmTriad 10, convicted by 4000"
		another = "this run measured hbm with parameters of its own: run it as the Benchmark has them"
		bent    = "Efficiency of hbmTriad held at 3.1 TB/s, which still misses the bound of 4 TB/s that convicted"
		slow    = "FleetDeviation of hbmTriad held at 3.1 TB/s, which still misses the bound of 4 TB/s that convicted"
	)
	own := func(l *later, limit, value v1alpha1.Decimal) {
		l.held.AsCatalogued, l.held.Limit, l.held.Value = false, limit, value
	}
	tests := map[string]struct {
		conviction v1alpha1.Conviction
		change     func(c *v1alpha1.Conviction, l *later)
		why        string
	}{
		"the same terms":                      {byRule(Min, "4000"), nil, ""},
		"the Benchmark's bound was put right": {byRule(Min, "4000"), func(_ *v1alpha1.Conviction, l *later) { l.held.Limit, l.held.Value = "3000", "3100" }, ""},
		"the Benchmark's image was put right": {byRule(Min, "4000"), func(_ *v1alpha1.Conviction, l *later) { l.entry.Configuration = "c2" }, ""},
		"fewer parts": {byRule(Min, "4000"), func(_ *v1alpha1.Conviction, l *later) { l.held.Parts = 3 },
			"Min of hbmTriad was judged at 3 parts, and at 4 when it convicted"},
		"more parts": {byRule(Min, "4000"), func(_ *v1alpha1.Conviction, l *later) { l.held.Parts = 8 }, ""},

		"a run that asks for more":                              {byRule(Min, "4000"), func(_ *v1alpha1.Conviction, l *later) { own(l, "4050", "4100") }, ""},
		"a run that asks for less, and measured what convicted": {byRule(Min, "4000"), func(_ *v1alpha1.Conviction, l *later) { own(l, "10", "4000") }, ""},
		"a run that asks for less, and measured less":           {byRule(Min, "4000"), func(_ *v1alpha1.Conviction, l *later) { own(l, "10", "3999") }, less},
		"a run that asks for less efficiency":                   {byRule(Efficiency, "4000"), func(_ *v1alpha1.Conviction, l *later) { own(l, "10", "3999"); l.entry.Configuration = "c2" }, strings.Replace(less, "Min", "Efficiency", 1)},
		"a run that asks as much of another image":              {byRule(Min, "4000"), func(_ *v1alpha1.Conviction, l *later) { own(l, "4000", "4100"); l.entry.Configuration = "c2" }, ""},
		"a run that asks as much with parameters of its own": {byRule(Min, "4000"), func(_ *v1alpha1.Conviction, l *later) {
			own(l, "4000", "4100")
			l.entry.Configuration, l.entry.OwnParameters = "c2", true
		}, another},
		"a run that sets the parameters that convicted": {byRule(Min, "4000"), func(_ *v1alpha1.Conviction, l *later) { own(l, "4000", "4100"); l.entry.OwnParameters = true }, ""},
		"as catalogued, but a run's own harder terms convicted": {byRule(Min, "4000"), func(c *v1alpha1.Conviction, l *later) {
			c.AsCatalogued, l.held.Limit, l.held.Value = false, "10", "3100"
		}, ""},
		"as catalogued, and a run's own softer terms convicted": {byRule(Min, "4000"), func(c *v1alpha1.Conviction, _ *later) { c.AsCatalogued = false }, ""},
		"wrong data, which no bound tells":                      {v1alpha1.Conviction{Benchmark: "hbm", Rule: DataCheck, Configuration: "c1"}, func(_ *v1alpha1.Conviction, l *later) { own(l, "", "") }, ""},

		"beside an equally slow fleet": {byRule(FleetDeviation, "0.05"), func(_ *v1alpha1.Conviction, l *later) { l.held.Value = "3100" }, slow},
		"beside the fleet, repaired":   {byRule(FleetDeviation, "0.05"), nil, ""},
		"repaired, beside parts of another kind that reach less": {byRule(FleetDeviation, "0.05"), func(_ *v1alpha1.Conviction, l *later) {
			l.held.Value, l.held.Kinds = "900", []v1alpha1.HeldValue{{Kind: "numa", Value: "900"}, {Kind: "gpu", Value: "4100"}}
		}, ""},
		"slow, beside parts of another kind that reach more": {byRule(FleetDeviation, "0.05"), func(_ *v1alpha1.Conviction, l *later) {
			l.held.Kinds = []v1alpha1.HeldValue{{Kind: "node", Value: "9000"}, {Kind: "gpu", Value: "3100"}}
		}, slow},
		"a node repaired, whose parts are of two kinds": {byRule(NodeDeviation, "0.05"), func(c *v1alpha1.Conviction, l *later) {
			c.At, l.held.Value, l.held.Kinds = "", "900", []v1alpha1.HeldValue{{Kind: "numa", Value: "900"}, {Kind: "gpu", Value: "4100"}}
		}, ""},
		"efficient beside a smaller size that is slower now": {curved("0.9"), func(_ *v1alpha1.Conviction, l *later) { l.held.Value, l.held.Kinds = "1900", sizesHeld("3100") }, bent},
		"efficient again": {curved("0.9"), func(_ *v1alpha1.Conviction, l *later) { l.held.Value, l.held.Kinds = "1900", sizesHeld("4100") }, ""},
		"efficient at as many other sizes": {curved("0.9"), func(_ *v1alpha1.Conviction, l *later) {
			l.held.Value, l.held.Kinds = "1900", []v1alpha1.HeldValue{{Kind: "2gpu", Value: "1900"}, {Kind: "3gpu", Value: "2900"}}
		}, strings.Replace(bent, "3.1", "1.9", 1)},
		"efficient at fewer sizes": {curved("0.9"), func(_ *v1alpha1.Conviction, l *later) { l.held.Parts = 1 },
			"Efficiency of hbmTriad was judged at 1 part, and at 2 when it convicted"},
		"the efficiency asked for was put right": {curved("0.9"), func(_ *v1alpha1.Conviction, l *later) {
			l.held.Limit, l.held.Value, l.held.Kinds = "0.6", "1900", sizesHeld("3100")
		}, ""},
		"the fleet's limit was put right":               {byRule(FleetDeviation, "0.05"), func(_ *v1alpha1.Conviction, l *later) { l.held.Limit, l.held.Value = "0.4", "3100" }, ""},
		"a run's own limit is narrower, but slow":       {byRule(FleetDeviation, "0.05"), func(_ *v1alpha1.Conviction, l *later) { own(l, "0.01", "3100") }, slow},
		"another image has another speed":               {byRule(FleetDeviation, "0.05"), func(_ *v1alpha1.Conviction, l *later) { l.entry.Configuration, l.held.Value = "c2", "3100" }, ""},
		"repaired, beside a part that never was better": {byRule(Regression, "0.05"), func(_ *v1alpha1.Conviction, l *later) { l.held.Value = "3900" }, ""},
		"a latency that others have grown up to":        {byRule(FleetDeviation, "0.05"), func(c *v1alpha1.Conviction, l *later) { c.Value, c.Bound, l.held.Value = "9", "7", "8" }, "FleetDeviation of hbmTriad held at 8 GB/s, which still misses the bound of 7 GB/s that convicted"},
		"a latency that is below the bound again":       {byRule(FleetDeviation, "0.05"), func(c *v1alpha1.Conviction, l *later) { c.Value, c.Bound, l.held.Value = "9", "7", "6" }, ""},
		"by pairs, without a bound that says by what":   {byRule(Blame, "0.05"), func(c *v1alpha1.Conviction, l *later) { c.Bound, l.held.Value = "", "1" }, ""},
	}
	for sentence, tt := range tests {
		t.Run(sentence, func(t *testing.T) {
			c := tt.conviction
			l := later{v1alpha1.HeldRules{Configuration: "c1"}, v1alpha1.HeldRule{Metric: c.Metric, Rule: c.Rule, Limit: c.Limit, Value: "4100", Parts: c.Parts, AsCatalogued: true}}
			if tt.change != nil {
				tt.change(&c, &l)
			}
			ok, why := Refutes(&c, &l.entry, &l.held)
			if why != tt.why || ok != (tt.why == "") {
				t.Errorf("refuted: %v, %q; want %q", ok, why, tt.why)
			}
		})
	}
}

func TestHarder(t *testing.T) {
	tests := map[string]struct {
		change func(c *v1alpha1.Conviction)
		want   bool
	}{
		"the same":                                       {func(*v1alpha1.Conviction) {}, true},
		"a higher minimum":                               {func(c *v1alpha1.Conviction) { c.Limit = "4100" }, true},
		"a lower minimum":                                {func(c *v1alpha1.Conviction) { c.Limit = "3000" }, false},
		"another configuration":                          {func(c *v1alpha1.Conviction) { c.Configuration = "c2" }, false},
		"terms of a run's own":                           {func(c *v1alpha1.Conviction) { c.AsCatalogued = false }, false},
		"a nearer bound of a fixed rule":                 {func(c *v1alpha1.Conviction) { c.Bound = "3900" }, true},
		"a fleet with a higher bound":                    {func(c *v1alpha1.Conviction) { c.Rule, c.Limit, c.Bound = FleetDeviation, "0.05", "4100" }, true},
		"a fleet with a lower bound":                     {func(c *v1alpha1.Conviction) { c.Rule, c.Limit, c.Bound = FleetDeviation, "0.05", "3900" }, false},
		"a fleet with a lower bound at a narrower limit": {func(c *v1alpha1.Conviction) { c.Rule, c.Limit, c.Bound = NodeDeviation, "0.01", "3900" }, false},
	}
	for sentence, tt := range tests {
		t.Run(sentence, func(t *testing.T) {
			c, than := byRule(Min, "4000"), byRule(Min, "4000")
			tt.change(&c)
			if c.Rule != Min {
				than = byRule(c.Rule, "0.05")
			}
			if got := Harder(&c, &than); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

// TestAsHard: what may be forgotten once a newer entry holds it, too.
func TestAsHard(t *testing.T) {
	tests := map[string]struct {
		change func(e *v1alpha1.HeldRules, h *v1alpha1.HeldRule)
		want   bool
	}{
		"the same":              {func(*v1alpha1.HeldRules, *v1alpha1.HeldRule) {}, true},
		"a higher minimum":      {func(_ *v1alpha1.HeldRules, h *v1alpha1.HeldRule) { h.Limit = "4100" }, true},
		"a lower minimum":       {func(_ *v1alpha1.HeldRules, h *v1alpha1.HeldRule) { h.Limit = "3000" }, false},
		"fewer parts":           {func(_ *v1alpha1.HeldRules, h *v1alpha1.HeldRule) { h.Parts = 3 }, false},
		"another configuration": {func(e *v1alpha1.HeldRules, _ *v1alpha1.HeldRule) { e.Configuration = "c2" }, false},
		"terms of a run's own":  {func(_ *v1alpha1.HeldRules, h *v1alpha1.HeldRule) { h.AsCatalogued = false }, false},
	}
	for sentence, tt := range tests {
		t.Run(sentence, func(t *testing.T) {
			e, other := v1alpha1.HeldRules{Configuration: "c1"}, v1alpha1.HeldRules{Configuration: "c1"}
			h := v1alpha1.HeldRule{Metric: "hbmTriad", Rule: Min, Limit: "4000", Parts: 4, AsCatalogued: true}
			old := h
			tt.change(&e, &h)
			if got := AsHard(&e, &other, &h, &old); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}
