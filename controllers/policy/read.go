package policy

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/judge/peak"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/operate/policy"
	"github.com/assay-dev/assay/internal/operate/recentwrites"
)

// runsPage bounds what one answer of the API server holds: a run may have 400 KB and more.
const runsPage = 50

// read is all reading of a pass, from the cache. Runs that this process made and the cache has still to see are among them.
func (r *Reconciler) read(ctx context.Context, p *v1alpha1.ValidationPolicy) (*pass, error) {
	w := &pass{Reconciler: r, policy: p, now: r.Clock.Now(), memory: r.memoryOf(p)}
	maps.DeleteFunc(w.memory.looks, func(_ types.UID, l policy.Look) bool { return w.now.Sub(l.At) > keepLook }) // their nodes may be gone
	var err error
	if w.snapshot, err = w.readCatalogue(ctx, r, controllers.Shared); err != nil {
		return nil, err
	}
	w.snapshot.GateAllowed, w.snapshot.First, w.snapshot.Memory = r.gateAllowed, w.memory.seen == nil, &w.memory.judged
	if err := w.readRuns(ctx); err != nil {
		return nil, err
	}
	return w, w.readNodes(ctx)
}

// gateAllowed: the administrator lets Assay open gates with this key.
func (r *Reconciler) gateAllowed(key string) bool {
	return strings.HasPrefix(key, "assay.dev/") || slices.Contains(r.GateKeys, key)
}

// readCatalogue finds all policies, the benchmarks that this one asks for, or what keeps them from being found, and what is said of fabrics: runs say
// which profiles cannot be read.
func (w *pass) readCatalogue(ctx context.Context, from client.Reader, options ...client.ListOption) (found policy.Snapshot, err error) {
	var policies v1alpha1.ValidationPolicyList
	if err := from.List(ctx, &policies, options...); err != nil {
		return found, fmt.Errorf("listing policies: %w", err)
	}
	var benchmarks v1alpha1.BenchmarkList
	if err := from.List(ctx, &benchmarks, options...); err != nil {
		return found, fmt.Errorf("listing Benchmarks: %w", err)
	}
	var profiles v1alpha1.HardwareProfileList
	if err := from.List(ctx, &profiles, options...); err != nil {
		return found, fmt.Errorf("listing HardwareProfiles: %w", err)
	}
	found.Policy, found.Policies = w.policy, slices.Collect(list.Each(policies.Items))
	found.Benchmarks, found.Unresolved = policy.Resolve(&w.policy.Spec, benchmarks.Items)
	found.Profiles, _ = peak.ReadProfiles(profiles.Items)
	return found, nil
}

func (w *pass) readRuns(ctx context.Context) error {
	var runs v1alpha1.ValidationRunList
	if err := w.List(ctx, &runs, controllers.Shared); err != nil {
		return fmt.Errorf("listing runs: %w", err)
	}
	seen := map[string]bool{}
	for cached := range list.Each(runs.Items) {
		run := recentwrites.Fresh(w.recent, cached)
		seen[run.Name] = true
		if !w.recent.IsRemoved(run.UID) {
			w.snapshot.Runs = append(w.snapshot.Runs, run)
		}
	}
	w.snapshot.Runs = append(w.snapshot.Runs, recentwrites.Unseen(w.recent, func(run *v1alpha1.ValidationRun) bool { return seen[run.Name] })...)
	return nil
}

// liveRuns are the runs that may have a say in whether these gates open, past the cache.
func (w *pass) liveRuns(ctx context.Context, gates []policy.Opening) (runs []*v1alpha1.ValidationRun, err error) {
	err = controllers.EachPage(ctx, w.Live, &v1alpha1.ValidationRunList{}, func(page *v1alpha1.ValidationRunList) {
		for run := range list.Each(page.Items) {
			if !run.Finished() || slices.ContainsFunc(gates, func(o policy.Opening) bool { return o.ForbiddenBy(run) }) {
				runs = append(runs, new(*run))
			}
		}
	}, client.Limit(runsPage))
	if err != nil {
		return nil, fmt.Errorf("listing runs: %w", err)
	}
	return runs, nil
}

// readNodes reads the nodes, and what is known of them.
func (w *pass) readNodes(ctx context.Context) error {
	known, err := w.validations(ctx)
	if err != nil {
		return err
	}
	nodes, err := w.allNodes(ctx)
	if err != nil {
		return err
	}
	for i, n := range nodes {
		nodes[i] = recentwrites.Fresh(w.recent, n)
	}
	if nodes, err = w.Devices.Show(ctx, nodes); err != nil {
		return err
	}
	devices := w.devices()
	w.snapshot.Nodes = make([]policy.Node, len(nodes))
	for i, n := range nodes {
		look := w.memory.looks[n.UID]
		if len(devices) == 0 { // nobody can hold what no benchmark uses
			look = policy.Look{At: w.now}
		}
		w.snapshot.Nodes[i] = policy.Node{Object: n, Validation: known(n.Name), Look: look, Seen: w.memory.seen[n.UID]}
	}
	return nil
}
