// Package source is where commands read runs from: saved files, and the cluster for what they do not have.
package source

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/operate/catalogue"
	"github.com/assay-dev/assay/internal/reader/cli/cluster"
	"github.com/assay-dev/assay/internal/reader/export"
	"github.com/assay-dev/assay/internal/reader/report"
)

// Source is where runs are read from.
type Source struct {
	Connect cluster.Connect
	Files   []string
	// Lean leaves out what only some readers want: the numbers of each attempt but its power, the catalogue, and NodeValidations of nodes that carry
	// no taint. A run of thousands of nodes takes a tenth of the memory then.
	Lean bool
	// Places: read the nodes' labels that tell where they stand, GroupBy among them. Others go without what may not be read; Hidden is told if
	// GroupBy asked for it.
	Places  bool
	GroupBy string
	Hidden  func()
}

// Bind the flag that names saved files.
func (s *Source) Bind(flags *pflag.FlagSet) {
	flags.StringArrayVarP(&s.Files, "filename", "f", nil, "Saved `file` to read runs from, or - for standard input; may be repeated")
}

// Load reads runs by name, in the order of the names, as Pour finds them. Without names it is all runs of the files.
func (s Source) Load(ctx context.Context, names []string) ([]export.Run, error) {
	var collected export.Collected
	to := export.Sink(&collected)
	if s.Lean {
		to = lean{to}
	}
	if err := s.Pour(ctx, names, to); err != nil || len(names) == 0 {
		return collected.Runs, err
	}
	var all []export.Run
	for _, name := range names {
		all = append(all, list.Where(collected.Runs, func(r export.Run) bool { return named(name, r.Cluster, r.Run.Name) })...)
	}
	return all, nil
}

// Pour pours runs into a sink. A name is looked for in the files first (as RUN or CLUSTER/RUN; it may be in several), and in the
// cluster only where they do not have it. Without names it is all runs of the files.
func (s Source) Pour(ctx context.Context, names []string, to export.Sink) error {
	found := map[string]bool{}
	keep := func(cluster, run string) bool {
		kept := len(names) == 0
		for _, name := range names {
			if named(name, cluster, run) {
				found[name], kept = true, true
			}
		}
		return kept
	}
	for _, file := range s.Files {
		if err := readFile(file, keep, to); err != nil {
			return fmt.Errorf("reading %s: %w", file, err)
		}
	}
	var c client.WithWatch
	for _, name := range names {
		if found[name] {
			continue
		}
		found[name] = true
		if c == nil {
			var err error
			if c, err = s.open(name); err != nil {
				return err
			}
		}
		run, err := cluster.Run(ctx, c, name)
		if err != nil {
			return err
		}
		if err := s.PourRun(ctx, c, run, to); err != nil {
			return err
		}
	}
	return nil
}

// open the cluster, to look for a run there.
func (s Source) open(name string) (client.WithWatch, error) {
	c, err := s.Connect()
	if err != nil && len(s.Files) > 0 {
		return nil, fmt.Errorf("no run %q is in %s, and no cluster could be asked: %w", name, strings.Join(s.Files, ", "), err)
	}
	return c, err
}

func readFile(name string, keep func(cluster, run string) bool, to export.Sink) error {
	var from io.Reader = os.Stdin
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return err
		}
		defer file.Close()
		from = file
	}
	return export.Read(from, keep, to)
}

// named says whether a name means a run: RUN, or CLUSTER/RUN.
func named(name, cluster, run string) bool { return name == run || name == cluster+"/"+run }

// InOrderOf names is the place of a run among those that were asked for.
func InOrderOf(names []string) func(cluster, run string) int {
	return func(cluster, run string) int {
		return slices.IndexFunc(names, func(name string) bool { return named(name, cluster, run) })
	}
}

// lean is a Sink that passes on what a table shows.
type lean struct{ export.Sink }

func (l lean) Begin(cluster string, run *v1alpha1.ValidationRun, _ *catalogue.Snapshot) error {
	return l.Sink.Begin(cluster, run, nil)
}

func (l lean) Add(p export.Piece) error {
	switch {
	case p.Result != nil:
		p.Result = new(report.Lean(p.Result))
	case p.Validation != nil && p.Validation.Quarantine == nil:
		return nil
	case p.Validation != nil:
		p.Validation.Benchmarks = nil
	case p.History != nil: // what was proved, without the values
		*p.History = v1alpha1.NodeHistory{ObjectMeta: p.History.ObjectMeta, Benchmarks: p.History.Benchmarks}
		for b := range list.Each(p.History.Benchmarks) {
			*b = v1alpha1.BenchmarkHistory{Name: b.Name, Entries: b.Entries}
			for e := range list.Each(b.Entries) {
				*e = v1alpha1.HistoryEntry{Run: e.Run, RunUID: e.RunUID, Time: e.Time, Verdict: e.Verdict}
			}
		}
	}
	return l.Sink.Add(p)
}
