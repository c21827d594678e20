package source

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/operate/catalogue"
	"github.com/assay-dev/assay/internal/reader/cli/cluster"
	"github.com/assay-dev/assay/internal/reader/cli/output"
	"github.com/assay-dev/assay/internal/reader/export"
)

// Node reads all that is known of a node, NODE or CLUSTER/NODE: of the files, if there are any, or else of the cluster. Runs that did
// not measure it are left out; so are the results of other nodes, but for what failed on those, where that is asked for.
func (s Source) Node(ctx context.Context, name string, others bool) ([]export.Run, error) {
	found := ofNode{node: BareNode(name), others: others}
	// Names of clusters may have slashes, too. Those of nodes have none.
	ofCluster := func(cluster string) bool { return named(name, cluster, found.node) }
	if len(s.Files) > 0 {
		for _, file := range s.Files {
			if err := readFile(file, func(cluster, _ string) bool { return ofCluster(cluster) }, &found); err != nil {
				return nil, fmt.Errorf("reading %s: %w", file, err)
			}
		}
	} else {
		c, err := s.Connect()
		if err != nil {
			return nil, err
		}
		if ofCluster(cluster.NameOf(c)) {
			if err := liveNode(ctx, c, &found); err != nil {
				return nil, err
			}
		}
	}
	found.forget()
	found.Runs = eachOnce(found.Runs)
	if len(found.Runs) == 0 {
		if len(s.Files) > 0 {
			return nil, fmt.Errorf("no run in %s measured a node %q: check the name", strings.Join(s.Files, ", "), name)
		}
		return nil, fmt.Errorf("nothing is stored about node %q: check the name, or measure it with \"kubectl assay run --nodes\" and its name", name)
	}
	byCluster := list.Groups(found.Runs, func(r export.Run) string { return r.Cluster })
	if clusters := list.Map(byCluster, func(of []export.Run) string { return strconv.Quote(of[0].Cluster) }); len(clusters) > 1 {
		return nil, errors.New(output.Clean(fmt.Sprintf("there is a node %s in several clusters, %s: write which one you mean, for example %s",
			strconv.Quote(name), message.Names(clusters), strconv.Quote(found.Runs[0].Cluster+"/"+name))))
	}
	return found.Runs, nil
}

// BareNode is the name of a node without that of its cluster.
func BareNode(name string) string { return name[strings.LastIndex(name, "/")+1:] }

// eachOnce joins what several files, or one that was written twice, know of the same run: its results as they were in the end, and every
// NodeValidation, of which readers take the newest.
func eachOnce(all []export.Run) []export.Run {
	alike := list.Groups(all, func(r export.Run) string { return cmp.Or(string(r.Run.UID), r.Cluster+"/"+r.Run.Name) })
	return list.Map(alike, func(same []export.Run) export.Run {
		once := same[0]
		for _, r := range same[1:] {
			validations, histories := append(once.Validations, r.Validations...), append(once.Histories, r.Histories...)
			if once.Run.Status.CompletionTime == nil {
				once = r
			}
			once.Validations, once.Histories = validations, histories
		}
		return once
	})
}

// ofNode is a Sink that keeps what is about one node, and its groups.
type ofNode struct {
	export.Collected
	node string
	// others: keep what failed on other nodes.
	others bool
}

func (s *ofNode) Add(p export.Piece) error {
	is := func(n v1alpha1.ObjectReference) bool { return n.Name == s.node }
	switch r := p.Result; {
	case r != nil && r.Group != nil && !slices.ContainsFunc(r.Group.Nodes, is):
		return nil
	case r != nil && r.Group == nil && !is(r.Node):
		if s.others && r.Verdict != v1alpha1.VerdictPass {
			return lean{&s.Collected}.Add(p)
		}
		return nil
	case p.Validation != nil && p.Validation.Name != s.node, p.History != nil && p.History.Name != s.node:
		return nil
	}
	return s.Collected.Add(p)
}

// Begin forgets the run before, if that knows nothing of the node, and the rows of other nodes.
func (s *ofNode) Begin(cluster string, run *v1alpha1.ValidationRun, started *catalogue.Snapshot) error {
	s.forget()
	if !s.others {
		run.Status.Nodes = list.Where(run.Status.Nodes, func(row v1alpha1.NodeRow) bool { return row.Name == s.node })
	}
	return s.Collected.Begin(cluster, run, started)
}

// forget the last run, if it knows nothing of the node.
func (s *ofNode) forget() {
	last := len(s.Runs) - 1
	if last < 0 {
		return
	}
	r := &s.Runs[last]
	ofIt := func(v v1alpha1.ValidationResult) bool { return v.Group == nil && v.Node.Name == s.node }
	if len(r.Validations) == 0 && r.Run.Row(s.node) == nil && !slices.ContainsFunc(r.Results, ofIt) {
		s.Runs = s.Runs[:last]
	}
}

// liveNode reads what is known of the node, and its result of each run.
func liveNode(ctx context.Context, c client.Client, to *ofNode) error {
	v := &v1alpha1.NodeValidation{}
	err := c.Get(ctx, client.ObjectKey{Name: to.node}, v)
	switch {
	case apierrors.IsNotFound(err):
		v = nil
	case err != nil:
		return cluster.While(err, "reading NodeValidation "+to.node)
	}
	err = cluster.Each(ctx, c, &v1alpha1.ValidationRunList{}, func(run *v1alpha1.ValidationRun) error {
		r, err := resultIn(ctx, c, run, to.node)
		if err != nil || r == nil && run.Row(to.node) == nil {
			return err
		}
		if err := to.Begin(cluster.NameOf(c), run, nil); err != nil || r == nil {
			return err
		}
		return to.Add(export.Piece{Result: r})
	})
	switch {
	case err != nil:
		return fmt.Errorf("listing runs: %w", err)
	case v == nil:
		return nil
	case len(to.Runs) == 0: // all runs are deleted
		if err := to.Begin(cluster.NameOf(c), &v1alpha1.ValidationRun{}, nil); err != nil {
			return err
		}
	}
	if err := to.Add(export.Piece{Validation: v}); err != nil {
		return err
	}
	return pourHistories(ctx, c, map[string]bool{to.node: true}, to)
}

// resultIn a run of a node; nil where there is none.
func resultIn(ctx context.Context, c client.Client, run *v1alpha1.ValidationRun, node string) (*v1alpha1.ValidationResult, error) {
	r := &v1alpha1.ValidationResult{}
	name := v1alpha1.ResultName(run, node)
	err := c.Get(ctx, client.ObjectKey{Name: name}, r)
	switch {
	case apierrors.IsNotFound(err), err == nil && r.Run.UID != run.UID:
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("reading ValidationResult %s: %w", name, err)
	}
	return r, nil
}

// AddOthers adds to a run what failed on its other nodes, as far as its table lists those: it has the worst ones.
func AddOthers(ctx context.Context, c client.Client, node string, run *export.Run) error {
	to := ofNode{node: node, others: true, Collected: export.Collected{Runs: []export.Run{{}}}}
	for row := range list.Each(run.Run.Status.Nodes) {
		if row.Name == node || row.Verdict == v1alpha1.VerdictPass {
			continue
		}
		r, err := resultIn(ctx, c, run.Run, row.Name)
		if err == nil && r != nil {
			err = to.Add(export.Piece{Result: r})
		}
		if err != nil {
			return err
		}
	}
	run.Results = append(run.Results, to.Runs[0].Results...)
	return nil
}
