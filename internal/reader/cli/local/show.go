package local

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/operate/catalogue"
	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/internal/reader/cli/benchmarks"
	"github.com/assay-dev/assay/internal/reader/cli/output"
	"github.com/assay-dev/assay/internal/reader/export"
	"github.com/assay-dev/assay/internal/reader/local"
)

// tellLocal tells how a measurement of this host proceeds, a line for each attempt.
func tellLocal(w io.Writer, o *local.Options) {
	say := func(line string) { fmt.Fprintln(w, output.Clean(line)) }
	o.Begins = func(benchmarks, leftOut []string, cost time.Duration) {
		say(fmt.Sprintf("Measuring %s (%s) by %s, about %s; more where something is suspect", o.Host.Name, devices(&o.Host),
			message.Several(len(benchmarks), "benchmark"), message.Duration(cost)))
		if len(leftOut) > 0 {
			say("left out, because they measure several nodes at once: " + message.Names(leftOut))
		}
	}
	o.Started = func(b *v1alpha1.Benchmark, attempt int32) {
		which := ""
		if attempt > 1 {
			which = fmt.Sprintf(", attempt %d", attempt)
		}
		say(fmt.Sprintf("%s%s: started, about %s", b.Name, which, message.Duration(catalogue.Cost(b))))
	}
	o.Ended = func(b *v1alpha1.Benchmark, a v1alpha1.Attempt) {
		var took time.Duration
		if a.StartTime != nil && a.EndTime != nil {
			took = a.EndTime.Sub(a.StartTime.Time)
		}
		if metric, worst, unit, ok := headline(b, a); ok {
			say(fmt.Sprintf("%s: %s %s in %s", b.Name, metric, quantity.Format(worst, unit), message.Duration(took)))
			return
		}
		say(message.Because(b.Name+": "+a.Reason, a.Message))
	}
}

// devices that a host is made of.
func devices(h *local.Host) string {
	text := message.Several(h.CPUs, "CPU")
	switch product := h.Product(); {
	case len(h.GPUs) == 0:
		return text
	case product == "":
		return text + ", " + message.Several(len(h.GPUs), "GPU")
	default:
		return fmt.Sprintf("%s, %d x %s", text, len(h.GPUs), product)
	}
}

// headline is the first headline metric of an attempt, by its worst part.
func headline(b *v1alpha1.Benchmark, a v1alpha1.Attempt) (metric string, worst float64, unit string, ok bool) {
	for m := range list.Each(b.Spec.Metrics) {
		if !m.Headline || ok {
			continue
		}
		for n := range export.Numbers(a.Measurements) {
			if n.Name == m.Name && (!ok || (n.Value < worst) == (m.Better != v1alpha1.Lower)) {
				metric, worst, unit, ok = m.Name, n.Value, n.Unit, true
			}
		}
	}
	return metric, worst, unit, ok
}

// listLocal shows what can be measured on this host, all or of one suite.
func (f *localFlags) listLocal(w io.Writer, all []v1alpha1.Benchmark) error {
	if f.suite != "" {
		var err error
		if all, err = benchmarks.OfSuite(all, f.suite); err != nil {
			return err
		}
	}
	var rows [][]string
	for b := range list.Each(all) {
		if b.Spec.Scope != v1alpha1.ScopeGroup {
			rows = append(rows, []string{b.Name, strings.Join(b.Suites(), ","), message.Duration(catalogue.Cost(b)), b.Spec.Command[0], b.Spec.Needs.DeviceResource})
		}
	}
	return output.Grid(w, []string{"BENCHMARK", "SUITES", "TIME", "PROGRAM", "DEVICES"}, rows)
}

// cleaned passes lines on without control characters: a terminal would obey them.
type cleaned struct {
	to   io.Writer
	rest []byte
}

func (c *cleaned) Write(p []byte) (int, error) {
	c.rest = append(c.rest, p...)
	for {
		line, rest, found := bytes.Cut(c.rest, []byte("\n"))
		if !found && len(line) < 4096 {
			return len(p), nil
		}
		if _, err := fmt.Fprintf(c.to, "  | %s\n", output.Clean(string(line))); err != nil {
			return 0, err
		}
		c.rest = rest
	}
}
