package campaign

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/test/campaign/claims"
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

// follow what devices are named and where they are.
func (t *truth) follow(c kube.Change) {
	switch before := c.Before.(type) {
	case *corev1.Node:
		after, _ := c.After.(*corev1.Node)
		if after != nil && after.Annotations[v1alpha1.AnnotationQuarantine] == before.Annotations[v1alpha1.AnnotationQuarantine] {
			return
		}
		was, _ := marked(before)
		for _, uuid := range was {
			t.devices.named[uuid] = t.w.now
		}
	case *resourcev1.ResourceSlice:
		for _, d := range claims.Published([]*resourcev1.ResourceSlice{before}) {
			if t.devices.placed[d.Place] == nil {
				t.devices.placed[d.Place] = map[string]time.Time{}
			}
			t.devices.placed[d.Place][d.UUID] = t.w.now
		}
	}
	if c.Kind == "Node" || c.Kind == "ResourceSlice" || c.Kind == "DeviceTaintRule" {
		t.devices.changed = t.w.now
	}
}

// isNamed by the mark of a node, or was lately.
func (t *truth) isNamed(uuid string) bool {
	if at, was := t.devices.named[uuid]; was && t.w.now.Sub(at) < long {
		return true
	}
	return slices.ContainsFunc(kube.All[*corev1.Node](t.w.api), func(n *corev1.Node) bool {
		is, _ := marked(n)
		return slices.Contains(is, uuid)
	})
}

// checkRule that an operator writes: those of others stay as they are, and so does what others noted on ours (P4). No device gets one that is not out
// of service (P6).
func (t *truth) checkRule(c kube.Change) {
	before, _ := c.Before.(*resourcev1.DeviceTaintRule)
	after, _ := c.After.(*resourcev1.DeviceTaintRule)
	switch {
	case t.w.c.Operator.NoRules:
		t.w.broken("P9", "a rule is written, and there is no such kind")
		return
	case before != nil && !isOurs(before):
		t.w.broken("P4", "rule %s, which is not Assay's, is changed or deleted", before.Name)
	case after == nil:
		t.w.figures.Faults["(a rule is deleted)"]++
		return
	case before != nil && (before.Labels["site/team"] != after.Labels["site/team"] || before.Annotations["site/note"] != after.Annotations["site/note"]):
		t.w.broken("P4", "what others noted on rule %s is not as it was", after.Name)
	}
	t.w.figures.Faults["(a rule is written)"]++
	for _, d := range claims.Published(kube.All[*resourcev1.ResourceSlice](t.w.api)) {
		if claims.Selects(after, d.Place) && !t.isNamed(d.UUID) && !slices.ContainsFunc(t.lately(d.Place), t.isNamed) && t.exists(d) {
			t.w.broken("P6", "rule %s keeps work from %s of node %s, which is not out of service", after.Name, d.UUID, d.Node)
		}
	}
}

// lately other devices were at a place.
func (t *truth) lately(p claims.Place) (uuids []string) {
	for uuid, at := range t.devices.placed[p] {
		if t.w.now.Sub(at) < long {
			uuids = append(uuids, uuid)
		}
	}
	return uuids
}

// exists: the device is one of a node that is there.
func (t *truth) exists(d claims.Device) bool {
	m := t.w.machines[d.Node]
	return m != nil && m.uid == d.Of && m.node() != nil && !t.of(m.uid).lies
}

// checkRules once nothing has happened for a while: each device that is out of service, and published, has one rule, and no other device has one (P9, P6).
func (w *world) checkRules() {
	devices := claims.Published(kube.All[*resourcev1.ResourceSlice](w.api))
	for _, r := range kube.All[*resourcev1.DeviceTaintRule](w.api) {
		if isOurs(r) && len(w.violations) == 0 {
			w.checkOurRule(r, devices)
		}
	}
	for _, m := range w.sortedMachines() {
		if m.node() == nil || m.cut || len(w.violations) > 0 {
			continue
		}
		out, _ := marked(m.node())
		for _, uuid := range out {
			w.checkOut(m, uuid)
		}
	}
}

// checkOurRule: a device that it is about is out of service, and one that it is not about any more may still be there.
func (w *world) checkOurRule(r *resourcev1.DeviceTaintRule, devices []claims.Device) {
	name, uuid := r.Annotations[v1alpha1.AnnotationNode], r.Annotations[v1alpha1.AnnotationDevice]
	m := w.machines[name]
	for _, d := range devices {
		if !claims.Selects(r, d.Place) || !w.truth.exists(d) {
			continue
		}
		if out, _ := marked(w.machines[d.Node].node()); !slices.Contains(out, d.UUID) {
			w.broken("P6", "rule %s keeps work from %s of node %s, which is not out of service", r.Name, d.UUID, d.Node)
			return
		}
	}
	if m == nil || m.node() == nil {
		w.broken("P9", "rule %s is left of node %s, which is gone", r.Name, name)
		return
	}
	if out, _ := marked(m.node()); !slices.Contains(out, uuid) {
		w.broken("P9", "rule %s is left of device %s, which is not out of service", r.Name, uuid)
	}
}

// checkOut: a device that is out of service has one rule, where it is. A pool that bears the name of another node is nobody's for certain.
func (w *world) checkOut(m *machine, uuid string) {
	rules := w.rulesOf(m.name)
	for _, d := range w.published(m.name) {
		if d.UUID != uuid || m.published.falsehood == poolOfOther {
			continue
		}
		n := 0
		for _, r := range rules {
			if claims.Selects(r, d.Place) && r.Spec.Taint.Effect == resourcev1.DeviceTaintEffectNoSchedule {
				n++
			}
		}
		if n != 1 && !w.nameTaken(m.name, uuid) {
			w.broken("P9", "device %s of node %s is out of service, and %d rules keep work from it at %s", uuid, m.name, n, d.Place.Device)
			return
		}
	}
}

// nameTaken: somebody has made the rule of a device theirs.
func (w *world) nameTaken(node, uuid string) bool {
	return slices.ContainsFunc(kube.All[*resourcev1.DeviceTaintRule](w.api), func(r *resourcev1.DeviceTaintRule) bool {
		return !isOurs(r) && r.Annotations[v1alpha1.AnnotationNode] == node && r.Annotations[v1alpha1.AnnotationDevice] == uuid
	})
}

// settled is how long nothing was the matter, and nothing was written that rules follow from, when all rules are there: what fails is tried again
// within a minute.
const settled = 90 * time.Second

// watchRules all the time, wherever that can be said.
func (w *world) watchRules() {
	leader := w.leader()
	if leader != nil && w.now.Sub(w.trouble) > settled && w.now.Sub(w.truth.devices.changed) > settled && !w.now.Before(w.slicesStay) {
		w.checkRules()
	}
}
