package quarantine

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/uuid"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/operate/taint"
)

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
	tell := func() {}
	switch {
	case taint.Marked(node) && !taint.Marked(next):
		tell = func() {
			k.Recorder.Eventf(node, nil, corev1.EventTypeNormal, v1alpha1.ReasonTaintRemoved, "Untaint", "%s", strayLifted)
			k.Metrics.TaintRemoved()
			k.Webhook.TaintRemoved(node, taint.MarkOn(node), nil, strayLifted)
		}
	case taint.MarkOn(node) == "":
		tell = func() {
			k.Recorder.Eventf(node, nil, corev1.EventTypeNormal, v1alpha1.ReasonTaintAdopted, "Taint", taintAdopted, q.Run.Name)
		}
	}
	if err := k.patchNode(ctx, node, next, tell); apierrors.IsNotFound(err) {
		return nil, nil
	} else if err != nil {
		return node, fmt.Errorf("mending the taint of node %s: %w", name, err)
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
