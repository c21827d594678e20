package policy

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/judge/peak"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/operate/policy"
	"github.com/assay-dev/assay/internal/operate/recentwrites"
)

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

// objects of the cache of which each pass reads all. The zero value: the client lists them.
type objects struct {
	nodes       controllers.Objects[*corev1.Node]
	validations controllers.Objects[*v1alpha1.NodeValidation]
}

func newObjects(mgr ctrl.Manager) (o objects, err error) {
	ctx := context.Background() // nothing waits
	if o.nodes, err = controllers.Cached(ctx, mgr.GetCache(), &corev1.Node{}); err != nil {
		return o, err
	}
	o.validations, err = controllers.Cached(ctx, mgr.GetCache(), &v1alpha1.NodeValidation{})
	return o, err
}

// allNodes of the cluster. Nobody may change them.
func (r *Reconciler) allNodes(ctx context.Context) ([]*corev1.Node, error) {
	if r.cached.nodes.Known() {
		return r.cached.nodes.List(), nil
	}
	var nodes corev1.NodeList
	if err := r.List(ctx, &nodes, controllers.Shared); err != nil {
		return nil, fmt.Errorf("listing nodes: %w", err)
	}
	return slices.Collect(list.Each(nodes.Items)), nil
}

// validations finds what is known of a node by its name; nil: nothing. Nobody may change it.
func (r *Reconciler) validations(ctx context.Context) (func(name string) *v1alpha1.NodeValidation, error) {
	if r.cached.validations.Known() {
		return r.cached.validations.Named, nil
	}
	var validations v1alpha1.NodeValidationList
	if err := r.List(ctx, &validations, controllers.Shared); err != nil {
		return nil, fmt.Errorf("listing NodeValidations: %w", err)
	}
	known := make(map[string]*v1alpha1.NodeValidation, len(validations.Items))
	for v := range list.Each(validations.Items) {
		known[v.Name] = v
	}
	return func(name string) *v1alpha1.NodeValidation { return known[name] }, nil
}
