package cases

import (
	"fmt"
	"slices"
	"time"
)

// unusual makes what is there a cluster of an unusual kind: in the case that was made up, whatever it is, one kubelet lies, GPUs are divided, nodes are of
// several kinds, runs have terms of their own, or a DRA driver publishes the devices.
func (g generator) unusual() {
	all := []func(){g.liars, g.divided, g.kinds, g.terms, g.drivers}
	g.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for _, make := range all[:1+g.IntN(2)] {
		make()
	}
}

// liars: one kubelet, and pods of somebody else that look like ours.
func (g generator) liars() {
	lies := pick(g, []string{LiesOutput}, []string{LiesOutput}, []string{LiesIdentity}, []string{LiesStatus}, []string{LiesOutput, LiesIdentity}, []string{LiesOutput, LiesIdentity, LiesStatus})
	g.add(Happening{At: g.at(3 * time.Minute), What: "a kubelet begins to lie on", Name: g.node(), Nodes: lies})
	for range g.IntN(4) {
		g.add(Happening{At: 2*time.Second + g.at(8*time.Minute), What: "somebody makes a pod that looks like ours on", Name: g.node(), For: 20*time.Second + g.at(4*time.Minute),
			How: pick(g, StrangerElsewhere, StrangerNamedAlike, StrangerOwnedAlike, StrangerWorker), Number: g.IntN(4)})
	}
}

// divided GPUs, from the beginning or later.
func (g generator) divided() {
	how := func() string { return pick(g, SharesTime, SharesSingle, SharesMixed, SharesSome, SharesSoon) }
	for i := range g.c.Nodes {
		if g.one(3) {
			g.c.Nodes[i].Shares = how()
		}
	}
	for range g.IntN(3) {
		name, at := g.node(), g.at(10*time.Minute)
		g.add(Happening{At: at, What: "somebody divides the GPUs of", Name: name, How: how()})
		if g.one(2) {
			g.add(Happening{At: at + g.at(5*time.Minute), What: "somebody divides the GPUs of", Name: name})
		}
	}
}

// kinds of nodes: unlike types have unlike GPUs, and some have none. A budget is a share of each of these pools.
func (g generator) kinds() {
	for i := range 2 + g.IntN(8) {
		n := NodeSpec{Name: fmt.Sprintf("k%02d", i), Instance: "big", GPUs: g.c.Nodes[0].GPUs}
		if g.one(3) {
			n.Slow = []string{pick(g, g.c.Benchmarks...)}
		}
		g.c.Nodes = append(g.c.Nodes, n)
	}
	for i := range g.c.Nodes {
		n := &g.c.Nodes[i]
		switch n.Instance = pick(g, "big", "big", "small", "small", "huge", "none"); n.Instance {
		case "small":
			n.Product, n.GPUs = "L4", 1
		case "huge":
			n.Product, n.GPUs = "B200", 8
		case "none":
			n.GPUs = 0
			n.Slow = slices.DeleteFunc(n.Slow, func(b string) bool { return b != "cpu" })
		}
	}
	g.c.Operator.MaxNodes, g.c.Operator.MaxPercent = 0, pick(g, 100, 50, 50, 34, 20, 10)
}

// terms of their own have some of the runs.
func (g generator) terms() {
	g.c.Sized = true
	for i := range g.c.Happens {
		if h := &g.c.Happens[i]; h.What == "somebody creates run" && !g.one(3) {
			h.How = pick(g, TermsTooHard, TermsTooHard, TermsHard, TermsEasy, TermsEasy, TermsSmall)
		}
	}
}

// drivers publish the devices of all nodes, or of some, in slices that come and go.
func (g generator) drivers() {
	some := g.one(3)
	groups := slices.Contains(g.c.Benchmarks, "net") // of nodes of both sorts there are none
	some = some && !groups
	for i := range g.c.Nodes {
		n := &g.c.Nodes[i]
		n.Slices = n.GPUs > 0 && (n.Product == "" || groups) && !(some && g.one(2))
	}
	for i := range g.c.Happens {
		if h := &g.c.Happens[i]; h.What == "a node joins gated" && !some {
			h.How = BySlices
		}
	}
	for range 1 + g.IntN(5) {
		g.slices()
	}
}

// slices come and go.
func (g generator) slices() {
	name, at := g.node(), g.at(10*time.Minute)
	switch g.IntN(6) {
	case 0:
		g.add(Happening{At: at, What: "slices are withdrawn of", Name: name, For: g.at(4 * time.Minute)})
	case 1:
		for range 3 {
			g.add(Happening{At: at, What: "slices are withdrawn of", Name: name, For: g.at(20 * time.Second)})
			at += 20*time.Second + g.at(20*time.Second)
		}
	case 2:
		g.add(Happening{At: at, What: "a driver gives other names to devices of", Name: name})
	case 3:
		g.add(Happening{At: at, What: "a node loses a GPU", Name: name, For: g.at(6 * time.Minute)})
	case 4:
		g.add(Happening{At: at, What: "slices stay of nodes that are gone", For: g.at(12 * time.Minute)})
		g.add(Happening{At: at + time.Second, What: "a node is replaced", Name: name, For: g.at(20 * time.Second), How: pick(g, "", WithMore)})
	case 5:
		g.add(Happening{At: at, What: "somebody works on", Name: name, For: g.at(4 * time.Minute)})
	}
}
