// Package cases makes up cases: a cluster, how the operator is set up in it, and what happens to them, all of which follows from a seed.
package cases

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/taint"
)

// Namespace of the benchmark pods.
const Namespace = "assay-benchmarks"

// Case is a cluster and what happens to it. It follows from its seed, and may be cut short: see Shrink.
type Case struct {
	Seed     uint64
	Operator Operator
	Nodes    []NodeSpec
	// Benchmarks of the suite; Sized: they have a parameter.
	Benchmarks []string
	Sized      bool `json:",omitzero"`
	// Profiled: a HardwareProfile has the peak that those of one node go by, which have a bound of their own else.
	Profiled bool `json:",omitzero"`
	// Devices: the run at the end asks for scope Device, as others may.
	Devices bool `json:",omitzero"`
	// Admission: the API server enforces the policies and schemas that Assay ships.
	Admission bool `json:",omitzero"`
	Happens   []Happening
}

// Operator as an administrator has set it up.
type Operator struct {
	MaxNodes, MaxPercent int
	KnownMaxAge          time.Duration
	// NoRules: the API server serves no DeviceTaintRules.
	NoRules bool `json:",omitzero"`
	// Writers of one pass at the same time; 0: one.
	Writers int `json:",omitzero"`
}

// Policy is the budget that the operator has.
func (o Operator) Policy() taint.Policy {
	return taint.Policy{MaxNodes: o.MaxNodes, MaxPercent: o.MaxPercent}
}

// NodeSpec is a node that is there from the beginning.
type NodeSpec struct {
	Name     string `json:",omitzero"`
	Instance string `json:",omitzero"`
	Product  string `json:",omitzero"` // empty: H200
	Rack     string `json:",omitzero"` // empty: r1
	GPUs     int    `json:",omitzero"`
	// Shares says how it divides its GPUs among pods; empty: it offers whole ones.
	Shares string `json:",omitzero"`
	// Slices: a DRA driver publishes its GPUs, and no device plugin offers them.
	Slices bool `json:",omitzero"`
	// Plugin: a device plugin offers them beside the driver.
	Plugin bool `json:",omitzero"`
	// Slow by benchmarks; empty: it is fit.
	Slow []string `json:",omitzero"`
}

// Happening is one thing that happens, or a fault that waits for the calls that it fits.
type Happening struct {
	At         time.Duration `json:",omitzero"`
	What       string        `json:",omitzero"`
	Name       string        `json:",omitzero"` // of a node, run or policy
	Verb       string        `json:",omitzero"` // of calls
	Kind       string        `json:",omitzero"` // of calls
	Times      int           `json:",omitzero"`
	For        time.Duration `json:",omitzero"`
	Nodes      []string      `json:",omitzero"`
	Benchmarks []string      `json:",omitzero"`
	Number     int           `json:",omitzero"`
	Flag       bool          `json:",omitzero"`
	How        string        `json:",omitzero"`
	// Scope of the taint of a run or policy.
	Scope v1alpha1.TaintScope `json:",omitzero"`
	// Taint is what is unusual about it: another key, or another effect.
	Taint string `json:",omitzero"`
	// Before the next write of this kind by an operator it happens, to the node that is written if it is one; empty: at its time.
	Before string `json:",omitzero"`
}

func (h Happening) String() string { return fmt.Sprintf("%7.1fs  %s", h.At.Seconds(), h.Words()) }

// Words tell it, but for its time.
func (h Happening) Words() string {
	var b strings.Builder
	b.WriteString(h.What)
	for _, word := range []string{h.Name, h.How, string(h.Scope), h.Taint, h.Verb, h.Kind, strings.Join(h.Nodes, "+"), strings.Join(h.Benchmarks, "+")} {
		if word != "" {
			b.WriteString(" " + word)
		}
	}
	if h.Times > 0 {
		fmt.Fprintf(&b, " (%d times)", h.Times)
	}
	if h.Number > 0 {
		fmt.Fprintf(&b, " %d", h.Number)
	}
	if h.For > 0 {
		fmt.Fprintf(&b, " for %s", h.For)
	}
	if h.Flag {
		b.WriteString(" *")
	}
	if h.Before != "" {
		b.WriteString(", before the next write of a " + h.Before)
	}
	return b.String()
}

// HasSlices: a DRA driver publishes the devices of some nodes.
func (c Case) HasSlices() bool {
	return slices.ContainsFunc(c.Nodes, func(n NodeSpec) bool { return n.Slices }) ||
		slices.ContainsFunc(c.Happens, func(h Happening) bool { return h.How == BySlices })
}

// HasClocks that jump.
func (c Case) HasClocks() bool {
	return slices.ContainsFunc(c.Happens, func(h Happening) bool { return h.What == ServerJumps || h.What == LeaderJumps })
}

// String tells a case.
func (c Case) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "case %d: benchmarks %s; at most %d%% of the nodes unfit", c.Seed, strings.Join(c.Benchmarks, " and "), c.Operator.MaxPercent)
	if c.Operator.MaxNodes > 0 {
		fmt.Fprintf(&b, ", and %d", c.Operator.MaxNodes)
	}
	if c.Operator.NoRules {
		b.WriteString("; no DeviceTaintRules")
	}
	if c.Admission {
		b.WriteString("; admission policies")
	}
	if c.Operator.Writers > 1 {
		fmt.Fprintf(&b, "; %d writers", c.Operator.Writers)
	}
	b.WriteString("\nnodes:")
	for _, n := range c.Nodes {
		fmt.Fprintf(&b, " %s (%d GPUs, %s", n.Name, n.GPUs, n.Instance)
		for _, word := range []string{n.Product, n.Rack, n.Shares} {
			if word != "" {
				b.WriteString(", " + word)
			}
		}
		if n.Slices {
			b.WriteString(", by a DRA driver")
		}
		if n.Plugin {
			b.WriteString(" and a device plugin")
		}
		if len(n.Slow) > 0 {
			fmt.Fprintf(&b, ", slow by %s", strings.Join(n.Slow, " and "))
		}
		b.WriteString(")")
	}
	for _, h := range c.Happens {
		b.WriteString("\n" + h.String())
	}
	return b.String()
}
