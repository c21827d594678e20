package controllers_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/workload"
)

// forgeByStatus changes a pod as the kubelet of its node may: through its status.
func (l *lab) forgeByStatus(pod *corev1.Pod, forge func(*corev1.Pod)) {
	l.t.Helper()
	before := pod.DeepCopy()
	forge(pod)
	l.must(client.IgnoreNotFound(api.Status().Patch(l.t.Context(), pod, client.MergeFrom(before))))
}

// TestKubeletForgesItsPods: what a kubelet makes of the labels of its pods neither forges the result of a group, nor hides a pod.
func TestKubeletForgesItsPods(t *testing.T) {
	t.Parallel()
	early := func(*lab) bool { return true } // as soon as the worker runs
	for sentence, c := range map[string]struct {
		when  func(*lab) bool
		forge func(*lab, *corev1.Pod)
		// row of node b, whose kubelet lies: its pairs are slow.
		row  string
		want map[string]string
	}{
		"a worker that says it is the launcher, with a result": {early, func(l *lab, p *corev1.Pod) {
			if isLauncher(p) {
				return
			}
			p.Labels[v1alpha1.LabelJobRole] = v1alpha1.JobRoleLauncher
			for _, j := range l.jobs() {
				if belongs(p, &j) {
					p.Status.Phase = corev1.PodSucceeded
					state := &p.Status.ContainerStatuses[0].State
					message := l.groupEnvelope(fabric{}, l.job(&j), performance{}, state.Running.StartedAt.Time)
					state.Running, state.Terminated = nil, &corev1.ContainerStateTerminated{Message: message, StartedAt: state.Running.StartedAt, FinishedAt: metav1.NewTime(l.clock.Now())}
				}
			}
		}, "Error/WorkerLost", inconclusive("Inconclusive")},
		"a worker without a label": {(*lab).launcherRuns, func(_ *lab, p *corev1.Pod) {
			p.Labels = map[string]string{v1alpha1.LabelRunName: p.Labels[v1alpha1.LabelRunName]} // the lab finds it by this one
		}, "Fail/BelowExpectation", failed},
		"a worker that says another run and job": {(*lab).launcherRuns, func(_ *lab, p *corev1.Pod) {
			p.Labels[v1alpha1.LabelRunUID], p.Labels[v1alpha1.LabelJob] = "another", "another"
		}, "Fail/BelowExpectation", failed},
	} {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			l := newGroupLab(t, 5)
			l.mpi.fabric.nodes = map[string]float64{"b": 0.3}
			l.run(by("-pairs"), taintingUpTo(1))
			done := map[string]bool{}
			l.until("finished", func() bool {
				for _, p := range l.jobPods() {
					if p.Spec.NodeName == l.node("b") && p.Status.Phase == corev1.PodRunning && c.when(l) && !done[string(p.UID)] {
						done[string(p.UID)] = true
						l.forgeByStatus(&p, func(p *corev1.Pod) { c.forge(l, p) })
					}
				}
				return l.finished()
			})
			l.rest()
			run := l.get()
			same(t, "the rows", but(all("abcde", "Pass/Passed"), "b", c.row), l.rowsOf(run))
			same(t, "the conditions", c.want, state(run))
			if len(done) == 0 {
				t.Error("no pod was forged")
			}
			l.checkNoJobLeft()
		})
	}
}

// TestPoliciesOfMPIJobs: each MPIJob has a NetworkPolicy of its own as long as it is there, and no run leaves one behind.
func TestPoliciesOfMPIJobs(t *testing.T) {
	t.Parallel()
	names := func(l *lab) (jobs, policies []string) {
		for _, j := range l.jobs() {
			jobs = append(jobs, j.Name)
		}
		for _, p := range l.policies() {
			policies = append(policies, p.Name)
			same(t, "the policy is about the pods of", map[string]string{v1alpha1.LabelJob: p.Name}, p.Spec.PodSelector.MatchLabels)
			same(t, "its owner", l.name, metav1.GetControllerOf(&p).Name)
		}
		slices.Sort(jobs)
		slices.Sort(policies)
		return jobs, policies
	}
	t.Run("they come and go with the MPIJobs", func(t *testing.T) {
		t.Parallel()
		l := newGroupLab(t, 4)
		l.run(by("-pairs"))
		most := 0
		l.until("finished", func() bool {
			jobs, policies := names(l)
			same(t, "the policies", jobs, policies)
			most = max(most, len(jobs))
			return l.finished()
		})
		same(t, "most MPIJobs at once", 2, most)
		l.checkNoJobLeft()
	})
	breaksOff := func(t *testing.T) *lab { // between policy and MPIJob
		t.Helper()
		l := newGroupLab(t, 2)
		l.run(by("-pairs"), func(r *v1alpha1.ValidationRun) { r.Spec.ActiveDeadlineSeconds = new(int64(60)) })
		l.refuse("create MPIJob", apierrors.NewInternalError(errors.New("killed")))
		l.until("a policy without an MPIJob", func() bool { return len(l.policies()) > 0 })
		l.restart()
		return l
	}
	t.Run("the run ends after a launch that broke off", func(t *testing.T) {
		t.Parallel()
		l := breaksOff(t)
		l.clock.SetTime(l.clock.Now().Add(time.Minute))
		same(t, "the conditions", inconclusive("DeadlineExceeded"), state(l.finish()))
		l.checkNoJobLeft()
	})
	t.Run("the run is deleted after a launch that broke off", func(t *testing.T) {
		t.Parallel()
		l := breaksOff(t)
		l.must(api.Delete(t.Context(), l.get()))
		l.until("gone", l.gone)
		l.checkNoJobLeft()
	})
	t.Run("the launch goes on after it broke off", func(t *testing.T) {
		t.Parallel()
		l := breaksOff(t)
		l.hand.before = nil
		same(t, "the conditions", passed, state(l.finish()))
		l.checkNoJobLeft()
	})
	t.Run("somebody else has one of this name", func(t *testing.T) {
		t.Parallel()
		l := newGroupLab(t, 2)
		run := l.run(by("-pairs"), func(r *v1alpha1.ValidationRun) { r.Spec.ActiveDeadlineSeconds = new(int64(60)) })
		name := workload.JobName(run.UID, l.name+"-pairs", workload.References([]*corev1.Node{l.getNode("a"), l.getNode("b")}), 1)
		l.create(&networkingv1.NetworkPolicy{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace, Labels: map[string]string{v1alpha1.LabelRunUID: string(run.UID)}}})
		t.Cleanup(func() {
			_ = api.Delete(background, &networkingv1.NetworkPolicy{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace}})
		})
		l.tolerate = func(error) bool { return true }
		l.until("it is told", func() bool { return slices.Contains(l.events.reasons(), v1alpha1.ReasonLaunchFailed) })
		l.clock.SetTime(l.clock.Now().Add(time.Minute))
		same(t, "the conditions", inconclusive("DeadlineExceeded"), state(l.finish()))
		contains(t, "the events", strings.Join(l.events.all(), "\n"), "LaunchFailed", "creating NetworkPolicy "+name+": namespace "+namespace+" already has one of this name that Assay did not create: delete it")
		l.must(api.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: name}, &networkingv1.NetworkPolicy{}))
	})
}

// refuse lets every write of one sort fail until somebody sets hand.before anew.
func (l *lab) refuse(what write, err error) {
	l.hand.before = func(_ int, w write, _ runtime.Object) error {
		if w == what {
			return err
		}
		return nil
	}
	l.tolerate = func(error) bool { return true }
}

// TestRefusedWritesOfGroups: what the API server refuses is said in words that name it and what was to be done, and once it is
// allowed the run ends as if nothing had been.
func TestRefusedWritesOfGroups(t *testing.T) {
	t.Parallel()
	refusals := map[string]error{
		"forbidden":         apierrors.NewForbidden(schema.GroupResource{Resource: "things"}, "x", errors.New("a policy says no")),
		"too many requests": apierrors.NewTooManyRequests("slow down", 1),
	}
	for what, words := range map[write]string{
		"create NetworkPolicy": "creating NetworkPolicy g-", "create MPIJob": "creating the MPIJob of benchmark",
		"delete NetworkPolicy": "deleting NetworkPolicy g-", "delete MPIJob": "deleting MPIJob g-",
	} {
		for kind, refusal := range refusals {
			t.Run(string(what)+": "+kind, func(t *testing.T) {
				t.Parallel()
				l := newGroupLab(t, 2)
				l.run(by("-pairs"))
				l.refuse(what, refusal)
				told := ""
				l.tolerate = func(err error) bool {
					told = err.Error()
					return true
				}
				l.until("it is refused", func() bool { return told != "" })
				for range 3 {
					l.pass()
				}
				contains(t, "the error", told, words, refusal.Error())
				if strings.HasPrefix(string(what), "create") {
					contains(t, "the events", strings.Join(l.events.all(), "\n"), "LaunchFailed: ", words, refusal.Error())
				}
				l.hand.before, l.tolerate = nil, nil
				same(t, "the conditions", passed, state(l.finish()))
				for pair, r := range l.groupResults() {
					same(t, "attempts of pair "+pair+" that failed", false, slices.ContainsFunc(r.Benchmarks[0].Attempts, func(a v1alpha1.Attempt) bool { return a.Verdict != v1alpha1.VerdictPass }))
				}
				l.checkNoJobLeft()
			})
		}
	}
}
