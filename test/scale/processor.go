package main

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/prometheus/procfs"

	"github.com/assay-dev/assay/internal/list"
)

// spent on something: how long it took, and how many seconds of processor each program of this machine used meanwhile.
type spent struct {
	took      time.Duration
	processor map[string]float64
}

// timed does something.
func timed(do func() error) (s spent, err error) {
	before, err := processorTimes()
	if err != nil {
		return s, err
	}
	start := time.Now()
	if err := do(); err != nil {
		return s, err
	}
	s.took = time.Since(start)
	s.processor, err = processorTimes()
	for name, seconds := range before {
		s.processor[name] -= seconds
	}
	return s, err
}

// took is how long each took.
func took(all []spent) []time.Duration {
	return list.Map(all, func(s spent) time.Duration { return s.took })
}

// processorTimes are the seconds that all processes have used by now, by the name of the program.
func processorTimes() (map[string]float64, error) {
	all, err := procfs.AllProcs()
	if err != nil {
		return nil, fmt.Errorf("listing processes: %w", err)
	}
	by := map[string]float64{}
	for _, p := range all {
		command, _ := p.CmdLine()
		if stat, err := p.Stat(); err == nil && len(command) > 0 { // else it has just ended, or is the kernel's
			by[stat.Comm] += stat.CPUTime()
		}
	}
	return by, nil
}

// processorTable compares, by program, what a node took of the processor in the Jobs and in the runs: medians, in milliseconds. Programs that took next to
// nothing are left out.
func processorTable(jobs, runs []spent, nodes int) (lines []string) {
	of := func(all []spent, name string) float64 {
		var each []float64
		for _, s := range all {
			each = append(each, s.processor[name])
		}
		slices.Sort(each)
		return each[len(each)/2] * 1000 / float64(nodes)
	}
	names := slices.SortedFunc(maps.Keys(runs[0].processor), func(x, y string) int { return int(1000 * (of(runs, y) - of(runs, x))) })
	for _, name := range names {
		if job, run := of(jobs, name), of(runs, name); max(job, run) >= 0.3 {
			lines = append(lines, fmt.Sprintf("%-16s %6.1f ms a node in the Job, %6.1f in the run", name, job, run))
		}
	}
	return lines
}
