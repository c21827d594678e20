package policy

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// TestWhichRunsCount: a run counts as one of the policy's, as active and as having its nodes only if it is all that.
func TestWhichRunsCount(t *testing.T) {
	const kind = "ValidationPolicy"
	p := &v1alpha1.ValidationPolicy{ObjectMeta: metav1.ObjectMeta{Name: "p", UID: "policy-uid"}}
	owner := func(apiVersion, kind string, uid types.UID) func(*v1alpha1.ValidationRun) {
		return func(r *v1alpha1.ValidationRun) {
			r.OwnerReferences = []metav1.OwnerReference{{APIVersion: apiVersion, Kind: kind, Name: "p", UID: uid, Controller: new(true)}}
		}
	}
	ours := owner(v1alpha1.GroupVersion.String(), kind, p.UID)
	suspended := func(r *v1alpha1.ValidationRun) { r.Spec.Suspend = true }
	condition := func(name string) func(*v1alpha1.ValidationRun) {
		return func(r *v1alpha1.ValidationRun) {
			r.Status.Conditions = []metav1.Condition{{Type: name, Status: metav1.ConditionTrue}}
		}
	}
	type change = func(*v1alpha1.ValidationRun)
	cases := map[string]struct {
		changes          []change
		own, active, has bool
	}{
		"its own":                            {[]change{ours}, true, true, true},
		"its own, over":                      {[]change{ours, condition(v1alpha1.ConditionFinished)}, true, false, false},
		"its own, suspended by a person":     {[]change{ours, suspended}, true, false, false},
		"its own, stalled":                   {[]change{ours, condition(v1alpha1.ConditionStalled)}, true, true, true},
		"of a namesake that is gone":         {[]change{owner(v1alpha1.GroupVersion.String(), kind, "another")}, false, false, true},
		"of another kind by the policy's ID": {[]change{owner("v1", "Pod", p.UID)}, false, false, true},
		"of another group":                   {[]change{owner("example.com/v1", kind, p.UID)}, false, false, true},
		"of an older version of the API":     {[]change{owner("assay.dev/v1alpha0", kind, p.UID)}, true, true, true},
		"of a person":                        {nil, false, false, true},
		"of a person, suspended":             {[]change{suspended}, false, false, false},
		"of a person, stalled":               {[]change{condition(v1alpha1.ConditionStalled)}, false, false, false},
	}
	for sentence, c := range cases {
		t.Run(sentence, func(t *testing.T) {
			run := &v1alpha1.ValidationRun{ObjectMeta: metav1.ObjectMeta{Name: "run"}, Spec: v1alpha1.ValidationRunSpec{NodeNames: []string{"n"}}}
			for _, change := range c.changes {
				change(run)
			}
			r := newRuns(&Snapshot{Policy: p, Runs: []*v1alpha1.ValidationRun{run}}, false, time.Unix(0, 0))
			has := r.of(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}}, "") != nil
			if own, active := len(r.own) == 1, r.active == 1; own != c.own || active != c.active || has != c.has {
				t.Errorf("own %v, active %v, has its node %v; want %v, %v, %v", own, active, has, c.own, c.active, c.has)
			}
		})
	}
}

// TestARunByLabelsHasItsNodes: a run of a person that selects nodes keeps a policy from measuring them, too, but not those that joined after it
// started, which are no part of it.
func TestARunByLabelsHasItsNodes(t *testing.T) {
	began := metav1.Unix(1_700_000_000, 0)
	node := func(pool string, joined int) *corev1.Node {
		return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n", Labels: map[string]string{"pool": pool},
			CreationTimestamp: metav1.Unix(began.Unix()+int64(joined), 0)}}
	}
	for sentence, c := range map[string]struct {
		started bool
		node    *corev1.Node
		has     bool
	}{
		"selected":                             {true, node("a", -1), true},
		"of another pool":                      {true, node("b", -1), false},
		"joined in the second of the start":    {true, node("a", 0), true},
		"joined after the run started":         {true, node("a", 1), false},
		"joined before a run that is to start": {false, node("a", 1), true},
	} {
		run := &v1alpha1.ValidationRun{ObjectMeta: metav1.ObjectMeta{Name: "run"}, Spec: v1alpha1.ValidationRunSpec{Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"pool": "a"}}}}
		if c.started {
			run.Status.StartTime = &began
		}
		r := newRuns(&Snapshot{Policy: &v1alpha1.ValidationPolicy{}, Runs: []*v1alpha1.ValidationRun{run}}, false, began.Time)
		if has := r.of(c.node, "") != nil; has != c.has {
			t.Errorf("%s: the run has the node %v, want %v", sentence, has, c.has)
		}
	}
}

// TestWhichRunWasLast: of runs of one second, the names follow from each other, and one that was deleted counts for as long as no later one came.
func TestWhichRunWasLast(t *testing.T) {
	p := &v1alpha1.ValidationPolicy{ObjectMeta: metav1.ObjectMeta{Name: "p", UID: "policy-uid"}}
	names := []string{""}
	for range 20 {
		names = append(names, runNameAfter(p, names[len(names)-1]))
	}
	run := func(i int, second int64) *v1alpha1.ValidationRun {
		return &v1alpha1.ValidationRun{ObjectMeta: metav1.ObjectMeta{Name: names[i], CreationTimestamp: metav1.Unix(second, 0),
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(p, v1alpha1.GroupVersion.WithKind("ValidationPolicy"))}}}
	}
	var together []*v1alpha1.ValidationRun
	for i := range names[1:] {
		together = append(together, run(i+1, 50))
	}
	for sentence, c := range map[string]struct {
		runs []*v1alpha1.ValidationRun
		said *v1alpha1.PolicyRun
		want string
	}{
		"there was none":                               {nil, nil, ""},
		"all of one second":                            {together, nil, names[20]},
		"of one second, and one is said":               {together, &v1alpha1.PolicyRun{Name: names[3], CreatedAt: metav1.Unix(50, 0)}, names[20]},
		"it was deleted":                               {together[:5], &v1alpha1.PolicyRun{Name: names[7], CreatedAt: metav1.Unix(50, 0)}, names[7]},
		"it was deleted, and a later one is":           {[]*v1alpha1.ValidationRun{run(9, 60)}, &v1alpha1.PolicyRun{Name: names[7], CreatedAt: metav1.Unix(50, 0)}, names[9]},
		"all were deleted":                             {nil, &v1alpha1.PolicyRun{Name: names[7], CreatedAt: metav1.Unix(50, 0)}, names[7]},
		"it is from a future that was set back":        {together[:1], &v1alpha1.PolicyRun{Name: names[7], CreatedAt: metav1.Unix(500, 0)}, names[1]},
		"an old one has a name that would be the next": {[]*v1alpha1.ValidationRun{run(5, 60), run(6, 40)}, nil, names[5]},
	} {
		policy := p.DeepCopy()
		policy.Status.LastRun = c.said
		got := ""
		if last := understand(Snapshot{Policy: policy, Runs: c.runs}, metav1.Unix(100, 0).Time).lastRun(); last != nil {
			got = last.Name
		}
		if got != c.want {
			t.Errorf("%s: run %q was the last, want %q", sentence, got, c.want)
		}
	}
}
