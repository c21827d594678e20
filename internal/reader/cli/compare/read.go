package compare

import (
	"context"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/catalogue"
	"github.com/assay-dev/assay/internal/reader/cli/cluster"
	"github.com/assay-dev/assay/internal/reader/cli/source"
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
	if len(args)+len(from.Files) == 0 {
		return readPast(ctx, from, to)
	}
	if len(args) == 0 {
		return from.Pour(ctx, nil, to)
	}
	return readEach(ctx, from, strings.Join(args, ","), to)
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
	err = cluster.Each(ctx, c, &v1alpha1.NodeHistoryList{}, labels.Everything(), func(h *v1alpha1.NodeHistory) error {
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
