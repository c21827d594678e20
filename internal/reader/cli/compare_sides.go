package cli

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/reader/compare"
	"github.com/assay-dev/assay/internal/reader/export"
)

// compared is what the user wants to have compared.
type compared struct {
	files                []string
	nodesA, nodesB       []string
	selectorA, selectorB string
	before, after        string
}

// half of a comparison while it is read: one side, and what belongs to it.
type half struct {
	side *compare.Side
	keep compare.Keep
}

// read both sides.
func (w *compared) read(ctx context.Context, connect Connect, args []string) (a, b *compare.Side, err error) {
	byNode := len(w.nodesA)+len(w.nodesB) > 0 || w.selectorA+w.selectorB != ""
	byTime := w.before+w.after != ""
	from := source{connect: connect, files: w.files}
	switch {
	case byNode && byTime:
		return nil, nil, errors.New(message.CompareOneWay())
	case byNode:
		return w.readNodes(ctx, from, args)
	case byTime:
		return w.readTimes(ctx, from, args)
	case len(args) == 0 && len(w.files) == 2:
		return readSides(w.files, func(file string, to export.Sink) error {
			return feedFile(file, to)
		})
	case len(args) == 2:
		return readSides(args, func(names string, to export.Sink) error {
			return from.feed(ctx, strings.Split(names, ","), to)
		})
	}
	return nil, nil, errors.New(message.CompareNeedsSides(len(args), len(w.files)))
}

// readSides that have nothing in common but how they are read.
func readSides(names []string, feed func(name string, to export.Sink) error) (a, b *compare.Side, err error) {
	sides := []*compare.Side{compare.NewSide(names[0]), compare.NewSide(names[1])}
	for i, side := range sides {
		if err := feed(names[i], halves{{side: side}}); err != nil {
			return nil, nil, err
		}
	}
	for _, run := range sides[0].About().Runs {
		if slices.ContainsFunc(sides[1].About().Runs, func(other compare.Run) bool { return other.UID == run.UID }) {
			return nil, nil, errors.New(message.CompareSameRun(run.Name))
		}
	}
	return sides[0], sides[1], nil
}

// readNodes reads the same runs for two groups of nodes; a side without nodes has all others.
func (w *compared) readNodes(ctx context.Context, from source, args []string) (a, b *compare.Side, err error) {
	inA, err := newNodeSet(ctx, from, "a", w.nodesA, w.selectorA)
	if err != nil {
		return nil, nil, err
	}
	inB, err := newNodeSet(ctx, from, "b", w.nodesB, w.selectorB)
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
	if err := from.feedOrPast(ctx, args, both); err != nil {
		return nil, nil, err
	}
	if twice != "" {
		return nil, nil, errors.New(message.CompareNodeTwice(twice))
	}
	if unused := slices.Concat(inA.unused(), inB.unused()); len(unused) > 0 {
		return nil, nil, errors.New(message.CompareNoSuchNodes(unused))
	}
	return both[0].side, both[1].side, nil
}

// readTimes reads the same runs, or what the nodes remember, for two times.
func (w *compared) readTimes(ctx context.Context, from source, args []string) (a, b *compare.Side, err error) {
	before, after := w.before, w.after
	if before == "" {
		before = after
	}
	if after == "" {
		after = before
	}
	to, err := parseTime(before)
	if err != nil {
		return nil, nil, err
	}
	since, err := parseTime(after)
	if err != nil {
		return nil, nil, err
	}
	if since.Before(to) {
		return nil, nil, errors.New(message.CompareTimesOverlap(to, since))
	}
	both := halves{
		{compare.NewSide("before " + before), compare.Keep{To: to}},
		{compare.NewSide("after " + after), compare.Keep{From: since}},
	}
	return both[0].side, both[1].side, from.feedOrPast(ctx, args, both)
}

// parseTime reads a time, or a day in UTC.
func parseTime(text string) (time.Time, error) {
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	return time.Time{}, errors.New(message.CompareNoTime(text))
}
