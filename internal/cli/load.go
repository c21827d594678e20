package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/catalogue"
	"github.com/assay-dev/assay/internal/export"
	"github.com/assay-dev/assay/internal/message"
)

// load reads runs by name, with everything that is known of them, in the order of the names. A name is looked for in the files first (as
// RUN or CLUSTER/RUN; it may be in several), then in the cluster. Without names it is all runs of the files. The cluster is asked only
// where the files do not have a run.
func load(ctx context.Context, connect Connect, names, files []string) ([]export.Run, error) {
	return source{connect: connect, files: files}.load(ctx, names)
}

// source is where runs are read from.
type source struct {
	connect Connect
	files   []string
	// lean leaves out what only some readers want: the numbers of each attempt, the catalogue, and NodeValidations of nodes that carry
	// no taint. A run of thousands of nodes takes a tenth of the memory then.
	lean bool
}

func (s source) load(ctx context.Context, names []string) ([]export.Run, error) {
	saved, err := s.saved(names)
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return saved, nil
	}
	var all []export.Run
	var c client.WithWatch
	for _, name := range names {
		found := matching(saved, name)
		if len(found) == 0 {
			if c == nil {
				if c, err = s.open(name); err != nil {
					return nil, err
				}
			}
			if found, err = s.live(ctx, c, name); err != nil {
				return nil, err
			}
		}
		all = append(all, found...)
	}
	return all, nil
}

// open the cluster, to look for a run there.
func (s source) open(name string) (client.WithWatch, error) {
	c, err := s.connect()
	if err != nil && len(s.files) > 0 {
		return nil, fmt.Errorf("%s: %w", message.CommandNotInFiles(name, s.files), err)
	}
	return c, err
}

// live is a run of the cluster.
func (s source) live(ctx context.Context, c client.Client, name string) ([]export.Run, error) {
	run, err := readRun(ctx, c, name)
	if err != nil {
		return nil, err
	}
	var collected export.Collected
	if err := s.pour(ctx, c, run, s.sink(&collected)); err != nil {
		return nil, err
	}
	return collected.Runs, nil
}

// saved runs of these names, or all of them, from the files.
func (s source) saved(names []string) ([]export.Run, error) {
	var collected export.Collected
	keep := func(cluster, run string) bool {
		return len(names) == 0 || slices.ContainsFunc(names, func(name string) bool { return named(name, cluster, run) })
	}
	for _, file := range s.files {
		if err := readFile(file, keep, s.sink(&collected)); err != nil {
			return nil, fmt.Errorf("%s: %w", message.CommandReadingFile(file), err)
		}
	}
	return collected.Runs, nil
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

func matching(saved []export.Run, name string) []export.Run {
	var found []export.Run
	for i := range saved {
		if named(name, saved[i].Cluster, saved[i].Run.Name) {
			found = append(found, saved[i])
		}
	}
	return found
}

// sink leaves out on the way what is not wanted.
func (s source) sink(to export.Sink) export.Sink {
	if s.lean {
		return lean{to}
	}
	return to
}

// lean is a Sink that passes on what a table shows.
type lean struct{ export.Sink }

func (l lean) Begin(cluster string, run *v1alpha1.ValidationRun, _ *catalogue.Snapshot) error {
	return l.Sink.Begin(cluster, run, nil)
}

func (l lean) Result(r *v1alpha1.ValidationResult) error {
	for i := range r.Benchmarks {
		attempts := r.Benchmarks[i].Attempts
		for j := range attempts {
			attempts[j] = v1alpha1.Attempt{Number: attempts[j].Number, Verdict: attempts[j].Verdict}
		}
	}
	return l.Sink.Result(r)
}

func (l lean) Validation(v *v1alpha1.NodeValidation) error {
	if v.Quarantine == nil {
		return nil
	}
	v.Benchmarks = nil
	return l.Sink.Validation(v)
}

// runsOrFiles asks for the names of runs, unless files have them.
func runsOrFiles(command string, names, files []string) error {
	if len(names)+len(files) == 0 {
		return errors.New(message.CommandNeedsRuns(command))
	}
	if i := slices.IndexFunc(names, func(name string) bool { return strings.TrimSpace(name) == "" }); i >= 0 {
		return errors.New(message.CommandNeedsRuns(command))
	}
	return nil
}
