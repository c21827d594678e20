package cli

import (
	"context"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/operate/catalogue"
	"github.com/assay-dev/assay/internal/reader/export"
)

// halves is a Sink that hands on what belongs to either side.
type halves []half

func (h halves) Begin(cluster string, run *v1alpha1.ValidationRun, started *catalogue.Snapshot) error {
	for _, one := range h {
		one.side.Begin(cluster, run, started)
	}
	return nil
}

func (h halves) Result(r *v1alpha1.ValidationResult) error {
	for _, one := range h {
		one.side.AddResult(r, one.keep)
	}
	return nil
}

func (halves) Validation(*v1alpha1.NodeValidation) error { return nil }
func (halves) History(*v1alpha1.NodeHistory) error       { return nil }

func (halves) Close() error { return nil }

// begun counts the runs that a sink is given.
type begun struct {
	export.Sink
	runs int
}

func (b *begun) Begin(cluster string, run *v1alpha1.ValidationRun, started *catalogue.Snapshot) error {
	b.runs++
	return b.Sink.Begin(cluster, run, started)
}

// feedOrPast reads these runs, or those of the files, or else what the nodes of the cluster remember.
func (s source) feedOrPast(ctx context.Context, args []string, to halves) error {
	if len(args) > 0 {
		var names []string
		for _, arg := range args {
			names = append(names, strings.Split(arg, ",")...)
		}
		return s.feed(ctx, names, to)
	}
	for _, file := range s.files {
		if err := feedFile(file, to); err != nil {
			return err
		}
	}
	if len(s.files) > 0 {
		return nil
	}
	return s.past(ctx, to)
}

// feed a sink with runs, from the files or else from the cluster, one result at a time.
func (s source) feed(ctx context.Context, names []string, to export.Sink) error {
	for _, name := range names {
		counted := &begun{Sink: to}
		for _, file := range s.files {
			keep := func(cluster, run string) bool { return named(name, cluster, run) }
			if err := readFile(file, keep, counted); err != nil {
				return fmt.Errorf("%s: %w", message.CommandReadingFile(file), err)
			}
		}
		if counted.runs > 0 {
			continue
		}
		c, err := s.open(name)
		if err != nil {
			return err
		}
		run, err := readRun(ctx, c, name)
		if err != nil {
			return err
		}
		if err := s.pour(ctx, c, run, to); err != nil {
			return err
		}
	}
	return nil
}

// feedFile reads all runs of a file.
func feedFile(file string, to export.Sink) error {
	if err := readFile(file, func(string, string) bool { return true }, to); err != nil {
		return fmt.Errorf("%s: %w", message.CommandReadingFile(file), err)
	}
	return nil
}

// past is what the nodes of the cluster remember.
func (s source) past(ctx context.Context, to halves) error {
	c, err := s.connect()
	if err != nil {
		return err
	}
	var known v1alpha1.BenchmarkList
	if err := c.List(ctx, &known); err != nil && !apierrors.IsForbidden(err) {
		return fmt.Errorf("%s: %w", message.CommandReadingAll("Benchmarks"), err)
	}
	for _, one := range to {
		one.side.Know(known.Items)
	}
	err = eachOf(ctx, c, &v1alpha1.NodeHistoryList{}, labels.Everything(), func(h *v1alpha1.NodeHistory) error {
		for _, one := range to {
			one.side.AddPast(h, one.keep)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("%s: %w", message.CommandReadingAll("NodeHistories"), err)
	}
	return nil
}
