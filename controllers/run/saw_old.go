package run

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/operate/assess"
	"github.com/assay-dev/assay/internal/operate/assess/collect"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
)

// sawOld looks past the cache at what no later pass makes good: if that is not as it was seen, nothing is written by what was judged.
func (r *Reconciler) sawOld(ctx context.Context, p *pass, out *assess.Output) (bool, error) {
	if observe.Started(p.run) {
		old, err := some(out.Nodes, func(w assess.ResultWrite) (bool, error) { return r.missesOld(ctx, p, w) })
		if err != nil || old || p.pin.stored { // or else it was kept from its start when it was resumed
			return old, err
		}
	}
	if p.run.Spec.Suspend {
		return false, nil
	}
	if missing, err := r.missesSelected(ctx, p, out); err != nil || missing {
		return missing, err
	}
	return some(out.LeftOut(), func(node string) (bool, error) {
		same, err := r.asSeenLive(ctx, p, node)
		return err == nil && !same, err
	})
}

// some says whether something holds of one of these, which are looked at in parallel.
func some[T any](all []T, holds func(T) (bool, error)) (bool, error) {
	var found atomic.Bool
	err := controllers.Each(all, func(one T) error {
		is, err := holds(one)
		if is {
			found.Store(true)
		}
		return err
	})
	return found.Load(), err
}

// missesOld looks at a node of which a new attempt says that devices are missing. No pod vouches for such an attempt, and a leader that was stalled may
// have seen the node minutes ago; or another leader has started a pod for the attempt. Others are judged by it, too.
func (r *Reconciler) missesOld(ctx context.Context, p *pass, w assess.ResultWrite) (bool, error) {
	for i := range p.in.Tasks {
		name := p.in.Tasks[i].Name()
		made := collect.MissedDevices(attemptsOf(w.Result, name))
		if made == nil || len(attemptsOf(w.Stored, name)) >= int(made.Number) {
			continue
		}
		if same, err := r.asSeenLive(ctx, p, w.Result.Node.Name); err != nil || !same {
			return true, err
		}
		pod := workload.PodName(p.run.UID, w.Result.Node.UID, name, made.Number)
		if started, err := r.hasStarted(ctx, p.run, pod); err != nil || started {
			return true, err
		}
	}
	return false, nil
}

// nodesPage bounds one answer of the API server.
const nodesPage = 500

// missesSelected: a node has the labels that the run selects, and the cache has not seen that. Somebody labels a node and then creates the run, and the
// cache has the run first. Nodes that get them while the run waits are not waited for, or it might never start. Nor are those that the cache has as they are:
// they may have other labels as well, which only their DRA driver tells of.
func (r *Reconciler) missesSelected(ctx context.Context, p *pass, out *assess.Output) (bool, error) {
	selector, err := p.run.Spec.ByLabels()
	if err != nil {
		return false, err
	}
	if _, some := selector.Requirements(); !some { // the API server would take none for all
		return false, nil
	}
	seen := make(map[types.UID]*corev1.Node, len(p.in.Nodes))
	for _, n := range p.in.Nodes {
		seen[n.UID] = n
	}
	known := func(live *metav1.PartialObjectMetadata) bool {
		n := seen[live.UID]
		return n != nil && (out.Has(n.Name) || n.ResourceVersion == live.ResourceVersion)
	}
	before, unseen := p.memory.unseen, map[types.UID]bool{}
	nodes := &metav1.PartialObjectMetadataList{}
	nodes.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("NodeList"))
	err = controllers.EachPage(ctx, r.Live, nodes, func(page *metav1.PartialObjectMetadataList) {
		for live := range list.Each(page.Items) {
			if !known(live) && (before == nil || before[live.UID]) {
				unseen[live.UID] = true
			}
		}
	}, client.MatchingLabelsSelector{Selector: selector}, client.Limit(nodesPage))
	if err != nil {
		return false, fmt.Errorf("listing nodes: %w", err)
	}
	if p.memory.unseen = unseen; len(unseen) == 0 {
		p.memory.unseen = nil
	}
	return len(unseen) > 0, nil
}

// asSeenLive: a node has not changed since the cache saw it.
func (r *Reconciler) asSeenLive(ctx context.Context, p *pass, name string) (bool, error) {
	live := &corev1.Node{}
	seen := slices.IndexFunc(p.in.Nodes, func(n *corev1.Node) bool { return n.Name == name })
	switch err := r.Live.Get(ctx, client.ObjectKey{Name: name}, live); {
	case apierrors.IsNotFound(err):
		return seen < 0, nil
	case err != nil:
		return false, fmt.Errorf("getting node %s: %w", name, err)
	}
	shown, err := r.Devices.ShowLive(ctx, live)
	if err != nil {
		return false, err
	}
	return seen >= 0 && !controllers.NodeChanged(controllers.AsCached(p.in.Nodes[seen]), controllers.AsCached(shown)), nil
}

// hasStarted: there is a pod of this name that is the run's.
func (r *Reconciler) hasStarted(ctx context.Context, run *v1alpha1.ValidationRun, name string) (bool, error) {
	var pods corev1.PodList
	if err := r.Live.List(ctx, &pods, client.InNamespace(r.Settings.Namespace), named(name)); err != nil {
		return false, fmt.Errorf("looking for pod %s: %w", name, err)
	}
	return slices.ContainsFunc(pods.Items, func(p corev1.Pod) bool { return metav1.IsControlledBy(&p, run) }), nil
}
