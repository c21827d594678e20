package run

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/recentwrites"
	"github.com/assay-dev/assay/internal/taint"
)

// announced is how long a quarantine that was just recorded counts although its node does not carry the taint yet: another leader may
// be about to write it. It is measured by the API server's clock alone.
const announced = 2 * time.Minute

// overBudget counts, past the cache, the nodes that carry Assay's taint, and says why one more must not: more than the run may taint
// of its nodes, or than the operator may of all. own: the record of this node is written already, and others that were announced
// lately count as well.
func (n *nodeWriter) overBudget(ctx context.Context, own bool) (string, error) {
	if may, why := taint.MayTaint(n.out.Breaker.Input, 0); !may {
		n.budgetSpent = message.NotTainted(why)
		return n.budgetSpent, nil
	}
	all, ofRun, err := n.countQuarantined(ctx, own)
	if err != nil {
		return "", err
	}
	nodes := len(n.in.Nodes)
	if may, why := taint.MayTaint(n.out.Breaker.Input, ofRun); !may {
		n.budgetSpent = message.NotTainted(why)
	} else if limit := n.Policy.Cap(nodes); all >= limit {
		n.budgetSpent = message.NotTainted(message.ClusterBudgetSpent(all, nodes, limit))
	}
	return n.budgetSpent, nil
}

// countQuarantined counts the other nodes that are quarantined, and those of them that are the run's.
func (n *nodeWriter) countQuarantined(ctx context.Context, own bool) (all, ofRun int, err error) {
	var records v1alpha1.NodeValidationList
	if err := n.Live.List(ctx, &records, client.MatchingLabels{v1alpha1.LabelQuarantined: "true"}); err != nil {
		return 0, 0, fmt.Errorf("counting the quarantined nodes: %w", err)
	}
	var now time.Time
	if own {
		now = lastWrite(n.current.Validation)
	}
	for i := range records.Items {
		record := &records.Items[i]
		if record.Name == n.name() {
			continue
		}
		counts, err := n.counts(ctx, record, own && now.Sub(lastWrite(record)) < announced)
		if err != nil {
			return 0, 0, err
		}
		if counts {
			all++
		}
		if counts && n.out.Has(record.Name) {
			ofRun++
		}
	}
	return all, ofRun, nil
}

// counts says whether the node of a record carries its taint, or is about to: it was recorded lately. A node that is gone carries none,
// and where a person has taken the taint away it does not count either.
func (r *Reconciler) counts(ctx context.Context, record *v1alpha1.NodeValidation, lately bool) (bool, error) {
	key, node := client.ObjectKey{Name: record.Name}, &corev1.Node{}
	if err := r.Get(ctx, key, node, controllers.Shared); err == nil && taint.Carries(recentwrites.Fresh(r.recent, node).Spec.Taints, record.Quarantine) {
		return true, nil // what the cache has not seen go yet counts a moment too long
	}
	node = &corev1.Node{} // the cache may not have seen the taint come yet
	if err := r.Live.Get(ctx, key, node); err != nil {
		return false, client.IgnoreNotFound(err)
	}
	same := node.UID == record.Fingerprint.NodeUID
	return same && (lately || taint.Carries(node.Spec.Taints, record.Quarantine)), nil
}

// lastWrite of an object, by the API server's clock.
func lastWrite(o client.Object) time.Time {
	last := o.GetCreationTimestamp().Time
	for _, f := range o.GetManagedFields() {
		if f.Time != nil && f.Time.After(last) {
			last = f.Time.Time
		}
	}
	return last
}
