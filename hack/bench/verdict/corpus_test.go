package main

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestACaseIsDrawnAsItsLabelSays(t *testing.T) {
	l, err := newLab(false)
	if err != nil {
		t.Fatal(err)
	}
	all := l.drafts()
	if len(all) < 5000 {
		t.Errorf("%d cases, want 5,000", len(all))
	}
	i := slices.IndexFunc(all, func(d draft) bool {
		return d.nodes == 8 && d.fault != nil && d.fault.name == "one GPU, fp32" && d.fault.size == 0.20
	})
	draw := func(seed uint64) string {
		text, err := json.Marshal(l.draw(rand.New(rand.NewPCG(seed, uint64(i))), i+1, all[i]))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	first, again, other := draw(1), draw(1), draw(2)
	if first != again || first == other {
		t.Error("the seed does not decide what is drawn")
	}
	c := l.draw(rand.New(rand.NewPCG(1, uint64(i))), i+1, all[i])
	if f := c.Label.Fault; f.Lost != 0.20 || !slices.Equal(f.Parts, []string{"gpu0"}) || !slices.Equal(f.Metrics, []string{"fp32"}) || len(c.Nodes) != 8 {
		t.Fatalf("label %+v of %d nodes", f, len(c.Nodes))
	}
	for _, n := range c.Nodes {
		for k, a := range n.Attempts {
			if slow := a["fp32"]["gpu0"] < 0.9*a["fp32"]["gpu1"]; slow != (n.Name == c.Label.Fault.Node) {
				t.Errorf("%s, attempt %d: gpu0 %g, gpu1 %g", n.Name, k+1, a["fp32"]["gpu0"], a["fp32"]["gpu1"])
			}
		}
	}
}
