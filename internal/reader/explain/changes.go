package explain

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/reader/export"
	"github.com/assay-dev/assay/internal/reader/report"
)

// state of a node when a benchmark measured it, as far as it is known.
type state struct {
	run              string
	at               time.Time
	v1alpha1.Attempt // nothing is known without its Machine
	facts            map[string]string
}

// changes are what is not as it was when the node last passed the benchmark that it fails now.
func (c *knownCase) changes() []string {
	benchmark := c.failed()
	if benchmark == nil {
		return nil
	}
	now := stateOf(c.newest.Run.Name, c.result, benchmark)
	if now.Machine == nil {
		return nil
	}
	before := c.lastPass(benchmark.Name)
	if before.Machine == nil {
		return []string{"no run is known in which it passed " + benchmark.Name}
	}
	all := differences(before, now)
	if len(all) == 0 {
		all = []string{"nothing that is known: driver, kernel, devices and facts are the same"}
	}
	passed := fmt.Sprintf("it last passed %s in run %s on %s", benchmark.Name, before.run, message.Day(before.at))
	return append([]string{passed}, list.Map(all, func(line string) string { return indent + line })...)
}

// failed is the first benchmark of the newest run that the node fails, or else does not pass.
func (c *knownCase) failed() *v1alpha1.BenchmarkResult {
	for _, verdicts := range [][]v1alpha1.Verdict{{v1alpha1.VerdictFail}, {v1alpha1.VerdictMissing, v1alpha1.VerdictError, v1alpha1.VerdictInconclusive}} {
		if b := list.First(c.result.Benchmarks, func(b *v1alpha1.BenchmarkResult) bool { return slices.Contains(verdicts, b.Verdict) }); b != nil {
			return b
		}
	}
	return nil
}

// stateOf the node in a run, by the last attempt of a benchmark that knows the machine. Facts are those of all benchmarks.
func stateOf(run string, r *v1alpha1.ValidationResult, b *v1alpha1.BenchmarkResult) state {
	s := state{run: run, facts: map[string]string{}}
	for _, a := range export.Attempts(r) {
		for _, f := range a.Facts {
			s.facts[message.With(f.Name, " of ", f.At)] = f.Value
		}
	}
	for a := range list.Each(b.Attempts) {
		if a.Machine == nil {
			continue
		}
		s.Attempt = *a
		if a.LaunchTime != nil {
			s.at = a.LaunchTime.Time
		}
	}
	return s
}

// lastPass of a benchmark: in a run whose results are there, or else as the node's past has it.
func (c *knownCase) lastPass(benchmark string) (before state) {
	for run := range list.Each(c.Runs) {
		r := resultOf(run, c.Node)
		if r == nil || run == c.newest {
			continue
		}
		if b := r.Benchmark(benchmark); b != nil && b.Verdict == v1alpha1.VerdictPass {
			if s := stateOf(run.Run.Name, r, b); s.Machine != nil && (before.Machine == nil || s.at.After(before.at)) {
				before = s
			}
		}
	}
	if b := c.validation.Benchmark(benchmark); b != nil && before.Machine == nil {
		return remembered(b, c.past.Benchmark(benchmark))
	}
	return before
}

// remembered is the last pass as the node's past has it; h is nil where that is not known.
func remembered(b *v1alpha1.BenchmarkState, h *v1alpha1.BenchmarkHistory) (before state) {
	if h == nil {
		h = &v1alpha1.BenchmarkHistory{}
	}
	for _, e := range b.History {
		if e.Verdict != v1alpha1.VerdictPass || e.Machine == nil {
			continue
		}
		before = state{run: e.Run, at: e.Time.Time, Attempt: v1alpha1.Attempt{Machine: e.Machine, Configuration: e.Configuration}}
		for _, past := range h.Entries {
			if past.RunUID == e.RunUID {
				before.Configuration = past.Configuration
			}
		}
		for _, p := range h.Passes {
			if n := len(p.Runs); n > 0 && p.Runs[n-1].RunUID == e.RunUID {
				before.Devices = p.Devices
			}
		}
	}
	return before
}

// differences between two states. What one of them does not know is no difference.
func differences(before, now state) []string {
	var all []string
	was, is := before.Machine, now.Machine
	for _, d := range []struct{ what, before, now string }{
		{"driver", was.Driver, is.Driver}, {"kernel", was.Kernel, is.Kernel}, {"devices", was.Devices, is.Devices}, {"fabric", was.Fabric, is.Fabric},
	} {
		if d.before != d.now && d.before != "" && d.now != "" {
			all = append(all, explainChange(d.what, d.before, d.now))
		}
	}
	if was.BootID != is.BootID && was.BootID != "" && is.BootID != "" {
		all = append(all, "it was rebooted")
	}
	if before.Configuration != now.Configuration || before.ImageID != now.ImageID && before.ImageID != "" && now.ImageID != "" {
		all = append(all, "the benchmark's image, command or environment is another one, so the values cannot be compared")
	}
	all = append(all, deviceChanges(before.Devices, now.Devices)...)
	return append(all, factChanges(before.facts, now.facts)...)
}

func explainChange(what, before, now string) string {
	return fmt.Sprintf("%s: %s, was %s", what, now, before)
}

// factChanges are facts of both that differ.
func factChanges(before, now map[string]string) []string {
	var all []string
	for _, name := range slices.SortedFunc(maps.Keys(now), report.CompareNatural) {
		if was, known := before[name]; known && was != now[name] {
			all = append(all, explainChange(name, was, now[name]))
		}
	}
	return all
}

// deviceChanges are GPUs that came, went, or are in another slot.
func deviceChanges(before, now []v1alpha1.Device) []string {
	if len(before) == 0 || len(now) == 0 {
		return nil
	}
	slots := func(devices []v1alpha1.Device) map[string]int32 {
		all := map[string]int32{}
		for _, d := range devices {
			if d.UUID != "" {
				all[d.UUID] = d.Index
			}
		}
		return all
	}
	was, is := slots(before), slots(now)
	var all []string
	for _, uuid := range slices.Sorted(maps.Keys(was)) {
		if slot, there := is[uuid]; !there {
			all = append(all, fmt.Sprintf("%s is gone; it was gpu%d", uuid, int(was[uuid])))
		} else if slot != was[uuid] {
			all = append(all, fmt.Sprintf("%s is now gpu%d; it was gpu%d", uuid, int(slot), int(was[uuid])))
		}
	}
	for _, uuid := range slices.Sorted(maps.Keys(is)) {
		if _, there := was[uuid]; !there {
			all = append(all, fmt.Sprintf("%s is new, as gpu%d", uuid, int(is[uuid])))
		}
	}
	return all
}
