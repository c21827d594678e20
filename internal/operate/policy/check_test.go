package policy

import (
	"iter"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// check holds a plan to what must always hold.
func (w *world) check(p *worldPolicy, plan Plan) {
	w.t.Helper()
	taken := map[string]string{}
	active := 0
	for _, r := range w.runs {
		if r.Finished() {
			continue
		}
		if r.Labels[v1alpha1.LabelPolicy] == p.Name {
			active++
		}
		if !r.Spec.Suspend {
			for _, n := range r.Spec.NodeNames {
				taken[n] = r.Name
			}
		}
	}
	for _, r := range plan.Create {
		active++
		if len(r.Spec.NodeNames) > maxNodes || len(r.Name) > longestName || !strings.HasPrefix(r.Name, p.Name) {
			w.t.Errorf("%s: run %s over %d nodes is out of bounds", w.now, r.Name, len(r.Spec.NodeNames))
		}
		for _, n := range r.Spec.NodeNames {
			if taken[n] != "" {
				w.t.Errorf("%s: node %s is put into run %s, and is in run %s already", w.now, n, r.Name, taken[n])
			}
			taken[n] = r.Name
		}
		if slices.ContainsFunc(w.runs, func(o *worldRun) bool { return o.Name == r.Name }) {
			w.t.Errorf("%s: run %s is there already", w.now, r.Name)
		}
	}
	if len(plan.Create) > 0 && active > maxActive+moreForGated {
		w.t.Errorf("%s: %d runs are active", w.now, active)
	}
	if len(plan.Look) > MaxLooks || len(plan.Status.Attention) > maxAttention {
		w.t.Errorf("%s: %d looks, %d rows", w.now, len(plan.Look), len(plan.Status.Attention))
	}
	if !plan.Again.IsZero() && plan.Again.Before(w.now.Add(time.Second)) {
		w.t.Errorf("%s: the next pass is to come at %s", w.now, plan.Again)
	}
	if c := plan.Status.Nodes; c != nil && c.Valid+c.Due+c.Failed+c.Unmeasurable != c.Selected {
		w.t.Errorf("%s: the states of the nodes do not add up: %+v", w.now, *c)
	}
	w.checkGates(p, plan)
	if p.Spec.Suspend && len(plan.Create)+len(plan.Open) > 0 {
		w.t.Errorf("%s: policy %s is suspended, and creates %d runs and opens %d gates", w.now, p.Name, len(plan.Create), len(plan.Open))
	}
	forgetful := w.unchanged(p)
	forgetful.Memory = nil
	if again := Next(forgetful, w.now); !reflect.DeepEqual(again, plan) {
		w.t.Errorf("%s: the same snapshot gives another plan without memory (-with +without):\n%s", w.now, cmp.Diff(plan, again))
	}
}

func mapsKeys[V any](m map[string]V) iter.Seq[string] { return maps.Keys(m) }

func newQuantity(n int64) *resource.Quantity { return resource.NewQuantity(n, resource.DecimalSI) }

// listed is a readable list of names.
func listed(all []string) string {
	if len(all) <= 8 {
		return strings.Join(all, " ")
	}
	return strings.Join(all[:3], " ") + " ... " + all[len(all)-1] + " (" + quantityOf(len(all)) + ")"
}
