// Long, because every state of a job is a case of one table.

package workload

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
)

func at(seconds int) time.Time { return born.Add(time.Duration(seconds) * time.Second) }

func jobPod(name, role string, s corev1.PodStatus, created time.Time) *corev1.Pod {
	return &corev1.Pod{Status: s, ObjectMeta: metav1.ObjectMeta{Name: name, CreationTimestamp: metav1.NewTime(created),
		Labels: map[string]string{v1alpha1.LabelJobRole: role}}}
}

// workerOf is worker n on node gpu-n, born at born.
func workerOf(n int, s corev1.PodStatus) *corev1.Pod {
	p := jobPod(fmt.Sprintf("g-pairs-1-worker-%d", n), v1alpha1.JobRoleWorker, s, born)
	p.Spec.NodeName = fmt.Sprintf("gpu-%d", n)
	return p
}

// launcherOf is the launcher, made 15 seconds later.
func launcherOf(s corev1.PodStatus) *corev1.Pod {
	return jobPod("g-pairs-1-launcher", v1alpha1.JobRoleLauncher, s, at(15))
}

// placed are these pods with the roles that their labels name in these tests.
func placed(pods []*corev1.Pod) []JobPod {
	var out []JobPod
	for _, p := range pods {
		out = append(out, JobPod{p, p.Labels[v1alpha1.LabelJobRole] == v1alpha1.JobRoleLauncher})
	}
	return out
}

// listening is a worker that is ready since some second.
func listening(since int) corev1.PodStatus {
	s := podOf(corev1.PodRunning, runs())
	s.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue, LastTransitionTime: metav1.NewTime(at(since))}}
	return s
}

// deaf is a worker whose container runs and does not listen.
func deaf() corev1.PodStatus {
	s := podOf(corev1.PodRunning, runs())
	s.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionFalse, LastTransitionTime: metav1.NewTime(at(1))}}
	return s
}

// deafSince is one whose container started at this time, by the clock of its node.
func deafSince(told time.Time) corev1.PodStatus {
	s := deaf()
	s.ContainerStatuses[0].State.Running.StartedAt = metav1.NewTime(told)
	return s
}

// died is a worker whose container ended in some second.
func died(second int, code int32, reason string) corev1.PodStatus {
	state := exited(code, reason, "")
	state.Terminated.FinishedAt = metav1.NewTime(at(second))
	return podOf(corev1.PodFailed, state)
}

// deletedAt lets somebody delete a pod, which then has five seconds to end.
func deletedAt(second int, p *corev1.Pod) *corev1.Pod {
	p.DeletionTimestamp, p.DeletionGracePeriodSeconds = new(metav1.NewTime(at(second+5))), new(int64(5))
	return p
}

// atOnce lets somebody delete a pod without a grace period.
func atOnce(second int, p *corev1.Pod) *corev1.Pod {
	p.DeletionTimestamp = new(metav1.NewTime(at(second)))
	return p
}

// observedJob is one way the pods of an MPIJob of two workers can be, and what they say of the attempt.
type observedJob struct {
	pods []*corev1.Pod
	// after is the job's age in seconds.
	after     int
	complaint string
	want      Observation
}

func checkObservedJobs(t *testing.T, over bool, cases map[string]observedJob) {
	t.Helper()
	for sentence, c := range cases {
		t.Run(sentence, func(t *testing.T) {
			facts := JobFacts{Created: born, Over: over, Workers: 2, Nodes: []string{"gpu-0", "gpu-1"}, Pods: placed(c.pods), Complaint: c.complaint, Timeout: timeout}
			got := ObserveJob(facts, at(c.after))
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("another observation (-want +got):\n%s", diff)
			}
			if !got.Ended && !got.Recheck.IsZero() && !got.Recheck.After(at(c.after)) {
				t.Errorf("it is to be looked at again at %s, which is past", got.Recheck)
			}
		})
	}
}

// TestObserveJobEnded: the launcher (from 0:20 to 1:20) tells the result.
func TestObserveJobEnded(t *testing.T) {
	succeeded := podOf(corev1.PodSucceeded, exited(0, "Completed", "assay1:xyz"))
	failed := podOf(corev1.PodFailed, exited(1, "Error", "no route"))
	result := ran(Observation{Termination: "assay1:xyz", Reason: v1alpha1.ReasonNoOutput, Message: "the program has ended, and its result is about to be stored"})
	failure := ran(Observation{Termination: "no route", Reason: v1alpha1.ReasonProgramFailed, Message: "the program exited with code 1: no route"})
	lost := func(message string) Observation {
		return ran(Observation{Reason: v1alpha1.ReasonWorkerLost, Message: message + ": look at the node"})
	}
	const oom = "worker 1 on node gpu-1 was lost before the measurement was done: the program ran out of memory: raise needs.limits.memory of the Benchmark, or choose a smaller size"
	const deleted = "worker 1 on node gpu-1 was lost before the measurement was done: its pod was deleted"
	const substitute = "worker 1 on node gpu-1 was lost before the measurement was done: its first pod is gone and was replaced"
	ok := func() *corev1.Pod { return workerOf(0, listening(10)) }
	replaced := func(second int) *corev1.Pod {
		p := workerOf(1, listening(second))
		p.CreationTimestamp = metav1.NewTime(at(second))
		return p
	}
	checkObservedJobs(t, false, map[string]observedJob{
		"the launcher left a result": {[]*corev1.Pod{launcherOf(succeeded), ok(), workerOf(1, listening(10))}, 81, "", result},
		"it left a result, and the workers are cleaned up": {
			[]*corev1.Pod{deletedAt(80, workerOf(0, listening(10))), deletedAt(80, workerOf(1, died(80, 143, "Error"))), launcherOf(succeeded)}, 81, "", result},
		"it left a result, and the workers are gone":                              {[]*corev1.Pod{launcherOf(succeeded)}, 90, "", result},
		"it left a result, although a worker died":                                {[]*corev1.Pod{ok(), workerOf(1, died(79, 255, "Error")), launcherOf(succeeded)}, 81, "", result},
		"it failed by itself":                                                     {[]*corev1.Pod{ok(), workerOf(1, listening(10)), launcherOf(failed)}, 81, "", failure},
		"it failed within the second in which a worker was deleted":               {[]*corev1.Pod{ok(), deletedAt(80, workerOf(1, died(80, 143, "Error"))), launcherOf(failed)}, 81, "", lost(deleted)},
		"it failed because a worker was deleted, as is noticed a second later":    {[]*corev1.Pod{ok(), deletedAt(81, workerOf(1, listening(10))), launcherOf(failed)}, 81, "", lost(deleted)},
		"it failed because a worker is gone":                                      {[]*corev1.Pod{workerOf(1, listening(10)), launcherOf(failed)}, 81, "", lost("a worker on node gpu-0 was lost before the measurement was done: its pod is gone")},
		"it failed, and the worker whose loss that was is replaced already":       {[]*corev1.Pod{ok(), replaced(82), launcherOf(failed)}, 82, "", lost(substitute)},
		"it failed by itself, and later a worker, too":                            {[]*corev1.Pod{ok(), workerOf(1, died(81, 255, "Error")), launcherOf(failed)}, 82, "", failure},
		"it failed because a worker was killed":                                   {[]*corev1.Pod{ok(), workerOf(1, died(79, 137, "OOMKilled")), launcherOf(failed)}, 81, "", lost(oom)},
		"it failed because a worker was killed, and the workers are cleaned up":   {[]*corev1.Pod{deletedAt(80, ok()), deletedAt(80, workerOf(1, died(79, 137, "OOMKilled"))), launcherOf(failed)}, 81, "", lost(oom)},
		"it failed because a worker was deleted":                                  {[]*corev1.Pod{ok(), deletedAt(78, workerOf(1, listening(10))), launcherOf(failed)}, 81, "", lost(deleted)},
		"it failed because a worker was deleted, and its container ended by that": {[]*corev1.Pod{ok(), deletedAt(78, workerOf(1, died(79, 143, "Error"))), launcherOf(failed)}, 81, "", lost(deleted)},
		"it ended without a word because a worker was killed":                     {[]*corev1.Pod{ok(), workerOf(1, died(79, 137, "OOMKilled")), launcherOf(podOf(corev1.PodSucceeded, exited(0, "Completed", "")))}, 81, "", lost(oom)},
		"the launcher's image cannot be pulled": {[]*corev1.Pod{ok(), workerOf(1, listening(10)), launcherOf(podOf(corev1.PodPending, waits("ErrImagePull", "404")))}, 60, "",
			Observation{Ended: true, Reason: v1alpha1.ReasonImagePullFailed, Recheck: at(60),
				Message: "image registry.example/benchmark: ErrImagePull: 404: check the Benchmark's image and the node's access to its registry"}},
		"the launcher hangs": {[]*corev1.Pod{ok(), workerOf(1, listening(10)), launcherOf(podOf(corev1.PodRunning, runs()))}, 200, "",
			Observation{Ended: true, ImageID: "sha256:1", Started: started, Finished: at(200), Reason: v1alpha1.ReasonTimedOut,
				Message: "the pod is still running 2m0s after its time limit of 1m0s: look at the node, where a process may hang in a driver"}},
	})
}

// TestObserveJobOver: the launcher has failed at 1:20, and the MPI Operator has noted that and deletes the workers.
func TestObserveJobOver(t *testing.T) {
	failed := func() *corev1.Pod { return launcherOf(podOf(corev1.PodFailed, exited(1, "Error", "no route"))) }
	failure := ran(Observation{Termination: "no route", Reason: v1alpha1.ReasonProgramFailed, Message: "the program exited with code 1: no route"})
	lost := func(why string) Observation {
		return ran(Observation{Reason: v1alpha1.ReasonWorkerLost, Message: "worker 1 on node gpu-1 was lost before the measurement was done: " + why + ": look at the node"})
	}
	ok := func() *corev1.Pod { return workerOf(0, listening(10)) }
	replaced := workerOf(1, listening(82))
	replaced.CreationTimestamp = metav1.NewTime(at(82))
	cases := map[string]observedJob{
		"the workers are deleted":                       {[]*corev1.Pod{ok(), deletedAt(81, workerOf(1, listening(10))), failed()}, 81, "", failure},
		"they are deleted, by a clock that is behind":   {[]*corev1.Pod{deletedAt(80, ok()), deletedAt(80, workerOf(1, listening(10))), failed()}, 81, "", failure},
		"a worker was deleted in the second of the end": {[]*corev1.Pod{deletedAt(82, ok()), deletedAt(80, workerOf(1, listening(10))), failed()}, 82, "", lost("its pod was deleted")},
		"the deleted workers end":                       {[]*corev1.Pod{deletedAt(81, ok()), deletedAt(81, workerOf(1, died(81, 143, "Error"))), failed()}, 81, "", failure},
		"the first worker is gone already":              {[]*corev1.Pod{workerOf(1, listening(10)), failed()}, 82, "", failure},
		"the launcher is gone, or not seen yet":         {nil, 59, "", Observation{Recheck: at(60)}},
		"the launcher is gone": {nil, 60, "", Observation{Ended: true, Reason: v1alpha1.ReasonEvicted,
			Message: "the MPIJob is over, but the pod of its launcher is gone and the result with it: find out who deleted it"}},
		"all workers are gone":                                {[]*corev1.Pod{failed()}, 82, "", failure},
		"a worker was deleted before":                         {[]*corev1.Pod{deletedAt(82, ok()), deletedAt(79, workerOf(1, listening(10))), failed()}, 82, "", lost("its pod was deleted")},
		"a worker had ended before":                           {[]*corev1.Pod{deletedAt(82, ok()), deletedAt(82, workerOf(1, died(79, 255, "Error"))), failed()}, 82, "", lost("its container exited with code 255")},
		"a lost worker was replaced, and both are cleaned up": {[]*corev1.Pod{deletedAt(83, ok()), deletedAt(83, replaced), failed()}, 84, "", lost("its first pod is gone and was replaced")},
	}
	checkObservedJobs(t, true, cases)
}

// TestObserveJobRunning: the MPI Operator does not notice a worker that is lost in mid-job.
func TestObserveJobRunning(t *testing.T) {
	run := func() *corev1.Pod { return launcherOf(podOf(corev1.PodRunning, runs())) }
	ok := func() *corev1.Pod { return workerOf(0, listening(10)) }
	lost := func(why string) Observation {
		return Observation{Ended: true, Reason: v1alpha1.ReasonWorkerLost, Message: "worker 1 on node gpu-1 was lost before the measurement was done: " + why + ": look at the node"}
	}
	const oom = "the program ran out of memory: raise needs.limits.memory of the Benchmark, or choose a smaller size"
	evicted := died(50, 137, "Error")
	evicted.Reason, evicted.Message = "Evicted", "The node was low on resource: memory."
	second := workerOf(1, listening(30))
	second.CreationTimestamp = metav1.NewTime(at(40))
	old := jobPod("g-pairs-1-launcher-old", v1alpha1.JobRoleLauncher, podOf(corev1.PodFailed, exited(1, "Error", "")), at(12))
	checkObservedJobs(t, false, map[string]observedJob{
		"all is well":                {[]*corev1.Pod{run(), ok(), workerOf(1, listening(10))}, 60, "", Observation{Recheck: at(200)}},
		"the latest launcher counts": {[]*corev1.Pod{old, run(), ok(), workerOf(1, listening(10))}, 60, "", Observation{Recheck: at(200)}},
		"a worker was replaced, and mpirun has a while to notice":             {[]*corev1.Pod{run(), ok(), second}, 59, "", Observation{Recheck: at(60)}},
		"a worker was rejected by its node, and mpirun has a while to notice": {[]*corev1.Pod{run(), ok(), workerOf(1, corev1.PodStatus{Phase: corev1.PodFailed})}, 16, "", Observation{Recheck: at(20)}},
		"a worker ended, and nothing says how": {[]*corev1.Pod{run(), ok(), workerOf(1, corev1.PodStatus{Phase: corev1.PodFailed})}, 70, "",
			lost("the pod ended, and nothing says how its program did: see the pod's events")},
		"a worker was deleted at once":                                   {[]*corev1.Pod{run(), ok(), atOnce(49, workerOf(1, listening(10)))}, 70, "", lost("its pod was deleted")},
		"a worker was deleted at once, and mpirun has a while to notice": {[]*corev1.Pod{run(), ok(), atOnce(49, workerOf(1, listening(10)))}, 60, "", Observation{Recheck: at(69)}},
		"a worker that listens no more stays":                            {[]*corev1.Pod{run(), ok(), workerOf(1, deaf())}, 60, "", Observation{Recheck: at(200)}},
		"a worker was killed, and mpirun has a while to notice":          {[]*corev1.Pod{run(), ok(), workerOf(1, died(50, 137, "OOMKilled"))}, 69, "", Observation{Recheck: at(70)}},
		"a worker was killed, and mpirun does not notice":                {[]*corev1.Pod{run(), ok(), workerOf(1, died(50, 137, "OOMKilled"))}, 70, "", lost(oom)},
		"a worker ended":       {[]*corev1.Pod{run(), ok(), workerOf(1, died(50, 255, "Error"))}, 70, "", lost("its container exited with code 255")},
		"a worker ended well":  {[]*corev1.Pod{run(), ok(), workerOf(1, died(50, 0, "Completed"))}, 70, "", lost("its container exited with code 0")},
		"a worker was evicted": {[]*corev1.Pod{run(), ok(), workerOf(1, evicted)}, 70, "", lost("the kubelet ended the pod: Evicted: The node was low on resource: memory")},
		"a worker is rejected by its node": {[]*corev1.Pod{run(), ok(), workerOf(1, corev1.PodStatus{Phase: corev1.PodFailed, Reason: "UnexpectedAdmissionError", Message: "no devices"})}, 60, "",
			lost("the kubelet ended the pod: UnexpectedAdmissionError: no devices")},
		"a worker was deleted":                          {[]*corev1.Pod{run(), ok(), deletedAt(49, workerOf(1, listening(10)))}, 70, "", lost("its pod was deleted")},
		"a worker was replaced by another":              {[]*corev1.Pod{run(), ok(), second}, 60, "", lost("its first pod is gone and was replaced")},
		"of two lost workers the first is told":         {[]*corev1.Pod{run(), workerOf(0, died(55, 255, "Error")), workerOf(1, died(50, 137, "OOMKilled"))}, 70, "", lost(oom)},
		"of two lost workers the first counts the time": {[]*corev1.Pod{run(), workerOf(1, died(50, 137, "OOMKilled")), workerOf(0, died(55, 255, "Error"))}, 60, "", Observation{Recheck: at(70)}},
	})
}

// TestObserveJobStarting: before there is a launcher, workers that cannot start and an operator that does nothing end
// the attempt.
func TestObserveJobStarting(t *testing.T) {
	const affinity = "0/5 nodes are available: 5 node(s) didn't match Pod's node affinity/selector"
	const devices = "0/5 nodes are available: 1 Insufficient nvidia.com/gpu"
	ok := func() *corev1.Pod { return workerOf(0, listening(10)) }
	waiting := func(s corev1.PodStatus) []*corev1.Pod {
		w := workerOf(1, s)
		w.Spec.NodeName = ""
		return []*corev1.Pod{ok(), w}
	}
	unplacedWorker := func(n int, message string) *corev1.Pod {
		w := workerOf(n, unplaced(message))
		w.Spec.NodeName = ""
		return w
	}
	busy := func(where string) Observation {
		return Observation{Ended: true, Reason: v1alpha1.ReasonNodeBusy, Recheck: at(60),
			Message: "worker 1 was not placed" + where + " within 1m0s because others hold what it needs: waiting for the scheduler: " + devices}
	}
	pull := func(ended bool, look time.Time) Observation {
		return Observation{Ended: ended, Reason: v1alpha1.ReasonImagePullFailed, Recheck: look,
			Message: "worker 1 on node gpu-1: image registry.example/benchmark: ErrImagePull: 404: check the Benchmark's image and the node's access to its registry"}
	}
	unschedulable := func(ended bool) Observation {
		return Observation{Ended: ended, Reason: v1alpha1.ReasonUnschedulable, Recheck: at(60),
			Message: "worker 1: the scheduler cannot place the pod: " + affinity + ": compare the Benchmark's needs with the node"}
	}
	younger := func(w *corev1.Pod) *corev1.Pod {
		w.CreationTimestamp = metav1.NewTime(at(20))
		return w
	}
	pulls := podOf(corev1.PodPending, waits("ErrImagePull", "404"))
	creating := podOf(corev1.PodPending, waits("ContainerCreating", ""))
	checkObservedJobs(t, false, map[string]observedJob{
		"the workers are being made":                                 {[]*corev1.Pod{workerOf(0, creating), workerOf(1, creating)}, 30, "", Observation{Recheck: born.Add(pullLimit)}},
		"of two workers that start the older one is looked at first": {[]*corev1.Pod{workerOf(0, creating), younger(workerOf(1, creating))}, 30, "", Observation{Recheck: born.Add(pullLimit)}},
		"a younger worker is looked at after an older one":           {[]*corev1.Pod{younger(workerOf(0, creating)), workerOf(1, creating)}, 30, "", Observation{Recheck: born.Add(pullLimit)}},
		"a worker's image cannot be pulled, just now":                {[]*corev1.Pod{ok(), workerOf(1, pulls)}, 44, "", pull(false, at(45))},
		"a worker's image cannot be pulled":                          {[]*corev1.Pod{ok(), workerOf(1, pulls)}, 45, "", pull(true, at(45))},
		"a worker does not start for very long": {[]*corev1.Pod{ok(), workerOf(1, creating)}, 1800, "", Observation{Ended: true, Reason: v1alpha1.ReasonPodStartFailed,
			Message: "worker 1 on node gpu-1: the program did not start within 30m0s on node gpu-1: see the pod's events"}},
		"a worker fits on no node, just now": {waiting(unplaced(affinity)), 59, "", unschedulable(false)},
		"a worker fits on no node":           {waiting(unplaced(affinity)), 60, "", unschedulable(true)},
		"others hold a worker's devices, just now": {waiting(unplaced(devices)), 59, "", Observation{Reason: v1alpha1.ReasonNodeBusy, Recheck: at(60),
			Message: "worker 1: waiting for the scheduler: " + devices}},
		"others hold a worker's devices": {waiting(unplaced(devices)), 60, "", busy(" on node gpu-1")},
		"others hold two workers' devices": {[]*corev1.Pod{unplacedWorker(0, devices), unplacedWorker(1, devices)}, 60, "", Observation{Ended: true, Reason: v1alpha1.ReasonNodeBusy, Recheck: at(60),
			Message: "worker 0 was not placed on any of the nodes gpu-0, gpu-1 within 1m0s because others hold what it needs: waiting for the scheduler: " + devices}},
		"others hold a worker's devices, and the other one is lost": {[]*corev1.Pod{workerOf(0, died(30, 255, "Error")), unplacedWorker(1, devices)}, 60, "", Observation{Ended: true, Reason: v1alpha1.ReasonWorkerLost,
			Message: "worker 0 on node gpu-0 was lost before the measurement was done: its container exited with code 255: look at the node"}},
		"a worker does not listen yet, beside a container that somebody added": {[]*corev1.Pod{ok(), workerOf(1, corev1.PodStatus{Phase: corev1.PodRunning, ContainerStatuses: []corev1.ContainerStatus{
			container("proxy", waits("PodInitializing", "")), container("benchmark", runs())}})}, 79, "", Observation{Recheck: at(80)}},
		"a worker does not listen yet": {[]*corev1.Pod{ok(), workerOf(1, deaf())}, 79, "", Observation{Recheck: at(80)}},
		"a worker never listens": {[]*corev1.Pod{ok(), workerOf(1, deaf())}, 80, "", Observation{Ended: true, Reason: v1alpha1.ReasonPodStartFailed,
			Message: "worker 1 on node gpu-1 is not listening for SSH 1m0s after it started: check the image and group.sshPort of the Benchmark"}},
		"a worker does not listen yet, on a node whose clock is years behind": {[]*corev1.Pod{ok(), workerOf(1, deafSince(born.AddDate(-3, 0, 0)))}, 79, "", Observation{Recheck: at(1860)}},
		"a worker never listens, on a node whose clock is years ahead": {[]*corev1.Pod{ok(), workerOf(1, deafSince(born.AddDate(3, 0, 0)))}, 1860, "", Observation{Ended: true, Reason: v1alpha1.ReasonPodStartFailed,
			Message: "worker 1 on node gpu-1 is not listening for SSH 1m0s after it started: check the image and group.sshPort of the Benchmark"}},
		"a worker that does not listen yet is looked at in time while another waits": {append([]*corev1.Pod{workerOf(0, deaf())}, waiting(unplaced(devices))...), 50, "",
			Observation{Reason: v1alpha1.ReasonNodeBusy, Recheck: at(60), Message: "worker 1: waiting for the scheduler: " + devices}},
		"a worker that fails comes before one that waits": {append(waiting(unplaced(devices)), workerOf(0, deaf())), 80, "",
			Observation{Ended: true, Reason: v1alpha1.ReasonPodStartFailed,
				Message: "worker 0 on node gpu-0 is not listening for SSH 1m0s after it started: check the image and group.sshPort of the Benchmark"}},
		"a worker is killed before there is a launcher": {[]*corev1.Pod{ok(), workerOf(1, died(30, 255, "Error"))}, 31, "", Observation{Ended: true, Reason: v1alpha1.ReasonWorkerLost,
			Message: "worker 1 on node gpu-1 was lost before the measurement was done: its container exited with code 255: look at the node"}},
	})
}

// TestObserveJobThatIsDoubted: what it measures is not its group, however well its launcher ends.
func TestObserveJobThatIsDoubted(t *testing.T) {
	facts := JobFacts{Created: born, Workers: 2, Nodes: []string{"gpu-0", "gpu-1"}, Doubt: "two workers are one", Timeout: timeout,
		Pods: placed([]*corev1.Pod{launcherOf(podOf(corev1.PodSucceeded, exited(0, "Completed", "assay1:xyz")))})}
	want := Observation{Ended: true, Reason: v1alpha1.ReasonPodNotBelieved, Message: "two workers are one: find out who else creates pods in the namespace"}
	if diff := cmp.Diff(want, ObserveJob(facts, at(81))); diff != "" {
		t.Errorf("another observation (-want +got):\n%s", diff)
	}
}

func TestObserveJobWithoutPods(t *testing.T) {
	const quota = "MPIJobFailed: worker pod created failed: pods \"g-pairs-1-worker-0\" is forbidden: exceeded quota: pods"
	silent := func(what string) Observation {
		return Observation{Ended: true, Reason: v1alpha1.ReasonMPIOperatorSilent,
			Message: what + ", and nothing more came for 1m0s: look at the MPI Operator's pod and log (kubectl -n mpi-operator get pods)"}
	}
	rejected := func(what string) Observation {
		return Observation{Ended: true, Reason: v1alpha1.ReasonMPIJobRejected,
			Message: what + "; the MPI Operator says: " + quota + ": correct the Benchmark's group or the quota of the namespace"}
	}
	const exists = `ErrResourceExists: Resource "g-pairs-1" of Kind "Service" already exists and is not managed by MPIJob`
	const hiccup = "MPIJobFailed: worker pod created failed: Post \"https://10.96.0.1:443/api\": context deadline exceeded"
	refused := func(what, complaint string) Observation {
		o := rejected(what)
		o.Message = strings.Replace(o.Message, quota, complaint, 1)
		return o
	}
	const none, one, all = "0 of 2 workers of the MPIJob exist", "1 of 2 workers of the MPIJob exist", "all workers are ready, but there is no launcher"
	ready := func() []*corev1.Pod { return []*corev1.Pod{workerOf(0, listening(25)), workerOf(1, listening(30))} }
	checkObservedJobs(t, false, map[string]observedJob{
		"the operator has had no time yet, complaints are looked for soon":        {nil, 1, "", Observation{Recheck: at(3)}},
		"the operator has not complained, it has a minute":                        {nil, 3, "", Observation{Recheck: at(60)}},
		"the operator does nothing":                                               {nil, 60, "", silent(none)},
		"a complaint of the first moment may pass":                                {nil, 2, quota, Observation{Recheck: at(3)}},
		"the operator complains and makes no pod":                                 {nil, 3, quota, rejected(none)},
		"the operator complains and makes some pods":                              {[]*corev1.Pod{workerOf(0, listening(2))}, 10, quota, rejected(one)},
		"the operator finds the job invalid":                                      {nil, 3, "ValidationError: spec.slotsPerWorker: Invalid value", refused(none, "ValidationError: spec.slotsPerWorker: Invalid value")},
		"a webhook refuses the pods":                                              {nil, 3, "MPIJobFailed: admission webhook \"policy\" denied the request: no", refused(none, "MPIJobFailed: admission webhook \"policy\" denied the request: no")},
		"parts of the last job are in the way, and may go":                        {nil, 59, exists, Observation{Recheck: at(60)}},
		"parts of the last job stay in the way":                                   {nil, 60, exists, silent(none + "; the MPI Operator says: " + exists)},
		"a request of the operator fails, and it tries again":                     {[]*corev1.Pod{workerOf(0, listening(2))}, 30, hiccup, Observation{Recheck: at(60)}},
		"the operator stops after some pods":                                      {[]*corev1.Pod{workerOf(0, listening(2))}, 60, "", silent(one)},
		"a complaint about pods that came after all is none":                      {[]*corev1.Pod{launcherOf(podOf(corev1.PodRunning, runs())), workerOf(0, listening(2)), workerOf(1, listening(2))}, 30, quota, Observation{Recheck: at(200)}},
		"all workers are ready, and the launcher is due":                          {ready(), 31, "", Observation{Recheck: at(33)}},
		"all workers are ready, and the launcher does not come at once":           {ready(), 40, "", Observation{Recheck: at(90)}},
		"all workers are ready, and the launcher does not come":                   {ready(), 90, "", silent(all)},
		"all workers are ready, and the launcher is refused":                      {ready(), 40, quota, rejected(all)},
		"a worker that starts does not hide that the others are refused by quota": {[]*corev1.Pod{workerOf(0, podOf(corev1.PodPending, waits("ContainerCreating", "")))}, 10, quota, rejected(one)},
	})
}

// TestOperatorIsBusyElsewhere: a job that waits for its turn behind others of the run is not one that the operator ignores.
func TestOperatorIsBusyElsewhere(t *testing.T) {
	ready := []*corev1.Pod{workerOf(0, listening(25)), workerOf(1, listening(30))}
	cases := map[string]struct {
		pods         []*corev1.Pod
		alive, after int
		want         Observation
	}{
		"it was seen a moment ago": {nil, 590, 600, Observation{Recheck: at(650)}},
		"it was seen too long ago": {nil, 540, 600, Observation{Ended: true, Reason: v1alpha1.ReasonMPIOperatorSilent,
			Message: "0 of 2 workers of the MPIJob exist, and nothing more came for 1m0s: look at the MPI Operator's pod and log (kubectl -n mpi-operator get pods)"}},
		"it was last seen before the job was made":     {nil, -300, 59, Observation{Recheck: at(60)}},
		"it makes launchers of others":                 {ready, 300, 359, Observation{Recheck: at(360)}},
		"it was last seen before all workers listened": {ready, 20, 89, Observation{Recheck: at(90)}},
	}
	for sentence, c := range cases {
		t.Run(sentence, func(t *testing.T) {
			facts := JobFacts{Created: born, Workers: 2, Pods: placed(c.pods), Timeout: timeout, Alive: at(c.alive)}
			if diff := cmp.Diff(c.want, ObserveJob(facts, at(c.after))); diff != "" {
				t.Errorf("another observation (-want +got):\n%s", diff)
			}
			if !facts.Stalled(at(c.after)) {
				t.Error("its complaints are not asked for")
			}
		})
	}
}

// TestStalled: events are asked for only where pods are overdue, for that costs a request each time.
func TestStalled(t *testing.T) {
	cases := map[string]struct {
		pods []*corev1.Pod
		from int // the second from which it is stalled; -1: never
	}{
		"no pod":                     {nil, 3},
		"a worker is missing":        {[]*corev1.Pod{workerOf(0, listening(10))}, 3},
		"a worker starts":            {[]*corev1.Pod{workerOf(0, listening(10)), workerOf(1, deaf())}, -1},
		"the launcher is missing":    {[]*corev1.Pod{workerOf(0, listening(30)), workerOf(1, listening(10))}, 33},
		"the launcher is there":      {[]*corev1.Pod{workerOf(0, listening(10)), workerOf(1, listening(10)), launcherOf(podOf(corev1.PodRunning, runs()))}, -1},
		"the workers are cleaned up": {[]*corev1.Pod{launcherOf(podOf(corev1.PodSucceeded, exited(0, "Completed", "assay1:xyz")))}, -1},
	}
	for sentence, c := range cases {
		t.Run(sentence, func(t *testing.T) {
			for second := range 120 {
				facts := JobFacts{Created: born, Workers: 2, Pods: placed(c.pods), Timeout: timeout}
				if got, want := facts.Stalled(at(second)), c.from >= 0 && second >= c.from; got != want {
					t.Fatalf("after %d seconds: stalled %v, want %v", second, got, want)
				}
			}
		})
	}
}
