package campaign

import (
	"fmt"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/test/campaign/claims"
	"github.com/assay-dev/assay/test/campaign/kube"
)

// What a driver says in its slices that is not so.
const (
	poolOfOther  = "that its pool is another node's"
	uuidsOfOther = "that its devices are another node's"
	uuidTwice    = "that two devices have one UUID"
	noUUIDs      = "nothing of UUIDs"
)

// uuid of a GPU: another one once it was replaced.
func (m *machine) uuid(i int) string {
	of := m.name
	if m.published.falsehood == uuidsOfOther {
		of = m.published.other
	}
	if i < len(m.serials) && m.serials[i] > 0 {
		return fmt.Sprintf("GPU-%s-%d-%d", of, i, m.serials[i])
	}
	return fmt.Sprintf("GPU-%s-%d", of, i)
}

// has says whether a GPU is in the machine.
func (m *machine) has(uuid string) bool {
	for i := range m.full {
		if m.uuid(i) == uuid {
			return true
		}
	}
	return false
}

// takeOver the name of another machine, or be the same one, with another Node.
func (m *machine) takeOver(before *machine, same bool) {
	if m.spec.Slices {
		m.published.renamed, m.published.pool = before.published.renamed, before.published.pool
		for i := range min(len(m.serials), len(before.serials)) {
			m.serials[i] = before.serials[i]
			if !same {
				m.serials[i]++
			}
		}
	}
	if !same {
		return
	}
	if m.spec.Slices {
		m.bad = before.bad
	}
	m.slowOn(slices.Sorted(maps.Keys(before.slow)))
}

// replaceGPU takes the machine down for a moment. worst: the one that is slow, if one is, is replaced by one that is not.
func (m *machine) replaceGPU(worst bool, number int) {
	if m.gpus == 0 || !m.spec.Slices {
		return
	}
	i := number % m.gpus
	switch {
	case worst && m.second >= 0:
		i, m.second = m.second, -1
	case worst:
		i = m.worst()
		for _, b := range []string{"gemm", "fleet"} {
			delete(m.slow, b)
			delete(m.w.truth.of(m.uid).unfitSince, b)
		}
	}
	m.serials[i]++
	m.reboot()
	m.publish()
}

// offered GPUs of the machine, by where they are; none to a program that uses none.
func (m *machine) offered(any bool) (all []int) {
	for i := range m.full {
		if any && !(m.gpus < m.full && i == m.lost) {
			all = append(all, i)
		}
	}
	return all
}

// worst of the GPUs that are offered, if one is slow.
func (m *machine) worst() int {
	all := m.offered(true)
	if i := m.bad % m.full; slices.Contains(all, i) {
		return i
	}
	if m.second >= 0 {
		return m.second
	}
	return all[m.bad%len(all)]
}

// slowSecond GPU of a machine, beside one that may be slow already.
func (m *machine) slowSecond(benchmarks []string) {
	if m.full < 2 {
		return
	}
	m.second = (m.bad%m.full + 1) % m.full
	m.slowOn(benchmarks)
}

// movePool gives the pool of the machine another name, or the usual one again.
func (m *machine) movePool() {
	for _, s := range m.slices() {
		_ = m.w.api.Delete("driver", "ResourceSlice", client.ObjectKeyFromObject(s))
	}
	if m.published.pool == "" {
		m.published.pool = m.name + "-gpus"
	} else {
		m.published.pool = ""
	}
	m.publish()
}

// misstate what is published, for good.
func (m *machine) misstate(how string) {
	others := m.w.otherNodes(m.name)
	if !m.spec.Slices || len(others) == 0 {
		return
	}
	m.w.truth.of(m.uid).lies = true
	m.published.falsehood, m.published.other = how, others[m.w.draw("other/"+m.name)%uint64(len(others))]
	for _, s := range m.slices() {
		_ = m.w.api.Delete("driver", "ResourceSlice", client.ObjectKeyFromObject(s))
	}
	m.publish()
}

// misstated devices: what the driver says of them.
func (m *machine) misstated(all []resourcev1.Device) []resourcev1.Device {
	switch how := m.published.falsehood; {
	case how == noUUIDs:
		for i := range all {
			delete(all[i].Attributes, "uuid")
		}
	case how == uuidTwice && len(all) > 0:
		last := all[len(all)-1].DeepCopy()
		last.Name += "-again"
		last.Attributes["uuid"] = all[m.bad%len(all)].Attributes["uuid"]
		all = append(all, *last)
	}
	return all
}

func (m *machine) pool() string {
	switch {
	case m.published.falsehood == poolOfOther:
		return m.published.other
	case m.published.pool != "":
		return m.published.pool
	}
	return m.name
}

// offerByPlugin offers the GPUs by a device plugin, too, or does not any more.
func (m *machine) offerByPlugin(offers bool) {
	if !m.spec.Slices || m.plugin == offers {
		return
	}
	m.plugin, m.pluginSince = offers, m.w.now
	m.report(corev1.ConditionTrue)
}

// onRule of Assay something happens: to one for a device of a node, or, where it has none, to any, as soon as there is one.
func (w *world) onRule(h Happening, do func(*resourcev1.DeviceTaintRule)) {
	all := w.rulesOf(h.Name)
	if len(all) == 0 {
		all = list.Where(kube.All[*resourcev1.DeviceTaintRule](w.api), isOurs)
	}
	switch {
	case len(all) > 0:
		do(all[h.Number%len(all)])
	case !w.healed:
		w.after(20*time.Second, func() { w.onRule(h, do) })
	}
}

// rulesOf Assay for devices of a node, as they say.
func (w *world) rulesOf(node string) (all []*resourcev1.DeviceTaintRule) {
	for _, r := range kube.All[*resourcev1.DeviceTaintRule](w.api) {
		if isOurs(r) && r.Annotations[v1alpha1.AnnotationNode] == node {
			all = append(all, r)
		}
	}
	return all
}

func isOurs(r *resourcev1.DeviceTaintRule) bool {
	return r.Labels[v1alpha1.LabelManagedBy] == v1alpha1.ManagedByValue
}

// What somebody edits of a rule.
const (
	itsDevice = "its device"
	itsTaint  = "its taint"
	itsLabel  = "its label"
	itsNotes  = "its annotations"
	theirs    = "what is theirs"
)

func (w *world) editRule(r *resourcev1.DeviceTaintRule, how string) {
	next := r.DeepCopy()
	switch how {
	case itsDevice:
		next.Spec.DeviceSelector.Device = new("gpu-0")
	case itsTaint:
		next.Spec.Taint.Effect = resourcev1.DeviceTaintEffectNone
	case itsLabel:
		delete(next.Labels, v1alpha1.LabelManagedBy)
	case itsNotes:
		next.Annotations = nil
	case theirs:
		metav1.SetMetaDataLabel(&next.ObjectMeta, "site/team", "x")
		metav1.SetMetaDataAnnotation(&next.ObjectMeta, "site/note", "mine") // somebody may have taken all away before
	}
	_, _ = w.api.Update("person", next, false)
}

// makeRule of somebody else, for a device of a node.
func (w *world) makeRule(h Happening) {
	devices := w.published(h.Name)
	if len(devices) == 0 {
		return
	}
	at := devices[h.Number%len(devices)]
	r := &resourcev1.DeviceTaintRule{}
	r.Name = fmt.Sprintf("theirs-%s-%d", h.Name, int(h.At.Seconds()))
	r.Spec = resourcev1.DeviceTaintRuleSpec{DeviceSelector: &resourcev1.DeviceTaintSelector{Driver: &at.Driver, Pool: &at.Pool, Device: &at.Place.Device},
		Taint: resourcev1.DeviceTaint{Key: v1alpha1.DefaultTaintKey, Value: "theirs", Effect: resourcev1.DeviceTaintEffectNoSchedule}}
	_, _ = w.api.Create("person", r)
}

// published devices of a node, and not those of one that had its name before.
func (w *world) published(node string) (own []claims.Device) {
	m := w.machines[node]
	for _, d := range claims.Published(kube.All[*resourcev1.ResourceSlice](w.api)) {
		if m != nil && d.Of == m.uid {
			own = append(own, d)
		}
	}
	return own
}

// forgeDevices of a mark.
func (w *world) forgeDevices(m *machine, number int) {
	w.truth.touched(m.name)
	w.edit("person", m.name, func(n *corev1.Node) {
		n.Annotations[v1alpha1.AnnotationQuarantine] = fmt.Sprintf(`{"id":"forged","key":%q,"value":"failed","effect":"NoSchedule","devices":[%q]}`,
			v1alpha1.DefaultTaintKey, m.uuid(number%max(m.full, 1)))
	})
}
