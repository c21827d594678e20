package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/apimachinery/pkg/util/wait"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/assay-dev/assay/api/earlier"
	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/operate/nodevalidation"
	"github.com/assay-dev/assay/internal/operate/recentwrites"
	"github.com/assay-dev/assay/internal/operate/taint"
)

// strayFor is how long a node's mark, or its condition, may differ from its record before that is looked into: both are being written, or the cache has
// seen one of them only.
const strayFor = 10 * time.Second

// mending looks after nodes whose mark names a quarantine that is not theirs any more, as a leader wrote it, or was to remove it, and
// stopped; after those whose taint lost its mark, or was written before there were marks; and after those that say the opposite of their record. It sees
// them when the operator starts and when a node or its record changes, whether or not any run is active.
func (r *Reconciler) mending() controllers.Controller {
	return controllers.Controller{Name: "quarantine", Reconciler: reconcile.Func(r.mendStray), Concurrency: 1, Watches: []controllers.Watch{
		{Object: &corev1.Node{}, Handler: r.strays()},
		{Object: &v1alpha1.NodeValidation{}, Handler: r.strays()},
	}}
}

// strays wakes mendStray, a moment later, for nodes that have a mark, or the taint of their quarantine, or owe a word: few do for long.
func (r *Reconciler) strays() handler.EventHandler {
	return controllers.OnChange(r.recent, func(ctx context.Context, before, now client.Object, q controllers.Queue) {
		if before != nil && now != nil && boundBy(before) == boundBy(now) {
			return
		}
		node, key := &corev1.Node{}, client.ObjectKey{Name: cmp.Or(now, before).GetName()}
		if r.Get(ctx, key, node, controllers.Shared) != nil {
			return
		}
		record := &v1alpha1.NodeValidation{}
		if taint.MarkOn(node) != "" || r.Get(ctx, key, record, controllers.Shared) == nil && astray(node, record) {
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
func (r *Reconciler) mendStray(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	node := &corev1.Node{}
	if err := r.Get(ctx, req.NamespacedName, node, controllers.Shared); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	record, err := r.nodeValidation(ctx, req.Name)
	if err != nil || !astray(recentwrites.Fresh(r.recent, node), record) {
		return reconcile.Result{}, err
	}
	_, err = r.mend(ctx, req.Name)
	return reconcile.Result{}, errors.Join(err, r.owe(ctx, req.Name))
}

// mend a node whose mark names a quarantine that is gone: where its record has another one that wants just this taint, that is named instead, as
// it is where the mark is missing; otherwise the taint goes, if a run may have put it there. Ids are never used twice, so what is a stray once is
// one for ever. It returns the node as it is then; nil: it is gone.
func (r *Reconciler) mend(ctx context.Context, name string) (*corev1.Node, error) {
	node, record, err := r.readLive(ctx, name)
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
	next, err := r.mended(ctx, node, record, q)
	if err != nil {
		return node, err
	}
	if err := r.patchNode(ctx, node, next); apierrors.IsNotFound(err) {
		return nil, nil
	} else if err != nil {
		return node, fmt.Errorf("mending the taint of node %s: %w", name, err)
	}
	switch {
	case taint.Marked(node) && !taint.Marked(next):
		r.Recorder.Eventf(next, nil, corev1.EventTypeNormal, v1alpha1.ReasonTaintRemoved, "Untaint", "%s", strayLifted)
		r.Metrics.TaintRemoved()
		r.Webhook.TaintRemoved(next, taint.MarkOn(node), nil, strayLifted)
	case taint.MarkOn(node) == "":
		r.Recorder.Eventf(next, nil, corev1.EventTypeNormal, v1alpha1.ReasonTaintAdopted, "Taint", taintAdopted, q.Run.Name)
	}
	return next, nil
}

// mended is a stray node as it is to be.
func (r *Reconciler) mended(ctx context.Context, node *corev1.Node, record *v1alpha1.NodeValidation, q *v1alpha1.Quarantine) (*corev1.Node, error) {
	node, err := r.disowned(ctx, node)
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
			if err := r.identify(ctx, record); err != nil {
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
func (r *Reconciler) identify(ctx context.Context, record *v1alpha1.NodeValidation) error {
	if record.NodeHistory == nil {
		known, err := r.move(ctx, record.Name)
		if err != nil || quarantineOf(known.Validation) == nil {
			return err
		}
		*record = *known.Validation
	}
	record.Quarantine.ID = uuid.NewUUID()
	next := taint.Labelled(record, record.Name)
	if err := r.Update(ctx, next, client.FieldOwner(fieldOwner)); err != nil {
		return fmt.Errorf("identifying the quarantine of node %s: %w", record.Name, err)
	}
	r.recent.Wrote(next)
	return nil
}

func quarantineOf(record *v1alpha1.NodeValidation) *v1alpha1.Quarantine {
	if record == nil {
		return nil
	}
	return record.Quarantine
}

// moveAgain is the time between two tries to move the histories that are still in NodeValidations.
const moveAgain = 2 * time.Second

// moveAll moves the histories that versions before NodeHistory kept in NodeValidations, once, when this process begins to lead. Runs wait for it:
// what all nodes reached is what theirs are compared with.
func (r *Reconciler) moveAll(ctx context.Context) error {
	_ = wait.PollUntilContextCancel(ctx, moveAgain, true, func(ctx context.Context) (moved bool, _ error) {
		left, err := r.moveSome(ctx)
		if moved = err == nil && left == 0; moved {
			r.moving.Store(false)
		} else {
			ctrl.LoggerFrom(ctx).Info(fmt.Sprintf(historiesToMove, left), "error", err)
		}
		return moved, nil
	})
	return nil
}

// moveSome moves what the cache shows, and says how many could not be moved, or whether nothing could be read.
func (r *Reconciler) moveSome(ctx context.Context) (left int, err error) {
	records, err := r.records(ctx)
	if err != nil {
		return 0, err
	}
	unmoved := list.Those(records, func(v *v1alpha1.NodeValidation) bool { return v.NodeHistory == nil })
	err = controllers.Each(unmoved, func(v *v1alpha1.NodeValidation) error {
		_, err := r.move(ctx, v.Name)
		return err
	})
	if err != nil {
		left = len(unmoved)
	}
	return left, err
}

// move the history of one node out of its NodeValidation, as that is stored at this moment, and return both. The NodeHistory goes first, so that
// nothing is lost where the process stops in between. Whoever moves it again comes to the same.
func (r *Reconciler) move(ctx context.Context, name string) (nodevalidation.Known, error) {
	data, err := r.raw(ctx, "NodeValidation", name)
	if err != nil {
		return nodevalidation.Known{}, client.IgnoreNotFound(err)
	}
	read, moved, err := earlier.Read(data)
	if err != nil {
		return nodevalidation.Known{}, fmt.Errorf("NodeValidation %s: %w", name, err)
	}
	stored, err := r.readHistory(ctx, name)
	if err != nil || read.NodeHistory != nil {
		return nodevalidation.Known{Validation: &read, History: stored}, err
	}
	k := nodevalidation.Moved(&read, moved, stored)
	v := k.Validation
	switch {
	case len(k.History.Benchmarks) == 0:
		k.History = stored
	default:
		err = r.putHistory(ctx, stored, k.History)
	}
	if isRefused(err) {
		v, k.History, err = nodevalidation.Unstored(v), stored, nil
	}
	if err != nil {
		return nodevalidation.Known{}, fmt.Errorf("storing NodeHistory %s: %w", name, err)
	}
	k.Validation = taint.Labelled(referring(v, k.History), name)
	if err := r.Update(ctx, k.Validation, client.FieldOwner(fieldOwner)); err != nil {
		return nodevalidation.Known{}, fmt.Errorf("moving the history of NodeValidation %s: %w", name, err)
	}
	r.recent.Wrote(k.Validation)
	return k, nil
}
