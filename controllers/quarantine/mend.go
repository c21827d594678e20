package quarantine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/uuid"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/operate/recentwrites"
	"github.com/assay-dev/assay/internal/operate/taint"
)

// strayFor is how long a node's mark, or its condition, may differ from its record before that is looked into: both are being written, or the cache has
// seen one of them only.
const strayFor = 10 * time.Second

// Mending looks after nodes whose mark names a quarantine that is not theirs any more, as a leader wrote it, or was to remove it, and
// stopped; after those whose taint lost its mark, or was written before there were marks; and after those that say the opposite of their record. It sees
// them when the operator starts and when a node or its record changes, whether or not any run is active.
func (k *Keeper) Mending() controllers.Controller {
	return controllers.Controller{Name: "quarantine", Reconciler: reconcile.Func(k.mendStray), Concurrency: 1, Watches: []controllers.Watch{
		{Object: &corev1.Node{}, Handler: k.strays()},
		{Object: &v1alpha1.NodeValidation{}, Handler: k.strays()},
	}}
}

// strays wakes mendStray, a moment later, for nodes that have a mark, or the taint of their quarantine, or owe a word: few do for long.
func (k *Keeper) strays() handler.EventHandler {
	return controllers.OnChange(k.Recent, func(ctx context.Context, before, now client.Object, q controllers.Queue) {
		if before != nil && now != nil && boundBy(before) == boundBy(now) {
			return
		}
		node, key := &corev1.Node{}, client.ObjectKey{Name: cmp.Or(now, before).GetName()}
		if k.Get(ctx, key, node, controllers.Shared) != nil {
			return
		}
		record := &v1alpha1.NodeValidation{}
		if taint.MarkOn(node) != "" || k.Get(ctx, key, record, controllers.Shared) == nil && astray(node, record) {
			q.AddAfter(reconcile.Request{NamespacedName: key}, strayFor)
		}
	})
}

// astray: the node's taint, or its condition, is not what its record says.
func astray(node *corev1.Node, record *v1alpha1.NodeValidation) bool {
	_, owes := taint.Owed(taint.Current{Node: node, Validation: record})
	return owes || taint.IsStray(node, quarantineOf(record))
}

// boundBy is what a node, or a record, says of taint, quarantine and verdict.
func boundBy(o client.Object) string {
	switch o := o.(type) {
	case *corev1.Node:
		text := taint.MarkOn(o) + taint.Said(o)
		for i := range o.Spec.Taints {
			text += " " + o.Spec.Taints[i].ToString()
		}
		return text
	case *v1alpha1.NodeValidation:
		return taint.MarkOf(o.Quarantine) + string(taint.Recorded(o))
	}
	return ""
}

// mendStray mends one node, if the cache shows that it needs to be.
func (k *Keeper) mendStray(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	node := &corev1.Node{}
	if err := k.Get(ctx, req.NamespacedName, node, controllers.Shared); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	record, err := k.Validation(ctx, req.Name)
	if err != nil || !astray(recentwrites.Fresh(k.Recent, node), record) {
		return reconcile.Result{}, err
	}
	_, err = k.mend(ctx, req.Name)
	return reconcile.Result{}, errors.Join(err, k.owe(ctx, req.Name))
}

// mend a node whose mark names a quarantine that is gone: where its record has another one that wants just this taint, that is named instead, as
// it is where the mark is missing; otherwise the taint goes, if a run may have put it there. Ids are never used twice, so what is a stray once is
// one for ever. It returns the node as it is then; nil: it is gone.
func (k *Keeper) mend(ctx context.Context, name string) (*corev1.Node, error) {
	node, record, err := k.readLive(ctx, name)
	if err != nil || node == nil {
		return nil, err
	}
	q := quarantineOf(record)
	if record != nil && !ownedBy(record.ObjectMeta, node) {
		q = nil
	}
	if !taint.IsStray(node, q) {
		return node, nil
	}
	next, err := k.mended(ctx, node, record, q)
	if err != nil {
		return node, err
	}
	if err := k.patchNode(ctx, node, next); apierrors.IsNotFound(err) {
		return nil, nil
	} else if err != nil {
		return node, fmt.Errorf("mending the taint of node %s: %w", name, err)
	}
	switch {
	case taint.Marked(node) && !taint.Marked(next):
		k.Recorder.Eventf(next, nil, corev1.EventTypeNormal, v1alpha1.ReasonTaintRemoved, "Untaint", "%s", strayLifted)
		k.Metrics.TaintRemoved()
		k.Webhook.TaintRemoved(next, taint.MarkOn(node), nil, strayLifted)
	case taint.MarkOn(node) == "":
		k.Recorder.Eventf(next, nil, corev1.EventTypeNormal, v1alpha1.ReasonTaintAdopted, "Taint", taintAdopted, q.Run.Name)
	}
	return next, nil
}

// mended is a stray node as it is to be.
func (k *Keeper) mended(ctx context.Context, node *corev1.Node, record *v1alpha1.NodeValidation, q *v1alpha1.Quarantine) (*corev1.Node, error) {
	node, err := k.disowned(ctx, node)
	if err != nil {
		return nil, err
	}
	state := taint.Absent
	if q != nil {
		state = taint.StateOf(node, taint.Of(q), q)
	}
	switch {
	case state == taint.Stray:
		node, _ = taint.Bind(node, q)
	case state == taint.Unmarked:
		if q.ID == "" {
			if err := k.identify(ctx, record); err != nil {
				return nil, err
			}
		}
		node = taint.Adopt(node, q)
	default:
		node, _ = taint.Free(node, taint.MarkOn(node))
	}
	return node, nil
}

// identify a quarantine of before there were marks.
func (k *Keeper) identify(ctx context.Context, record *v1alpha1.NodeValidation) error {
	if record.NodeHistory == nil {
		known, err := k.move(ctx, record.Name)
		if err != nil || quarantineOf(known.Validation) == nil {
			return err
		}
		*record = *known.Validation
	}
	record.Quarantine.ID = uuid.NewUUID()
	next := taint.Labelled(record, record.Name)
	if err := k.Update(ctx, next, controllers.FieldOwner); err != nil {
		return fmt.Errorf("identifying the quarantine of node %s: %w", record.Name, err)
	}
	k.Recent.Wrote(next)
	return nil
}
