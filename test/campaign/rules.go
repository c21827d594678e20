package campaign

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/test/campaign/cases"
	"github.com/assay-dev/assay/test/campaign/cluster"
	"github.com/assay-dev/assay/test/campaign/kube"
	"github.com/assay-dev/assay/test/campaign/oracle"
)

// onRule of Assay something happens: to one for a device of a node, or, where it has none, to any, as soon as there is one.
func (w *world) onRule(h cases.Happening, do func(*resourcev1.DeviceTaintRule)) {
	all := w.oracle.RulesOf(h.Name)
	if len(all) == 0 {
		all = list.Where(kube.All[*resourcev1.DeviceTaintRule](w.API), oracle.IsOurs)
	}
	switch {
	case len(all) > 0:
		do(all[h.Number%len(all)])
	case !w.Healed:
		w.After(20*time.Second, func() { w.onRule(h, do) })
	}
}

func (w *world) editRule(r *resourcev1.DeviceTaintRule, how string) {
	next := r.DeepCopy()
	switch how {
	case cases.EditsDevice:
		next.Spec.DeviceSelector.Device = new("gpu-0")
	case cases.EditsTaint:
		next.Spec.Taint.Effect = resourcev1.DeviceTaintEffectNone
	case cases.EditsLabel:
		delete(next.Labels, v1alpha1.LabelManagedBy)
	case cases.EditsNotes:
		next.Annotations = nil
	case cases.EditsTheirs:
		metav1.SetMetaDataLabel(&next.ObjectMeta, "site/team", "x")
		metav1.SetMetaDataAnnotation(&next.ObjectMeta, "site/note", "mine") // somebody may have taken all away before
	}
	_, _ = w.API.Update("person", next, false)
}

// makeRule of somebody else, for a device of a node.
func (w *world) makeRule(h cases.Happening) {
	devices := w.Published(h.Name)
	if len(devices) == 0 {
		return
	}
	at := devices[h.Number%len(devices)]
	r := &resourcev1.DeviceTaintRule{}
	r.Name = fmt.Sprintf("theirs-%s-%d", h.Name, int(h.At.Seconds()))
	r.Spec = resourcev1.DeviceTaintRuleSpec{DeviceSelector: &resourcev1.DeviceTaintSelector{Driver: &at.Driver, Pool: &at.Pool, Device: &at.Place.Device},
		Taint: resourcev1.DeviceTaint{Key: v1alpha1.DefaultTaintKey, Value: "theirs", Effect: resourcev1.DeviceTaintEffectNoSchedule}}
	_, _ = w.API.Create("person", r)
}

// forgeDevices of a mark.
func (w *world) forgeDevices(m *cluster.Machine, number int) {
	w.oracle.Touched(m.Name)
	w.Edit("person", m.Name, func(n *corev1.Node) {
		n.Annotations[v1alpha1.AnnotationQuarantine] = fmt.Sprintf(`{"id":"forged","key":%q,"value":"failed","effect":"NoSchedule","devices":[%q]}`,
			v1alpha1.DefaultTaintKey, m.UUID(number%max(m.Full, 1)))
	})
}
