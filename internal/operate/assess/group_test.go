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
	"github.com/assay-dev/assay/internal/operate/assess/collect"
	"github.com/assay-dev/assay/internal/operate/assess/judge"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
	"github.com/assay-dev/assay/internal/operate/plan"
	"github.com/assay-dev/assay/internal/operate/tournament"
)

// pairsRun is a run of so many pairs of nodes, of which the first ones have an MPIJob.
func pairsRun(pairs, jobs int) *observe.Observed {
	run := &v1alpha1.ValidationRun{}
	run.Name, run.UID = "run", "run-uid"
	run.Spec.Confirmations, run.Spec.ActiveDeadlineSeconds = new(int32(1)), new(int64(3600))
	b := &v1alpha1.Benchmark{}
	b.Name, b.Spec.Scope, b.Spec.Group = "pairs", v1alpha1.ScopeGroup, &v1alpha1.Group{Size: intstr.FromInt32(2)}
	s := &observe.Observed{Input: observe.Input{Run: run, Now: time.Unix(1_700_000_000, 0), Tasks: []observe.Task{{Benchmark: b}}}, Groups: map[string]*observe.ObservedGroup{}}
	s.Deadline, s.Memory = s.Now.Add(time.Hour), &observe.Memory{}
	s.Memory.Begin(s.Tasks)
	for i := range 2 * pairs {
		node := &corev1.Node{}
		node.Name, node.UID = fmt.Sprintf("node-%05d", i), types.UID(fmt.Sprintf("uid-%05d", i))
		s.Nodes = append(s.Nodes, &observe.ObservedNode{Name: node.Name, Node: node, Lacks: make([]*observe.Lack, 1)})
		s.Memory.Recall(s.Nodes[i])
	}
	for i := range pairs {
		g := named(s, []string{s.Nodes[2*i].Name, s.Nodes[2*i+1].Name})
		if i < jobs {
			g.Jobs = []*observe.ObservedJob{{Name: fmt.Sprintf("g-pairs-%05d", i), UID: types.UID(fmt.Sprintf("job-%05d", i)), Attempt: 1,
				Facts: workload.JobFacts{Created: s.Now.Add(-10 * time.Second), Workers: 2, Nodes: g.Names()}}}
		}
	}
	return s
}

// podOfWorker is a worker of the i-th pair's job.
func podOfWorker(i, worker int, created time.Time) *corev1.Pod {
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
		"a first round of many pairs":                {0, 0, 0, 2048, judge.MaxJobsBehind},
		"few pairs":                                  {0, 0, 0, 7, 7},
		"the operator has begun none":                {50, 0, 0, 100, 0},
		"more exist than would be made now":          {60, 0, 0, 100, 0},
		"the operator has begun some":                {50, 20, 0, 100, 20},
		"jobs that are over are not the operator's":  {50, 0, 10, 100, 10},
		"all that exist were begun, and few are due": {100, 100, 0, 3, 3},
	}
	for sentence, c := range cases {
		t.Run(sentence, func(t *testing.T) {
			s := pairsRun(c.jobs+c.due, c.jobs)
			var due []plan.Action
			jobs := 0
			p := &Planned{Judged: judge.Judge(collect.Collect(s))}
			for _, o := range observe.InOrder(s.Groups) {
				g := p.Groups[o.ID]
				if len(g.Jobs) == 0 {
					due = append(due, plan.Action{Kind: plan.Launch, Group: g.ID})
					continue
				}
				if jobs < c.begun {
					g.Jobs[0].Facts.Pods = []workload.JobPod{{}}
				}
				g.Jobs[0].Ended = jobs >= c.begun && jobs < c.begun+c.ended
				jobs++
			}
			others := []plan.Action{{Kind: plan.Launch, Node: "n"}, {Kind: plan.Delete, Group: "g"}} // pods need no operator, and what is deleted no room
			p.plan = plan.Plan{Actions: append(others, due...), Waiting: map[string]string{}}
			p.holdBackJobs()
			if got := len(p.plan.Actions) - len(others); got != c.want {
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
		"it does nothing about a full batch":              {judge.MaxJobsBehind, time.Minute, false, 100},
		"it has time yet":                                 {judge.MaxJobsBehind, 59 * time.Second, false, 0},
		"it has begun one job, long ago":                  {judge.MaxJobsBehind, time.Minute, true, 0},
		"too few jobs to know that it is not due to them": {judge.MaxJobsBehind - 1, time.Minute, false, 0},
	}
	for sentence, c := range cases {
		t.Run(sentence, func(t *testing.T) {
			s := pairsRun(c.jobs+100, c.jobs)
			for _, g := range s.Groups {
				for _, j := range g.Jobs {
					j.Facts.Created = s.Now.Add(-c.age)
				}
			}
			for _, n := range s.Nodes {
				n.Facts = plan.Facts{Exists: true, Ready: true}
			}
			if c.pod {
				s.OperatorSeen = s.Now.Add(-10 * time.Minute)
			}
			for _, g := range s.Groups {
				for _, j := range g.Jobs {
					j.Facts.Alive = s.OperatorSeen
				}
			}
			judged := judge.Judge(collect.Collect(s))
			for id, g := range judged.Groups {
				g.Due, g.Round = s.Groups[id] != nil, 3
			}
			more, some := judge.Impossible(judged)
			if some != (c.want > 0) {
				t.Errorf("some pairs are given up: %v, want %d", some, c.want)
			}
			refused := 0
			for _, g := range more.Groups {
				if len(g.Jobs) > 0 || len(g.Attempts()) == 0 {
					continue
				}
				refused++
				if a := g.Attempts()[0]; a.Reason != v1alpha1.ReasonMPIOperatorSilent || a.Round != 3 {
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
	s := pairsRun(1000, 0)
	s.Run.Spec.Confirmations = new(int32(1))
	s.Deadline = s.Now.Add(time.Hour)
	s.Tasks[0].Benchmark.Spec.Group.Size = intstr.FromString("All")
	names := make([]string, len(s.Nodes))
	for i, n := range s.Nodes {
		names[i] = n.Name
		n.Facts = plan.Facts{Exists: true, Ready: true}
	}
	large, small, other := named(s, names), named(s, names[:1024]), named(s, names[:1500])
	judged := judge.Judge(collect.Collect(s))
	if !judged.Groups[large.ID].Due {
		t.Fatal("the group of all nodes is not due")
	}
	judged.Groups[small.ID].Due = true
	more, some := judge.Impossible(judged)
	attempts := func(g *observe.ObservedGroup) int { return len(more.Groups[g.ID].Attempts()) }
	if !some || attempts(large) != 1 || attempts(small)+attempts(other) > 0 {
		t.Errorf("the large group has %d attempts, the small one %d, and the one that is not due %d: want one of the large group",
			attempts(large), attempts(small), attempts(other))
	}
	judged = judge.Judge(more)
	want := "with node-00000, node-00001, node-00002 and 1996 others: a group of 2000 nodes is larger than one MPIJob can be (1024): set group.size or group.within of the Benchmark, or choose fewer nodes"
	d := judged.Nodes[1999].Decisions[0]
	if d.Verdict != v1alpha1.VerdictError || d.Reason != v1alpha1.ReasonGroupTooLarge || d.Message != want {
		t.Errorf("the last node is %s/%s: %s", d.Verdict, d.Reason, d.Message)
	}
	if g := judged.Groups[large.ID]; g.Due || g.Result.Verdict != v1alpha1.VerdictError {
		t.Errorf("the group is wanted again (%v), its result has verdict %s", g.Due, g.Result.Verdict)
	}
}

// TestOverdueRunsLookAfterTheirJobs: nothing tells of an MPIJob that is gone at last.
func TestOverdueRunsLookAfterTheirJobs(t *testing.T) {
	for jobs, want := range map[int]time.Duration{0: 90 * time.Second, 1: plan.BusyRecheck} {
		s := pairsRun(1, jobs)
		s.Deadline = s.Now.Add(-30 * time.Second)
		s.Run.Spec.ActiveDeadlineSeconds = new(int64(3600))
		p := &Planned{Judged: judge.Judge(collect.Collect(s))}
		if got := conclude(p, Written{}).recheckIn(); got != want {
			t.Errorf("%d jobs: it is looked at again in %s, want %s", jobs, got, want)
		}
	}
}

// parts are what a pair measured of the first metric, by part.
type parts map[string]float64

// pairScope has nodes that a Benchmark of pairs measures.
func pairScope(nodes int, confirmations int32, metrics ...v1alpha1.Metric) *observe.Observed {
	run := &v1alpha1.ValidationRun{Spec: v1alpha1.ValidationRunSpec{Confirmations: &confirmations}}
	run.Name, run.UID = "run", "run-uid"
	b := &v1alpha1.Benchmark{Spec: v1alpha1.BenchmarkSpec{Scope: v1alpha1.ScopeGroup, Group: &v1alpha1.Group{Size: intstr.FromInt32(2)}}}
	b.Name = "pairs"
	now := time.Unix(1_700_000_000, 0)
	s := &observe.Observed{Input: observe.Input{Run: run, Now: now, Tasks: []observe.Task{{Benchmark: b, Metrics: metrics}}}, Deadline: now.Add(time.Hour),
		Groups: map[string]*observe.ObservedGroup{}}
	s.Memory = &observe.Memory{}
	s.Memory.Begin(s.Tasks)
	for i := range nodes {
		n := &observe.ObservedNode{Name: fmt.Sprintf("n%04d", i), Node: &corev1.Node{}, Lacks: make([]*observe.Lack, 1)}
		n.Node.Name, n.Node.UID = n.Name, types.UID(n.Name)
		s.Memory.Recall(n)
		s.Nodes = append(s.Nodes, n)
	}
	return s
}

func bandwidth(e v1alpha1.Expectation) v1alpha1.Metric {
	return v1alpha1.Metric{Name: "bandwidth", Unit: "GB/s", Better: v1alpha1.Higher, Headline: true, Noise: v1alpha1.Noise{Run: "0.02", Part: "0.02", Node: "0.02"}, Expectation: &e}
}

// addTo the results of a group an attempt that measured the first metric.
func addTo(s *observe.Observed, g *observe.ObservedGroup, round int32, values parts) {
	m := s.Tasks[g.Task].Metrics[0]
	measured := v1alpha1.Measurement{Name: m.Name, Unit: m.Unit}
	for at, v := range values {
		measured.Parts = append(measured.Parts, v1alpha1.PartValue{At: at, Value: v1alpha1.Decimal(strconv.FormatFloat(v, 'f', -1, 64))})
	}
	if g.Stored == nil {
		g.Stored = s.GroupResult(g)
	}
	row := &g.Stored.Benchmarks[0]
	row.Attempts = append(row.Attempts, v1alpha1.Attempt{Number: int32(len(row.Attempts)) + 1, Round: round, Verdict: v1alpha1.VerdictPass, Reason: v1alpha1.ReasonMeasured, Measurements: []v1alpha1.Measurement{measured}})
}

// named is the group of some nodes of the run, by their names.
func named(s *observe.Observed, names []string) *observe.ObservedGroup {
	nodes := make([]v1alpha1.ObjectReference, len(names))
	for i, name := range slices.Sorted(slices.Values(names)) {
		nodes[i].Name = name
		for _, n := range s.Nodes {
			if n.Name == name && n.Node != nil {
				nodes[i].UID = n.Node.UID
			}
		}
	}
	return groupOfNodes(s, nodes)
}

func groupOfNodes(s *observe.Observed, nodes []v1alpha1.ObjectReference) *observe.ObservedGroup {
	id := tournament.ID(s.Run, s.Tasks[0].Name(), nodes)
	if s.Groups[id] == nil {
		s.Groups[id] = &observe.ObservedGroup{ID: id, Nodes: nodes}
	}
	return s.Groups[id]
}

// TestAGroupAtWorkMayFinish although another node has to be measured alone again; one of which a node has to be is stopped.
func TestAGroupAtWorkMayFinish(t *testing.T) {
	s := pairsRun(2, 2)
	alone := &v1alpha1.Benchmark{}
	alone.Name, alone.Spec.Scope = "alone", v1alpha1.ScopeNode
	s.Tasks = append(s.Tasks, observe.Task{Benchmark: alone})
	s.Memory.Begin(s.Tasks)
	for i, n := range s.Nodes {
		n.Facts, n.Lacks = plan.Facts{Exists: true, Ready: true}, make([]*observe.Lack, 2)
		if i >= 2 { // it is not for these, and the others are still to be measured
			n.Lacks[1] = &observe.Lack{Reason: v1alpha1.ReasonNeedsNotMet, Message: "it has no GPU"}
		}
		s.Memory.Recall(n)
	}
	p := &Planned{Judged: judge.Judge(collect.Collect(s))}
	for _, g := range p.planGroups() {
		if open := g.Nodes[0] == s.Nodes[0].Name; g.Wanted == open {
			t.Errorf("the job over %v is wanted: %v", g.Nodes, g.Wanted)
		}
	}
	s.Run.Spec.Suspend = true
	p = &Planned{Judged: judge.Judge(collect.Collect(s))}
	for _, g := range p.planGroups() {
		if g.Wanted {
			t.Errorf("the run is suspended, and the job over %v is wanted", g.Nodes)
		}
	}
}
