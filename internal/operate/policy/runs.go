package policy

import (
	"cmp"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
)

// runs that exist, as a policy sees them.
type runs struct {
	// own runs of the policy, newest first; active counts those that go on.
	own    []*v1alpha1.ValidationRun
	active int
	occupied
	// stalled: the nodes of runs that have begun and cannot go on now. Their pods may be at work, or what these found is still to be recorded; of those that were deleted, until
	// the first of them has left.
	stalled occupied
	left    time.Time
	// finished runs of the policy by the nodes that they name, newest first, for a process that has just begun.
	finished map[string][]*v1alpha1.ValidationRun
}

// occupied nodes: runs that are not over, by the nodes that they name; selecting are those that choose by labels.
type occupied struct {
	byNode    map[string][]*v1alpha1.ValidationRun
	selecting []selecting
}

type selecting struct {
	run    *v1alpha1.ValidationRun
	labels labels.Selector
	// until: nodes that join later are not part of it; zero: it has not started.
	until time.Time
}

func newRuns(s *Snapshot, first bool, now time.Time) runs {
	var r runs
	for _, run := range s.Runs {
		own := Owns(s.Policy, run)
		if own {
			r.own = append(r.own, run)
		}
		switch left := leavesUntil(run); {
		case left.After(now):
			r.stalled.occupy(run)
			list.Sooner(&r.left, left)
		case !GoesOn(run):
		case own:
			r.active++
			r.occupy(run)
		case !stalled(run):
			r.occupy(run)
		case run.Status.StartTime != nil:
			r.stalled.occupy(run)
		}
	}
	slices.SortFunc(r.own, func(a, b *v1alpha1.ValidationRun) int {
		return cmp.Or(b.CreationTimestamp.Compare(a.CreationTimestamp.Time), cmp.Compare(b.Name, a.Name))
	})
	if first {
		r.finished = map[string][]*v1alpha1.ValidationRun{}
		for _, run := range list.Where(r.own, (*v1alpha1.ValidationRun).Finished) {
			for _, name := range run.Spec.NodeNames {
				r.finished[name] = append(r.finished[name], run)
			}
		}
	}
	return r
}

// GoesOn: the run may measure, and cost, more. One that somebody suspended does not, for who knows how long, nor does one that was deleted, though it is there
// for as long as a pod of it hangs on some node, or somebody holds it: only the nodes of such pods are in use.
func GoesOn(run *v1alpha1.ValidationRun) bool {
	return !run.Finished() && !run.Spec.Suspend && run.DeletionTimestamp.IsZero()
}

// leavesUntil then a run that was deleted as it measured keeps gates closed: a pass of it may have failed a node, and wait for the API server. Zero: it does not.
func leavesUntil(run *v1alpha1.ValidationRun) time.Time {
	if run.DeletionTimestamp.IsZero() || run.Finished() || run.Status.StartTime == nil {
		return time.Time{}
	}
	return run.DeletionTimestamp.Add(5 * time.Minute)
}

// stalled: the run starts nothing, for who knows how long. Like a suspended one, it keeps no node of others from being measured that is idle.
func stalled(run *v1alpha1.ValidationRun) bool {
	return meta.IsStatusConditionTrue(run.Status.Conditions, v1alpha1.ConditionStalled)
}

// Owns says whether a run is one of the policy's own. The kind counts as well as the UID: the admission policy assay-runs keeps people from
// naming an owner of this kind.
func Owns(policy *v1alpha1.ValidationPolicy, run *v1alpha1.ValidationRun) bool {
	owner := metav1.GetControllerOf(run)
	if owner == nil || owner.UID != policy.UID || owner.Kind != "ValidationPolicy" {
		return false
	}
	version, err := schema.ParseGroupVersion(owner.APIVersion)
	return err == nil && version.Group == v1alpha1.GroupVersion.Group
}

func (r *occupied) occupy(run *v1alpha1.ValidationRun) {
	if r.byNode == nil {
		r.byNode = map[string][]*v1alpha1.ValidationRun{}
	}
	for _, name := range run.Spec.NodeNames {
		r.byNode[name] = append(r.byNode[name], run)
	}
	if len(run.Spec.NodeNames) > 0 {
		return
	}
	if s, err := run.Spec.ByLabels(); err == nil {
		one := selecting{run: run, labels: s}
		if run.Status.StartTime != nil {
			one.until = run.Status.StartTime.Time
		}
		r.selecting = append(r.selecting, one)
	}
}

// of a node: the first run that has it, beside one, if any; nil: none.
func (r *occupied) of(n *corev1.Node, beside types.UID) *v1alpha1.ValidationRun {
	is := func(run *v1alpha1.ValidationRun) bool { return beside == "" || run.UID != beside }
	for _, run := range r.byNode[n.Name] {
		if is(run) {
			return run
		}
	}
	for s := range list.Each(r.selecting) {
		if is(s.run) && s.labels.Matches(labels.Set(n.Labels)) && (s.until.IsZero() || !n.CreationTimestamp.After(s.until)) {
			return s.run
		}
	}
	return nil
}

// measures a node now, as far as is known, beside one run, if any; nil: none does. No gate opens meanwhile.
func (r *runs) measures(n *corev1.Node, beside types.UID) *v1alpha1.ValidationRun {
	return cmp.Or(r.of(n, beside), r.stalled.of(n, beside))
}

// named is the policy's run of this name; nil: there is none.
func (r *runs) named(name string) *v1alpha1.ValidationRun {
	return r.find(func(run *v1alpha1.ValidationRun) bool { return run.Name == name })
}

// find one of the policy's runs; nil: there is none.
func (r *runs) find(is func(*v1alpha1.ValidationRun) bool) *v1alpha1.ValidationRun {
	if i := slices.IndexFunc(r.own, is); i >= 0 {
		return r.own[i]
	}
	return nil
}

// lastRun is the newest run of the policy, though somebody has deleted it: the next name follows from it, whoever has seen it. Nil: there was none. Of runs of
// one second the names tell which came last.
func (u *understood) lastRun() *v1alpha1.PolicyRun {
	last := u.Policy.Status.LastRun.DeepCopy()
	if len(u.runs.own) > 0 {
		run := u.runs.own[0]
		if last == nil || last.CreatedAt.Before(&run.CreationTimestamp) || last.CreatedAt.After(u.now) || u.runs.named(last.Name) != nil {
			last = asLast(run)
		}
	}
	for last != nil {
		next := u.runs.named(runNameAfter(u.Policy, last.Name))
		if next == nil || next.CreationTimestamp.Before(&last.CreatedAt) {
			break
		}
		last = asLast(next)
	}
	return last
}

func asLast(run *v1alpha1.ValidationRun) *v1alpha1.PolicyRun {
	return &v1alpha1.PolicyRun{Name: run.Name, Reason: run.Labels[v1alpha1.LabelPolicyReason], CreatedAt: run.CreationTimestamp,
		Verdict: run.Status.Verdict, Progress: run.Status.Progress}
}

// defaultHistory is how many finished runs are kept where the API server did not fill in the limits.
const defaultHistory = int32(3)

// outlived are finished runs of the policy to be deleted: more than the history limits keep, and those whose own time to live is over.
func (u *understood) outlived() (outlived []*v1alpha1.ValidationRun) {
	left := map[bool]int32{true: ptr.Deref(u.spec.SuccessfulRunsHistoryLimit, defaultHistory), false: ptr.Deref(u.spec.FailedRunsHistoryLimit, defaultHistory)}
	for _, run := range u.runs.own {
		if !run.Finished() || !run.DeletionTimestamp.IsZero() {
			continue
		}
		success := run.Status.Verdict == v1alpha1.VerdictPass
		ends := endOf(run)
		if left[success]--; left[success] < 0 || !ends.IsZero() && !u.now.Before(ends) {
			outlived = append(outlived, run)
		} else {
			u.wake(ends)
		}
	}
	return outlived
}

// endOf a run's ttlSecondsAfterFinished; zero: it has none.
func endOf(run *v1alpha1.ValidationRun) time.Time {
	if run.Spec.TTLSecondsAfterFinished == nil || run.Status.CompletionTime == nil {
		return time.Time{}
	}
	return run.Status.CompletionTime.Add(seconds(*run.Spec.TTLSecondsAfterFinished))
}
