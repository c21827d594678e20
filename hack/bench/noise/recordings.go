package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/formats"
	"github.com/assay-dev/assay/test/testdata"
)

// recording of one machine.
type recording struct{ testdata.Recording }

// machine is one pool's share of a recording: the values of every like part, one per repetition.
type machine map[string][]float64

// collect adds what a machine measured of a benchmark to the pools of like parts: "metric" and likeness, separated by a space.
func (r *recording) collect(b *v1alpha1.Benchmark, pools map[string][]machine) error {
	own := map[string]machine{}
	for i, run := range r.Series[b.Name].Runs {
		if run.ExitCode != 0 {
			continue
		}
		output := []byte(run.Document)
		if run.Output != "" {
			output = []byte(run.Output)
		}
		document, err := formats.Parse(b.Spec.Output.Format, b.Spec.Output.Patterns, b.Spec.Metrics, output)
		if err != nil {
			return fmt.Errorf("repetition %d: %w", i+1, err)
		}
		for _, m := range document.Measurements {
			for _, p := range m.Parts {
				pool := m.Name + " " + r.likeness(p.At)
				if own[pool] == nil {
					own[pool] = machine{}
				}
				own[pool][p.At] = append(own[pool][p.At], p.Value)
			}
		}
	}
	for pool, parts := range own {
		pools[pool] = append(pools[pool], parts)
	}
	return nil
}

var (
	device = regexp.MustCompile(`(gpu|socket|numa)\d+`)
	pair   = regexp.MustCompile(`^[^<>-]+(<?->)[^<>-]+$`)
)

// likeness says which parts may be compared: those of one kind, and, where a part is more than its name says, of one kind of machine.
func (r *recording) likeness(at string) string {
	kind := device.ReplaceAllString(at, "$1")
	if strings.Contains(kind, "gpu") && kind != at {
		return kind + " of " + strings.Join(slices.Compact(slices.Sorted(slices.Values(r.Machine.GPUs))), ", ")
	}
	kind = pair.ReplaceAllString(kind, "host$1 host")
	return fmt.Sprintf("%s of %d x %s, %d GPUs", kind, r.Machine.CPUs, r.Machine.CPU, len(r.Machine.GPUs))
}

// likenesses of a metric's parts, in order.
func likenesses(pools map[string][]machine, metric string) []string {
	var all []string
	for pool := range pools {
		if strings.HasPrefix(pool, metric+" ") {
			all = append(all, pool)
		}
	}
	slices.Sort(all)
	return all
}
