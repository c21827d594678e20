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
	"github.com/assay-dev/assay/internal/operate/tournament"
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

// AttemptsOf a group, as its result has them; nil: there is none.
func AttemptsOf(result *v1alpha1.ValidationResult) []v1alpha1.Attempt {
	if result == nil || len(result.Benchmarks) == 0 {
		return nil
	}
	return result.Benchmarks[0].Attempts
}

// group finds the group of a benchmark and nodes, or makes it known.
func (s *Observed) group(task int, nodes []v1alpha1.ObjectReference) *ObservedGroup {
	id := tournament.ID(s.Run, s.Tasks[task].Name(), nodes)
	if s.Groups[id] == nil {
		s.Groups[id] = &ObservedGroup{ID: id, Task: task, Nodes: nodes}
	}
	return s.Groups[id]
}

// placeGroupResult takes a stored result of a group into the scope. Two runs over the same nodes have a result each.
func (s *Observed) placeGroupResult(v *v1alpha1.ValidationResult) {
	if len(v.Benchmarks) == 0 || v.Run.UID != s.Run.UID {
		return
	}
	i := s.TaskNamed(v.Benchmarks[0].Name)
	if i < 0 || v.Name != tournament.ID(s.Run, s.Tasks[i].Name(), v.Group.Nodes) {
		return
	}
	s.group(i, v.Group.Nodes).Stored = v
}
