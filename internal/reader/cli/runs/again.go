package runs

import (
	"context"
	"fmt"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/reader/cli/cluster"
	"github.com/assay-dev/assay/internal/reader/cli/source"
	"github.com/assay-dev/assay/internal/reader/explain"
)

// repeat takes over what a run of this name asked for, or else the newest run of a node of this name.
func (f *runFlags) repeat(ctx context.Context, connect cluster.Connect) error {
	c, err := connect()
	if err != nil {
		return err
	}
	run, err := cluster.ReadIf[v1alpha1.ValidationRun](ctx, c, f.again)
	if err != nil {
		return err
	}
	if run != nil {
		run.Spec.DeepCopyInto(&f.asked)
		f.asked.Suspend, f.asked.TTLSecondsAfterFinished = false, nil
		return nil
	}
	known, err := source.Source{Connect: connect}.Node(ctx, f.again, true)
	if err != nil {
		return fmt.Errorf("there is no run %[1]q, and of node %[1]q: %w", f.again, err)
	}
	if explain.Newest(f.again, known).Run.UID == "" {
		return fmt.Errorf("the runs that measured %s are gone: say with --suite or --benchmark what to measure by", f.again)
	}
	var lack int
	if f.asked, lack = explain.Again(explain.Input{Node: f.again, Runs: known}); lack > 0 && len(f.nodes) == 0 && f.selector == "" && !f.allNodes {
		return fmt.Errorf("%[1]s broke a rule that compares it with other nodes, and its run has %[2]d too few that passed by the same benchmarks: "+
			"name %[1]s and the others with --nodes", f.again, lack)
	}
	return nil
}
