// Package devicerule says which DeviceTaintRules a node is to have: one for each device that its mark says is out of service, where that device is at
// this moment. It decides nothing else.
package devicerule

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/measure/dra"
	"github.com/assay-dev/assay/internal/operate/taint"
)

// Plan is what is to be done about the rules of a node. What exists is updated and deleted as it was read, or not at all.
type Plan struct {
	Create, Update, Delete []*resourcev1.DeviceTaintRule
	// Problems are why devices that are out of service have no rule, though they are published. Doubts are why others may have one that need none.
	Problems, Doubts []string
}

// Idle: nothing is to be written.
func (p *Plan) Idle() bool { return len(p.Create)+len(p.Update)+len(p.Delete) == 0 }

// Make the plan for a node; nil: it is gone. existing are the rules of Assay that say they are of a node of this name.
func Make(node *corev1.Node, at *dra.Places, policy taint.Policy, existing []*resourcev1.DeviceTaintRule) *Plan {
	p := &Plan{}
	left := map[string]*resourcev1.DeviceTaintRule{}
	for _, r := range existing {
		left[r.Name] = r
	}
	for _, want := range p.wanted(node, at, policy, existing) {
		is := left[want.Name]
		delete(left, want.Name)
		if is == nil {
			p.Create = append(p.Create, want)
		} else if next := Changed(is, want); next != nil {
			p.Update = append(p.Update, next)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(left)) {
		p.Delete = append(p.Delete, left[name])
	}
	return p
}

func (p *Plan) wanted(node *corev1.Node, at *dra.Places, policy taint.Policy, existing []*resourcev1.DeviceTaintRule) (all []*resourcev1.DeviceTaintRule) {
	if node == nil {
		return nil
	}
	devices, t := taint.MarkedDevices(node)
	if len(devices) == 0 {
		return nil
	}
	if why := policy.Refuses(t); why != "" {
		p.Problems = append(p.Problems, "no device of this node is tainted: its annotation assay.dev/quarantine has a taint that no run may use: "+why)
		return list.Where(existing, func(r *resourcev1.DeviceTaintRule) bool { // as the taint of a node stays that was put there when it was allowed
			uuid, place := r.Annotations[v1alpha1.AnnotationDevice], placeOf(r)
			return slices.Contains(devices, uuid) && (slices.Contains(at.Of(uuid), place) || at.MayStillBe(uuid, place))
		})
	}
	for _, uuid := range slices.Compact(slices.Sorted(slices.Values(devices))) {
		places := at.Of(uuid)
		if at.Twice(uuid) {
			p.Doubts = append(p.Doubts, fmt.Sprintf("the node's ResourceSlices have UUID %s twice, so nobody knows which device is meant, and both are "+
				"tainted: look into its DRA driver", uuid))
		}
		if len(places) == 0 && at.Disputed(uuid) != "" {
			p.Problems = append(p.Problems, fmt.Sprintf("device %s is not tainted: pool %s has the name of another node, or slices of one, and a rule would "+
				"be about the devices there too: look for who publishes it (kubectl get resourceslices), and have the DRA driver name its pool as the "+
				"node is named", uuid, at.Disputed(uuid)))
			continue
		}
		for _, place := range append(places, lastSeen(existing, uuid, at)...) {
			all = append(all, rule(node, t, uuid, place))
		}
	}
	return all
}

// lastSeen are the places of rules that a device has where it may still be, beside those where it is.
func lastSeen(existing []*resourcev1.DeviceTaintRule, uuid string, at *dra.Places) []dra.Place {
	of := list.Where(existing, func(r *resourcev1.DeviceTaintRule) bool { return r.Annotations[v1alpha1.AnnotationDevice] == uuid })
	return list.Where(list.Map(of, placeOf), func(p dra.Place) bool {
		return p != (dra.Place{}) && at.MayStillBe(uuid, p) && !slices.Contains(at.Of(uuid), p)
	})
}

// placeOf the device that a rule is about; empty: it is about none, or several.
func placeOf(r *resourcev1.DeviceTaintRule) dra.Place {
	s := r.Spec.DeviceSelector
	if s == nil || s.Driver == nil || s.Pool == nil || s.Device == nil {
		return dra.Place{}
	}
	return dra.Place{Driver: *s.Driver, Pool: *s.Pool, Device: *s.Device}
}

// rule that keeps claims from a place. It goes with its node also where no Assay runs.
func rule(node *corev1.Node, t corev1.Taint, uuid string, at dra.Place) *resourcev1.DeviceTaintRule {
	return &resourcev1.DeviceTaintRule{
		ObjectMeta: metav1.ObjectMeta{
			Name:   name(node.Name, uuid, at),
			Labels: map[string]string{v1alpha1.LabelManagedBy: v1alpha1.ManagedByValue},
			Annotations: map[string]string{v1alpha1.AnnotationNode: node.Name, v1alpha1.AnnotationDevice: uuid,
				v1alpha1.AnnotationQuarantine: string(taint.Named(taint.MarkOn(node)).ID)},
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: node.Name, UID: node.UID}},
		},
		Spec: resourcev1.DeviceTaintRuleSpec{
			DeviceSelector: &resourcev1.DeviceTaintSelector{Driver: &at.Driver, Pool: &at.Pool, Device: &at.Device},
			Taint:          resourcev1.DeviceTaint{Key: t.Key, Value: t.Value, Effect: resourcev1.DeviceTaintEffect(t.Effect)},
		},
	}
}

// name of the rule for a device at a place: the UUID is there for people.
func name(node, uuid string, at dra.Place) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s/%s/%s/%s/%s", node, uuid, at.Driver, at.Pool, at.Device))
	readable := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, strings.ToLower(uuid))
	return "assay-" + strings.Trim(readable[:min(len(readable), 50)], "-") + "-" + hex.EncodeToString(sum[:])[:10]
}

// Ours says whether Assay made a rule.
func Ours(r *resourcev1.DeviceTaintRule) bool {
	return r.Labels[v1alpha1.LabelManagedBy] == v1alpha1.ManagedByValue
}

// Changed is a rule as it is to be, with whatever else others noted on it; nil: it is so.
func Changed(is, want *resourcev1.DeviceTaintRule) *resourcev1.DeviceTaintRule {
	next := is.DeepCopy()
	next.Labels, next.Annotations = labels.Merge(is.Labels, want.Labels), labels.Merge(is.Annotations, want.Annotations)
	next.OwnerReferences = want.OwnerReferences
	added := is.Spec.Taint.TimeAdded // the API server keeps it
	next.Spec = *want.Spec.DeepCopy()
	next.Spec.Taint.TimeAdded = added
	if equality.Semantic.DeepEqual(is, next) {
		return nil
	}
	return next
}

// Standing is how the rules of a node are, for who only looks at them.
type Standing struct {
	// Devices that are out of service, by UUID. Unpublished are those of them that no slice of the node has.
	Devices, Unpublished []string
	// Plan is what the operator has still to do. It is idle in the long run, and its problems are those that it tells.
	Plan *Plan
}

// Of a node; nil: there is none of that name. Whether its taint is one that may be put on a device is no matter here.
func Of(node *corev1.Node, at *dra.Places, existing []*resourcev1.DeviceTaintRule) Standing {
	if node == nil {
		return Standing{Plan: Make(nil, nil, taint.Policy{}, existing)}
	}
	devices, t := taint.MarkedDevices(node)
	s := Standing{Devices: devices, Plan: Make(node, at, taint.Policy{AllowNoExecute: true, AllowedKeys: []string{t.Key}}, existing)}
	for _, uuid := range devices {
		if len(at.Of(uuid)) == 0 && at.Disputed(uuid) == "" {
			s.Unpublished = append(s.Unpublished, uuid)
		}
	}
	return s
}
