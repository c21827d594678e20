package cases

import (
	"fmt"
	"time"
)

// crowd is a case in which several runs fail several nodes at nearly the same time, there is room for few, and leaders stop, stall and meet at
// the writes that this comes to. Some of the nodes are repaired, and measured again.
func (g generator) crowd() {
	c := g.c
	c.Benchmarks = pick(g, []string{"gemm"}, []string{"cpu"}, []string{"gemm", "cpu"})
	nodes, slow, gpus := 3+g.IntN(5), 0, pick(g, 1, 2, 4)
	for i := range nodes {
		n := NodeSpec{Name: fmt.Sprintf("n%02d", i), Instance: pick(g, "big", "big", "small"), GPUs: gpus}
		if g.one(2) {
			n.Slow, slow = []string{pick(g, c.Benchmarks...)}, slow+1
		}
		c.Nodes = append(c.Nodes, n)
	}
	c.Operator = Operator{MaxPercent: 100, MaxNodes: pick(g, 1, 1, 2, 3, 0)}
	for i := range 2 + g.IntN(3) {
		g.add(Happening{At: time.Second + g.at(time.Minute), What: "somebody creates run", Name: fmt.Sprintf("run-%d", i), Nodes: g.some(), Number: g.IntN(3),
			For: time.Duration(240+g.IntN(300)) * time.Second, Flag: !g.one(6), Times: pick(g, 0, 0, 1, 2)})
	}
	for range g.IntN(slow + 1) {
		g.add(Happening{At: 2*time.Minute + g.at(4*time.Minute), What: "a node is repaired", Name: g.node()})
	}
	for i := range g.IntN(3) {
		h := Happening{At: 4*time.Minute + g.at(5*time.Minute), What: "somebody creates run", Name: fmt.Sprintf("again-%d", i), Nodes: g.some(), Number: 2,
			For: 400 * time.Second, Flag: true, Times: pick(g, 0, 1)}
		if g.one(2) {
			h.Benchmarks = []string{pick(g, c.Benchmarks...)}
		}
		g.add(h)
	}
	for range g.IntN(3) {
		g.people()
	}
	for range 1 + g.IntN(6) {
		h := Happening{At: 20*time.Second + g.at(8*time.Minute), Kind: pick(g, "Node", "Node", "NodeValidation", "NodeValidation", "NodeHistory", "ValidationResult"),
			What: pick(g, "the operator dies before a write", "the operator dies after a write", "the leader stalls at a write", "the leader stalls at a write",
				"a second leader comes at a write", "a second leader comes at a write", "a write times out and was applied", "a call fails"),
			Times: 1, For: 15*time.Second + g.at(80*time.Second), Number: 1 + g.IntN(40)}
		if h.Kind == "Node" {
			h.Verb = pick(g, "", "patch", "patch")
		}
		if g.one(3) {
			h = Happening{At: h.At, What: "the cache stalls", Kind: pick(g, "Node", "NodeValidation"), For: g.at(90 * time.Second)}
		}
		g.add(h)
	}
}

// rarity is what comes seldom, and must do no harm all the same.
func (g generator) rarity() {
	n, at := g.node(), g.at(10*time.Minute)
	h := Happening{At: at}
	switch g.IntN(9) {
	case 0, 1:
		h.What, h.Name, h.Times = "a program is disturbed on", n, 1
	case 2:
		h.What, h.Number = "somebody upgrades the catalogue", 2+g.IntN(3)
	case 3:
		h.What, h.Number = "two more leaders", 1+g.IntN(40)
	case 4:
		h.What, h.Kind, h.Verb, h.Times, h.For = "a quota refuses", "Pod", "create", Lasting, g.at(5*time.Minute)
	case 5:
		h.What, h.Times, h.For = "the namespace is terminating", Lasting, g.at(4*time.Minute)
	case 6:
		h.What = "somebody deletes an MPIJob"
	case 7:
		h.What, h.Times, h.For = "the kind of MPIJobs is gone", Lasting, g.at(4*time.Minute)
	case 8:
		h = Happening{At: at, What: "somebody creates policy", Name: "other", Flag: g.one(2), For: 400 * time.Second}
	}
	g.add(h)
}
