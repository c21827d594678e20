package run

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/operate/taint"
)

// readElsewhere reads what other runs convicted lately, as the cache shows it. Whoever calls a node unfit asks once more by what is listed live.
func (r *Reconciler) readElsewhere(ctx context.Context, p *pass) error {
	var list v1alpha1.NodeValidationList
	if err := r.List(ctx, &list, controllers.Shared, client.MatchingLabels{v1alpha1.LabelConvicted: "true"}); err != nil {
		return fmt.Errorf("listing what convicts nodes: %w", err)
	}
	records := make([]metav1.ObjectMeta, len(list.Items))
	for i := range list.Items {
		records[i] = list.Items[i].ObjectMeta
	}
	p.in.Elsewhere = r.elsewhere(ctx, p, records)
	return nil
}

func (r *Reconciler) elsewhere(ctx context.Context, p *pass, records []metav1.ObjectMeta) []taint.Alike {
	if len(records) == 0 {
		return nil
	}
	nodes := make(map[string]*corev1.Node, len(p.in.Nodes))
	for _, n := range p.in.Nodes {
		nodes[n.Name] = n
	}
	return taint.AlikeElsewhere(records, nodes, p.run.UID, p.in.Now, func(benchmark, instanceType string, since time.Time) map[string]bool {
		passed := map[string]bool{}
		var all v1alpha1.NodeValidationList
		if r.List(ctx, &all, controllers.Shared) != nil { // the cache has no error
			return passed
		}
		for i := range all.Items {
			v := &all.Items[i]
			if n := nodes[v.Name]; n != nil && taint.InstanceType(n) == instanceType && taint.PassedSince(v, benchmark, since) {
				passed[v.Name] = true
			}
		}
		return passed
	})
}

// breaker is what the breaker looks at, by what is listed at this moment.
func (w *writer) breaker(ctx context.Context, b *budget) taint.BreakerInput {
	in := w.out.Breaker.Input
	in.Elsewhere = w.elsewhere(ctx, w.pass, slices.Collect(maps.Values(b.records)))
	return in
}
