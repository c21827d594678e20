package cases

import (
	"fmt"
	"slices"
	"time"
)

// The benchmarks of groups.
const (
	// Net measures pairs by a bound.
	Net = "net"
	// Ring measures pairs near and far, and compares them with each other.
	Ring = "ring"
	// Sets are of three nodes, by a bound.
	Sets = "sets"
	// Leaves are of four nodes in unlike racks, by a bound.
	Leaves = "leaves"
	// Racks are all nodes of a rack, by a bound.
	Racks = "racks"
	// Curve is over all nodes, and over the first one and two of them.
	Curve = "curve"
)

// IsGroup says whether a benchmark measures nodes together.
func IsGroup(benchmark string) bool {
	return IsPairs(benchmark) || slices.Contains([]string{Sets, Leaves, Racks, Curve}, benchmark)
}

// IsPairs says whether a benchmark measures pairs, so that it may convict a node.
func IsPairs(benchmark string) bool { return benchmark == Net || benchmark == Ring }

// HasGroups: some benchmarks measure nodes together.
func (c *Case) HasGroups() bool { return slices.ContainsFunc(c.Benchmarks, IsGroup) }

// How launchers come to grief.
const (
	LauncherDies    = "they die"
	LauncherHangs   = "they do not end"
	LauncherGarbles = "they leave nonsense"
)

// groups makes what is there a case in which nodes are brought up together: in pairs, sets, racks, and all at once, while ways between them are slow,
// launchers die, workers start late or never, and the MPI Operator is away.
func (g generator) groups() {
	c := g.c
	b := pick(g, Ring, Ring, Ring, Net, Net, Sets, Sets, Leaves, Racks, Curve)
	if !slices.Contains(c.Benchmarks, b) {
		c.Benchmarks = append(c.Benchmarks, b)
	}
	gpus := g.racks()
	for i := range c.Nodes {
		if n := &c.Nodes[i]; n.GPUs > 0 && g.one(6) {
			n.Slow = append(n.Slow, b)
		}
	}
	for i := range 1 + g.IntN(2) {
		g.add(Happening{At: time.Second + g.at(5*time.Minute), What: "somebody creates run", Name: fmt.Sprintf("together-%d", i), Number: g.IntN(3), Benchmarks: []string{b},
			For: time.Duration(400+g.IntN(500)) * time.Second, Flag: !g.one(4)})
	}
	for range g.IntN(3) {
		g.slowWay()
	}
	if g.one(4) {
		g.add(Happening{At: time.Second, What: "somebody creates policy", Name: "policy", Flag: true, Number: g.IntN(2), For: 900 * time.Second})
		for i := range 2 + g.IntN(4) {
			j := Happening{At: 2*time.Second + g.at(20*time.Second), What: "a node joins gated", Name: fmt.Sprintf("up%d", i), Number: gpus}
			if c.HasSlices() {
				j.How = BySlices
			}
			if g.one(5) {
				j.Benchmarks = []string{b}
			}
			g.add(j)
		}
	}
	for range 1 + g.IntN(5) {
		g.grief(b)
	}
	if g.one(2) {
		g.parallel()
	}
	if g.one(4) {
		g.webhooks()
	}
}

// givesUp, in one case of three: the MPI Operator is away for so long that jobs are given up, and they are made after all while the write is on its way that deletes them, or who gave
// them up stops before it.
func (g generator) givesUp() {
	if !g.one(3) {
		return
	}
	at := time.Second + g.at(5*time.Minute)
	g.add(Happening{At: at, What: "the MPI Operator is away", Before: "MPIJob create", For: 57*time.Second + g.at(7*time.Second)})
	g.add(Happening{At: at, What: pick(g, "a call is slow", "a call is slow", "the leader stalls at a write", "the operator dies before a write"), Kind: "MPIJob",
		Verb: "delete", Times: 1 + g.IntN(3), For: 10*time.Second + g.at(50*time.Second), Number: 1 + g.IntN(40)})
}

// parallel writers has each pass, as in a real operator, in which there are 32.
func (g generator) parallel() { g.c.Operator.Writers = pick(g, 2, 4, 32) }

// racks for the nodes: there are enough for a tournament. Those of another type have fewer GPUs in some cases; gpus is how many
// those of the usual type have.
func (g generator) racks() (gpus int) {
	c := g.c
	first := NodeSpec{GPUs: 2}
	if i := slices.IndexFunc(c.Nodes, func(n NodeSpec) bool { return n.GPUs > 0 }); i >= 0 {
		first = c.Nodes[i]
	}
	for i := range c.Nodes { // of nodes of both sorts there are none
		n := &c.Nodes[i]
		n.Slices, n.Plugin = first.Slices && n.GPUs > 0, false
	}
	for i := range c.Happens {
		if h := &c.Happens[i]; h.What == "a node joins gated" && !first.Slices {
			h.How = ""
		}
	}
	for i := len(c.Nodes); i < 4+g.IntN(4); i++ {
		c.Nodes = append(c.Nodes, NodeSpec{Name: fmt.Sprintf("g%02d", i), Instance: "big", Product: first.Product, GPUs: first.GPUs, Slices: first.Slices})
	}
	racks := pick(g, 1, 2, 2, 3)
	unlike := g.one(4)
	for i := range c.Nodes {
		n := &c.Nodes[i]
		n.Rack = fmt.Sprintf("r%d", 1+i*racks/len(c.Nodes))
		if unlike && n.Instance == "small" && n.Product == "" && n.GPUs > 1 {
			n.GPUs--
		}
	}
	return first.GPUs
}

// slowWay from one node to another, or from rack to rack, from the beginning or later; some are mended.
func (g generator) slowWay() {
	at := pick(g, time.Millisecond, time.Millisecond, g.at(8*time.Minute))
	h := Happening{At: at, What: "a link becomes slow", Nodes: []string{g.node(), g.node()}}
	if g.one(3) {
		h.What, h.Nodes = "the way between racks becomes slow", []string{"r1", "r2"}
	}
	g.add(h)
	if g.one(3) {
		g.add(Happening{At: at + g.at(8*time.Minute), What: "the ways between nodes are mended"})
	}
}

// grief comes to groups that are at work, or just before they are.
func (g generator) grief(benchmark string) {
	n := g.node()
	h := Happening{At: g.at(10 * time.Minute)}
	switch g.IntN(9) {
	case 0, 1:
		h.What, h.Times, h.How = "launchers come to grief", 1+g.IntN(3), pick(g, LauncherDies, LauncherHangs, LauncherGarbles)
	case 2:
		h.What, h.Name, h.Times, h.For = "workers start late on", n, 1+g.IntN(3), g.at(90*time.Second)
	case 3:
		h.What, h.Name, h.Times = "workers never start on", n, 1+g.IntN(2)
	case 4:
		h.What, h.For = "the MPI Operator is away", 20*time.Second+g.at(4*time.Minute)
	case 5:
		h.What, h.Name, h.For = "a node is cut off", n, g.at(6*time.Minute)
	case 6:
		h.What, h.Name, h.Benchmarks = "a node becomes slow", n, []string{pick(g, g.c.Benchmarks[0], benchmark)}
	case 7:
		h.What = "somebody deletes an MPIJob"
	case 8:
		h.What, h.Name = pick(g, "somebody deletes a pod on", "a node reboots"), n
	}
	if g.one(3) {
		h.Before = pick(g, "MPIJob create", "MPIJob delete", "ValidationResult", "NetworkPolicy")
	}
	g.add(h)
}
