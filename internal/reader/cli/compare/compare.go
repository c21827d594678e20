// Package compare is `kubectl assay compare`: two sides are read, and what internal/reader/compare finds of them is shown.
package compare

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/internal/reader/cli/cluster"
	"github.com/assay-dev/assay/internal/reader/cli/completion"
	"github.com/assay-dev/assay/internal/reader/cli/output"
	"github.com/assay-dev/assay/internal/reader/cli/source"
	"github.com/assay-dev/assay/internal/reader/compare"
	"github.com/assay-dev/assay/internal/reader/page"
)

// Formats of a comparison.
var Formats = output.Formats{output.Table, output.Wide, output.JSON, output.CSV, output.Markdown, output.HTML}

// compareFlags are what `compare` was called with.
type compareFlags struct {
	from                 source.Source
	nodesA, nodesB       []string
	selectorA, selectorB string
	before, after        string
	format, threshold    string
	options              compare.Options
	fail                 bool
}

// Command is `kubectl assay compare`.
func Command(connect cluster.Connect) *cobra.Command {
	f := compareFlags{from: source.Source{Connect: connect}}
	cmd := &cobra.Command{
		Use:   "compare A B",
		Short: "Say by how much two runs, groups of nodes or times differ",
		Long: `Say by how much two runs, groups of nodes or times differ, metric by metric,
and which differences are more than chance and noise.

A and B are names of runs; several belong to one side with commas between
them. With -f, saved runs stand beside those of the cluster, so that runs of
two clusters can be compared; two files without names are the two sides.
--nodes-a, --nodes-b or --selector-a, --selector-b split the runs that are
named by nodes; a side that is not given has all other nodes. --before and
--after split them by time. Without runs, these compare what the nodes of the
cluster remember: the headline metrics of their passing runs.

"~" stands where noise explains the difference. That is no proof that there
is none: the interval says how large it may be. P is the probability of such
a difference by chance, corrected for the number of metrics, so that 95% of
comparisons between equals call nothing different. What is smaller than the
noise that the Benchmark declares from run to run is never a difference. What
ran with another image, command or parameters is not compared. Read
docs/compare.md before you rely on fewer than 8 nodes a side.

The JSON document has the schema ` + compare.Schema + `.

The exit code is 0 if there is a comparison, whatever it says. With
--fail-on-regression it is 1 if a metric is worse by more than --threshold,
and 2 if a metric that A has cannot be judged. It is 2 for anything else.`,
		Example: `  kubectl assay compare rack-7-old rack-7-new
  kubectl assay compare -f lab.jsonl -f site.jsonl -o markdown
  kubectl assay compare rack-7-old rack-7-new -o html >rack-7.html
  kubectl assay compare acceptance --nodes-a 'rack-7-*' --nodes-b 'rack-8-*'
  kubectl assay compare acceptance --selector-a chassis=k --selector-b chassis=m
  kubectl assay compare --before 2026-03-01 --after 2026-03-02T06:00:00Z
  kubectl assay compare golden candidate --fail-on-regression --threshold 2%`,
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: completion.EveryArgument(completion.Runs(connect)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.run(cmd.Context(), args, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f.bind(cmd, connect)
	return cmd
}

func (f *compareFlags) bind(cmd *cobra.Command, connect cluster.Connect) {
	flags := cmd.Flags()
	f.from.Bind(flags)
	Formats.Flag(cmd, &f.format)
	flags.StringSliceVar(&f.nodesA, "nodes-a", nil, "`Nodes` of A, by name or pattern (rack-7-*)")
	flags.StringSliceVar(&f.nodesB, "nodes-b", nil, "`Nodes` of B")
	flags.StringVar(&f.selectorA, "selector-a", "", "Label `selector` of the nodes of A, as they are labelled now")
	flags.StringVar(&f.selectorB, "selector-b", "", "Label `selector` of the nodes of B")
	flags.StringVar(&f.before, "before", "", "A is what was measured before this `time`: 2026-03-01 (UTC) or 2026-03-01T12:00:00Z")
	flags.StringVar(&f.after, "after", "", "B is what was measured from this `time` on; by default as --before, and the other way round")
	flags.BoolVar(&f.options.Parts, "parts", false, "List the values of every part, too")
	flags.BoolVar(&f.options.AcrossConfigurations, "across-configurations", false, "Compare what ran with another image, command or parameters, too")
	flags.BoolVar(&f.fail, "fail-on-regression", false, "Exit with 1 if a metric is significantly worse by more than --threshold")
	flags.StringVar(&f.threshold, "threshold", "2%", "How much worse a metric may be, in `percent`")
	completion.Flag(cmd, "nodes-a", completion.Nodes(connect))
	completion.Flag(cmd, "nodes-b", completion.Nodes(connect))
}

func (f *compareFlags) run(ctx context.Context, args []string, out, errOut io.Writer) error {
	threshold, err := strconv.ParseFloat(strings.TrimSuffix(f.threshold, "%"), 64)
	if err != nil || math.IsNaN(threshold) || threshold < 0 || threshold > 100 {
		return fmt.Errorf("--threshold %q is no percentage from 0%% to 100%%: write 2%%", f.threshold)
	}
	a, b, err := f.read(ctx, args)
	if err != nil {
		return err
	}
	for _, side := range []*compare.Side{a, b} {
		if about := side.About(); about.Nodes+about.Groups == 0 {
			return emptySide(&about)
		}
	}
	if f.format == output.HTML { // it names those that differ most
		f.options.Parts, f.options.PartsThatDiffer = false, true
	}
	f.options.NotInA = f.fail
	found := compare.New(a, b, f.options)
	if !found.Compared() {
		return fmt.Errorf("%s and %s have no metric in common: %s measured %s, and %s measured %s", found.A.Name, found.B.Name, found.A.Name,
			message.Names(found.Benchmarked(true)), found.B.Name, message.Names(found.Benchmarked(false)))
	}
	if err := writeComparison(out, &found, f.format, f.options.Parts); err != nil {
		return err
	}
	if !f.fail {
		return nil
	}
	return regressed(&found, threshold, errOut)
}

func writeComparison(w io.Writer, c *compare.Comparison, format string, parts bool) error {
	switch format {
	case output.JSON:
		return output.WriteDocument(w, c, format)
	case output.CSV:
		if parts {
			return output.WriteCSV(w, partRecords(c))
		}
		return output.WriteCSV(w, compareRecords(c))
	case output.HTML:
		return page.WriteComparison(w, c)
	case output.Markdown:
		return writeCompareMarkdown(w, c)
	default:
		return writeCompareTable(w, c, format == output.Wide)
	}
}

// regressed ends with a code where a metric is worse by more than so many percent. What A has and cannot be judged is no pass.
func regressed(c *compare.Comparison, threshold float64, errOut io.Writer) error {
	var worse, unjudged []string
	for r := range list.Each(c.Rows) {
		switch {
		case r.Unlisted:
		case r.Outcome == compare.Worse && loss(r) > threshold:
			worse = append(worse, output.Clean(r.Name()))
		case r.A.Parts > 0 && (r.Outcome == compare.NotComparable || r.Outcome == compare.TooFew):
			unjudged = append(unjudged, output.Clean(r.Name()))
		}
	}
	switch {
	case len(worse) > 0:
		fmt.Fprintf(errOut, "worse by more than %s: %s\n", quantity.Percent(threshold), message.Names(worse))
		if len(unjudged) > 0 {
			fmt.Fprintln(errOut, compareUnjudged(unjudged))
		}
		return &output.ExitError{Code: output.Fail}
	case c.Tested == 0:
		return errors.New(compare.NothingTested)
	case len(unjudged) > 0:
		return errors.New(compareUnjudged(unjudged))
	}
	return nil
}

// loss is by how many percent B is worse: of a rate by how much it is less, of a time by how much it is more.
func loss(r *compare.Row) float64 {
	if r.Estimate == nil { // it fell to 0
		return math.Inf(1)
	}
	if r.Better == v1alpha1.Lower {
		return r.Estimate.Percent
	}
	return -r.Estimate.Percent
}

func compareUnjudged(rows []string) string {
	return fmt.Sprintf("whether B is worse is not known of %s: the reasons are above, or in the field why of -o json", message.Names(rows))
}

// emptySide says that one side measured nothing that counts, and how many attempts do not.
func emptySide(a *compare.About) error {
	left := ""
	if a.LeftOut != (compare.LeftOut{}) {
		left = " (" + a.LeftOut.Says() + ")"
	}
	return fmt.Errorf("side %q has no measurement that counts%s: choose runs, nodes or times with measurements, which kubectl assay report shows", a.Name, left)
}
