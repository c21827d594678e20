package cases

import (
	"fmt"
	"slices"
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// devices makes what is there a case in which runs ask to take single devices out of service: a DRA driver publishes the GPUs of most nodes, publishes them
// otherwise, or not as they are; GPUs are replaced; people and others have a hand in rules and marks; and writes of rules come to grief.
func (g generator) devices() {
	if !slices.Contains(g.c.Benchmarks, "gemm") && !slices.Contains(g.c.Benchmarks, "fleet") {
		return
	}
	g.c.Devices, g.c.Operator.NoRules = true, g.one(10)
	g.severalGPUs()
	for i := range g.c.Happens {
		switch h := &g.c.Happens[i]; h.What {
		case "somebody creates run", "somebody creates policy":
			h.Scope = pick(g, v1alpha1.TaintScopeDevice, v1alpha1.TaintScopeDevice, v1alpha1.TaintScopeDevice, v1alpha1.TaintScopeNode)
			h.Flag = h.Flag || g.one(2)
		case "a node joins gated":
			h.How = BySlices
		}
	}
	for range 1 + g.IntN(5) {
		g.device()
	}
	for range g.IntN(4) {
		g.ruleFault()
	}
	if g.one(2) {
		g.slices()
	}
	if g.one(4) {
		g.add(Happening{At: g.at(8 * time.Minute), What: "a driver says what is not so on", Name: g.node(), How: pick(g, PoolOfOther, PoolOfOther, UUIDsOfOther, UUIDTwice, NoUUIDs)})
	}
}

// severalGPUs have the nodes whose devices are to be published: of one alone there is no other to be left at work.
func (g generator) severalGPUs() {
	n := g.c.Nodes[0].GPUs
	if n < 2 {
		n = pick(g, 2, 4)
	}
	groups := slices.Contains(g.c.Benchmarks, "net")
	some := g.one(4) && !groups
	for i := range g.c.Nodes {
		s := &g.c.Nodes[i]
		if s.GPUs == 0 || s.Product != "" {
			continue
		}
		s.GPUs = n
		if s.Slices = !(some && g.one(2)); s.Slices {
			s.Plugin = g.one(12) && !groups
		}
	}
	for i := range g.c.Happens {
		if h := &g.c.Happens[i]; h.What == "a node joins gated" {
			h.Number = n
		}
	}
	for range 1 + g.IntN(2) {
		g.slowFor()
	}
}

// slowFor a while is a GPU of a node: it is repaired, or replaced, and measured again.
func (g generator) slowFor() {
	n := &g.c.Nodes[g.IntN(len(g.c.Nodes))]
	if n.GPUs < 2 || !slices.Contains(g.c.Benchmarks, "gemm") {
		return
	}
	if len(n.Slow) == 0 {
		n.Slow = []string{"gemm"}
	}
	if g.one(3) {
		g.second(n.Name)
	}
	if at := 2*time.Minute + g.at(4*time.Minute); !g.one(3) {
		g.add(Happening{At: at, What: pick(g, "a node is repaired", "a GPU is replaced in"), Name: n.Name, Flag: true})
		g.add(Happening{At: at + g.at(time.Minute), What: "somebody creates run", Name: "after-" + n.Name, Nodes: []string{n.Name}, For: 400 * time.Second, Flag: g.one(2),
			Number: g.IntN(3), Scope: v1alpha1.TaintScopeDevice})
	}
}

// second GPU of a node becomes slow, and is replaced: other devices are out of service each time, while leaders stop and meet at what they write.
func (g generator) second(name string) {
	at := 90*time.Second + g.at(2*time.Minute)
	for i, what := range []string{"another GPU becomes slow on", "a GPU is replaced in"} {
		g.add(Happening{At: at, What: what, Name: name, Benchmarks: []string{"gemm"}, Flag: true})
		g.add(Happening{At: at + g.at(20*time.Second), What: "somebody creates run", Name: fmt.Sprintf("second-%s-%d", name, i), Nodes: []string{name}, For: 400 * time.Second, Flag: true,
			Number: g.IntN(2), Scope: pick(g, v1alpha1.TaintScopeDevice, v1alpha1.TaintScopeDevice, v1alpha1.TaintScopeDevice, v1alpha1.TaintScopeNode)})
		if i == 0 && g.one(3) {
			g.add(Happening{At: at, What: "a node loses a GPU", Name: name, For: g.at(4 * time.Minute), Flag: true})
		}
		if g.one(2) {
			g.add(Happening{At: at + g.at(30*time.Second), Kind: pick(g, "Node", "Node", "NodeValidation"), Times: 1, For: 15*time.Second + g.at(80*time.Second), Number: 1 + g.IntN(40),
				What: pick(g, "the leader stalls at a write", "the leader stalls at a write", "a second leader comes at a write", "the operator dies before a write", "the operator dies after a write")})
		}
		at += 80*time.Second + g.at(time.Minute)
	}
}

// device is what happens to one, or to what says that it is out of service.
func (g generator) device() {
	h := Happening{At: g.at(12 * time.Minute), Name: g.node(), Number: g.IntN(4)}
	switch g.IntN(8) {
	case 0, 1:
		h.What, h.Flag = "a GPU is replaced in", !g.one(3)
	case 2:
		h.What = pick(g, "a driver gives other names to devices of", "a driver gives its pool another name on")
	case 3:
		h.What = "somebody deletes a rule of"
	case 4:
		h.What, h.How = "somebody edits a rule of", pick(g, EditsDevice, EditsTaint, EditsLabel, EditsLabel, EditsNotes, EditsTheirs)
	case 5:
		h.What = "somebody makes a rule for"
	case 6:
		h.What, h.For = "a device plugin begins on", g.at(5*time.Minute)
	case 7:
		h.What = pick(g, "somebody forges the devices of", "somebody strips the mark of")
	}
	if g.one(4) {
		h.Before = pick(g, "DeviceTaintRule", "DeviceTaintRule", "Node patch", "NodeValidation")
	}
	g.add(h)
}

// ruleFault is one of the operator, or the API server, where rules are written, or what they follow from.
func (g generator) ruleFault() {
	h := Happening{At: g.at(10 * time.Minute), Kind: pick(g, "DeviceTaintRule", "DeviceTaintRule", "DeviceTaintRule", "Node"), Times: 1,
		For: 15*time.Second + g.at(80*time.Second), Number: 1 + g.IntN(40),
		What: pick(g, "the operator dies before a write", "the operator dies after a write", "the leader stalls at a write", "a second leader comes at a write",
			"a write times out and was applied", "a call fails", "a write conflicts", "a write is refused", "a write is invalid")}
	switch {
	case g.one(4):
		h = Happening{At: h.At, What: "the cache stalls", Kind: pick(g, "DeviceTaintRule", "ResourceSlice", "Node"), For: g.at(90 * time.Second)}
	case h.What == "a write is refused" || h.What == "a write is invalid":
		h.Kind, h.Times, h.For = "DeviceTaintRule", Lasting, g.at(4*time.Minute)
	case h.Kind == "Node":
		h.Verb = "patch"
	}
	g.add(h)
}
