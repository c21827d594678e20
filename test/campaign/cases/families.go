package cases

import (
	"fmt"
	"time"
)

// few nodes of one kind; one in so many is slow.
func (g generator) few(most, slow int) {
	gpus := pick(g, 1, 2)
	for i := range 1 + g.IntN(most) {
		n := NodeSpec{Name: fmt.Sprintf("n%02d", i), Instance: "big", GPUs: gpus}
		if g.one(slow) {
			n.Slow = []string{pick(g, g.c.Benchmarks...)}
		}
		g.c.Nodes = append(g.c.Nodes, n)
	}
	g.c.Operator = Operator{MaxPercent: 100, MaxNodes: pick(g, 0, 0, 1, 2)}
}

// tight is a case in which programs do not end, nodes are cut off, and runs have little time: nothing is the matter with the operator.
func (g generator) tight() {
	g.c.Benchmarks = pick(g, []string{"gemm"}, []string{"cpu"}, []string{"cpu"}, []string{"gemm", "cpu"}, []string{"net"})
	g.few(3, 4)
	for i := range 1 + g.IntN(3) {
		g.add(Happening{At: time.Second + g.at(3*time.Minute), What: "somebody creates run", Name: fmt.Sprintf("run-%d", i), Nodes: g.some(), Number: g.IntN(4),
			For: time.Duration(60+g.IntN(180)) * time.Second, Flag: g.one(2)})
	}
	if g.one(3) { // nobody can start it
		g.add(Happening{At: g.at(time.Minute), What: "somebody creates run", Name: "unknown", Benchmarks: []string{"unknown"}, For: 200 * time.Second})
	}
	for range 1 + g.IntN(4) {
		h := Happening{At: g.at(4 * time.Minute), What: "programs hang on", Name: g.node(), Times: 1 + g.IntN(2), Flag: g.one(2)}
		if g.one(4) {
			h = Happening{At: h.At, What: "a node is cut off", Name: h.Name, For: g.at(8 * time.Minute), Flag: g.one(3)}
		}
		g.add(h)
	}
	switch g.IntN(3) {
	case 0:
		g.pause(g.at(3*time.Minute), "run", "run-0")
	case 1:
		g.add(Happening{At: g.at(2 * time.Minute), What: "the leader stalls at a write", Kind: "Pod", Verb: "create", Times: 1, For: 60*time.Second + g.at(3*time.Minute), Number: 1 + g.IntN(40)})
	}
}

// relapse is a case in which a node fails, is repaired, and fails again, while the leader stops at what it writes to the node.
func (g generator) relapse() {
	g.c.Benchmarks = pick(g, []string{"gemm"}, []string{"cpu"}, []string{"gemm", "cpu"})
	g.few(3, 2)
	n, slow := g.c.Nodes[0].Name, []string{g.c.Benchmarks[0]}
	g.c.Nodes[0].Slow = slow
	for i, at := range []time.Duration{time.Second, 61 * time.Second, 125*time.Second + g.at(30*time.Second)} {
		h := Happening{At: at, What: "somebody creates run", Name: fmt.Sprintf("run-%d", i), For: 400 * time.Second, Flag: true, Number: pick(g, 0, 0, 1)}
		if i > 0 && g.one(3) {
			h.Benchmarks = []string{pick(g, g.c.Benchmarks...)}
		}
		g.add(h)
	}
	if g.one(3) { // it is announced and never tainted, and nobody hears of it any more
		g.c.Operator.MaxNodes = 1
		g.add(Happening{At: 5 * time.Second, What: "the operator dies before a write", Kind: "Node", Verb: "patch", Times: 1})
		g.add(Happening{At: 65*time.Second + g.at(20*time.Second), What: "a node is cut off", Name: n, Flag: true, For: time.Hour})
		return
	}
	g.add(Happening{At: 40*time.Second + g.at(20*time.Second), What: "a node is repaired", Name: n})
	g.add(Happening{At: 110*time.Second + g.at(20*time.Second), What: "a node becomes slow", Name: n, Benchmarks: slow})
	g.add(Happening{At: pick(g, 5*time.Second, 62*time.Second, 62*time.Second), What: "the leader stalls at a write", Kind: "Node", Verb: "patch", Times: 1,
		For: 60*time.Second + g.at(90*time.Second), Number: 1 + g.IntN(40)})
}

// gates is a case in which nodes join gated, turn slow, fail and pass, while a policy opens gates and its calls take long.
func (g generator) gates() {
	g.c.Benchmarks = pick(g, []string{"gemm"}, []string{"cpu"}, []string{"gemm", "cpu"})
	g.few(2, 4)
	g.add(Happening{At: time.Second, What: "somebody creates policy", Name: "policy", Flag: !g.one(4), Number: g.IntN(2), For: 300 * time.Second, Times: pick(g, 0, 0, 1)})
	for i := range 2 + g.IntN(4) {
		name := fmt.Sprintf("new%d", i)
		j := Happening{At: 2*time.Second + g.at(5*time.Minute), What: "a node joins gated", Name: name, Number: g.c.Nodes[0].GPUs}
		if g.one(3) {
			j.Benchmarks = []string{pick(g, g.c.Benchmarks...)}
		} else if g.one(2) {
			g.add(Happening{At: j.At + g.at(90*time.Second), What: "a node becomes slow", Name: name, Benchmarks: []string{pick(g, g.c.Benchmarks...)}})
		}
		g.add(j)
		if g.one(2) {
			g.add(Happening{At: j.At + 20*time.Second + g.at(50*time.Second), What: "somebody creates run", Name: "of-" + name, Nodes: []string{name}, Number: pick(g, 0, 0, 2), For: 400 * time.Second, Flag: true})
			g.add(Happening{At: j.At, What: "a call is slow", Verb: "read", Kind: pick(g, "ValidationPolicy", "ValidationPolicy", "Benchmark"), Times: 1, For: 40*time.Second + g.at(90*time.Second)})
		}
		if g.one(2) {
			g.add(Happening{At: j.At + g.at(3*time.Minute), Name: name,
				What: pick(g, "a node is replaced", "a node is repaired", "a node reboots", "somebody forges the mark of", "somebody forges the mark of")})
		}
	}
	for range g.IntN(6) {
		g.add(Happening{At: g.at(8 * time.Minute), What: "a call is slow", Verb: "read", Kind: pick(g, "ValidationPolicy", "Node", "NodeValidation"), Times: 1 + g.IntN(2), For: g.at(90 * time.Second)})
	}
	for range g.IntN(3) {
		g.fault()
	}
}

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
