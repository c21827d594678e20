package devicerules

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/operate/devicerule"
	"github.com/assay-dev/assay/internal/operate/taint"
)

// concurrency: nodes are independent of each other, and each write takes a few milliseconds.
const concurrency = 4

// Controller is woken for nodes with a mark, for what they publish, for nodes whose pools they publish, and for rules: for nothing else of a large cluster.
func (r *Reconciler) Controller() controllers.Controller {
	return controllers.Controller{Name: "devicerule", Reconciler: r, Concurrency: concurrency, Watches: []controllers.Watch{
		{Object: &corev1.Node{}, Handler: wakes(r.markedPublishers)},
		{Object: &resourcev1.ResourceSlice{}, Handler: wakes(r.markedPublishers)},
		{Object: &resourcev1.DeviceTaintRule{}, Handler: wakes(nodeOfRule)},
	}}
}

// wakes nodes by what an object says now, and by what it said before.
func wakes(nodes func(context.Context, client.Object) []string) handler.EventHandler {
	return controllers.OnChange(nil, func(ctx context.Context, before, now client.Object, q controllers.Queue) {
		if before != nil && now != nil && !changed(before, now) {
			return
		}
		for _, o := range []client.Object{before, now} {
			for _, name := range nodes(ctx, o) {
				q.Add(reconcile.Request{NamespacedName: client.ObjectKey{Name: name}})
			}
		}
	})
}

// changed says whether an update is worth a look: thousands of nodes send a heartbeat.
func changed(before, after client.Object) bool {
	was, isNode := before.(*corev1.Node)
	is, _ := after.(*corev1.Node)
	if isNode {
		return was.UID != is.UID || taint.MarkOn(was) != taint.MarkOn(is)
	}
	return before.GetResourceVersion() != after.GetResourceVersion()
}

// markedPublishers are the marked nodes among those that publish a pool of which there is news: of a slice, or of the node that the pool has the name of, whose it
// is then. The node is woken for itself, too.
func (r *Reconciler) markedPublishers(ctx context.Context, o client.Object) (names []string) {
	var publishers []*resourcev1.ResourceSlice // it is the cache that is asked, which has no error once it is there
	switch o := o.(type) {
	case *corev1.Node:
		if taint.MarkOn(o) != "" {
			names = append(names, o.Name)
		}
		publishers, _ = r.slices(ctx, slicesOfPool, o.Name)
	case *resourcev1.ResourceSlice:
		publishers, _ = r.slices(ctx, slicesOfPool, o.Spec.Pool.Name)
		publishers = append(publishers, o)
	}
	for _, s := range publishers {
		if s.Spec.NodeName == nil {
			continue
		}
		if node, err := r.get(ctx, r.Client, *s.Spec.NodeName); err == nil && node != nil && taint.MarkOn(node) != "" {
			names = append(names, node.Name)
		}
	}
	return names
}

func nodeOfRule(_ context.Context, o client.Object) []string {
	if rule, ok := o.(*resourcev1.DeviceTaintRule); ok && devicerule.Ours(rule) {
		return []string{rule.Annotations[v1alpha1.AnnotationNode]}
	}
	return nil
}

// Index of the cache: objects of a kind by a value that is no field which the API server knows.
type Index struct {
	Of     client.Object
	Field  string
	Values client.IndexerFunc
}

const (
	slicesOfNode = "node"
	slicesOfPool = "pool"
	rulesOfNode  = "node"
)

// Indexes that the cache is to have.
func Indexes() []Index {
	return []Index{
		{&resourcev1.ResourceSlice{}, slicesOfNode, func(o client.Object) []string {
			if s, ok := o.(*resourcev1.ResourceSlice); ok && s.Spec.NodeName != nil {
				return []string{*s.Spec.NodeName}
			}
			return nil
		}},
		{&resourcev1.ResourceSlice{}, slicesOfPool, func(o client.Object) []string {
			if s, ok := o.(*resourcev1.ResourceSlice); ok {
				return []string{s.Spec.Pool.Name}
			}
			return nil
		}},
		{&resourcev1.DeviceTaintRule{}, rulesOfNode, func(o client.Object) []string { return nodeOfRule(context.Background(), o) }},
	}
}
