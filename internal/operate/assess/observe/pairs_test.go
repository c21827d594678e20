package observe

import (
	"fmt"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/workload"
)

// pairsScope is a run of so many pairs of nodes, of which the first ones have an MPIJob.
func pairsScope(pairs, jobs int) *Observed {
	run := &v1alpha1.ValidationRun{}
	run.Name, run.UID = "run", "run-uid"
	run.Spec.Confirmations, run.Spec.ActiveDeadlineSeconds = new(int32(1)), new(int64(3600))
	b := &v1alpha1.Benchmark{}
	b.Name, b.Spec.Scope, b.Spec.Group = "pairs", v1alpha1.ScopeGroup, &v1alpha1.Group{Size: intstr.FromInt32(2)}
	s := &Observed{Input: Input{Run: run, Now: time.Unix(1_700_000_000, 0), Tasks: []Task{{Benchmark: b}}}, Groups: map[string]*ObservedGroup{}}
	s.Deadline = s.Now.Add(time.Hour)
	for i := range 2 * pairs {
		node := &corev1.Node{}
		node.Name, node.UID = fmt.Sprintf("node-%05d", i), types.UID(fmt.Sprintf("uid-%05d", i))
		s.Nodes = append(s.Nodes, &ObservedNode{Name: node.Name, Node: node, Lacks: make([]*Lack, 1)})
	}
	for i := range pairs {
		g := groupOf(s, 0, []string{s.Nodes[2*i].Name, s.Nodes[2*i+1].Name})
		if i < jobs {
			g.Jobs = []*ObservedJob{{Name: fmt.Sprintf("g-pairs-%05d", i), UID: types.UID(fmt.Sprintf("job-%05d", i)), Attempt: 1,
				Facts: workload.JobFacts{Created: s.Now.Add(-10 * time.Second), Workers: 2, Nodes: g.Names()}}}
		}
	}
	return s
}

// workerPod is a worker of the i-th pair's job.
func workerPod(i, worker int, created time.Time) *corev1.Pod {
	p := &corev1.Pod{}
	p.Name = fmt.Sprintf("g-pairs-%05d-worker-%d", i, worker)
	p.UID, p.CreationTimestamp = types.UID(p.Name), metav1.NewTime(created)
	p.Labels = map[string]string{v1alpha1.LabelRunUID: "run-uid", v1alpha1.LabelJob: fmt.Sprintf("g-pairs-%05d", i), v1alpha1.LabelJobRole: v1alpha1.JobRoleWorker}
	p.OwnerReferences = []metav1.OwnerReference{{APIVersion: "kubeflow.org/v2beta1", Kind: "MPIJob", Name: fmt.Sprintf("g-pairs-%05d", i),
		UID: types.UID(fmt.Sprintf("job-%05d", i)), Controller: new(true)}}
	return p
}

// TestNoted: whether the MPI Operator has noted a job's end is read from which fields of the status it has written.
func TestNoted(t *testing.T) {
	job := func(subresource, fields string) metav1.Object {
		return &metav1.ObjectMeta{ManagedFields: []metav1.ManagedFieldsEntry{{Subresource: "status"},
			{Subresource: subresource, FieldsV1: metav1.NewFieldsV1(fields)}}}
	}
	const running, ended = `{"f:status":{"f:conditions":{},"f:startTime":{}}}`, `{"f:status":{"f:completionTime":{},"f:conditions":{}}}`
	for sentence, c := range map[string]struct {
		job  metav1.Object
		want bool
	}{
		"it runs": {job("status", running), false}, "it has ended": {job("status", ended), true}, "another field of that name": {job("", ended), false},
	} {
		if got := endNoted(c.job); got != c.want {
			t.Errorf("%s: noted is %v", sentence, got)
		}
	}
}

// TestOperatorSeen: a pod or status of any job of the run, even of one that is gone, is a sign of life for all jobs.
func TestOperatorSeen(t *testing.T) {
	s := pairsScope(3, 2)
	s.indexGroups()
	byName := map[string]*ObservedNode{}
	first, last := s.Now.Add(-9*time.Second), s.Now.Add(-2*time.Second)
	s.placeJobPod(byName, workerPod(2, 0, last))
	s.placeJobPod(byName, workerPod(0, 0, first))
	foreign := workerPod(1, 0, s.Now)
	foreign.Labels[v1alpha1.LabelRunUID], foreign.OwnerReferences[0].Name, foreign.OwnerReferences[0].UID = "another", "g-other", "other"
	s.placeJobPod(byName, foreign)
	wrote := func(subresource string, at time.Time) metav1.Object {
		return &metav1.ObjectMeta{ManagedFields: []metav1.ManagedFieldsEntry{{Subresource: subresource, Time: new(metav1.NewTime(at))}, {Subresource: "status"}}}
	}
	s.seeStatus(wrote("", s.Now))
	s.seeStatus(wrote("status", first))
	if !s.OperatorSeen.Equal(last) {
		t.Errorf("the operator was seen at %s, want %s", s.OperatorSeen, last)
	}
	last = s.Now.Add(-time.Second)
	s.seeStatus(wrote("status", last))
	s.tellJobs()
	for _, g := range s.Groups {
		for _, j := range g.Jobs {
			if !j.Facts.Alive.Equal(last) {
				t.Errorf("job %s: the operator was seen at %s, want %s", j.Name, j.Facts.Alive, last)
			}
		}
	}
}

// TestNodesOfGroups: what took part in a group and is gone or another now is known, however many groups there are. Looking
// through all groups for every node would take minutes here.
func TestNodesOfGroups(t *testing.T) {
	s := sixthRound()
	s.Nodes[5].Node, s.Nodes[6].Node.UID = nil, "another"
	groupOf(s, 0, []string{s.Nodes[0].Name, s.Nodes[4].Name}).Nodes[0].UID = "only wanted"
	s.indexGroups()
	for range 50 {
		for _, n := range s.Nodes {
			s.groupFacts(n)
		}
	}
	for i, n := range s.Nodes {
		if got, want := [2]bool{n.Facts.Lost, n.Facts.Recreated}, [2]bool{i == 5, i == 6}; got != want {
			t.Errorf("node %s: lost and recreated are %v, want %v", n.Name, got, want)
		}
	}
}

// sixthRound is a run in its sixth round: 4,096 nodes, five rounds of pairs stored, the pairs of the sixth with jobs.
func sixthRound() *Observed {
	const nodes, rounds = 4096, 5
	s := pairsScope(nodes/2, nodes/2)
	for round := 1; round <= rounds; round++ {
		for i := 0; i < nodes; i += 2 {
			g := groupOf(s, 0, []string{s.Nodes[i].Name, s.Nodes[(i+1+2*round)%nodes].Name})
			g.Stored = &v1alpha1.ValidationResult{}
		}
	}
	return s
}

// BenchmarkGroupFacts is what a pass learns of 4,096 nodes from their groups.
func BenchmarkGroupFacts(b *testing.B) {
	s := sixthRound()
	for b.Loop() {
		s.indexGroups()
		for _, n := range s.Nodes {
			s.groupFacts(n)
		}
	}
}

// BenchmarkPlaceJobPods gives the pods of 2,048 jobs to their jobs: two workers and a launcher each.
func BenchmarkPlaceJobPods(b *testing.B) {
	s := sixthRound()
	byName := map[string]*ObservedNode{}
	var pods []*corev1.Pod
	for i := range 2048 {
		launcher := workerPod(i, 2, s.Now)
		launchedBy(i)(s, launcher)
		pods = append(pods, workerPod(i, 0, s.Now), workerPod(i, 1, s.Now), launcher)
	}
	for b.Loop() {
		s.indexGroups()
		for _, pod := range pods {
			s.placeJobPod(byName, pod)
		}
	}
	if len(s.Leftovers) > 0 {
		b.Errorf("%d pods found no job", len(s.Leftovers))
	}
}

// groupOf finds the group of a benchmark and named nodes of the run.
func groupOf(s *Observed, task int, names []string) *ObservedGroup {
	names = slices.Sorted(slices.Values(names))
	nodes := make([]v1alpha1.ObjectReference, len(names))
	for i, name := range names {
		nodes[i].Name = name
		if n := s.node(name); n.Node != nil {
			nodes[i].UID = n.Node.UID
		}
	}
	return s.group(task, nodes)
}

// store an attempt of a group.
func store(s *Observed, g *ObservedGroup, a v1alpha1.Attempt) {
	if g.Stored == nil {
		g.Stored = s.GroupResult(g)
	}
	row := &g.Stored.Benchmarks[0]
	a.Number = int32(len(row.Attempts)) + 1
	row.Attempts = append(row.Attempts, a)
}
