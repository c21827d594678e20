package assess

import (
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/operate/plan"
)

// pairsScope is a run of so many pairs of nodes, of which the first ones have an MPIJob.
func pairsScope(pairs, jobs int) *Observed {
	run := &v1alpha1.ValidationRun{}
	run.Name, run.UID = "run", "run-uid"
	run.Spec.Confirmations, run.Spec.ActiveDeadlineSeconds = new(int32(1)), new(int64(3600))
	b := &v1alpha1.Benchmark{}
	b.Name, b.Spec.Scope, b.Spec.Group = "pairs", v1alpha1.ScopeGroup, &v1alpha1.Group{Size: intstr.FromInt32(2)}
	s := &Observed{run: run, now: time.Unix(1_700_000_000, 0), tasks: []Task{{Benchmark: b}}, groups: map[string]*observedGroup{}}
	s.deadline = s.now.Add(time.Hour)
	for i := range 2 * pairs {
		node := &corev1.Node{}
		node.Name, node.UID = fmt.Sprintf("node-%05d", i), types.UID(fmt.Sprintf("uid-%05d", i))
		s.nodes = append(s.nodes, &observedNode{name: node.Name, node: node, lacks: make([]*lack, 1)})
	}
	for i := range pairs {
		g := s.groupOf(0, []string{s.nodes[2*i].name, s.nodes[2*i+1].name})
		if i < jobs {
			g.jobs = []*observedJob{{name: fmt.Sprintf("g-pairs-%05d", i), uid: types.UID(fmt.Sprintf("job-%05d", i)), attempt: 1,
				facts: workload.JobFacts{Created: s.now.Add(-10 * time.Second), Workers: 2, Nodes: g.names()}}}
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

// TestJobsAreLaunchedAsTheOperatorTakesThem: no more than it can get round to.
func TestJobsAreLaunchedAsTheOperatorTakesThem(t *testing.T) {
	cases := map[string]struct {
		jobs, begun, ended, due, want int
	}{
		"a first round of many pairs":                {0, 0, 0, 2048, maxJobsBehind},
		"few pairs":                                  {0, 0, 0, 7, 7},
		"the operator has begun none":                {50, 0, 0, 100, 0},
		"more exist than would be made now":          {60, 0, 0, 100, 0},
		"the operator has begun some":                {50, 20, 0, 100, 20},
		"jobs that are over are not the operator's":  {50, 0, 10, 100, 10},
		"all that exist were begun, and few are due": {100, 100, 0, 3, 3},
	}
	for sentence, c := range cases {
		t.Run(sentence, func(t *testing.T) {
			s := pairsScope(c.jobs+c.due, c.jobs)
			var due []plan.Action
			jobs := 0
			p := &Planned{Judged: judge(collect(s))}
			for _, o := range inOrder(s.groups) {
				g := p.groups[o.id]
				if len(g.jobs) == 0 {
					due = append(due, plan.Action{Kind: plan.Launch, Group: g.id})
					continue
				}
				if jobs < c.begun {
					g.jobs[0].facts.Pods = []workload.JobPod{{}}
				}
				g.jobs[0].ended = jobs >= c.begun && jobs < c.begun+c.ended
				jobs++
			}
			p.plan = plan.Plan{Actions: due, Waiting: map[string]string{}}
			p.holdBackJobs()
			if got := len(p.plan.Actions); got != c.want {
				t.Errorf("%d are launched, want %d", got, c.want)
			}
			if got, want := len(p.plan.Waiting), 2*(c.due-c.want); got != want {
				t.Errorf("%d nodes are told that they wait, want %d", got, want)
			}
		})
	}
}

// TestOperatorAway: where the MPI Operator does nothing at all, the pairs that wait for their turn are not tried in vain.
func TestOperatorAway(t *testing.T) {
	cases := map[string]struct {
		jobs int
		age  time.Duration
		pod  bool
		want int
	}{
		"it does nothing about a full batch":              {maxJobsBehind, time.Minute, false, 100},
		"it has time yet":                                 {maxJobsBehind, 59 * time.Second, false, 0},
		"it has begun one job, long ago":                  {maxJobsBehind, time.Minute, true, 0},
		"too few jobs to know that it is not due to them": {maxJobsBehind - 1, time.Minute, false, 0},
	}
	for sentence, c := range cases {
		t.Run(sentence, func(t *testing.T) {
			s := pairsScope(c.jobs+100, c.jobs)
			s.indexGroups()
			for _, g := range s.groups {
				for _, j := range g.jobs {
					j.facts.Created = s.now.Add(-c.age)
				}
			}
			for _, n := range s.nodes {
				n.facts = plan.Facts{Exists: true, Ready: true}
			}
			if c.pod {
				s.placeJobPod(map[string]*observedNode{}, workerPod(0, 0, s.now.Add(-10*time.Minute)))
			}
			s.tellJobs()
			judged := judge(collect(s))
			for id, g := range judged.groups {
				g.due, g.round = s.groups[id] != nil, 3
			}
			more, some := collectImpossible(judged)
			if some != (c.want > 0) {
				t.Errorf("some pairs are given up: %v, want %d", some, c.want)
			}
			refused := 0
			for _, g := range more.groups {
				if len(g.jobs) > 0 || len(g.attempts()) == 0 {
					continue
				}
				refused++
				if a := g.attempts()[0]; a.Reason != v1alpha1.ReasonMPIOperatorSilent || a.Round != 3 {
					t.Errorf("attempt in round %d: %s: %s", a.Round, a.Reason, a.Message)
				}
			}
			if refused != c.want {
				t.Errorf("%d pairs are given up, want %d", refused, c.want)
			}
		})
	}
}

// TestGroupTooLarge: a group for which no MPIJob can be made ends at once, in words; a smaller one is left alone.
func TestGroupTooLarge(t *testing.T) {
	s := pairsScope(1000, 0)
	s.run.Spec.Confirmations = new(int32(1))
	s.deadline = s.now.Add(time.Hour)
	s.tasks[0].Benchmark.Spec.Group.Size = intstr.FromString("All")
	names := make([]string, len(s.nodes))
	for i, n := range s.nodes {
		names[i] = n.name
		n.facts = plan.Facts{Exists: true, Ready: true}
	}
	large, small, other := s.groupOf(0, names), s.groupOf(0, names[:1024]), s.groupOf(0, names[:1500])
	judged := judge(collect(s))
	if !judged.groups[large.id].due {
		t.Fatal("the group of all nodes is not due")
	}
	judged.groups[small.id].due = true
	more, some := collectImpossible(judged)
	attempts := func(g *observedGroup) int { return len(more.groups[g.id].attempts()) }
	if !some || attempts(large) != 1 || attempts(small)+attempts(other) > 0 {
		t.Errorf("the large group has %d attempts, the small one %d, and the one that is not due %d: want one of the large group",
			attempts(large), attempts(small), attempts(other))
	}
	judged = judge(more)
	want := "with node-00000, node-00001, node-00002 and 1996 others: a group of 2000 nodes is larger than one MPIJob can be (1024): set group.size or group.within of the Benchmark, or choose fewer nodes"
	d := judged.nodes[1999].decisions[0]
	if d.Verdict != v1alpha1.VerdictError || d.Reason != v1alpha1.ReasonGroupTooLarge || d.Message != want {
		t.Errorf("the last node is %s/%s: %s", d.Verdict, d.Reason, d.Message)
	}
	if g := judged.groups[large.id]; g.due || g.result.Verdict != v1alpha1.VerdictError {
		t.Errorf("the group is wanted again (%v), its result has verdict %s", g.due, g.result.Verdict)
	}
}

// TestOverdueRunsLookAfterTheirJobs: nothing tells of an MPIJob that is gone at last.
func TestOverdueRunsLookAfterTheirJobs(t *testing.T) {
	for jobs, want := range map[int]time.Duration{0: 90 * time.Second, 1: plan.BusyRecheck} {
		s := pairsScope(1, jobs)
		s.deadline = s.now.Add(-30 * time.Second)
		s.run.Spec.ActiveDeadlineSeconds = new(int64(3600))
		p := &Planned{Judged: judge(collect(s))}
		if got := conclude(p, Written{}).recheckIn(); got != want {
			t.Errorf("%d jobs: it is looked at again in %s, want %s", jobs, got, want)
		}
	}
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
	byName := map[string]*observedNode{}
	first, last := s.now.Add(-9*time.Second), s.now.Add(-2*time.Second)
	s.placeJobPod(byName, workerPod(2, 0, last))
	s.placeJobPod(byName, workerPod(0, 0, first))
	foreign := workerPod(1, 0, s.now)
	foreign.Labels[v1alpha1.LabelRunUID], foreign.OwnerReferences[0].Name, foreign.OwnerReferences[0].UID = "another", "g-other", "other"
	s.placeJobPod(byName, foreign)
	wrote := func(subresource string, at time.Time) metav1.Object {
		return &metav1.ObjectMeta{ManagedFields: []metav1.ManagedFieldsEntry{{Subresource: subresource, Time: new(metav1.NewTime(at))}, {Subresource: "status"}}}
	}
	s.seeStatus(wrote("", s.now))
	s.seeStatus(wrote("status", first))
	if !s.operatorSeen.Equal(last) {
		t.Errorf("the operator was seen at %s, want %s", s.operatorSeen, last)
	}
	last = s.now.Add(-time.Second)
	s.seeStatus(wrote("status", last))
	s.tellJobs()
	for _, g := range s.groups {
		for _, j := range g.jobs {
			if !j.facts.Alive.Equal(last) {
				t.Errorf("job %s: the operator was seen at %s, want %s", j.name, j.facts.Alive, last)
			}
		}
	}
}

// TestNodesOfGroups: what took part in a group and is gone or another now is known, however many groups there are. Looking
// through all groups for every node would take minutes here.
func TestNodesOfGroups(t *testing.T) {
	s := sixthRound()
	s.nodes[5].node, s.nodes[6].node.UID = nil, "another"
	s.groupOf(0, []string{s.nodes[0].name, s.nodes[4].name}).nodes[0].UID = "only wanted"
	s.indexGroups()
	for range 50 {
		for _, n := range s.nodes {
			s.groupFacts(n)
		}
	}
	for i, n := range s.nodes {
		if got, want := [2]bool{n.facts.Lost, n.facts.Recreated}, [2]bool{i == 5, i == 6}; got != want {
			t.Errorf("node %s: lost and recreated are %v, want %v", n.name, got, want)
		}
	}
}

// sixthRound is a run in its sixth round: 4,096 nodes, five rounds of pairs stored, the pairs of the sixth with jobs.
func sixthRound() *Observed {
	const nodes, rounds = 4096, 5
	s := pairsScope(nodes/2, nodes/2)
	for round := 1; round <= rounds; round++ {
		for i := 0; i < nodes; i += 2 {
			g := s.groupOf(0, []string{s.nodes[i].name, s.nodes[(i+1+2*round)%nodes].name})
			g.stored = &v1alpha1.ValidationResult{}
		}
	}
	return s
}

// BenchmarkGroupFacts is what a pass learns of 4,096 nodes from their groups.
func BenchmarkGroupFacts(b *testing.B) {
	s := sixthRound()
	for b.Loop() {
		s.indexGroups()
		for _, n := range s.nodes {
			s.groupFacts(n)
		}
	}
}

// BenchmarkPlaceJobPods gives the pods of 2,048 jobs to their jobs: two workers and a launcher each.
func BenchmarkPlaceJobPods(b *testing.B) {
	s := sixthRound()
	byName := map[string]*observedNode{}
	var pods []*corev1.Pod
	for i := range 2048 {
		launcher := workerPod(i, 2, s.now)
		launchedBy(i)(s, launcher)
		pods = append(pods, workerPod(i, 0, s.now), workerPod(i, 1, s.now), launcher)
	}
	for b.Loop() {
		s.indexGroups()
		for _, pod := range pods {
			s.placeJobPod(byName, pod)
		}
	}
	if len(s.leftovers) > 0 {
		b.Errorf("%d pods found no job", len(s.leftovers))
	}
}

// parts are what a pair measured of the first metric, by part.
type parts map[string]float64

// pairScope has nodes that a Benchmark of pairs measures.
func pairScope(nodes int, confirmations int32, metrics ...v1alpha1.Metric) *Observed {
	run := &v1alpha1.ValidationRun{Spec: v1alpha1.ValidationRunSpec{Confirmations: &confirmations}}
	run.Name, run.UID = "run", "run-uid"
	b := &v1alpha1.Benchmark{Spec: v1alpha1.BenchmarkSpec{Scope: v1alpha1.ScopeGroup, Group: &v1alpha1.Group{Size: intstr.FromInt32(2)}}}
	b.Name = "pairs"
	now := time.Unix(1_700_000_000, 0)
	s := &Observed{run: run, now: now, deadline: now.Add(time.Hour), groups: map[string]*observedGroup{}, tasks: []Task{{Benchmark: b, Metrics: metrics}}}
	for i := range nodes {
		n := &observedNode{name: fmt.Sprintf("n%04d", i), node: &corev1.Node{}, lacks: make([]*lack, 1)}
		n.node.Name, n.node.UID = n.name, types.UID(n.name)
		s.nodes = append(s.nodes, n)
	}
	return s
}

func bandwidth(e v1alpha1.Expectation) v1alpha1.Metric {
	return v1alpha1.Metric{Name: "bandwidth", Unit: "GB/s", Better: v1alpha1.Higher, Headline: true, Noise: v1alpha1.Noise{Run: "0.02", Part: "0.02", Node: "0.02"}, Expectation: &e}
}

// groupOf finds the group of a benchmark and named nodes of the run.
func (s *Observed) groupOf(task int, names []string) *observedGroup {
	names = slices.Sorted(slices.Values(names))
	nodes := make([]v1alpha1.ObjectReference, len(names))
	for i, name := range names {
		nodes[i].Name = name
		if n := s.node(name); n.node != nil {
			nodes[i].UID = n.node.UID
		}
	}
	return s.group(task, nodes)
}

// store an attempt of a group.
func (s *Observed) store(g *observedGroup, a v1alpha1.Attempt) {
	if g.stored == nil {
		g.stored = s.groupResult(g)
	}
	row := &g.stored.Benchmarks[0]
	a.Number = int32(len(row.Attempts)) + 1
	row.Attempts = append(row.Attempts, a)
}

// add stores an attempt of a pair that measured the first metric.
func (s *Observed) add(g *observedGroup, round int32, values parts) {
	m := s.tasks[g.task].Metrics[0]
	measured := v1alpha1.Measurement{Name: m.Name, Unit: m.Unit}
	for at, v := range values {
		measured.Parts = append(measured.Parts, v1alpha1.PartValue{At: at, Value: v1alpha1.Decimal(strconv.FormatFloat(v, 'f', -1, 64))})
	}
	s.store(g, v1alpha1.Attempt{Round: round, Verdict: v1alpha1.VerdictPass, Reason: v1alpha1.ReasonMeasured, Measurements: []v1alpha1.Measurement{measured}})
}
