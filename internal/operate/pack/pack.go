// Package pack keeps the results of large runs in little memory: decision 0037 says what that saves. It loses nothing.
package pack

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// Result is a node's ValidationResult in little memory. Thousands of nodes measure the same parts: the names are kept once, and of each
// attempt only its numbers, its own facts and what its checks say, compressed.
type Result struct {
	// Head is the result without what its attempts measured, sampled, found and checked: to look at, never to be written.
	Head *v1alpha1.ValidationResult
	// bodies by benchmark and attempt; nil where Head is the whole.
	bodies [][]body
}

// Plain is a result as it is, not packed.
func Plain(v *v1alpha1.ValidationResult) *Result { return &Result{Head: v} }

// Pack a result, which must not be changed any more. One of a group is left as it is: there are fewer, and their parts differ.
func (p *Packer) Pack(v *v1alpha1.ValidationResult) *Result {
	if v.Group != nil {
		return Plain(v)
	}
	head := *v
	head.Benchmarks = slices.Clone(v.Benchmarks)
	bodies := make([][]body, len(head.Benchmarks))
	var devices []v1alpha1.Device // mostly the same in every attempt
	for b := range head.Benchmarks {
		row := &head.Benchmarks[b]
		row.Attempts, row.Findings = slices.Clone(row.Attempts), p.shared(row.Findings)
		bodies[b] = make([]body, len(row.Attempts))
		for i := range row.Attempts {
			a := &row.Attempts[i]
			if a.Pod != "" { // else it is what a node keeps of its groups
				bodies[b][i] = p.takeFrom(a)
			}
			if slices.Equal(a.Devices, devices) && a.Devices != nil {
				a.Devices = devices
			}
			devices = a.Devices
		}
	}
	return &Result{Head: &head, bodies: bodies}
}

// Whole is the result as it was packed. It shares with Result what it can: it must not be changed.
func (p *Result) Whole() *v1alpha1.ValidationResult {
	whole := *p.Head
	whole.Benchmarks = slices.Clone(p.Head.Benchmarks)
	for b := range p.bodies {
		whole.Benchmarks[b].Attempts = p.filled(b)
	}
	return &whole
}

// Benchmark is one row of the whole; nil: there is none. It must not be changed either.
func (p *Result) Benchmark(name string) *v1alpha1.BenchmarkResult {
	b := p.index(name)
	if b < 0 {
		return nil
	}
	row := p.Head.Benchmarks[b]
	row.Attempts = p.filled(b)
	return &row
}

// index of a benchmark's row; below zero: there is none.
func (p *Result) index(name string) int {
	return slices.IndexFunc(p.Head.Benchmarks, func(row v1alpha1.BenchmarkResult) bool { return row.Name == name })
}

// filled are the attempts of a row, whole.
func (p *Result) filled(b int) []v1alpha1.Attempt {
	if p.bodies == nil {
		return p.Head.Benchmarks[b].Attempts
	}
	attempts := slices.Clone(p.Head.Benchmarks[b].Attempts)
	for i := range attempts {
		p.bodies[b][i].giveTo(&attempts[i])
	}
	return attempts
}

// Alike says how many first attempts of a benchmark are the same in two results, and whether these are all that either has. Both may be nil; of a
// plain result none is known to be. Two that do not share their shape are never the same.
func Alike(a, b *Result, benchmark string) (first int, all bool) {
	heads, bodies := a.attempts(benchmark)
	otherHeads, otherBodies := b.attempts(benchmark)
	for first < min(len(bodies), len(otherBodies)) && bodies[first] == otherBodies[first] && equality.Semantic.DeepEqual(heads[first], otherHeads[first]) {
		first++
	}
	return first, first == max(len(bodies), len(otherBodies))
}

// attempts of a packed result by a benchmark.
func (p *Result) attempts(benchmark string) ([]v1alpha1.Attempt, []body) {
	if p == nil || p.bodies == nil {
		return nil, nil
	}
	b := p.index(benchmark)
	if b < 0 {
		return nil, nil
	}
	return p.Head.Benchmarks[b].Attempts, p.bodies[b]
}
