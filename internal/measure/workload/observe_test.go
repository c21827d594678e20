package workload

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
)

var (
	born    = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	started = born.Add(20 * time.Second)
	stopped = born.Add(80 * time.Second)
)

const timeout = 60 * time.Second

// status makes a pod of node gpu-1, born at born.
func status(s corev1.PodStatus) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "hbm-1", CreationTimestamp: metav1.NewTime(born),
		Annotations: map[string]string{v1alpha1.AnnotationNode: "gpu-1"}}, Status: s}
}

func container(name string, state corev1.ContainerState) corev1.ContainerStatus {
	return corev1.ContainerStatus{Name: name, Image: "registry.example/" + name, ImageID: "sha256:1", State: state}
}

// podOf is a pod whose install container is through and whose program is in this state.
func podOf(phase corev1.PodPhase, state corev1.ContainerState) corev1.PodStatus {
	return corev1.PodStatus{Phase: phase,
		InitContainerStatuses: []corev1.ContainerStatus{container("install-runner", corev1.ContainerState{
			Terminated: &corev1.ContainerStateTerminated{Reason: "Completed"}})},
		ContainerStatuses: []corev1.ContainerStatus{container("benchmark", state)},
	}
}

func exited(code int32, reason, message string) corev1.ContainerState {
	return corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: code, Reason: reason, Message: message,
		StartedAt: metav1.NewTime(started), FinishedAt: metav1.NewTime(stopped)}}
}

func waits(reason, message string) corev1.ContainerState {
	return corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}}
}

func runs() corev1.ContainerState {
	return corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(started)}}
}

// unplaced is a pod that the scheduler says this of.
func unplaced(message string) corev1.PodStatus {
	return corev1.PodStatus{Phase: corev1.PodPending, Conditions: []corev1.PodCondition{
		{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: "Unschedulable", Message: message + "."}}}
}

// ran adds what is known of a program that ran.
func ran(o Observation) Observation {
	o.Ended, o.ImageID, o.Started, o.Finished = true, "sha256:1", started, stopped
	return o
}

// observed is one way a pod can be, and what it says of its attempt.
type observed struct {
	status corev1.PodStatus
	// after is the pod's age.
	after time.Duration
	want  Observation
}

func checkObserved(t *testing.T, cases map[string]observed) {
	t.Helper()
	for sentence, c := range cases {
		t.Run(sentence, func(t *testing.T) {
			if diff := cmp.Diff(c.want, Observe(status(c.status), timeout, born.Add(c.after))); diff != "" {
				t.Errorf("another observation (-want +got):\n%s", diff)
			}
		})
	}
}

func TestObserveEnded(t *testing.T) {
	evicted := podOf(corev1.PodFailed, exited(137, "Error", ""))
	evicted.Reason, evicted.Message = "Evicted", "The node was low on resource: memory."
	overdue := podOf(corev1.PodFailed, exited(137, "Error", ""))
	overdue.Reason, overdue.Message = "DeadlineExceeded", "Pod was active on the node longer than the specified deadline"
	installFails := corev1.PodStatus{Phase: corev1.PodFailed,
		InitContainerStatuses: []corev1.ContainerStatus{container("install-runner", corev1.ContainerState{
			Terminated: &corev1.ContainerStateTerminated{ExitCode: 1, Reason: "Error", Message: "read-only file system"}})},
		ContainerStatuses: []corev1.ContainerStatus{container("benchmark", waits("PodInitializing", ""))}}
	checkObserved(t, map[string]observed{
		"it left a result": {podOf(corev1.PodSucceeded, exited(0, "Completed", "assay1:xyz")), 90 * time.Second,
			ran(Observation{Termination: "assay1:xyz", Reason: v1alpha1.ReasonNoOutput, Message: "the program has ended, and its result is about to be stored"})},
		"it ended well without a result": {podOf(corev1.PodSucceeded, exited(0, "Completed", "")), 90 * time.Second,
			ran(Observation{Reason: v1alpha1.ReasonNoOutput, Message: "the program exited with code 0 and left no result"})},
		"it failed with words": {podOf(corev1.PodFailed, exited(1, "Error", "cudaErrorNoDevice\n")), 90 * time.Second,
			ran(Observation{Termination: "cudaErrorNoDevice\n", Reason: v1alpha1.ReasonProgramFailed, Message: "the program exited with code 1: cudaErrorNoDevice"})},
		"it failed with words that are no UTF-8": {podOf(corev1.PodFailed, exited(3, "Error", "a\xffb")), 90 * time.Second,
			ran(Observation{Termination: "a\xffb", Reason: v1alpha1.ReasonProgramFailed, Message: "the program exited with code 3: a?b"})},
		"it failed with very many words": {podOf(corev1.PodFailed, exited(1, "Error", strings.Repeat("é", 1000))), 90 * time.Second,
			ran(Observation{Termination: strings.Repeat("é", 1000), Reason: v1alpha1.ReasonProgramFailed, Message: "the program exited with code 1: " + strings.Repeat("é", 198) + "..."})},
		"the kernel killed it for memory": {podOf(corev1.PodFailed, exited(137, "OOMKilled", "")), 90 * time.Second,
			ran(Observation{Reason: v1alpha1.ReasonOOMKilled, Message: "the program ran out of memory: raise needs.limits.memory of the Benchmark, or choose a smaller size"})},
		"its command cannot be executed": {podOf(corev1.PodFailed, exited(128, "StartError", "exec /assay/runner: no such file")), 90 * time.Second,
			ran(Observation{Termination: "exec /assay/runner: no such file", Reason: v1alpha1.ReasonPodStartFailed, Message: "the container could not be started: exec /assay/runner: no such file"})},
		"the container cannot run": {podOf(corev1.PodFailed, exited(127, "ContainerCannotRun", "no runtime")), 90 * time.Second,
			ran(Observation{Termination: "no runtime", Reason: v1alpha1.ReasonPodStartFailed, Message: "the container could not be started: no runtime"})},
		"the node ran short of something": {evicted, 90 * time.Second,
			ran(Observation{Reason: v1alpha1.ReasonEvicted, Message: "the kubelet ended the pod: Evicted: The node was low on resource: memory"})},
		"it outlived the pod's own deadline": {overdue, time.Hour,
			ran(Observation{Reason: v1alpha1.ReasonTimedOut, Message: "the pod reached its activeDeadlineSeconds and was stopped"})},
		"the node refused it": {corev1.PodStatus{Phase: corev1.PodFailed, Reason: "UnexpectedAdmissionError", Message: "no devices"}, time.Second,
			Observation{Ended: true, Reason: v1alpha1.ReasonEvicted, Message: "the kubelet ended the pod: UnexpectedAdmissionError: no devices"}},
		"the runner could not be installed": {installFails, 30 * time.Second,
			Observation{Ended: true, Reason: v1alpha1.ReasonPodStartFailed,
				Message: "init container install-runner exited with code 1: read-only file system: check the operator's --runner-image"}},
		"it ended, its runner was installed, and its program tells nothing": {corev1.PodStatus{Phase: corev1.PodFailed, InitContainerStatuses: podOf("", runs()).InitContainerStatuses}, 30 * time.Second,
			Observation{Ended: true, Reason: v1alpha1.ReasonNoOutput, Message: "the pod ended, and nothing says how its program did: see the pod's events"}},
		"it ended, and its runner never began": {corev1.PodStatus{Phase: corev1.PodFailed, InitContainerStatuses: []corev1.ContainerStatus{container("install-runner", waits("PodInitializing", ""))}}, 30 * time.Second,
			Observation{Ended: true, Reason: v1alpha1.ReasonNoOutput, Message: "the pod ended, and nothing says how its program did: see the pod's events"}},
		"it ended and tells nothing": {corev1.PodStatus{Phase: corev1.PodFailed}, 30 * time.Second,
			Observation{Ended: true, Reason: v1alpha1.ReasonNoOutput, Message: "the pod ended, and nothing says how its program did: see the pod's events"}},
	})
}

// Between the end of a program and that of its pod, a kubelet takes a second to take down what the pod stood on.
func TestAProgramThatEndedIsReadBeforeItsPodHasEnded(t *testing.T) {
	evicted := podOf(corev1.PodRunning, exited(137, "Error", ""))
	evicted.Reason = "Evicted"
	checkObserved(t, map[string]observed{
		"it left a result": {podOf(corev1.PodRunning, exited(0, "Completed", "assay1:xyz")), 90 * time.Second,
			ran(Observation{Termination: "assay1:xyz", Reason: v1alpha1.ReasonNoOutput, Message: "the program has ended, and its result is about to be stored"})},
		"it failed": {podOf(corev1.PodRunning, exited(1, "Error", "cudaErrorNoDevice")), 90 * time.Second,
			ran(Observation{Termination: "cudaErrorNoDevice", Reason: v1alpha1.ReasonProgramFailed, Message: "the program exited with code 1: cudaErrorNoDevice"})},
		"the kubelet ended it, and has not said all about it": {evicted, 90 * time.Second, Observation{Recheck: born.Add(pullLimit)}},
	})
	deleted := status(podOf(corev1.PodRunning, exited(143, "Error", "")))
	deleted.DeletionTimestamp = new(metav1.NewTime(stopped))
	if o := Observe(deleted, timeout, stopped); o.Ended {
		t.Errorf("a pod that somebody deleted left a result: %+v", o)
	}
}

func TestAPodIsStoppedWhenNoContainerRuns(t *testing.T) {
	beside := podOf(corev1.PodRunning, exited(0, "Completed", ""))
	beside.ContainerStatuses = append(beside.ContainerStatuses, container("proxy", runs()))
	claims := podOf(corev1.PodRunning, exited(0, "Completed", ""))
	claims.ResourceClaimStatuses = []corev1.PodResourceClaimStatus{{Name: "devices", ResourceClaimName: new("pod-devices-x")}}
	for sentence, c := range map[string]struct {
		status corev1.PodStatus
		want   bool
	}{
		"its program has ended": {podOf(corev1.PodRunning, exited(0, "Completed", "")), true},
		"its program runs":      {podOf(corev1.PodRunning, runs()), false},
		"its program has ended, and somebody's container runs": {beside, false},
		"its program has ended, and it claimed devices":        {claims, false},
		"nothing is known of it":                               {corev1.PodStatus{Phase: corev1.PodRunning}, false},
		"its kubelet has called it ended":                      {podOf(corev1.PodSucceeded, exited(0, "Completed", "")), false},
	} {
		if got := Stopped(status(c.status)); got != c.want {
			t.Errorf("%s: %v", sentence, got)
		}
	}
}

func TestObserveRunning(t *testing.T) {
	limit := started.Add(timeout + runGrace)
	checkObserved(t, map[string]observed{
		"it runs": {podOf(corev1.PodRunning, runs()), 30 * time.Second, Observation{Recheck: limit}},
		"it runs beside a container that somebody added": {corev1.PodStatus{Phase: corev1.PodRunning, ContainerStatuses: []corev1.ContainerStatus{
			container("proxy", exited(0, "Completed", "")), container("benchmark", runs())}}, 30 * time.Second, Observation{Recheck: limit}},
		"it runs beyond its time, and the runner has a while to end it": {podOf(corev1.PodRunning, runs()), 199 * time.Second,
			Observation{Recheck: limit}},
		"it hangs": {podOf(corev1.PodRunning, runs()), 200 * time.Second,
			Observation{Ended: true, ImageID: "sha256:1", Started: started, Finished: limit, Reason: v1alpha1.ReasonTimedOut,
				Message: "the pod is still running 2m0s after its time limit of 1m0s: look at the node, where a process may hang in a driver"}},
		"the pod runs, its program does not yet": {podOf(corev1.PodRunning, waits("PodInitializing", "")), time.Minute,
			Observation{Recheck: born.Add(pullLimit)}},
	})
}

// TestObserveRunningByAWrongClock: the node's clock is years off. The program is neither given up at once nor never.
func TestObserveRunningByAWrongClock(t *testing.T) {
	latest := born.Add(pullLimit + timeout + runGrace)
	begun := func(at time.Time) corev1.PodStatus {
		return podOf(corev1.PodRunning, corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(at)}})
	}
	behind, ahead, almost := born.AddDate(-3, 0, 0), born.AddDate(3, 0, 0), born.Add(-30*time.Second)
	hangs := func(at time.Time) Observation {
		return Observation{Ended: true, ImageID: "sha256:1", Started: at, Finished: latest, Reason: v1alpha1.ReasonTimedOut,
			Message: "the pod is still running 2m0s after its time limit of 1m0s: look at the node, where a process may hang in a driver"}
	}
	checkObserved(t, map[string]observed{
		"years behind":            {begun(behind), time.Minute, Observation{Recheck: latest}},
		"years ahead":             {begun(ahead), time.Minute, Observation{Recheck: latest}},
		"half a minute behind":    {begun(almost), time.Minute, Observation{Recheck: almost.Add(timeout + runGrace)}},
		"years behind, and hangs": {begun(behind), latest.Sub(born), hangs(behind)},
		"years ahead, and hangs":  {begun(ahead), latest.Sub(born), hangs(ahead)},
	})
}

func TestObserveStarting(t *testing.T) {
	patience := Observation{Recheck: born.Add(pullLimit)}
	pull := func(reason string, ended bool) Observation {
		return Observation{Ended: ended, Reason: v1alpha1.ReasonImagePullFailed, Recheck: born.Add(StartGrace),
			Message: "image registry.example/benchmark: " + reason + ": 404: check the Benchmark's image and the node's access to its registry"}
	}
	start := func(reason string, ended bool) Observation {
		o := pull(reason, ended)
		o.Reason = v1alpha1.ReasonPodStartFailed
		return o
	}
	installPull := corev1.PodStatus{Phase: corev1.PodPending, InitContainerStatuses: []corev1.ContainerStatus{container("install-runner", waits("ErrImagePull", "404"))}}
	cases := map[string]observed{
		"nobody has looked at it yet":       {corev1.PodStatus{Phase: corev1.PodPending}, time.Second, patience},
		"its containers are being created":  {podOf(corev1.PodPending, waits("ContainerCreating", "")), time.Minute, patience},
		"its runner is being installed":     {podOf(corev1.PodPending, waits("PodInitializing", "")), time.Minute, patience},
		"it has not started for very long":  {podOf(corev1.PodPending, waits("ContainerCreating", "")), pullLimit, Observation{Ended: true, Reason: v1alpha1.ReasonPodStartFailed, Message: "the program did not start within 30m0s on node gpu-1: see the pod's events"}},
		"its image has no valid name":       {podOf(corev1.PodPending, waits("InvalidImageName", "404")), time.Second, Observation{Ended: true, Reason: v1alpha1.ReasonImagePullFailed, Recheck: born, Message: pull("InvalidImageName", true).Message}},
		"its image may not be pulled":       {podOf(corev1.PodPending, waits("ErrImageNeverPull", "404")), time.Second, Observation{Ended: true, Reason: v1alpha1.ReasonImagePullFailed, Recheck: born, Message: pull("ErrImageNeverPull", true).Message}},
		"the runner's image is the trouble": {installPull, time.Minute, Observation{Ended: true, Reason: v1alpha1.ReasonImagePullFailed, Recheck: born.Add(StartGrace), Message: "image registry.example/install-runner: ErrImagePull: 404: check the operator's --runner-image"}},
	}
	for _, reason := range []string{"ErrImagePull", "ImagePullBackOff", "ImageInspectError", "RegistryUnavailable"} {
		cases[reason+" at first"] = observed{podOf(corev1.PodPending, waits(reason, "404")), StartGrace - time.Second, pull(reason, false)}
		cases[reason+" for long"] = observed{podOf(corev1.PodPending, waits(reason, "404")), StartGrace, pull(reason, true)}
	}
	for _, reason := range []string{"CreateContainerConfigError", "CreateContainerError", "RunContainerError", "CrashLoopBackOff"} {
		cases[reason+" at first"] = observed{podOf(corev1.PodPending, waits(reason, "404")), time.Second, start(reason, false)}
		cases[reason+" for long"] = observed{podOf(corev1.PodPending, waits(reason, "404")), StartGrace, start(reason, true)}
	}
	checkObserved(t, cases)
}

func TestObserveUnschedulable(t *testing.T) {
	const affinity = "0/5 nodes are available: 1 node(s) had untolerated taint {repair: }, 4 node(s) didn't match Pod's node affinity/selector. preemption: not eligible"
	const devices = "0/5 nodes are available: 1 Insufficient nvidia.com/gpu, 4 node(s) didn't match Pod's node affinity/selector"
	const other = "0/5 nodes are available: 1 node(s) didn't match pod anti-affinity rules, 4 node(s) didn't match Pod's node affinity/selector"
	unschedulable := func(ended bool, message string) Observation {
		return Observation{Ended: ended, Reason: v1alpha1.ReasonUnschedulable, Recheck: born.Add(ScheduleGrace),
			Message: "the scheduler cannot place the pod on node gpu-1: " + message + ": compare the Benchmark's needs with the node"}
	}
	busy := func(message string) Observation {
		return Observation{Reason: v1alpha1.ReasonNodeBusy, Message: "waiting for the scheduler: " + message}
	}
	checkObserved(t, map[string]observed{
		"it does not fit, just now":        {unplaced(affinity), 59 * time.Second, unschedulable(false, affinity)},
		"it does not fit":                  {unplaced(affinity), 60 * time.Second, unschedulable(true, affinity)},
		"it wants more CPU than there is":  {unplaced("0/1 nodes are available: 1 Insufficient cpu"), time.Hour, unschedulable(true, "0/1 nodes are available: 1 Insufficient cpu")},
		"others hold the devices":          {unplaced(devices), time.Hour, busy(devices)},
		"another benchmark is on its node": {unplaced(other), time.Hour, busy(other)},
		"it is placed":                     {corev1.PodStatus{Phase: corev1.PodPending, Conditions: []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionTrue}}}, time.Second, Observation{Recheck: born.Add(pullLimit)}},
		"it does not fit, and somebody added a condition": {corev1.PodStatus{Phase: corev1.PodPending, Conditions: append([]corev1.PodCondition{
			{Type: "example.com/gate", Status: corev1.ConditionFalse}}, unplaced(affinity).Conditions...)}, 60 * time.Second, unschedulable(true, affinity)},
		"the scheduler has not spoken so far": {corev1.PodStatus{Phase: corev1.PodPending, Conditions: []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionUnknown}}}, time.Second, Observation{Recheck: born.Add(pullLimit)}},
	})
}
