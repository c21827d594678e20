package policy

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/judge/peak"
	"github.com/assay-dev/assay/internal/operate/policy"
	"github.com/assay-dev/assay/internal/operate/recentwrites"
)

// read is all reading of a pass, from the cache. Runs that this process made and the cache has still to see are among them.
func (r *Reconciler) read(ctx context.Context, p *v1alpha1.ValidationPolicy) (*pass, error) {
	w := &pass{Reconciler: r, policy: p, now: r.Clock.Now(), memory: r.memoryOf(p)}
	w.memory.forgetLooks(w.now)
	w.snapshot = policy.Snapshot{Policy: p, GateAllowed: r.gateAllowed, First: w.memory.seen == nil, Memory: &w.memory.judged}
	for _, read := range []func(context.Context) error{w.readBenchmarks, w.readProfiles, w.readPolicies, w.readRuns, w.readNodes} {
		if err := read(ctx); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// gateAllowed: the administrator lets Assay open gates with this key.
func (r *Reconciler) gateAllowed(key string) bool {
	return strings.HasPrefix(key, "assay.dev/") || slices.Contains(r.GateKeys, key)
}

// readBenchmarks finds what the policy asks for.
func (w *pass) readBenchmarks(ctx context.Context) error {
	var list v1alpha1.BenchmarkList
	if err := w.List(ctx, &list, controllers.Shared); err != nil {
		return fmt.Errorf("listing Benchmarks: %w", err)
	}
	w.snapshot.Benchmarks, w.snapshot.Unresolved = policy.Resolve(&w.policy.Spec, list.Items)
	return nil
}

// readProfiles finds what is said of fabrics. Runs say which profiles cannot be read.
func (w *pass) readProfiles(ctx context.Context) error {
	var list v1alpha1.HardwareProfileList
	if err := w.List(ctx, &list, controllers.Shared); err != nil {
		return fmt.Errorf("listing HardwareProfiles: %w", err)
	}
	w.snapshot.Profiles, _ = peak.ReadProfiles(list.Items)
	return nil
}

func (w *pass) readPolicies(ctx context.Context) error {
	var list v1alpha1.ValidationPolicyList
	if err := w.List(ctx, &list, controllers.Shared); err != nil {
		return fmt.Errorf("listing policies: %w", err)
	}
	for i := range list.Items {
		w.snapshot.Policies = append(w.snapshot.Policies, &list.Items[i])
	}
	return nil
}

func (w *pass) readRuns(ctx context.Context) error {
	var list v1alpha1.ValidationRunList
	if err := w.List(ctx, &list, controllers.Shared); err != nil {
		return fmt.Errorf("listing runs: %w", err)
	}
	seen := map[string]bool{}
	for i := range list.Items {
		run := recentwrites.Fresh(w.recent, &list.Items[i])
		seen[run.Name] = true
		if !w.recent.IsRemoved(run.UID) {
			w.snapshot.Runs = append(w.snapshot.Runs, run)
		}
	}
	all := func(*v1alpha1.ValidationRun) bool { return true }
	w.snapshot.Runs = append(w.snapshot.Runs, recentwrites.Unseen(w.recent, all, func(run *v1alpha1.ValidationRun) bool { return seen[run.Name] })...)
	return nil
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
