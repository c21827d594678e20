package observe

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/workload"
)

// launchedBy makes a pod the launcher of the i-th pair's job.
func launchedBy(i int) func(*Observed, *corev1.Pod) {
	return func(_ *Observed, p *corev1.Pod) {
		name := fmt.Sprintf("g-pairs-%05d-launcher", i)
		p.Name = name + "-x7gk2"
		p.Labels[v1alpha1.LabelJobRole] = v1alpha1.JobRoleLauncher
		p.OwnerReferences = []metav1.OwnerReference{{APIVersion: "batch/v1", Kind: "Job", Name: name, UID: "launcher", Controller: new(true)}}
	}
}

func all(changes ...func(*Observed, *corev1.Pod)) func(*Observed, *corev1.Pod) {
	return func(s *Observed, p *corev1.Pod) {
		for _, c := range changes {
			c(s, p)
		}
	}
}

// TestPodsFindTheirJob: whose pod it is, and what it is, follows from owner, name and node, whatever a kubelet makes of its labels.
func TestPodsFindTheirJob(t *testing.T) {
	type change = func(*Observed, *corev1.Pod)
	stripped := func(_ *Observed, p *corev1.Pod) { p.Labels, p.Annotations = nil, nil }
	label := func(key, value string) change { return func(_ *Observed, p *corev1.Pod) { p.Labels[key] = value } }
	owner := func(edit func(*metav1.OwnerReference)) change {
		return func(_ *Observed, p *corev1.Pod) { edit(&p.OwnerReferences[0]) }
	}
	named := func(name string) change { return func(_ *Observed, p *corev1.Pod) { p.Name = name } }
	bound := func(i int) change { return func(s *Observed, p *corev1.Pod) { p.Spec.NodeName = s.Nodes[i].Name } }
	aged := func(age time.Duration) change {
		return func(s *Observed, p *corev1.Pod) { p.CreationTimestamp = metav1.NewTime(s.Now.Add(-age)) }
	}
	of := func(job string) change {
		return all(owner(func(o *metav1.OwnerReference) { o.Name, o.UID = job, "gone" }), label(v1alpha1.LabelJob, job))
	}
	const worker, launcher, left, none = "worker of g-pairs-00001", "launcher of g-pairs-00001", "left over", ""
	doubted := func(why string) string { return "no proof in g-pairs-00001: " + why }
	for sentence, c := range map[string]struct {
		change change
		want   string
	}{
		"a worker":                            {all(), worker},
		"a worker that is bound":              {bound(2), worker},
		"a launcher":                          {launchedBy(1), launcher},
		"a launcher on a node of its group":   {all(launchedBy(1), bound(3)), launcher},
		"a launcher as old as its MPIJob":     {all(launchedBy(1), aged(10*time.Second)), launcher},
		"a worker that says it is a launcher": {label(v1alpha1.LabelJobRole, v1alpha1.JobRoleLauncher), worker},
		"a worker without labels":             {stripped, worker},
		"a worker that says another job":      {label(v1alpha1.LabelJob, "g-pairs-00000"), worker},
		"a worker that says another run":      {label(v1alpha1.LabelRunUID, "another"), worker},
		"a launcher that says it is a worker": {all(launchedBy(1), label(v1alpha1.LabelJobRole, v1alpha1.JobRoleWorker)), launcher},
		"a launcher without labels":           {all(launchedBy(1), stripped), launcher},
		"a launcher that says another job":    {all(launchedBy(1), label(v1alpha1.LabelJob, "g-pairs-00000")), launcher},

		"a worker beyond the last":          {named("g-pairs-00001-worker-2"), doubted("pod g-pairs-00001-worker-2 poses as a worker of MPIJob g-pairs-00001, but is none of g-pairs-00001-worker-0 to 1")},
		"a worker of another number":        {named("g-pairs-00001-worker-01"), doubted("pod g-pairs-00001-worker-01 poses as a worker of MPIJob g-pairs-00001, but is none of g-pairs-00001-worker-0 to 1")},
		"a worker of another job's name":    {named("g-pairs-00000-worker-0"), doubted("pod g-pairs-00000-worker-0 poses as a worker of MPIJob g-pairs-00001, but is none of g-pairs-00001-worker-0 to 1")},
		"a launcher of another name":        {all(launchedBy(1), named("g-pairs-00001-worker-0")), doubted("pod g-pairs-00001-worker-0 poses as the launcher of MPIJob g-pairs-00001, but its name does not begin with g-pairs-00001-launcher-")},
		"a worker on another group's node":  {bound(0), doubted("pod g-pairs-00001-worker-0 of MPIJob g-pairs-00001 runs on node node-00000, which is not in its group")},
		"a launcher on another group's":     {all(launchedBy(1), bound(0)), doubted("pod g-pairs-00001-launcher-x7gk2 of MPIJob g-pairs-00001 runs on node node-00000, which is not in its group")},
		"a worker of a kind that is no job": {all(owner(func(o *metav1.OwnerReference) { o.APIVersion = "example.com/v2beta1" })), none},
		"a worker without an owner":         {func(_ *Observed, p *corev1.Pod) { p.OwnerReferences = nil }, none},
		"a worker of an owner, no control":  {owner(func(o *metav1.OwnerReference) { o.Controller = nil }), none},
		"a launcher of another kind":        {all(launchedBy(1), owner(func(o *metav1.OwnerReference) { o.Kind = "Set" })), none},
		"a launcher of another API":         {all(launchedBy(1), owner(func(o *metav1.OwnerReference) { o.APIVersion = "v1" })), none},
		"a Job that launches nothing":       {all(launchedBy(1), owner(func(o *metav1.OwnerReference) { o.Name = "g-pairs-00001" })), none},

		"a worker of a job that is gone":                        {of("g-pairs-00002"), left},
		"a worker of an earlier job of the same name":           {all(of("g-pairs-00001"), stripped), left},
		"a worker of a job that left an attempt":                {all(of("g-pairs-stored"), stripped), left},
		"a launcher of an earlier job of the same name":         {all(launchedBy(1), aged(11*time.Second)), left},
		"a launcher of a job that is gone":                      {launchedBy(2), left},
		"a launcher of a job that left an attempt":              {all(launchedBy(2), stripped, owner(func(o *metav1.OwnerReference) { o.Name = "g-pairs-stored-launcher" })), left},
		"a worker of another run":                               {all(of("g-other"), label(v1alpha1.LabelRunUID, "another")), none},
		"a worker of another run that says it is of a job here": {all(of("g-other"), label(v1alpha1.LabelRunUID, "another"), label(v1alpha1.LabelJob, "g-pairs-00001")), none},
	} {
		t.Run(sentence, func(t *testing.T) {
			s := pairsScope(4, 2)
			stored := groupOf(s, 0, []string{s.Nodes[6].Name, s.Nodes[7].Name})
			store(s, stored, v1alpha1.Attempt{Pod: "g-pairs-stored"})
			s.indexGroups()
			pod := workerPod(1, 0, s.Now)
			c.change(s, pod)
			s.placeJobPod(map[string]*ObservedNode{}, pod)
			if diff := cmp.Diff(c.want, placedAs(s)); diff != "" {
				t.Errorf("it was placed otherwise (-want +got):\n%s", diff)
			}
		})
	}
}

// placedAs says where the only pod went.
func placedAs(s *Observed) string {
	var out []string
	for range s.Leftovers {
		out = append(out, "left over")
	}
	for _, g := range InOrder(s.Groups) {
		for _, j := range g.Jobs {
			for _, p := range j.Facts.Pods {
				out = append(out, map[bool]string{true: "launcher", false: "worker"}[p.Launcher]+" of "+j.Name)
			}
			if j.Facts.Doubt != "" {
				out = append(out, "no proof in "+j.Name+": "+j.Facts.Doubt)
			}
		}
	}
	return strings.Join(out, ", ")
}

// TestWorkersHoldTheirNodes: a worker keeps others off its node until it has ended, whatever its labels say.
func TestWorkersHoldTheirNodes(t *testing.T) {
	elsewhere := func(_ *Observed, p *corev1.Pod) {
		p.OwnerReferences[0].Name, p.OwnerReferences[0].UID = "g-other", "other"
		p.Labels = map[string]string{v1alpha1.LabelRunUID: "another", v1alpha1.LabelRunName: "theirs"}
	}
	relabelled := func(_ *Observed, p *corev1.Pod) { p.Labels[v1alpha1.LabelJobRole] = v1alpha1.JobRoleLauncher }
	stripped := func(_ *Observed, p *corev1.Pod) { p.Labels = nil }
	ended := func(_ *Observed, p *corev1.Pod) { p.Status.Phase = corev1.PodFailed }
	for sentence, c := range map[string]struct {
		change       func(*Observed, *corev1.Pod)
		ending, busy string
	}{
		"of a job that is gone":                     {func(_ *Observed, p *corev1.Pod) { p.OwnerReferences[0].UID = "gone" }, "waiting for pod g-pairs-00001-worker-0 of the previous measurement to end", ""},
		"of another run":                            {elsewhere, "", "waiting for run theirs, which is measuring this node"},
		"of another run, and says it is a launcher": {all(elsewhere, relabelled), "", "waiting for run theirs, which is measuring this node"},
		"of another run, without labels":            {all(elsewhere, stripped), "", "waiting for run of MPIJob g-other, which is measuring this node"},
		"of another run, ended":                     {all(elsewhere, ended), "", ""},
		"a launcher of another run":                 {all(launchedBy(3), func(_ *Observed, p *corev1.Pod) { p.Labels = nil }), "", ""},
	} {
		t.Run(sentence, func(t *testing.T) {
			s := pairsScope(2, 2)
			s.indexGroups()
			pod := workerPod(1, 0, s.Now)
			pod.Spec.NodeName = s.Nodes[2].Name
			c.change(s, pod)
			s.placeJobPod(map[string]*ObservedNode{s.Nodes[2].Name: s.Nodes[2]}, pod)
			if n := s.Nodes[2]; n.Ending != c.ending || n.Busy != c.busy {
				t.Errorf("the node is held %q and occupied %q, want %q and %q", n.Ending, n.Busy, c.ending, c.busy)
			}
		})
	}
}

// TestLeftoversOfARunThatIsOver: pods are found by what they belong to; the label counts for jobs only of which nothing else is known.
func TestLeftoversOfARunThatIsOver(t *testing.T) {
	s := pairsScope(2, 0)
	jobs := []metav1.PartialObjectMetadata{{ObjectMeta: metav1.ObjectMeta{Name: "g-pairs-00001", UID: "job-00001"}}}
	stripped := func(_ *Observed, p *corev1.Pod) { p.Labels = nil }
	gone := func(_ *Observed, p *corev1.Pod) {
		p.OwnerReferences[0].Name, p.OwnerReferences[0].UID = "g-gone", "gone"
	}
	for sentence, c := range map[string]struct {
		change func(*Observed, *corev1.Pod)
		want   bool
	}{
		"a worker of a job":                           {all(), true},
		"a worker of a job, without labels":           {stripped, true},
		"a launcher of a job, without labels":         {all(launchedBy(1), stripped), true},
		"a launcher of another job, without labels":   {all(launchedBy(3), stripped), false},
		"a worker of a job that is gone":              {gone, true},
		"a worker of a job of nobody, without labels": {all(gone, stripped), false},
		"a pod of nobody with our labels":             {func(_ *Observed, p *corev1.Pod) { p.OwnerReferences = nil }, false},
	} {
		pod := workerPod(1, 0, s.Now)
		c.change(s, pod)
		if got := OwnJobPod(s.Run, jobs, pod); got != c.want {
			t.Errorf("%s: ours is %v", sentence, got)
		}
	}
}

// TestJobsUnderAFalseName: an MPIJob is an attempt on nodes only under the name that follows from these.
func TestJobsUnderAFalseName(t *testing.T) {
	for sentence, c := range map[string]struct {
		change func(*metav1.PartialObjectMetadata)
		nodes  int
	}{
		"as it was made": {func(*metav1.PartialObjectMetadata) {}, 2},
		"it names other nodes": {func(j *metav1.PartialObjectMetadata) {
			j.Annotations[v1alpha1.AnnotationNodes] = `[{"name":"node-00000","uid":"uid-00000"}]`
		}, 0},
		"it names no nodes":     {func(j *metav1.PartialObjectMetadata) { j.Annotations = nil }, 0},
		"it names a later try":  {func(j *metav1.PartialObjectMetadata) { j.Annotations[v1alpha1.AnnotationAttempt] = "2" }, 0},
		"it is another's try":   {func(j *metav1.PartialObjectMetadata) { j.Name = "g-pairs-0123456789abcdef" }, 0},
		"it names no benchmark": {func(j *metav1.PartialObjectMetadata) { j.Labels = nil }, 0},
	} {
		s := pairsScope(1, 0)
		made := workload.MPIJob(workload.GroupLaunch{Run: s.Run, Benchmark: s.Tasks[0].Benchmark, Nodes: []*corev1.Node{s.Nodes[0].Node, s.Nodes[1].Node}, Attempt: 1}, workload.Settings{})
		job := metav1.PartialObjectMetadata{ObjectMeta: made.ObjectMeta}
		c.change(&job)
		s.JobKind, s.Jobs = JobKind{Known: true}, []metav1.PartialObjectMetadata{job}
		o := &observation{Observed: s}
		o.placeJobs()
		got := -1
		for _, g := range s.Groups {
			if len(g.Jobs) > 0 {
				got = len(g.Nodes)
			}
		}
		if got != c.nodes {
			t.Errorf("%s: it is an attempt on %d nodes, want %d", sentence, got, c.nodes)
		}
	}
}

// TestGroupResultsOfOthers: a result counts only for the run that it says it is of, under the name that follows from that.
func TestGroupResultsOfOthers(t *testing.T) {
	mine := func(s *Observed) *v1alpha1.ValidationResult {
		g := groupOf(s, 0, []string{s.Nodes[0].Name, s.Nodes[1].Name})
		v := s.GroupResult(g)
		clear(s.Groups)
		return v
	}
	for sentence, c := range map[string]struct {
		change func(*v1alpha1.ValidationResult)
		want   int
	}{
		"its own":                       {func(*v1alpha1.ValidationResult) {}, 1},
		"of another run, same nodes":    {func(v *v1alpha1.ValidationResult) { v.Run.UID = "another" }, 0},
		"of its own, by other nodes":    {func(v *v1alpha1.ValidationResult) { v.Group.Nodes[0].UID = "another" }, 0},
		"of a name that means no group": {func(v *v1alpha1.ValidationResult) { v.Name = "another" }, 0},
	} {
		s := pairsScope(1, 0)
		v := mine(s)
		c.change(v)
		s.placeGroupResult(v)
		stored := slices.DeleteFunc(InOrder(s.Groups), func(g *ObservedGroup) bool { return g.Stored == nil })
		if len(stored) != c.want {
			t.Errorf("%s: %d groups have a result", sentence, len(stored))
		}
	}
}
