// Package runs is `kubectl assay run` and `watch`: a run is started, and followed until it is over.
package runs

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/util/rand"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/reader/cli/cluster"
	"github.com/assay-dev/assay/internal/reader/cli/completion"
	"github.com/assay-dev/assay/internal/reader/cli/manual"
	"github.com/assay-dev/assay/internal/reader/cli/output"
)

// Ways of --dry-run.
const (
	dryRunNone   = "none"
	dryRunClient = "client"
	dryRunServer = "server"
)

// runFlags are those of `kubectl assay run`.
type runFlags struct {
	suite, again, selector, taint, maxTainted, maxConcurrent, busy string
	benchmarks, parameters, expect, nodes                          []string
	allNodes, wait, follow                                         bool
	confirmations                                                  int32
	deadline                                                       time.Duration
	name, generateName, dryRun, output                             string

	// asked is what an earlier run asked for, which --again repeats.
	asked v1alpha1.ValidationRunSpec
	// known are the cluster's benchmarks, where a flag needs them.
	known []v1alpha1.Benchmark

	// given says whether the user set a flag.
	given func(flag string) bool
	// suffix completes a generated name.
	suffix func() string
}

// Command is `kubectl assay run`.
func Command(connect cluster.Connect) *cobra.Command {
	f := &runFlags{suffix: func() string { return rand.String(5) }}
	cmd := manual.Of(&cobra.Command{
		Use:   "run (--suite SUITE | --benchmark NAME,...) (--nodes NODE,... | --selector LABELS | --all-nodes) | run --again RUN|NODE",
		Short: "Start a run: measure nodes now",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			f.given = cmd.Flags().Changed
			return f.start(cmd, connect)
		},
	})
	f.bind(cmd)
	f.completions(cmd, connect)
	return cmd
}

func (f *runFlags) bind(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.suite, "suite", "", "Measure by every benchmark of this `suite`")
	flags.StringSliceVar(&f.benchmarks, "benchmark", nil, "Measure by these benchmarks, by `name`")
	flags.StringArrayVar(&f.parameters, "parameter", nil, "Set a parameter of a benchmark: `BENCHMARK.PARAMETER=VALUE`. May be repeated")
	flags.StringArrayVar(&f.expect, "expect", nil, "Expect something else of a metric than the Benchmark does: `[BENCHMARK.]METRIC.RULE=NUMBER`. May be repeated")
	flags.StringVar(&f.again, "again", "", "Measure again what this `RUN|NODE` was measured by")
	flags.StringSliceVar(&f.nodes, "nodes", nil, "Measure these nodes, by `name`")
	flags.StringVarP(&f.selector, "selector", "l", "", "Measure the nodes with these `labels`, for example pool=h200,zone!=b")
	flags.BoolVar(&f.allNodes, "all-nodes", false, "Measure every node")
	flags.StringVar(&f.taint, "taint", "", "Taint nodes that fail. Without a value: "+defaultTaint)
	flags.Lookup("taint").NoOptDefVal = defaultTaint
	flags.StringVar(&f.maxTainted, "max-tainted-nodes", "", "Taint no more nodes than this `number` or percentage (default 10%)")
	flags.Int32Var(&f.confirmations, "confirmations", 2, "Measure a suspect again up to so many times; 0: the first measurement decides")
	flags.StringVar(&f.maxConcurrent, "max-concurrent", "", "Measure at once no more nodes than this `number` or percentage (default 100%)")
	flags.StringVar(&f.busy, "busy-nodes", "", "`Wait` until a node is free, or Skip it (default Wait)")
	flags.DurationVar(&f.deadline, "deadline", 0, "End the run after this time, whatever is missing, for example 2h (default 4h)")
	flags.StringVar(&f.name, "name", "", "`Name` of the run")
	flags.StringVar(&f.generateName, "generate-name", "", "`Prefix` of the run's name, which five characters complete (default: suite or benchmark)")
	flags.BoolVar(&f.follow, "follow", false, "Show the run until it is over")
	flags.BoolVar(&f.wait, "wait", false, "Wait until the run is over, and show how it ended")
	flags.StringVar(&f.dryRun, "dry-run", dryRunNone, "none, client (print what would be sent) or server (have it checked)")
	flags.Lookup("dry-run").NoOptDefVal = dryRunClient
	flags.StringVarP(&f.output, "output", "o", "", "Show the run as yaml, json or name")
}

func (f *runFlags) completions(cmd *cobra.Command, connect cluster.Connect) {
	completion.Flag(cmd, "suite", completion.Suites(connect))
	completion.Flag(cmd, "benchmark", completion.Benchmarks(connect))
	completion.Flag(cmd, "nodes", completion.Nodes(connect))
	completion.Flag(cmd, "again", completion.Runs(connect))
	completion.Flag(cmd, "busy-nodes", completion.Fixed(string(v1alpha1.BusyWait), string(v1alpha1.BusySkip)))
	completion.Flag(cmd, "dry-run", completion.Fixed(dryRunNone, dryRunClient, dryRunServer))
	completion.Flag(cmd, "output", completion.Fixed(output.YAML, output.JSON, output.Name))
}

// start the run that the flags describe.
func (f *runFlags) start(cmd *cobra.Command, connect cluster.Connect) error {
	if err := f.check(); err != nil {
		return err
	}
	gather := f.lookUp
	if f.again != "" {
		gather = f.repeat
	}
	if err := gather(cmd.Context(), connect); err != nil {
		return err
	}
	run, err := f.object()
	if err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	if f.dryRun == dryRunClient {
		return cluster.PrintObject(out, run, f.output, "created (dry run)")
	}
	c, err := connect()
	if err != nil {
		return err
	}
	if err := checkAgainst(cmd.Context(), c, run); err != nil {
		return err
	}
	var options []client.CreateOption
	done := "created"
	if f.dryRun == dryRunServer {
		options, done = append(options, client.DryRunAll), "created (server dry run)"
	}
	if err := c.Create(cmd.Context(), run, options...); err != nil {
		return refused(run.Name, err)
	}
	if err := cluster.PrintObject(out, run, f.output, done); err != nil {
		return err
	}
	switch {
	case f.follow:
		return show(cmd.Context(), c, run.Name, out, newScreen(out))
	case f.wait:
		return show(cmd.Context(), c, run.Name, out, newScreen(io.Discard))
	case f.dryRun == dryRunNone && f.output == "":
		fmt.Fprintf(cmd.ErrOrStderr(), "kubectl assay watch %s follows it\n", run.Name)
	}
	return nil
}

// check what the flags say together.
func (f *runFlags) check() error {
	if f.output != "" {
		if err := (output.Formats{output.YAML, output.JSON, output.Name}).Check(f.output); err != nil {
			return err
		}
	}
	if err := f.checkWhat(); err != nil {
		return err
	}
	if err := f.checkValues(); err != nil {
		return err
	}
	return f.checkView()
}

// checkWhat to measure by, and where.
func (f *runFlags) checkWhat() error {
	nodes := list.Count([]bool{len(f.nodes) > 0, f.selector != "", f.allNodes}, func(set bool) bool { return set })
	switch {
	case f.again != "" && (f.suite != "" || len(f.benchmarks)+len(f.parameters)+len(f.expect) > 0):
		return errors.New("--again measures by what was measured before: leave out --suite, --benchmark, --parameter and --expect, or --again")
	case f.again != "" && nodes > 1:
		return errors.New("set at most one of --nodes, --selector and --all-nodes")
	case f.again != "":
	case (f.suite == "") == (len(f.benchmarks) == 0):
		return errors.New("say what to measure by: set either --suite or --benchmark (kubectl assay suites and kubectl assay benchmarks list them)")
	case nodes != 1:
		return errors.New("say which nodes to measure: set one of --nodes, --selector and --all-nodes")
	}
	return nil
}

// checkView: what is to be shown of the run.
func (f *runFlags) checkView() error {
	watched := f.follow || f.wait
	switch {
	case f.dryRun != dryRunNone && f.dryRun != dryRunClient && f.dryRun != dryRunServer:
		return fmt.Errorf("unknown --dry-run=%s: choose none, client or server", f.dryRun)
	case watched && f.output != "" && f.output != output.Name:
		return errors.New("-o yaml and -o json show the run as it is created: leave out --follow and --wait, and use kubectl assay report afterwards")
	case watched && f.dryRun != dryRunNone:
		return errors.New("a dry run starts nothing that could be followed: leave out --follow and --wait")
	}
	return nil
}
