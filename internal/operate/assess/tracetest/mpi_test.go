package tracetest

import (
	"fmt"
	"hash/crc32"
	"slices"
	"strconv"
	"time"

	mpi "github.com/kubeflow/mpi-operator/pkg/apis/kubeflow/v2beta1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/internal/measure/result"
)

// job is an MPIJob.
type job struct {
	meta           metav1.PartialObjectMetadata
	spec           *mpi.MPIJob
	run, benchmark string
	nodes          []string
	attempt, round int
	behaviour
}

// mpiOperator makes the pods of MPIJobs, and cleans up after them.
type mpiOperator struct {
	// installed: the cluster knows the kind. silent: the operator does nothing.
	installed, silent bool
	// rejects every MPIJob by an event with this message.
	rejects string
	// full nodes have no room for a worker, and nobody sees why.
	full map[string]bool
}

// complaint is the latest warning event about an MPIJob.
func (m *mpiOperator) complaint(types.UID) string {
	if m.rejects == "" {
		return ""
	}
	return "ValidationError: " + m.rejects
}

// work is the next step for every job, and for pods whose job is gone.
func (m *mpiOperator) work(w *world) (changed bool) {
	for _, p := range slices.Clone(w.pods) {
		if p.job != nil && !slices.Contains(w.jobs, p.job) && p.object.DeletionTimestamp == nil {
			p.object.DeletionTimestamp, p.object.DeletionGracePeriodSeconds = &metav1.Time{Time: w.now.Add(10 * time.Second)}, new(int64(10))
			changed = true
		}
	}
	if m.silent || m.rejects != "" {
		return changed
	}
	for _, j := range w.jobs {
		changed = m.operate(w, j) || changed
	}
	return changed
}

// operate is what the MPI Operator does for one job: workers, the launcher once all listen, and the end.
func (m *mpiOperator) operate(w *world, j *job) (changed bool) {
	launcher, ready := (*pod)(nil), 0
	names := map[string]bool{}
	for _, p := range w.pods {
		names[p.object.Name] = true
		switch {
		case p.job != j:
		case p.isLauncher():
			launcher = p
		case isPodReady(p):
			ready++
		}
	}
	if launcher != nil && launcher.over() {
		return m.conclude(w, j)
	}
	for i := range j.nodes {
		if name := fmt.Sprintf("%s-worker-%d", j.meta.Name, i); !names[name] && launcher == nil {
			p := m.make(w, j, mpi.MPIReplicaTypeWorker, name, *metav1.NewControllerRef(&j.meta, mpi.SchemeGroupVersionKind))
			p.object.Labels[mpi.ReplicaIndexLabel] = strconv.Itoa(i)
			changed = true
		}
	}
	if launcher == nil && ready == len(j.nodes) {
		owner := metav1.OwnerReference{APIVersion: batchv1.SchemeGroupVersion.String(), Kind: "Job", Name: j.meta.Name + "-launcher", UID: w.uid(), Controller: new(true)}
		m.make(w, j, mpi.MPIReplicaTypeLauncher, j.meta.Name+"-launcher-x"+string(owner.UID[32:]), owner)
		changed = true
	}
	return changed
}

// make a pod of a job.
func (m *mpiOperator) make(w *world, j *job, role mpi.MPIReplicaType, name string, owner metav1.OwnerReference) *pod {
	template := j.spec.Spec.MPIReplicaSpecs[role].Template.DeepCopy()
	p := &pod{object: &corev1.Pod{ObjectMeta: template.ObjectMeta}, behaviour: j.behaviour, job: j, tolerations: template.Spec.Tolerations}
	p.object.Spec.Tolerations = p.tolerations
	p.object.Name, p.object.Namespace, p.object.OwnerReferences = name, j.meta.Namespace, []metav1.OwnerReference{owner}
	w.created(&p.object.ObjectMeta)
	w.pods = append(w.pods, p)
	return p
}

// conclude notes the end of the launcher, and deletes the workers.
func (m *mpiOperator) conclude(w *world, j *job) bool {
	if len(j.meta.ManagedFields) > 0 {
		return false
	}
	now := metav1.NewTime(w.now.Truncate(time.Second))
	j.meta.ManagedFields = []metav1.ManagedFieldsEntry{{Subresource: "status", Time: &now, FieldsV1: metav1.NewFieldsV1(`{"f:status":{"f:completionTime":{}}}`)}}
	for _, p := range w.pods {
		if p.job == j && !p.isLauncher() && p.object.DeletionTimestamp == nil {
			p.object.DeletionTimestamp, p.object.DeletionGracePeriodSeconds = &metav1.Time{Time: w.now.Add(11 * time.Second)}, new(int64(10))
		}
	}
	return true
}

// room is a node of the pod's job where it fits, or else one that repels it; empty: none.
func (w *world) room(p *pod) (node string) {
	for _, name := range p.job.nodes {
		n := w.nodes[name]
		if n == nil || !isReady(n) || !p.isLauncher() && (w.mpi.full[name] || len(w.live(name)) > 0) {
			continue
		}
		if p.repels(n, corev1.TaintEffectNoSchedule, corev1.TaintEffectNoExecute) == "" {
			return name
		}
		node = name
	}
	return node
}

// serve is a worker's life: it listens, until it is lost.
func (w *world) serve(p *pod) bool {
	if !isPodReady(p) {
		p.object.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue, LastTransitionTime: metav1.NewTime(w.now.Truncate(time.Second))}}
		return true
	}
	if p.loses != p.object.Spec.NodeName {
		return false
	}
	for _, q := range w.pods {
		if q.job != p.job || !q.isLauncher() || q.began.IsZero() {
			continue
		}
		if lost := q.began.Add(5 * time.Second); w.now.Before(lost) {
			p.changes = lost
			return false
		}
		p.exit, p.reason = 137, "Error"
		w.finish(p)
		w.say("--", "", "%s ends", w.read(p.object.Name))
		return true
	}
	return false
}

func isPodReady(p *pod) bool {
	return slices.ContainsFunc(p.object.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
	})
}

// fabric is how fast nodes and links are, as a share of what is normal: a pair reaches what the slowest of its ends and the link between
// them allow, with a noise of half a percent. A link is named "a-b", one that is slow one way only "a>b".
type fabric struct {
	nodes, links map[string]float64
}

func share(slow map[string]float64, name string) float64 {
	if s, ok := slow[name]; ok {
		return s
	}
	return 1
}

func (f fabric) way(from, to string) float64 {
	return min(share(f.nodes, from), share(f.nodes, to), share(f.links, min(from, to)+"-"+max(from, to)), share(f.links, from+">"+to))
}

// noise of a measurement is the same in every telling of a story.
func (j *job) noise(what string) float64 {
	sum := crc32.ChecksumIEEE(fmt.Appendf(nil, "%v %s %d %d", j.nodes, what, j.attempt, j.round))
	return 1 + 0.01*(float64(sum%1000)/1000-0.5)
}

// measure a metric between the nodes of a job: of two nodes "bandwidth" and "latency", of any number whatever else is asked for.
func (f fabric) measure(j *job, metric string) []result.Measurement {
	worst := 1.0
	for i, a := range j.nodes {
		for _, b := range j.nodes[i+1:] {
			worst = min(worst, f.way(a, b), f.way(b, a))
		}
	}
	m := result.Measurement{Name: metric, Unit: "GB/s", Better: result.BetterHigher}
	switch a, b := j.nodes[0], j.nodes[len(j.nodes)-1]; metric {
	case "bandwidth":
		m.Parts = []result.Part{{At: a + "->" + b, Value: 10 * f.way(a, b) * j.noise("there")}, {At: b + "->" + a, Value: 10 * f.way(b, a) * j.noise("back")}}
	case "latency":
		m.Unit, m.Better = "us", result.BetterLower
		m.Parts = []result.Part{{At: a + "<->" + b, Value: 2 / worst * j.noise("latency")}}
	default:
		m.Parts = []result.Part{{At: result.NodePart, Value: 20 * worst * j.noise("collective")}}
	}
	return []result.Measurement{m}
}
