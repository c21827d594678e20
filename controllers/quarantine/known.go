package quarantine

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/operate/recentwrites"
	"github.com/assay-dev/assay/internal/operate/taint"
)

// Records in the cache of nodes that match. Nobody may change them.
func (k *Keeper) Records(ctx context.Context, match ...client.ListOption) ([]v1alpha1.NodeValidation, error) {
	var found v1alpha1.NodeValidationList
	if err := k.List(ctx, &found, append(match, controllers.Shared)...); err != nil {
		return nil, fmt.Errorf("listing NodeValidations: %w", err)
	}
	return found.Items, nil
}

// ListQuarantined returns the NodeValidations in the cache of nodes that are to carry the taint, by name.
func (k *Keeper) ListQuarantined(ctx context.Context) (map[string]*v1alpha1.NodeValidation, error) {
	found, err := k.Records(ctx, client.MatchingLabels{v1alpha1.LabelQuarantined: "true"})
	if err != nil {
		return nil, err
	}
	quarantined := make(map[string]*v1alpha1.NodeValidation, len(found))
	for v := range list.Each(found) {
		quarantined[v.Name] = v
	}
	return quarantined, nil
}

// Validation returns what holds of a node, at least as new as the cache; nil where there is nothing. It is shared by all passes: nobody
// may change it.
func (k *Keeper) Validation(ctx context.Context, name string) (*v1alpha1.NodeValidation, error) {
	cached := &v1alpha1.NodeValidation{}
	err := k.Get(ctx, client.ObjectKey{Name: name}, cached, controllers.Shared)
	if apierrors.IsNotFound(err) {
		cached.Name = name
		written, _ := recentwrites.Awaited(k.Recent, cached)
		return written, nil
	}
	if err != nil {
		return nil, fmt.Errorf("getting NodeValidation %s: %w", name, err)
	}
	return recentwrites.Fresh(k.Recent, cached), nil
}

// History reads the history of a node, past the cache; nil where there is none. It has to be read after the NodeValidation that it goes
// with: whoever writes both writes the history first.
func (k *Keeper) History(ctx context.Context, name string) (*v1alpha1.NodeHistory, error) {
	h := &v1alpha1.NodeHistory{}
	err := k.Live.Get(ctx, client.ObjectKey{Name: name}, h)
	switch {
	case apierrors.IsNotFound(err) && !apierrors.HasStatusCause(err, metav1.CauseTypeUnexpectedServerResponse): // else the kind is gone, not the object
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("reading NodeHistory %s: %w", name, err)
	}
	h.SetManagedFields(nil)
	return h, nil
}

// Elsewhere is what other runs than this one convicted lately, by the metadata of the records of convicted nodes.
func (k *Keeper) Elsewhere(ctx context.Context, run types.UID, nodesNow []*corev1.Node, now time.Time, records []metav1.ObjectMeta) []taint.Alike {
	if len(records) == 0 {
		return nil
	}
	nodes := make(map[string]*corev1.Node, len(nodesNow))
	for _, n := range nodesNow {
		nodes[n.Name] = n
	}
	return taint.AlikeElsewhere(records, nodes, run, now, func(benchmark, instanceType string, since time.Time) map[string]bool {
		passed := map[string]bool{}
		all, _ := k.Records(ctx) // the cache has no error
		for v := range list.Each(all) {
			if n := nodes[v.Name]; n != nil && taint.InstanceType(n) == instanceType && taint.PassedSince(v, benchmark, since) {
				passed[v.Name] = true
			}
		}
		return passed
	})
}

func quarantineOf(record *v1alpha1.NodeValidation) *v1alpha1.Quarantine {
	if record == nil {
		return nil
	}
	return record.Quarantine
}

// ownedBy: the record is of this machine, and not of one that had its name before.
func ownedBy(record metav1.ObjectMeta, node *corev1.Node) bool {
	for _, o := range record.OwnerReferences {
		if o.Kind == "Node" {
			return o.UID == node.UID
		}
	}
	return true
}
