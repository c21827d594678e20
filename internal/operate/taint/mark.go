package taint

import (
	"encoding/json"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// mark is what the annotation of a node says of the taint that Assay put there: it is written and removed in one update with the taint. The
// NodeValidation of the node has the same text for as long as its quarantine stands. So the two are told to belong together, and a taint
// whose quarantine has gone to be a stray, by whoever reads both.
type mark struct {
	ID     types.UID          `json:"id"`
	Key    string             `json:"key"`
	Value  string             `json:"value,omitempty"`
	Effect corev1.TaintEffect `json:"effect"`
	// Devices that are out of service, by UUID, in place of the node: then the mark is all that the node has of the quarantine.
	Devices []string `json:"devices,omitempty"`
}

// MarkOf a quarantine; empty for none.
func MarkOf(q *v1alpha1.Quarantine) string {
	if q == nil {
		return ""
	}
	text, _ := json.Marshal(mark{ID: q.ID, Key: q.Key, Value: q.Value, Effect: q.Effect, Devices: q.Devices}) // texts always can be
	return string(text)
}

// MarkOn a node; empty for none.
func MarkOn(node *corev1.Node) string { return node.Annotations[v1alpha1.AnnotationQuarantine] }

// MarkedTaint is the taint that a node's mark names.
func MarkedTaint(node *corev1.Node) (t corev1.Taint, known bool) {
	m, known := read(MarkOn(node))
	return m.taint(), known
}

// MarkedDevices are the devices of a node that its mark says are out of service, by UUID, and the taint that they have; none: its mark names no device.
func MarkedDevices(node *corev1.Node) (devices []string, t corev1.Taint) {
	m, _ := read(MarkOn(node))
	return m.Devices, m.taint()
}

// Named is the quarantine that a mark names: its id, its taint and its devices.
func Named(text string) *v1alpha1.Quarantine {
	var m mark
	if json.Unmarshal([]byte(text), &m) != nil {
		return &v1alpha1.Quarantine{}
	}
	return &v1alpha1.Quarantine{ID: m.ID, Key: m.Key, Value: m.Value, Effect: m.Effect, Devices: m.Devices}
}

// Marked says whether a node carries the taint that its mark names, whatever quarantine that rests on. Of devices, the mark is all there is.
func Marked(node *corev1.Node) bool {
	m, known := read(MarkOn(node))
	return known && (m.ofDevices() || has(node, m.taint()))
}

// Wears says whether a node carries a taint that its own mark names, or the mark of its record.
func Wears(node *corev1.Node, mark string) bool {
	m, known := read(mark)
	return Marked(node) || known && !m.ofDevices() && has(node, m.taint())
}

// IsStray says whether a node has a mark that is not that of its quarantine, or the taint of its quarantine without a mark; q is nil for none.
func IsStray(node *corev1.Node, q *v1alpha1.Quarantine) bool {
	return MarkOn(node) != "" && MarkOn(node) != MarkOf(q) || q != nil && StateOf(node, Of(q), q) == Unmarked
}

// Bind returns the node with the taint of its new quarantine and the mark of it, in place of what an older mark names; of devices, with the mark alone. A
// taint that somebody else has put there, with that key and effect, stays, and nothing changes. The input is never modified.
func Bind(node *corev1.Node, q *v1alpha1.Quarantine) (next *corev1.Node, changed bool) {
	if s := StateOf(node, Of(q), q); s != Absent && s != Stray {
		return node, false
	}
	next = Adopt(node, q)
	if len(q.Devices) == 0 {
		next.Spec.Taints = append(next.Spec.Taints, Of(q))
	}
	return next, true
}

// Adopt returns a node that carries the taint of its quarantine, or is to, with the mark of it in place of an older one and of what that names. The input
// is never modified.
func Adopt(node *corev1.Node, q *v1alpha1.Quarantine) *corev1.Node {
	next, _ := Free(node, MarkOn(node))
	next = next.DeepCopy()
	metav1.SetMetaDataAnnotation(&next.ObjectMeta, v1alpha1.AnnotationQuarantine, MarkOf(q))
	return next
}

// Free returns the node without a mark and the taint that it names; where it has another mark, nothing changes. The input is never modified.
func Free(node *corev1.Node, mark string) (next *corev1.Node, changed bool) {
	if mark == "" || MarkOn(node) != mark {
		return node, false
	}
	next = node.DeepCopy()
	delete(next.Annotations, v1alpha1.AnnotationQuarantine)
	if m, known := read(mark); known && !m.ofDevices() {
		next.Spec.Taints = slices.DeleteFunc(next.Spec.Taints, func(o corev1.Taint) bool { return same(o, m.taint()) })
	}
	return next, true
}

// Fenced returns the node with a mark that names the quarantine and no taint, unless it wears a taint of Assay's already, or that mark. The input is never modified.
func Fenced(node *corev1.Node, text string) (next *corev1.Node, changed bool) {
	var m mark
	if json.Unmarshal([]byte(text), &m) != nil || Wears(node, text) {
		return node, false
	}
	fence := MarkOf(&v1alpha1.Quarantine{ID: m.ID})
	if MarkOn(node) == fence {
		return node, false
	}
	next = node.DeepCopy()
	metav1.SetMetaDataAnnotation(&next.ObjectMeta, v1alpha1.AnnotationQuarantine, fence)
	return next, true
}

// read a mark; known is false for what Assay did not write.
func read(text string) (m mark, known bool) {
	if text == "" || json.Unmarshal([]byte(text), &m) != nil || m.ID == "" || m.Key == "" {
		return mark{}, false
	}
	return m, true
}

func (m mark) taint() corev1.Taint { return corev1.Taint{Key: m.Key, Value: m.Value, Effect: m.Effect} }

func (m mark) ofDevices() bool { return len(m.Devices) > 0 }

func has(node *corev1.Node, t corev1.Taint) bool {
	return slices.ContainsFunc(node.Spec.Taints, func(o corev1.Taint) bool { return same(o, t) })
}

func same(a, b corev1.Taint) bool {
	return a.Key == b.Key && a.Value == b.Value && a.Effect == b.Effect
}
