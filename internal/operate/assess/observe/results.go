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
	r := emptyResult(run, v1alpha1.ResultName(run, n.Name))
	r.Node = v1alpha1.ObjectReference{Name: n.Name, UID: types.UID(uid)}
	if n.Node != nil && n.Node.UID == r.Node.UID {
		r.Host = HostOf(n.Node)
	}
	return r
}

func emptyResult(run *v1alpha1.ValidationRun, name string) *v1alpha1.ValidationResult {
	return &v1alpha1.ValidationResult{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: workload.Labels(run), OwnerReferences: workload.OwnedBy(run)},
		Run:        v1alpha1.ObjectReference{Name: run.Name, UID: run.UID},
		Verdict:    v1alpha1.VerdictPending,
	}
}

// GroupResult is a copy of the group's result for writing, or a new one.
func (s *Observed) GroupResult(g *ObservedGroup) *v1alpha1.ValidationResult {
	if g.Stored != nil {
		return g.Stored.DeepCopy()
	}
	r := emptyResult(s.Run, g.ID)
	r.Group = &v1alpha1.GroupReference{Nodes: g.Nodes, Members: quantity.Clip(message.Nodes(g.Names()), message.Longest)}
	r.Benchmarks = []v1alpha1.BenchmarkResult{{Name: s.Tasks[g.Task].Name(), Verdict: v1alpha1.VerdictPending}}
	return r
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
