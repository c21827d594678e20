package oracle

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/test/campaign/claims"
	"github.com/assay-dev/assay/test/campaign/cluster"
	"github.com/assay-dev/assay/test/campaign/kube"
)

// deviceTruth is what is known of the devices that are out of service, or were.
type deviceTruth struct {
	// named until then by the mark of a node, by UUID; placed until then, by UUID: what is so still is not in here.
	named  map[string]time.Time
	placed map[claims.Place]map[string]time.Time
	// convicted since then: by run, benchmark and UUID.
	convicted map[string]time.Time
	// changed is when last anything was written that the rules follow from, or a rule.
	changed time.Time
}

func newDeviceTruth() deviceTruth {
	return deviceTruth{named: map[string]time.Time{}, placed: map[claims.Place]map[string]time.Time{}, convicted: map[string]time.Time{}}
}

// long is how long what a leader has read may be old when it writes: it may stall.
const long = 4 * time.Minute

// note what devices are named and where they are.
func (o *Oracle) note(c kube.Change) {
	switch before := c.Before.(type) {
	case *corev1.Node:
		after, _ := c.After.(*corev1.Node)
		if after != nil && after.Annotations[v1alpha1.AnnotationQuarantine] == before.Annotations[v1alpha1.AnnotationQuarantine] {
			return
		}
		was, _ := Marked(before)
		for _, uuid := range was {
			o.devices.named[uuid] = o.Now()
		}
	case *resourcev1.ResourceSlice:
		for _, d := range claims.Published([]*resourcev1.ResourceSlice{before}) {
			if o.devices.placed[d.Place] == nil {
				o.devices.placed[d.Place] = map[string]time.Time{}
			}
			o.devices.placed[d.Place][d.UUID] = o.Now()
		}
	}
	if c.Kind == "Node" || c.Kind == "ResourceSlice" || c.Kind == "DeviceTaintRule" {
		o.devices.changed = o.Now()
	}
}

// isNamed by the mark of a node, or was lately.
func (o *Oracle) isNamed(uuid string) bool {
	if at, was := o.devices.named[uuid]; was && o.Now().Sub(at) < long {
		return true
	}
	return slices.ContainsFunc(kube.All[*corev1.Node](o.API), func(n *corev1.Node) bool {
		is, _ := Marked(n)
		return slices.Contains(is, uuid)
	})
}

// checkRule that an operator writes: those of others stay as they are, and so does what others noted on ours (P4). No device gets one that is not out
// of service (P6).
func (o *Oracle) checkRule(c kube.Change) {
	before, _ := c.Before.(*resourcev1.DeviceTaintRule)
	after, _ := c.After.(*resourcev1.DeviceTaintRule)
	switch {
	case o.Case.Operator.NoRules:
		o.Broken("P9", "a rule is written, and there is no such kind")
		return
	case before != nil && !IsOurs(before):
		o.Broken("P4", "rule %s, which is not Assay's, is changed or deleted", before.Name)
	case after == nil:
		o.Figures.Faults["(a rule is deleted)"]++
		return
	case before != nil && (before.Labels["site/team"] != after.Labels["site/team"] || before.Annotations["site/note"] != after.Annotations["site/note"]):
		o.Broken("P4", "what others noted on rule %s is not as it was", after.Name)
	}
	o.Figures.Faults["(a rule is written)"]++
	for _, d := range claims.Published(kube.All[*resourcev1.ResourceSlice](o.API)) {
		if claims.Selects(after, d.Place) && !o.isNamed(d.UUID) && !slices.ContainsFunc(o.lately(d.Place), o.isNamed) && o.exists(d) {
			o.Broken("P6", "rule %s keeps work from %s of node %s, which is not out of service", after.Name, d.UUID, d.Node)
		}
	}
}

// lately other devices were at a place.
func (o *Oracle) lately(p claims.Place) (uuids []string) {
	for uuid, at := range o.devices.placed[p] {
		if o.Now().Sub(at) < long {
			uuids = append(uuids, uuid)
		}
	}
	return uuids
}

// exists: the device is one of a node that is there.
func (o *Oracle) exists(d claims.Device) bool {
	m := o.Machines[d.Node]
	return m != nil && m.UID == d.Of && m.Node() != nil && !m.Truth.Lies
}

// checkRules once nothing has happened for a while: each device that is out of service, and published, has one rule, and no other device has one (P9, P6).
func (o *Oracle) checkRules() {
	devices := claims.Published(kube.All[*resourcev1.ResourceSlice](o.API))
	for _, r := range kube.All[*resourcev1.DeviceTaintRule](o.API) {
		if IsOurs(r) && !o.IsBroken() {
			o.checkOurRule(r, devices)
		}
	}
	for _, m := range o.SortedMachines() {
		if m.Node() == nil || m.Cut || o.IsBroken() {
			continue
		}
		out, _ := Marked(m.Node())
		for _, uuid := range out {
			o.checkOut(m, uuid)
		}
	}
}

// checkOurRule: a device that it is about is out of service, and one that it is not about any more may still be there.
func (o *Oracle) checkOurRule(r *resourcev1.DeviceTaintRule, devices []claims.Device) {
	name, uuid := r.Annotations[v1alpha1.AnnotationNode], r.Annotations[v1alpha1.AnnotationDevice]
	m := o.Machines[name]
	for _, d := range devices {
		if !claims.Selects(r, d.Place) || !o.exists(d) {
			continue
		}
		if out, _ := Marked(o.Machines[d.Node].Node()); !slices.Contains(out, d.UUID) {
			o.Broken("P6", "rule %s keeps work from %s of node %s, which is not out of service", r.Name, d.UUID, d.Node)
			return
		}
	}
	if m == nil || m.Node() == nil {
		o.Broken("P9", "rule %s is left of node %s, which is gone", r.Name, name)
		return
	}
	if out, _ := Marked(m.Node()); !slices.Contains(out, uuid) {
		o.Broken("P9", "rule %s is left of device %s, which is not out of service", r.Name, uuid)
	}
}

// checkOut: a device that is out of service has one rule, where it is. A pool that bears the name of another node is nobody's for certain.
func (o *Oracle) checkOut(m *cluster.Machine, uuid string) {
	rules := o.RulesOf(m.Name)
	for _, d := range o.Published(m.Name) {
		if d.UUID != uuid || m.TakesPoolOfOther() {
			continue
		}
		n := 0
		for _, r := range rules {
			if claims.Selects(r, d.Place) && r.Spec.Taint.Effect == resourcev1.DeviceTaintEffectNoSchedule {
				n++
			}
		}
		if n != 1 && !o.nameTaken(m.Name, uuid) {
			o.Broken("P9", "device %s of node %s is out of service, and %d rules keep work from it at %s", uuid, m.Name, n, d.Place.Device)
			return
		}
	}
}

// nameTaken: somebody has made the rule of a device theirs.
func (o *Oracle) nameTaken(node, uuid string) bool {
	return slices.ContainsFunc(kube.All[*resourcev1.DeviceTaintRule](o.API), func(r *resourcev1.DeviceTaintRule) bool {
		return !IsOurs(r) && r.Annotations[v1alpha1.AnnotationNode] == node && r.Annotations[v1alpha1.AnnotationDevice] == uuid
	})
}

// settled is how long nothing was the matter, and nothing was written that rules follow from, when all rules are there: what fails is tried again
// within a minute.
const settled = 90 * time.Second

// Watch all the time that runs end, and, wherever that can be said, that rules are what they should be.
func (o *Oracle) Watch() {
	o.checkDeadlines()
	o.checkHidden()
	if o.leaders.HasLeader() && o.Now().Sub(o.leaders.Trouble) > settled && o.Now().Sub(o.devices.changed) > settled && !o.Now().Before(o.SlicesStay) {
		o.checkRules()
	}
}

// RulesOf Assay for devices of a node, as they say.
func (o *Oracle) RulesOf(node string) []*resourcev1.DeviceTaintRule {
	return list.Where(kube.All[*resourcev1.DeviceTaintRule](o.API), func(r *resourcev1.DeviceTaintRule) bool {
		return IsOurs(r) && r.Annotations[v1alpha1.AnnotationNode] == node
	})
}

// isTakenOver: a person has made a rule for a device of a node their own, and nothing can be measured there.
func (o *Oracle) isTakenOver(node string) bool {
	return slices.ContainsFunc(kube.All[*resourcev1.DeviceTaintRule](o.API), func(r *resourcev1.DeviceTaintRule) bool {
		return !IsOurs(r) && r.Annotations[v1alpha1.AnnotationNode] == node
	})
}

// IsOurs: the rule is Assay's, as it says itself.
func IsOurs(r *resourcev1.DeviceTaintRule) bool {
	return r.Labels[v1alpha1.LabelManagedBy] == v1alpha1.ManagedByValue
}
