package cases

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

// generator of a case.
type generator struct {
	*rand.Rand
	c *Case
}

// families of cases add to one seed of so many. Each draws from a stream of its own, so that what one adds changes no other.
var families = []struct {
	every, at, stream uint64
	adds              func(generator)
}{
	{3, 0, 8, generator.unusual},
	{4, 1, 9, generator.devices},
	{7, 4, 10, generator.edits},
	{24, 10, 30, generator.groups},
	{24, 10, 33, generator.givesUp},
	{15, 11, 31, generator.parallel},
	{15, 13, 31, generator.parallel},
	{16, 0, 32, generator.webhooks},
	{9, 8, 33, generator.besides},
}

// Generate the case of a seed.
func Generate(seed uint64) Case {
	c := Case{Seed: seed}
	g := generator{rand.New(rand.NewPCG(seed, 7)), &c}
	switch g.IntN(12) {
	case 0, 1, 2, 3:
		g.crowd()
	case 4, 5:
		g.tight()
	case 6:
		g.gates()
	case 7:
		g.relapse()
	default:
		g.anything()
	}
	for _, f := range families {
		if seed%f.every == f.at {
			f.adds(generator{rand.New(rand.NewPCG(seed, f.stream)), &c})
		}
	}
	c.Admission = c.Admission || seed%22 == 0
	slices.SortStableFunc(c.Happens, func(a, b Happening) int { return int(a.At - b.At) })
	return c
}

// anything may happen, and at any time.
func (g generator) anything() {
	g.cluster()
	g.runs()
	if g.one(2) {
		g.policies()
	}
	for range g.IntN(6) {
		g.trouble()
	}
	for range g.IntN(5) {
		g.people()
	}
	for range g.IntN(12) {
		g.fault()
	}
	for range g.IntN(4) {
		g.rarity()
	}
}

// one in so many cases.
func (g generator) one(in int) bool { return g.IntN(in) == 0 }

func pick[T any](g generator, from ...T) T { return from[g.IntN(len(from))] }

// at some time, to the tenth of a second.
func (g generator) at(within time.Duration) time.Duration {
	return time.Duration(g.Int64N(int64(within))).Truncate(100 * time.Millisecond)
}

func (g generator) add(h Happening) { g.c.Happens = append(g.c.Happens, h) }

func (g generator) cluster() {
	c := g.c
	c.Benchmarks = pick(g, []string{"gemm"}, []string{"gemm"}, []string{"cpu"}, []string{"gemm", "cpu"}, []string{"gemm", "fleet"}, []string{"fleet"}, []string{"gemm", "net"}, []string{"net"})
	nodes := 1 + g.IntN(6)
	switch {
	case g.one(150):
		nodes = 20 + g.IntN(181)
	case g.one(6):
		nodes = 6 + g.IntN(8)
	}
	slow := pick(g, 2, 4, 4, 8)
	gpus := pick(g, 1, 2, 4) // a node with fewer than its like lacks some
	for i := range nodes {
		n := NodeSpec{Name: fmt.Sprintf("n%02d", i), Instance: pick(g, "big", "big", "small"), GPUs: gpus}
		if g.one(slow) {
			n.Slow = []string{pick(g, c.Benchmarks...)}
		}
		c.Nodes = append(c.Nodes, n)
	}
	c.Operator = Operator{MaxPercent: pick(g, 100, 100, 100, 50, 20, 10), MaxNodes: pick(g, 0, 1, 1, 2, 3), KnownMaxAge: pick(g, 0, 0, 24*time.Hour)}
}

func (g generator) node() string { return g.c.Nodes[g.IntN(len(g.c.Nodes))].Name }

// some nodes; none: all.
func (g generator) some() []string {
	if g.one(2) {
		return nil
	}
	var names []string
	for _, n := range g.c.Nodes {
		if g.one(2) {
			names = append(names, n.Name)
		}
	}
	return names
}

func (g generator) runs() {
	for i := range 1 + g.IntN(3) {
		h := Happening{At: g.at(6 * time.Minute), What: "somebody creates run", Name: fmt.Sprintf("run-%d", i), Nodes: g.some(), Number: g.IntN(4),
			For: time.Duration(240+g.IntN(900)) * time.Second, Flag: !g.one(5), Times: pick(g, 0, 0, 0, 1, 2)}
		if i == 0 {
			h.At = time.Second
		}
		if g.one(4) {
			h.Benchmarks = []string{pick(g, g.c.Benchmarks...)}
		}
		g.add(h)
		switch g.IntN(6) {
		case 0:
			g.add(Happening{At: h.At + g.at(5*time.Minute), What: "somebody deletes run", Name: h.Name})
		case 1:
			g.pause(h.At+g.at(3*time.Minute), "run", h.Name)
		case 2:
			at := h.At + g.at(4*time.Minute)
			g.add(Happening{At: at, What: "somebody deletes run", Name: h.Name})
			again := h
			again.At = at + g.at(time.Minute)
			g.add(again)
		}
	}
}

func (g generator) policies() {
	h := Happening{At: g.at(2 * time.Minute), What: "somebody creates policy", Name: "policy", Flag: !g.one(3), Number: g.IntN(3),
		For: time.Duration(300+g.IntN(900)) * time.Second}
	if g.one(4) {
		h.Times = 1 // the gate opens when time is over
	}
	g.add(h)
	for i := range g.IntN(4) {
		n := NodeSpec{Name: fmt.Sprintf("new%d", i), GPUs: g.c.Nodes[0].GPUs}
		j := Happening{At: g.at(8 * time.Minute), What: "a node joins gated", Name: n.Name, Number: n.GPUs}
		if g.one(3) {
			j.Benchmarks = []string{pick(g, g.c.Benchmarks...)}
		}
		g.add(j)
	}
	switch g.IntN(5) {
	case 0:
		g.add(Happening{At: h.At + g.at(6*time.Minute), What: "somebody deletes policy", Name: h.Name})
	case 1:
		g.pause(h.At+g.at(5*time.Minute), "policy", h.Name)
	}
}

// pause a run or a policy, and let it go on.
func (g generator) pause(at time.Duration, kind, name string) {
	g.add(Happening{At: at, What: "somebody suspends " + kind, Name: name})
	g.add(Happening{At: at + g.at(4*time.Minute), What: "somebody resumes " + kind, Name: name})
}

// trouble with nodes.
func (g generator) trouble() {
	n, at := g.node(), g.at(10*time.Minute)
	switch g.IntN(10) {
	case 0:
		g.add(Happening{At: at, What: "a node is cut off", Name: n, For: g.at(8 * time.Minute), Flag: g.one(3)})
	case 1:
		g.add(Happening{At: at, What: "a node reboots", Name: n})
	case 2:
		g.add(Happening{At: at, What: "a node becomes slow", Name: n, Benchmarks: []string{pick(g, g.c.Benchmarks...)}})
	case 3:
		g.add(Happening{At: at, What: "a node is repaired", Name: n})
	case 4:
		g.add(Happening{At: at, What: "a node is replaced", Name: n, For: pick(g, 0, g.at(time.Minute)), Flag: g.one(3)})
	case 5:
		g.add(Happening{At: at, What: "programs leave nonsense on", Name: n, Times: 1 + g.IntN(2)})
	case 6:
		g.add(Happening{At: at, What: "programs hang on", Name: n, Times: 1, Flag: g.one(2)})
	case 7:
		g.add(Happening{At: at, What: "a node loses a GPU", Name: n, For: g.at(5 * time.Minute)})
	case 8:
		g.add(Happening{At: at, What: "somebody works on", Name: n, For: g.at(4 * time.Minute)})
	case 9:
		g.add(Happening{At: at, What: "a node is deleted", Name: n})
	}
}

// people and their tools.
func (g generator) people() {
	n, at := g.node(), g.at(10*time.Minute)
	if g.one(2) {
		defer func() {
			g.c.Happens[len(g.c.Happens)-1].Before = pick(g, "Node", "Node patch", "Node patch", "NodeValidation", "NodeHistory", "ValidationResult")
		}()
	}
	switch g.IntN(9) {
	case 8:
		g.add(Happening{At: at, What: "somebody forges the mark of", Name: n})
	case 0:
		g.add(Happening{At: at, What: "somebody cordons", Name: n, For: g.at(4 * time.Minute)})
	case 1:
		g.add(Happening{At: at, What: "somebody removes our taint from", Name: n})
	case 2:
		g.add(Happening{At: at, What: "somebody taints with our key", Name: n})
	case 3:
		g.add(Happening{At: at, What: "somebody taints and labels", Name: n, For: g.at(4 * time.Minute)})
	case 4:
		g.add(Happening{At: at, What: "somebody deletes the record of", Name: n})
	case 5:
		g.add(Happening{At: at, What: "somebody deletes the history of", Name: n})
	case 6:
		g.add(Happening{At: at, What: "somebody strips the mark of", Name: n})
	case 7:
		g.add(Happening{At: at, What: "somebody deletes a pod on", Name: n})
	}
}

// fault of the operator, the API server, or what is between them.
func (g generator) fault() {
	at := g.at(12 * time.Minute)
	kind := pick(g, "", "Node", "Node", "NodeValidation", "NodeValidation", "NodeHistory", "ValidationResult", "ValidationRun", "Pod", "ControllerRevision")
	call := Happening{At: at, Kind: kind, Times: 1 + g.IntN(3)}
	switch g.IntN(17) {
	case 0, 1:
		call.What, call.Times = pick(g, "the operator dies before a write", "the operator dies after a write"), 1
	case 2:
		call.What = "a write times out and was applied"
	case 3:
		call.What, call.Verb = pick(g, "a call fails", "a call is throttled", "a call times out"), pick(g, "", "read", "read")
	case 4:
		call.What, call.Kind = "a write conflicts", pick(g, "Node", "NodeValidation", "NodeHistory", "ValidationResult", "ValidationRun")
	case 5:
		call.What, call.Times, call.For = pick(g, "a write is refused", "a write is invalid", "a call fails"), Lasting, g.at(5*time.Minute)
	case 6:
		call = Happening{At: at, What: "the cache stalls", Kind: pick(g, "Node", "NodeValidation", "Pod", "ValidationRun"), For: g.at(90 * time.Second)}
	case 7, 8:
		call = Happening{At: at, What: "the leader stalls", For: 15*time.Second + g.at(2*time.Minute), Number: g.IntN(20)}
	case 9:
		call = Happening{At: at, What: "a second leader", Number: 1 + g.IntN(60)}
	case 10:
		call.What, call.Times, call.For, call.Verb = "a call is slow", 1, g.at(90*time.Second), pick(g, "", "read")
	case 11:
		call = Happening{At: at, What: "the operator is restarted"}
	case 13, 14, 15, 16:
		call.What, call.Times, call.Verb = pick(g, "the leader stalls at a write", "a second leader comes at a write"), 1, pick(g, "", "", "patch")
		call.Kind, call.For, call.Number = pick(g, "Node", "NodeValidation", "NodeValidation", "NodeHistory", "ValidationRun"), 15*time.Second+g.at(time.Minute), 1+g.IntN(40)
	case 12:
		call = Happening{At: at, What: "the operator is away", For: g.at(5 * time.Minute)}
	}
	g.add(call)
}
