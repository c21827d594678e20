package cases

import (
	"fmt"
	"slices"
	"time"
)

// besides adds to what is there what comes to no other family, one or two kinds of it.
func (g generator) besides() {
	all := []func(){g.threeLeaders, g.profiles, g.policyTerms, g.manyLiars, g.strips, g.sidecars}
	g.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for _, add := range all[:min(len(all), 1+g.IntN(2))] {
		add()
	}
}

// threeLeaders meet at one write, where there is room for few nodes, or two stall at it one after the other, and a third one goes on.
func (g generator) threeLeaders() {
	g.c.Operator.MaxPercent, g.c.Operator.MaxNodes = 100, pick(g, 0, 1, 1, 2)
	for range 2 + g.IntN(4) {
		h := Happening{At: g.at(8 * time.Minute), What: "two more leaders come at a write", Times: 1, Number: 4 + g.IntN(60),
			Kind: pick(g, "Node", "Node", "NodeValidation", "NodeValidation", "NodeHistory", "ValidationResult", "ValidationRun", "Pod")}
		if h.Kind == "Node" {
			h.Verb = pick(g, "", "patch", "patch")
		}
		if g.one(3) {
			h.What, h.Times, h.For = "the leader stalls at a write", 2, 20*time.Second+g.at(80*time.Second)
		}
		g.add(h)
	}
}

// policy that measures new nodes, if there is none.
func (g generator) policy() {
	if len(g.created("somebody creates policy")) > 0 {
		return
	}
	g.add(Happening{At: time.Second + g.at(time.Minute), What: "somebody creates policy", Name: "policy", Flag: !g.one(3), Number: g.IntN(2),
		For: 400 * time.Second, Times: pick(g, 0, 0, 1)})
	h := Happening{At: 2*time.Second + g.at(5*time.Minute), What: "a node joins gated", Name: "late", Number: g.likeOthers()}
	if g.c.HasSlices() {
		h.How = BySlices
	}
	if g.one(3) {
		h.Benchmarks = []string{pick(g, g.c.Benchmarks...)}
	}
	g.add(h)
}

// profiles change, by which bounds are a share of a peak, while runs and policies are at work.
func (g generator) profiles() {
	g.c.Profiled = true
	if g.one(2) {
		g.policy()
	}
	for range 1 + g.IntN(4) {
		at := 2*time.Second + g.at(11*time.Minute)
		h := Happening{At: at, What: "somebody edits the profile", How: pick(g, BoundTooHard, BoundTooHard, BoundHard, BoundSoft, BoundSoft, ProfileDevices)}
		if g.one(5) {
			h = Happening{At: at, What: "somebody deletes the profile", For: pick(g, 0, g.at(3*time.Minute))}
		}
		if g.one(3) {
			h.Before = pick(g, "ControllerRevision", "ControllerRevision", "ValidationRun", "ValidationResult", "Node", "Pod")
		}
		g.add(h)
		g.runSince(at + g.at(time.Minute))
		if g.one(2) {
			back := at + 30*time.Second + g.at(4*time.Minute)
			g.add(Happening{At: back, What: "somebody edits the profile", How: BenchmarkShipped})
			g.runSince(back + g.at(time.Minute))
		}
	}
}

// policyTerms: policies have terms of their own, as some runs have, from the beginning or later.
func (g generator) policyTerms() {
	g.policy()
	g.terms()
	how := func() string { return pick(g, TermsTooHard, TermsHard, TermsHard, TermsEasy, TermsEasy, TermsSmall) }
	for i := range g.c.Happens {
		if h := &g.c.Happens[i]; h.What == "somebody creates policy" && !g.one(3) {
			h.How = how()
		}
	}
	for range g.IntN(3) {
		h := Happening{At: 20*time.Second + g.at(11*time.Minute), What: "somebody edits policy", Name: pick(g, g.created("somebody creates policy")...), How: PolicyTerms}
		if !g.one(4) {
			h.Nodes = []string{how()}
		}
		if g.one(3) {
			h.Before = pick(g, "Node", "NodeValidation", "ValidationRun create", "ValidationResult")
		}
		g.add(h)
	}
}

// manyLiars are fewer than half of those that any other node is compared with, and in some cases all of them say the same.
func (g generator) manyLiars() {
	c := g.c
	like := NodeSpec{Instance: "big", GPUs: g.likeOthers(), Slices: c.HasSlices()}
	for i := len(c.Nodes); i < 5+g.IntN(5); i++ {
		like.Name = fmt.Sprintf("m%02d", i)
		c.Nodes = append(c.Nodes, like)
	}
	if g.one(2) && like.GPUs > 0 && !slices.Contains(c.Benchmarks, "fleet") {
		c.Benchmarks = append(c.Benchmarks, "fleet")
	}
	all, how := g.Perm(len(c.Nodes)), pick(g, "", AllSayHalf, AllSayTwice, AllSayTwice)
	for _, i := range all[:min(2+g.IntN(3), (len(all)-2)/2)] {
		h := Happening{At: g.at(pick(g, time.Second, 3*time.Minute)), What: "a kubelet begins to lie on", Name: c.Nodes[i].Name, Nodes: []string{LiesOutput}, How: how}
		if how == "" {
			h.Nodes = pick(g, []string{LiesOutput}, []string{LiesIdentity}, []string{LiesStatus}, []string{LiesOutput, LiesIdentity, LiesStatus})
		}
		g.add(h)
	}
}

// strips: webhooks of others take Assay's labels and annotations away from what is written.
func (g generator) strips() {
	for range 1 + g.IntN(3) {
		h := Happening{At: g.at(8 * time.Minute), What: "a webhook strips Assay's marks from", How: pick(g, StripsNodes, StripsNodes, StripsPods),
			For: 20*time.Second + g.at(5*time.Minute)}
		if h.How == StripsNodes && g.one(2) {
			h.Name = g.node()
		}
		g.add(h)
	}
}

// sidecars that do not end with the program come into all pods for long, and hide that it has.
func (g generator) sidecars() {
	g.add(Happening{At: g.at(3 * time.Minute), What: "a webhook puts into pods", How: AddsSidecar, For: 3*time.Minute + g.at(9*time.Minute)})
}
