package compare

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/operate/catalogue"
	"github.com/assay-dev/assay/internal/reader/cli/cluster"
	"github.com/assay-dev/assay/internal/reader/cli/source"
	"github.com/assay-dev/assay/internal/reader/compare"
	"github.com/assay-dev/assay/internal/reader/export"
)

// half of a comparison while it is read: one side, and what belongs to it.
type half struct {
	side *compare.Side
	keep compare.Keep
}

// read both sides.
func (f *compareFlags) read(ctx context.Context, args []string) (a, b *compare.Side, err error) {
	byNode := len(f.nodesA)+len(f.nodesB) > 0 || f.selectorA+f.selectorB != ""
	byTime := f.before+f.after != ""
	switch {
	case byNode && byTime:
		return nil, nil, errors.New("nodes and times cannot be compared at once: leave out --before and --after, or the flags for nodes")
	case byNode:
		return f.readNodes(ctx, args)
	case byTime:
		return f.readTimes(ctx, args)
	case len(args) == 0 && len(f.from.Files) == 2:
		return readSides(f.from.Files, func(file string, to halves) error {
			return source.Source{Files: []string{file}}.Pour(ctx, nil, to)
		})
	case len(args) == 2:
		return readSides(args, func(names string, to halves) error { return readEach(ctx, f.from, names, to) })
	}
	return nil, nil, fmt.Errorf("expected two sides, and got %s and %s: name two runs or two files, or split runs by --nodes-a and --nodes-b or "+
		"by --before and --after", message.Several(len(args), "name"), message.Several(len(f.from.Files), "file"))
}

// readSides that have nothing in common but how they are read.
func readSides(names []string, feed func(name string, to halves) error) (a, b *compare.Side, err error) {
	sides := []*compare.Side{compare.NewSide(names[0]), compare.NewSide(names[1])}
	for i, side := range sides {
		if err := feed(names[i], halves{{side: side}}); err != nil {
			return nil, nil, err
		}
	}
	for _, run := range sides[0].About().Runs {
		if slices.ContainsFunc(sides[1].About().Runs, func(other compare.Run) bool { return other.UID == run.UID }) {
			return nil, nil, fmt.Errorf("run %s is on both sides: name another one, or split it by --nodes-a and --nodes-b", run.Name)
		}
	}
	return sides[0], sides[1], nil
}

// readNodes reads the same runs for two groups of nodes; a side without nodes has all others.
func (f *compareFlags) readNodes(ctx context.Context, args []string) (a, b *compare.Side, err error) {
	inA, err := newNodeSet(ctx, f.from, "a", f.nodesA, f.selectorA)
	if err != nil {
		return nil, nil, err
	}
	inB, err := newNodeSet(ctx, f.from, "b", f.nodesB, f.selectorB)
	if err != nil {
		return nil, nil, err
	}
	twice := ""
	has := func(mine, other *nodeSet) func(v1alpha1.ObjectReference) bool {
		return func(n v1alpha1.ObjectReference) bool {
			if mine.empty() {
				return !other.has(n.Name)
			}
			if mine.has(n.Name) && !other.empty() && other.has(n.Name) {
				twice = n.Name
			}
			return mine.has(n.Name)
		}
	}
	both := halves{
		{compare.NewSide(inA.title()), compare.Keep{Nodes: has(inA, inB)}},
		{compare.NewSide(inB.title()), compare.Keep{Nodes: has(inB, inA)}},
	}
	if err := readOrPast(ctx, f.from, args, both); err != nil {
		return nil, nil, err
	}
	if twice != "" {
		return nil, nil, fmt.Errorf("node %s is on both sides: choose nodes for A and B that do not overlap", twice)
	}
	if unused := slices.Concat(inA.unused(), inB.unused()); len(unused) > 0 {
		return nil, nil, errors.New("no measured node is called " + message.Names(unused) + ": kubectl assay report shows the nodes of a run")
	}
	return both[0].side, both[1].side, nil
}

// readTimes reads the same runs, or what the nodes remember, for two times.
func (f *compareFlags) readTimes(ctx context.Context, args []string) (a, b *compare.Side, err error) {
	before, after := cmp.Or(f.before, f.after), cmp.Or(f.after, f.before)
	to, err := parseTime(before)
	if err != nil {
		return nil, nil, err
	}
	since, err := parseTime(after)
	if err != nil {
		return nil, nil, err
	}
	if since.Before(to) {
		return nil, nil, fmt.Errorf("--before %s is later than --after %s, so that some measurements would be on both sides: exchange them",
			to.Format(time.RFC3339), since.Format(time.RFC3339))
	}
	both := halves{
		{compare.NewSide("before " + before), compare.Keep{To: to}},
		{compare.NewSide("after " + after), compare.Keep{From: since}},
	}
	return both[0].side, both[1].side, readOrPast(ctx, f.from, args, both)
}

// parseTime reads a time, or a day in UTC.
func parseTime(text string) (time.Time, error) {
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is no time: write a day in UTC, 2026-03-01, or a time, 2026-03-01T12:00:00Z", text)
}

// halves is a Sink that hands on what belongs to either side.
type halves []half

func (h halves) Begin(cluster string, run *v1alpha1.ValidationRun, started *catalogue.Snapshot) error {
	for _, one := range h {
		one.side.Begin(cluster, run, started)
	}
	return nil
}

func (h halves) Add(p export.Piece) error {
	for _, one := range h {
		if p.Result != nil {
			one.side.AddResult(p.Result, one.keep)
		}
	}
	return nil
}

// readOrPast reads these runs, or those of the files, or else what the nodes of the cluster remember.
func readOrPast(ctx context.Context, from source.Source, args []string, to halves) error {
	switch {
	case len(args) > 0:
		return readEach(ctx, from, strings.Join(args, ","), to)
	case len(from.Files) > 0:
		return from.Pour(ctx, nil, to)
	}
	return readPast(ctx, from, to)
}

// readEach reads runs in the order of their names, with commas between them.
func readEach(ctx context.Context, from source.Source, names string, to halves) error {
	for name := range strings.SplitSeq(names, ",") {
		if err := from.Pour(ctx, []string{name}, to); err != nil {
			return err
		}
	}
	return nil
}

// readPast reads what the nodes of the cluster remember.
func readPast(ctx context.Context, from source.Source, to halves) error {
	c, err := from.Connect()
	if err != nil {
		return err
	}
	var known v1alpha1.BenchmarkList
	if err := c.List(ctx, &known); err != nil && !apierrors.IsForbidden(err) {
		return fmt.Errorf("listing Benchmarks: %w", err)
	}
	for _, one := range to {
		one.side.Know(known.Items)
	}
	err = cluster.Each(ctx, c, &v1alpha1.NodeHistoryList{}, func(h *v1alpha1.NodeHistory) error {
		for _, one := range to {
			one.side.AddPast(h, one.keep)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("listing NodeHistories: %w", err)
	}
	return nil
}
