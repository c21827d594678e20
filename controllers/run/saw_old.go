package run

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/operate/assess"
	"github.com/assay-dev/assay/internal/operate/assess/collect"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
)

// assessLive assesses a pass, and looks past the cache at what no later pass makes good. A node that is not as it was seen when it missed devices
// waits for the next pass, and the others go on without it. behind says why a run must not begin by what was seen; nil: it may.
func (r *Reconciler) assessLive(ctx context.Context, p *pass) (out assess.Output, behind, err error) {
	for {
		if out, err = r.assess(ctx, p); err != nil {
			return out, nil, err
		}
		old, err := r.sawOld(ctx, p, &out)
		old = slices.DeleteFunc(old, func(name string) bool { return p.in.Changing[name] })
		switch {
		case err != nil || len(old) == 0:
			return out, nil, err
		case p.begins():
			return out, fmt.Errorf(notAsSeen, message.Nodes(old)), nil
		}
		changing := map[string]bool{}
		maps.Copy(changing, p.in.Changing)
		for _, name := range old {
			changing[name] = true
		}
		p.in.Changing = changing
	}
}

// begins: what the run measures is still to be settled, also where it was kept from its start when it was resumed.
func (p *pass) begins() bool { return !observe.Started(p.run) || !p.pin.stored }

// sawOld are the nodes that are not as they were seen, by which something was judged that no later pass makes good.
func (r *Reconciler) sawOld(ctx context.Context, p *pass, out *assess.Output) ([]string, error) {
	if observe.Started(p.run) {
		about := func(w assess.ResultWrite) string { return w.Result.Node.Name }
		old, err := those(out.Nodes, about, func(w assess.ResultWrite) (bool, error) { return r.missesOld(ctx, p, w) })
		if err != nil || len(old) > 0 || !p.begins() {
			return old, err
		}
	}
	if p.run.Spec.Suspend {
		return nil, nil
	}
	if unseen, err := r.missesSelected(ctx, p, out); err != nil || len(unseen) > 0 {
		return unseen, err
	}
	doubtful, err := r.doubtful(ctx, p, out.LeftOut())
	if err != nil {
		return nil, err
	}
	return those(doubtful, func(node string) string { return node }, func(node string) (bool, error) {
		same, err := r.asSeenLive(ctx, p, node)
		return !same, err
	})
}

var nodeList = corev1.SchemeGroupVersion.WithKind("NodeList")

// fewNodes are read live one by one. Of more, a list of their versions says which are to be.
const fewNodes = 50

// doubtful are those nodes that are not, by their versions, what was seen.
func (r *Reconciler) doubtful(ctx context.Context, p *pass, names []string) ([]string, error) {
	if len(names) <= fewNodes {
		return names, nil
	}
	versions := map[string]string{}
	if err := controllers.EachMetadata(ctx, r.Live, nodeList, func(live *metav1.PartialObjectMetadata) { versions[live.Name] = live.ResourceVersion }); err != nil {
		return nil, err
	}
	if current, err := r.Devices.Current(ctx); err != nil || !current {
		return names, err
	}
	cached, err := r.readNodes(ctx)
	if err != nil {
		return nil, err
	}
	now, seen := byName(cached), byName(p.in.Nodes)
	return list.Where(names, func(name string) bool {
		is, was := now[name], seen[name]
		if is == nil || was == nil {
			return is != was || versions[name] != ""
		}
		return is.ResourceVersion != versions[name] || controllers.NodeChanged(was, is)
	}), nil
}

func byName(nodes []*corev1.Node) map[string]*corev1.Node {
	named := make(map[string]*corev1.Node, len(nodes))
	for _, n := range nodes {
		named[n.Name] = n
	}
	return named
}

// those are the names of what something holds of. All are looked at in parallel.
func those[T any](all []T, name func(T) string, holds func(T) (bool, error)) (names []string, err error) {
	var mu sync.Mutex
	err = controllers.Each(all, func(one T) error {
		is, err := holds(one)
		if is && err == nil {
			mu.Lock()
			defer mu.Unlock()
			names = append(names, name(one))
		}
		return err
	})
	slices.Sort(names)
	return names, err
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
		if started, err := r.own.HasStarted(ctx, p.run, pod); err != nil || started {
			return true, err
		}
	}
	return false, nil
}

// missesSelected are nodes that have the labels which the run selects, and the cache has not seen that. Somebody labels a node and then creates the run, and the
// cache has the run first. Nodes that get them while the run waits are not waited for, or it might never start. Nor are those that the cache has as they are:
// they may have other labels as well, which only their DRA driver tells of.
func (r *Reconciler) missesSelected(ctx context.Context, p *pass, out *assess.Output) (names []string, err error) {
	selector, err := p.run.Spec.ByLabels()
	if err != nil {
		return nil, err
	}
	if _, some := selector.Requirements(); !some { // the API server would take none for all
		return nil, nil
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
	err = controllers.EachMetadata(ctx, r.Live, nodeList, func(live *metav1.PartialObjectMetadata) {
		if !known(live) && (before == nil || before[live.UID]) {
			names, unseen[live.UID] = append(names, live.Name), true
		}
	}, client.MatchingLabelsSelector{Selector: selector})
	if err != nil {
		return nil, err
	}
	if p.memory.unseen = unseen; len(unseen) == 0 {
		p.memory.unseen = nil
	}
	return names, nil
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
