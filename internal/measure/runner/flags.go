package runner

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/formats"
)

func execFlags(options *Options, terminationLog *string, stderr io.Writer) *flag.FlagSet {
	flags := flag.NewFlagSet("runner exec", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar((*string)(&options.Format), "format", "", fmt.Sprintf("how to read the output: one of %v", formats.Formats()))
	flags.Func("metric", "`name=unit` of a metric; ':lower' behind the unit when less is better (repeatable)", func(text string) error {
		metric, err := parseMetric(text)
		options.Metrics = append(options.Metrics, metric)
		return err
	})
	flags.Func("pattern", "`metric=regexp` that reads a metric, with a group (?P<value>...) (repeatable)", func(text string) error {
		name, expression, ok := strings.Cut(text, "=")
		if !ok {
			return errors.New("expected metric=regexp")
		}
		options.Patterns = append(options.Patterns, v1alpha1.OutputPattern{Metric: name, Regexp: expression})
		return nil
	})
	flags.DurationVar(&options.Timeout, "timeout", 10*time.Minute, "stop the program after this time")
	flags.DurationVar(&options.Grace, "grace", 5*time.Second, "time between SIGTERM and SIGKILL")
	flags.DurationVar(&options.SampleInterval, "sample-interval", time.Second, "how often the node is sampled beside the program")
	flags.StringVar(&options.Root, "root", "/", "`directory` where the node's /sys, /proc and /dev are sampled")
	flags.StringVar(terminationLog, "termination-log", "", "write the result to this `file` (default "+kubeletTerminationLog+" where it exists, else stdout)")
	return flags
}

func parseMetric(text string) (v1alpha1.Metric, error) {
	name, unit, ok := strings.Cut(text, "=")
	if !ok || name == "" || unit == "" {
		return v1alpha1.Metric{}, errors.New("expected name=unit")
	}
	unit, lower := strings.CutSuffix(unit, ":lower")
	metric := v1alpha1.Metric{Name: name, Unit: strings.TrimSuffix(unit, ":higher"), Better: v1alpha1.Higher}
	if lower {
		metric.Better = v1alpha1.Lower
	}
	return metric, nil
}

func (o Options) check() error {
	formats := formats.Formats()
	switch {
	case !slices.Contains(formats, o.Format):
		return fmt.Errorf("--format %q is not one of %v", o.Format, formats)
	case (o.Format == v1alpha1.FormatRegex) != (len(o.Patterns) > 0):
		return errors.New("--pattern belongs to --format Regex, which needs at least one")
	case o.Timeout <= 0 || o.Grace <= 0 || o.SampleInterval <= 0:
		return errors.New("--timeout, --grace and --sample-interval must be greater than zero")
	case len(o.Argv) == 0:
		return errors.New("no program given: put it behind --")
	}
	return nil
}
