package observe

import (
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
)

// NewResult of the node of this name and UID.
func (n *ObservedNode) NewResult(run *v1alpha1.ValidationRun, uid string) *v1alpha1.ValidationResult {
	r := NewResult(run, n.Name, uid)
	if n.Node != nil && n.Node.UID == r.Node.UID {
		r.Host = HostOf(n.Node)
	}
	return r
}

// NewResult of a node of this name and UID.
func NewResult(run *v1alpha1.ValidationRun, node, uid string) *v1alpha1.ValidationResult {
	r := &v1alpha1.ValidationResult{
		ObjectMeta: metav1.ObjectMeta{
			Name:            v1alpha1.ResultName(run, node),
			Labels:          workload.Labels(run),
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(run, v1alpha1.GroupVersion.WithKind("ValidationRun"))},
		},
		Run:     v1alpha1.ObjectReference{Name: run.Name, UID: run.UID},
		Verdict: v1alpha1.VerdictPending,
	}
	r.Node = v1alpha1.ObjectReference{Name: node, UID: types.UID(uid)}
	return r
}

// GroupResult is a copy of the group's result for writing, or a new one.
func (s *Observed) GroupResult(g *ObservedGroup) *v1alpha1.ValidationResult {
	if g.Stored != nil {
		return g.Stored.DeepCopy()
	}
	return &v1alpha1.ValidationResult{
		ObjectMeta: metav1.ObjectMeta{
			Name:            g.ID,
			Labels:          workload.Labels(s.Run),
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(s.Run, v1alpha1.GroupVersion.WithKind("ValidationRun"))},
		},
		Run:        v1alpha1.ObjectReference{Name: s.Run.Name, UID: s.Run.UID},
		Group:      &v1alpha1.GroupReference{Nodes: g.Nodes, Members: quantity.Clip(message.Nodes(g.Names()), message.Longest)},
		Verdict:    v1alpha1.VerdictPending,
		Benchmarks: []v1alpha1.BenchmarkResult{{Name: s.Tasks[g.Task].Name(), Verdict: v1alpha1.VerdictPending}},
	}
}

// HostOf is the kind of machine that a node is: its type, and its CPUs. What kubelets reserve of a core makes no other machine. It is empty
// for a node that is gone, or says neither.
func HostOf(n *corev1.Node) string {
	if n == nil {
		return ""
	}
	kind := n.Labels[corev1.LabelInstanceTypeStable]
	if cpus := n.Status.Allocatable.Cpu().MilliValue(); cpus > 0 {
		kind += " " + strconv.FormatInt((cpus+500)/1000, 10) + " CPUs"
	}
	return quantity.Clip(strings.TrimSpace(kind), 128)
}
