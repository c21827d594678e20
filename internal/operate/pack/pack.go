// Package pack keeps the results of large runs in little memory: decision 0037 says what that saves. It loses nothing.
package pack

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// maxShared bounds how many layouts, and how many lists of findings, a Packer shares: what pods report may be anything.
const maxShared = 1 << 10

// Result is a node's ValidationResult in little memory. Thousands of nodes measure the same parts: the names are kept once, and of each
// attempt only its numbers, its own facts and what its checks say, in one text.
type Result struct {
	// Head is the result without what its attempts measured, sampled, found and checked: to look at, never to be written.
	Head *v1alpha1.ValidationResult
	// bodies by benchmark and attempt; nil where Head is the whole.
	bodies [][]body
}

// body is what an attempt measured, sampled, found and checked. Layout nil: the head has it.
type body struct {
	*layout
	numbers string
}

// layout is all of that but the numbers, and the messages of checks: HPL puts a number of its own into each. Its facts are those of the
// attempt that it was made for: most nodes share most of them.
type layout struct {
	measurements, telemetry []v1alpha1.Measurement
	checks                  []v1alpha1.Check
	facts                   []v1alpha1.Fact
	parts                   int
}

// Packer packs results; what they have in common it keeps once.
type Packer struct {
	layouts map[string]*layout
	// findings, mostly of rules that nowhere had enough data.
	findings map[[sha256.Size]byte][]v1alpha1.Finding
}

// New packer has seen no result yet.
func New() *Packer {
	return &Packer{layouts: map[string]*layout{}, findings: map[[sha256.Size]byte][]v1alpha1.Finding{}}
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
		attempts := slices.Clone(head.Benchmarks[b].Attempts)
		bodies[b] = make([]body, len(attempts))
		for i := range attempts {
			a := &attempts[i]
			if a.Pod == "" { // what a node keeps of its groups
				continue
			}
			bodies[b][i] = p.body(a)
			a.Measurements, a.Telemetry, a.Checks, a.Facts = nil, nil, nil, nil
			if slices.Equal(a.Devices, devices) && a.Devices != nil {
				a.Devices = devices
			}
			devices = a.Devices
		}
		head.Benchmarks[b].Attempts = attempts
		head.Benchmarks[b].Findings = p.shared(head.Benchmarks[b].Findings)
	}
	return &Result{Head: &head, bodies: bodies}
}

// Whole is the result as it was packed. It shares with Result what it can: it must not be changed.
func (p *Result) Whole() *v1alpha1.ValidationResult {
	if p.bodies == nil {
		return p.Head
	}
	whole := *p.Head
	whole.Benchmarks = slices.Clone(p.Head.Benchmarks)
	for b := range whole.Benchmarks {
		whole.Benchmarks[b].Attempts = p.filled(b)
	}
	return &whole
}

// Benchmark is one row of the whole; nil: there is none. It must not be changed either.
func (p *Result) Benchmark(name string) *v1alpha1.BenchmarkResult {
	b := slices.IndexFunc(p.Head.Benchmarks, func(row v1alpha1.BenchmarkResult) bool { return row.Name == name })
	if b < 0 {
		return nil
	}
	row := p.Head.Benchmarks[b]
	if p.bodies != nil {
		row.Attempts = p.filled(b)
	}
	return &row
}

// filled are the attempts of a row, whole.
func (p *Result) filled(b int) []v1alpha1.Attempt {
	attempts := slices.Clone(p.Head.Benchmarks[b].Attempts)
	for i := range attempts {
		if body := p.bodies[b][i]; body.layout != nil {
			body.fill(&attempts[i])
		}
	}
	return attempts
}

// Attempt is one attempt of a packed result.
type Attempt struct {
	head *v1alpha1.Attempt
	body body
}

// Attempts of a benchmark, to be compared with those of another result; p may be nil.
func (p *Result) Attempts(benchmark string) []Attempt {
	if p == nil || p.bodies == nil {
		return nil
	}
	for b := range p.Head.Benchmarks {
		if p.Head.Benchmarks[b].Name != benchmark {
			continue
		}
		attempts := make([]Attempt, len(p.bodies[b]))
		for i := range attempts {
			attempts[i] = Attempt{&p.Head.Benchmarks[b].Attempts[i], p.bodies[b][i]}
		}
		return attempts
	}
	return nil
}

// Equal: everything about them is the same. Two that do not share their layout are never equal.
func (a Attempt) Equal(b Attempt) bool {
	return a.body == b.body && equality.Semantic.DeepEqual(a.head, b.head)
}

func (p *Packer) body(a *v1alpha1.Attempt) body {
	var parts []v1alpha1.PartValue
	for _, measurements := range [][]v1alpha1.Measurement{a.Measurements, a.Telemetry} {
		for m := range measurements {
			parts = append(parts, measurements[m].Parts...)
		}
	}
	l := p.layout(a)
	numbers := appendFacts(appendParts(nil, parts), l.facts, a.Facts)
	for i := range a.Checks {
		numbers = appendMessage(numbers, a.Checks[i].Message)
	}
	return body{l, string(numbers)}
}

// shared is the one copy of some findings. There may be any number of different ones, so that the table starts anew when it is full. Those
// of a failure have numbers of their own: no other node has the same, and the table would keep them for longer than their run.
func (p *Packer) shared(findings []v1alpha1.Finding) []v1alpha1.Finding {
	if len(findings) == 0 || slices.ContainsFunc(findings, func(f v1alpha1.Finding) bool { return f.Verdict == v1alpha1.VerdictFail }) {
		return findings
	}
	var texts words
	for _, f := range findings {
		texts.add(f.Metric, f.At, f.Rule, string(f.Verdict), f.Message, string(f.Value), string(f.Bound), string(f.Limit), f.Unit)
	}
	key := sha256.Sum256([]byte(texts.String()))
	if known := p.findings[key]; known != nil {
		return known
	}
	if len(p.findings) == maxShared {
		clear(p.findings)
	}
	p.findings[key] = findings
	return findings
}

// layout of an attempt: one that is known already, if possible.
func (p *Packer) layout(a *v1alpha1.Attempt) *layout {
	key := keyOf(a)
	if l := p.layouts[key]; l != nil {
		return l
	}
	l := &layout{checks: slices.Clone(a.Checks), facts: a.Facts}
	for i := range l.checks {
		l.checks[i].Message = ""
	}
	l.measurements = l.without(a.Measurements)
	l.telemetry = l.without(a.Telemetry)
	if len(p.layouts) < maxShared {
		p.layouts[key] = l
	}
	return l
}

// without numbers.
func (l *layout) without(measurements []v1alpha1.Measurement) []v1alpha1.Measurement {
	out := slices.Clone(measurements)
	for m := range out {
		parts := make([]v1alpha1.PartValue, len(out[m].Parts))
		for i := range parts {
			parts[i].At = out[m].Parts[i].At
		}
		if out[m].Parts != nil {
			out[m].Parts = parts
		}
		l.parts += len(parts)
	}
	return out
}

// keyOf a layout: no two that differ have the same.
func keyOf(a *v1alpha1.Attempt) string {
	var key words
	for _, measurements := range [][]v1alpha1.Measurement{a.Measurements, a.Telemetry} {
		for m := range measurements {
			key.add("measurement", measurements[m].Name, measurements[m].Unit, string(measurements[m].Better))
			for i := range measurements[m].Parts {
				key.add("part", measurements[m].Parts[i].At)
			}
		}
		key.add("end")
	}
	for _, c := range a.Checks {
		ok := ""
		if c.OK {
			ok = "ok"
		}
		key.add(c.Name, ok)
	}
	key.add("end")
	for i := range a.Facts {
		key.add(a.Facts[i].Name, a.Facts[i].At)
	}
	return key.String()
}

// words make a text, which no other words make.
type words struct{ strings.Builder }

func (w *words) add(texts ...string) {
	for _, t := range texts {
		w.Write(binary.AppendUvarint(nil, uint64(len(t))))
		w.WriteString(t)
	}
}

// fill gives an attempt what it measured, sampled, found and checked.
func (b body) fill(a *v1alpha1.Attempt) {
	all, rest := b.unpack()
	with := func(measurements []v1alpha1.Measurement) []v1alpha1.Measurement {
		out := slices.Clone(measurements)
		for m := range out {
			if n := len(out[m].Parts); out[m].Parts != nil {
				parts := all[:n:n]
				for i := range parts {
					parts[i].At = out[m].Parts[i].At
				}
				out[m].Parts, all = parts, all[n:]
			}
		}
		return out
	}
	a.Measurements, a.Telemetry = with(b.measurements), with(b.telemetry)
	a.Facts, rest = cutFacts(rest, b.facts)
	a.Checks = b.saying(rest)
}

// saying are the checks with their messages, of which a packed one is a single zero where it is empty.
func (b body) saying(packed string) []v1alpha1.Check {
	if strings.Trim(packed, "\x00") == "" {
		return b.checks
	}
	checks := slices.Clone(b.checks)
	for i := range checks {
		checks[i].Message, packed = cutMessage(packed)
	}
	return checks
}
