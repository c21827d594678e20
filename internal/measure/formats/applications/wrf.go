package applications

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/measure/formats/logs"
	"github.com/assay-dev/assay/internal/measure/result"
	"github.com/assay-dev/assay/internal/stat"
)

// wrfDomain is the steps of one domain: how long each took, without the first, which reads input and sets up.
type wrfDomain struct {
	name        string
	steps       int
	first, last time.Time // simulated, of the first step and the last
	seconds     []float64
}

// wrfLog is what was read of one rank's log.
type wrfLog struct {
	logs.Log

	domains   []*wrfDomain
	completed int
	fatal     int
	unstable  int
}

// wrfTime is how WRF writes the simulated time. A fraction of a second, as in _12:00:03+01/03, is left out.
const wrfTime = "2006-01-02_15:04:05"

// WRF reads the log of WRF's first rank (rsl.error.0000 or rsl.out.0000). As WRF's benchmarks do, it takes the mean time per step without
// the first step. A step of a domain holds the steps of the domains nested in it.
func WRF(lines []string) (result.Document, error) {
	var w wrfLog
	return w.Read("wrf", lines, logs.Kinds{
		{Begins: "Timing for main", Pattern: `^Timing for main(?: \(dt= *[0-9.]+\))?: time (\S+) on domain\s+([0-9]{1,4}):\s+(\S+) elapsed seconds$`,
			Read: w.readStep},
		{Pattern: `wrf: SUCCESS COMPLETE WRF$`, Note: logs.Tally(&w.completed)},
		{Pattern: `FATAL CALLED`, Note: logs.Tally(&w.fatal)},
		{Pattern: `points exceeded cfl`, Note: logs.Tally(&w.unstable)},
		{Pattern: `^\s*(?:WRF )?V([0-9][0-9.]{0,20}) MODEL$`, Note: logs.Text(&w.Version)},
		{Pattern: `^\s*(?:d01 \S+ )?starting wrf task\s+[0-9]+\s+of\s+([0-9]{1,9})$`, Note: w.Setting("ranks")},
	}, w.complete, w.document)
}

func (w *wrfLog) readStep(match []string) error {
	whole, _, _ := strings.Cut(match[1], "+")
	at, err := time.Parse(wrfTime, whole)
	if err != nil {
		return result.Bad("the time %s of a step of WRF is not like %s", result.Quote(match[1]), wrfTime)
	}
	seconds := w.Figure(logs.Positive, match[3], "reading %s of WRF: %w", result.Quote(match[0]))
	d := w.domain("domain" + strings.TrimLeft(match[2], "0"))
	if d.steps > 0 && at.Before(d.last) {
		return result.Bad("the step at %s follows that at %s: the logs of several runs or ranks are mixed", whole, d.last.Format(wrfTime))
	}
	if d.steps == 0 {
		d.first = at
	} else {
		d.seconds = append(d.seconds, seconds)
	}
	d.last = at
	d.steps++
	return nil
}

func (w *wrfLog) domain(name string) *wrfDomain {
	if i := slices.IndexFunc(w.domains, func(d *wrfDomain) bool { return d.name == name }); i >= 0 {
		return w.domains[i]
	}
	w.domains = append(w.domains, &wrfDomain{name: name})
	return w.domains[len(w.domains)-1]
}

func (w *wrfLog) complete() error {
	switch {
	case w.fatal > 0:
		return result.Bad("WRF stopped with a fatal error (\"FATAL CALLED\"): the log says why below that line")
	case len(w.domains) == 0:
		return result.Bad("no \"Timing for main\" is in it: WRF did not get that far, or this is another program's output")
	case w.completed == 0:
		return result.Bad("\"SUCCESS COMPLETE WRF\" is missing: WRF did not finish, or the log is cut off")
	case w.completed > 1:
		return result.Bad("there are %d logs of WRF in it: print that of one run and rank (rsl.error.0000)", w.completed)
	}
	for _, d := range w.domains {
		if len(d.seconds) == 0 {
			return result.Bad("%s has one step only, which reads input and is not counted: simulate longer", d.name)
		}
	}
	return nil
}

func (w *wrfLog) document() error {
	for _, d := range w.domains {
		mean, counted := stat.Mean(d.seconds), int32(len(d.seconds))
		w.AddCount(d.name+"Steps", int64(d.steps))
		w.AddPart("stepTime", "s", result.BetterLower, result.Part{At: d.name, Value: mean, Samples: counted, Spread: logs.Spread(d.seconds)})
		w.AddPart("stepTimeMedian", "s", result.BetterLower, result.Part{At: d.name, Value: stat.Median(d.seconds), Samples: counted})
		if simulated := d.last.Sub(d.first).Seconds(); simulated > 0 {
			w.AddPart("simulationSpeed", "s/s", result.BetterHigher, result.Part{At: d.name, Value: simulated / (mean * float64(counted))})
		}
	}
	if w.unstable > 0 {
		w.Notes = []string{fmt.Sprintf("WRF found points beyond its stability limit (cfl) %d times: its time step is too long for this case, or "+
			"the arithmetic is wrong", w.unstable)}
	}
	return nil
}
