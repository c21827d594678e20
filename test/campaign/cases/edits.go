package cases

import (
	"fmt"
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// edits add to what is there, whatever it is, what people do to specs while these are at work, clocks that jump, and nodes that come back as others.
func (g generator) edits() {
	all := []func(){g.editPolicies, g.editPolicies, g.runsAnew, g.catalogue, g.catalogue, g.clocks, g.clocks, g.comings}
	g.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for _, add := range all[:1+g.IntN(3)] {
		add()
	}
}

// editPolicies that are at work, or make them anew.
func (g generator) editPolicies() {
	names := g.created("somebody creates policy")
	by := "" // the device plugin
	if g.c.HasSlices() {
		by = BySlices
	}
	if len(names) == 0 {
		g.add(Happening{At: time.Second + g.at(time.Minute), What: "somebody creates policy", Name: "policy", Flag: !g.one(3), Number: g.IntN(2),
			For: 400 * time.Second, Times: pick(g, 0, 0, 1)})
		if gpus := g.likeOthers(); gpus > 0 {
			g.add(Happening{At: 2*time.Second + g.at(5*time.Minute), What: "a node joins gated", Name: "late", Number: gpus, How: by})
		}
		names = []string{"policy"}
	}
	if g.one(3) { // two that disagree
		g.add(Happening{At: g.at(5 * time.Minute), What: "somebody creates policy", Name: "other", Flag: g.one(2), For: 400 * time.Second, Taint: pick(g, "", OtherKey)})
		names = append(names, "other")
	}
	for range 1 + g.IntN(5) {
		h := g.policyEdit(pick(g, names...), 10*time.Second+g.at(12*time.Minute))
		if g.one(4) {
			h.Before = pick(g, "Node", "NodeValidation", "ValidationRun", "ValidationRun create", "ValidationPolicy")
		}
		g.add(h)
	}
}

// likeOthers of its kind is a node with so many GPUs: with fewer it would lack some.
func (g generator) likeOthers() (most int) {
	for _, n := range g.c.Nodes {
		if n.Product == "" {
			most = max(most, n.GPUs)
		}
	}
	return most
}

// created names of runs or policies.
func (g generator) created(what string) (names []string) {
	for _, h := range g.c.Happens {
		if h.What == what {
			names = append(names, h.Name)
		}
	}
	return names
}

func (g generator) policyEdit(name string, at time.Duration) Happening {
	h := Happening{At: at, What: "somebody edits policy", Name: name, Number: g.IntN(4), Flag: g.one(2)}
	switch h.How = pick(g, PolicyBenchmarks, PolicyTaint, PolicyTaint, PolicyGate, PolicyGate, PolicyPace, PolicyNodes, PolicyNodes, PolicyRuns, PolicyAnew); h.How {
	case PolicyBenchmarks:
		if h.Flag {
			h.Benchmarks = []string{pick(g, g.c.Benchmarks...)}
		}
	case PolicyTaint, PolicyAnew:
		h.Taint, h.Scope = pick(g, "", OtherKey, OtherEffect), g.scope()
		h.For = time.Duration(200+g.IntN(400)) * time.Second
	case PolicyNodes: // and so nodes enter and leave
		for range 1 + g.IntN(3) {
			g.add(Happening{At: at + g.at(3*time.Minute), What: "somebody puts into another pool", Name: g.node()})
		}
	case PolicyRuns:
		h.For = time.Duration(100+g.IntN(400)) * time.Second
	}
	return h
}

// scope of a taint: of devices only where these are published.
func (g generator) scope() v1alpha1.TaintScope {
	if !g.c.Devices {
		return ""
	}
	return pick(g, v1alpha1.TaintScopeDevice, v1alpha1.TaintScopeNode)
}

// runsAnew: runs are deleted and made again at once under the same name, with another spec, and those of policies are suspended, resumed and let go.
func (g generator) runsAnew() {
	for i, name := range g.created("somebody creates run") {
		if i > 0 && g.one(2) {
			continue
		}
		h := Happening{At: 15*time.Second + g.at(6*time.Minute), What: "somebody makes run anew", Name: name, Nodes: g.some(), Number: g.IntN(4),
			For: time.Duration(150+g.IntN(400)) * time.Second, Flag: !g.one(4), Times: pick(g, 0, 0, 1, 2), Taint: pick(g, "", "", OtherKey, OtherEffect), Scope: g.scope()}
		if g.one(3) {
			h.Benchmarks = []string{pick(g, g.c.Benchmarks...)}
		}
		if g.one(3) {
			h.Before = pick(g, "Node patch", "NodeValidation", "ValidationResult", "Pod create")
		}
		if g.one(3) {
			g.add(Happening{At: h.At - time.Second, What: "the cache stalls", Kind: pick(g, "ValidationRun", "Pod", "NodeValidation"), For: g.at(90 * time.Second)})
		}
		g.add(h)
	}
	for _, name := range g.created("somebody creates policy") {
		at := 20*time.Second + g.at(8*time.Minute)
		g.add(Happening{At: at, What: "somebody suspends the runs of", Name: name})
		g.add(Happening{At: at + g.at(2*time.Minute), What: "somebody resumes the runs of", Name: name, Flag: g.one(2)})
	}
}

// catalogue: Benchmarks are edited, deleted and made again, as by a Helm upgrade and a rollback.
func (g generator) catalogue() {
	for range 1 + g.IntN(4) {
		at, name := 2*time.Second+g.at(11*time.Minute), pick(g, g.c.Benchmarks...)
		h := Happening{At: at, What: "somebody edits benchmark", Name: name, Number: 2 + g.IntN(3),
			How: pick(g, BoundTooHard, BoundTooHard, BoundHard, BoundSoft, BoundSoft, BenchmarkParameters, BenchmarkNeeds, BenchmarkSuite, BenchmarkShipped)}
		switch g.IntN(6) {
		case 0:
			h = Happening{At: at, What: "somebody deletes benchmark", Name: name, For: pick(g, 0, g.at(3*time.Minute)), Number: 1 + g.IntN(3)}
		case 1:
			h = Happening{At: at, What: "somebody upgrades the catalogue", Number: 2 + g.IntN(3)}
		}
		if g.one(4) {
			h.Before = pick(g, "ControllerRevision", "ControllerRevision", "ValidationRun", "Node", "Pod")
		}
		g.add(h)
		g.runSince(at + g.at(time.Minute))
		if g.one(2) {
			back := at + 30*time.Second + g.at(4*time.Minute)
			g.add(Happening{At: back, What: "somebody rolls the catalogue back"})
			g.runSince(back + g.at(time.Minute))
		}
	}
}

// runSince something has happened, or none.
func (g generator) runSince(at time.Duration) {
	if at < 13*time.Minute && !g.one(3) {
		g.add(Happening{At: at, What: "somebody creates run", Name: fmt.Sprintf("since-%d", at.Milliseconds()/100), Nodes: g.some(), Number: g.IntN(3),
			For: time.Duration(200+g.IntN(300)) * time.Second, Flag: !g.one(3), Taint: pick(g, "", "", OtherKey), Scope: g.scope()})
	}
}

// clocks jump, by minutes, forwards and back.
func (g generator) clocks() {
	for range 1 + g.IntN(4) {
		at := 5*time.Second + g.at(13*time.Minute)
		h := Happening{At: at, What: pick(g, ServerJumps, ServerJumps, LeaderJumps, NodeJumps, NodeJumps),
			For: 5*time.Second + g.at(pick(g, time.Minute, 10*time.Minute)), How: pick(g, Forwards, Back)}
		switch {
		case h.What == NodeJumps:
			h.Name = g.node()
		case g.one(4) || h.What == LeaderJumps && !g.one(3): // and what it does next begins before it hears of the API server
			h.Before = pick(g, "Node", "NodeValidation", "Pod create", "ValidationResult", "ValidationRun")
		}
		g.add(h)
		if g.one(2) { // as another API server does that answers for a while
			again := h
			again.At, again.Before, again.How = at+g.at(2*time.Minute), "", map[string]string{Forwards: Back, Back: Forwards}[h.How]
			g.add(again)
			g.runSince(again.At + g.at(30*time.Second))
		}
	}
}

// comings: nodes leave, and come back under their name with other GPUs, while what is known of the one before is still there.
func (g generator) comings() {
	if len(g.created("somebody creates policy")) == 0 {
		g.add(Happening{At: time.Second, What: "somebody creates policy", Name: "policy", Flag: g.one(2), For: 400 * time.Second})
	}
	for range 1 + g.IntN(3) {
		at := 10*time.Second + g.at(9*time.Minute)
		if !g.one(3) {
			g.add(Happening{At: at, What: "records stay of nodes that are gone", For: g.at(4 * time.Minute)})
		}
		h := Happening{At: at + g.at(10*time.Second), What: "a node is replaced", Name: g.node(), For: pick(g, 0, g.at(30*time.Second)), Flag: g.one(4),
			How: pick(g, "", WithMore, WithOthers), Taint: pick(g, "", Gated, Gated)}
		if g.one(3) {
			h.Before = pick(g, "Node patch", "NodeValidation", "NodeHistory", "ValidationResult", "Pod create")
		}
		g.add(h)
		g.add(Happening{At: at + g.at(2*time.Minute), What: "somebody puts into another pool", Name: g.node()})
	}
}
