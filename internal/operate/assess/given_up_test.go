package assess

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/operate/assess/collect"
	"github.com/assay-dev/assay/internal/operate/assess/judge"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
	"github.com/assay-dev/assay/internal/operate/pack"
)

// A leader that had stalled stored that nothing would come of an attempt, or that devices are missing, while another one's pod for that attempt measured.
// What the pod left counts, and is stored before the pod goes.
func TestWhatAGivenUpPodLeftCounts(t *testing.T) {
	measured := ended(measuredAt(t, 100), 0)
	for sentence, c := range map[string]struct {
		stored v1alpha1.Attempt
		change func(*corev1.Pod)
		want   v1alpha1.Verdict // stored; empty: nothing is
	}{
		"it has measured":                     {v1alpha1.Attempt{Verdict: v1alpha1.VerdictError, Reason: v1alpha1.ReasonNodeNotReady}, measured, v1alpha1.VerdictPass},
		"it has measured, devices were there": {v1alpha1.Attempt{Verdict: v1alpha1.VerdictFail, Reason: v1alpha1.ReasonDevicesMissing}, measured, v1alpha1.VerdictPass},
		"it has failed":                       {v1alpha1.Attempt{Verdict: v1alpha1.VerdictError, Reason: v1alpha1.ReasonNodeNotReady}, ended("killed", 1), ""},
		"it goes on":                          {v1alpha1.Attempt{Verdict: v1alpha1.VerdictError, Reason: v1alpha1.ReasonNodeNotReady}, running, ""},
		"another program is told of": {v1alpha1.Attempt{Verdict: v1alpha1.VerdictError, Reason: v1alpha1.ReasonProgramFailed, StartTime: &metav1.Time{Time: soloRun().Now}},
			measured, ""},
	} {
		t.Run(sentence, func(t *testing.T) {
			in := soloRun("a")
			c.stored.Number = 1
			addPod(&in, "a", 1, c.change)
			r := &v1alpha1.ValidationResult{Verdict: v1alpha1.VerdictPending}
			r.Name, r.Run.UID, r.Node = v1alpha1.ResultName(in.Run, "a"), in.Run.UID, v1alpha1.ObjectReference{Name: "a", UID: in.Nodes[0].UID}
			r.Benchmarks = []v1alpha1.BenchmarkResult{{Name: "stream", Verdict: v1alpha1.VerdictPending, Attempts: []v1alpha1.Attempt{c.stored}}}
			in.Results = append(in.Results, pack.Plain(r))
			out, err := assessed(in)
			if err != nil {
				t.Fatal(err)
			}
			var got v1alpha1.Verdict
			for _, w := range out.Nodes {
				if attempts := w.Result.Benchmark("stream").Attempts; len(attempts) != 1 {
					t.Errorf("%d attempts are stored, want 1", len(attempts))
				} else if attempts[0].Pod != "" {
					got = attempts[0].Verdict
				}
			}
			if got != c.want {
				t.Errorf("the attempt of the pod is stored as %q, want %q", got, c.want)
			}
			if len(out.DeletePods) != 1 || out.DeletePods[0].After != r.Name || out.DeletePods[0].AsSeen != (sentence == "it goes on") {
				t.Errorf("it is deleted otherwise: %+v", out.DeletePods)
			}
		})
	}
}

// The same of an MPIJob: its attempt was given up, and whoever stored that stopped before the job went. Then its launcher measured.
func TestWhatAGivenUpJobLeftCounts(t *testing.T) {
	goesOn, measured, failed := running, ended(measuredAt(t, 100), 0), ended("killed", 1)
	given := v1alpha1.Attempt{Number: 1, Verdict: v1alpha1.VerdictError, Reason: v1alpha1.ReasonMPIOperatorSilent}
	toldOf := given
	toldOf.StartTime = &metav1.Time{Time: soloRun().Now}
	for sentence, c := range map[string]struct {
		stored   v1alpha1.Attempt
		launcher func(*corev1.Pod)
		want     v1alpha1.Verdict
		asSeen   string
	}{
		"it has measured":             {given, measured, v1alpha1.VerdictPass, ""},
		"it has failed":               {given, failed, v1alpha1.VerdictError, ""},
		"it goes on":                  {given, goesOn, v1alpha1.VerdictError, "7"},
		"another launcher is told of": {toldOf, measured, v1alpha1.VerdictError, ""},
	} {
		t.Run(sentence, func(t *testing.T) {
			s := pairsRun(1, 1)
			g := observe.InOrder(s.Groups)[0]
			g.Jobs[0].Version = "7"
			for worker := range 2 {
				g.Jobs[0].Facts.Pods = append(g.Jobs[0].Facts.Pods, workload.JobPod{Pod: podOfWorker(0, worker, s.Now)})
			}
			launcher := podOfWorker(0, 2, s.Now)
			c.launcher(launcher)
			g.Jobs[0].Facts.Pods = append(g.Jobs[0].Facts.Pods, workload.JobPod{Pod: launcher, Launcher: true})
			r := s.GroupResult(g)
			r.Benchmarks[0].Attempts = []v1alpha1.Attempt{c.stored}
			g.Stored = r
			out := output(next(judge.Judge(collect.Collect(s))))
			stored := r
			for _, w := range out.Groups {
				stored = w.Result
			}
			if got := stored.Benchmarks[0].Attempts; len(got) != 1 || got[0].Verdict != c.want || (got[0].Pod == g.Jobs[0].Name) != (c.want == v1alpha1.VerdictPass) {
				t.Errorf("the attempts are %+v, want one that is %s", got, c.want)
			}
			if len(out.DeleteJobs) != 1 || out.DeleteJobs[0].After != g.ID || out.DeleteJobs[0].AsSeen != c.asSeen {
				t.Errorf("it is deleted otherwise: %+v", out.DeleteJobs)
			}
		})
	}
}

// A node loses a device while a pod waits for all of them: no scheduler ever places it.
func TestAPodThatAsksForLostDevicesMakesWay(t *testing.T) {
	for offered, makesWay := range map[string]bool{"2": false, "1": true} {
		in := soloRun("a")
		in.Tasks[0].Benchmark.Spec.Needs.DeviceResource = "nvidia.com/gpu"
		in.Nodes[0].Status.Allocatable = corev1.ResourceList{"nvidia.com/gpu": resource.MustParse("2")}
		addPod(&in, "a", 1, func(p *corev1.Pod) { p.Status.Phase, p.Spec.NodeName = corev1.PodPending, "" })
		in.Nodes[0].Status.Allocatable = corev1.ResourceList{"nvidia.com/gpu": resource.MustParse(offered)}
		out, err := assessed(in)
		if err != nil {
			t.Fatal(err)
		}
		if len(out.Nodes) > 0 || (len(out.DeletePods) == 1) != makesWay {
			t.Errorf("of 2 devices that the pod asks for, the node offers %s: results %+v, deletions %+v", offered, out.Nodes, out.DeletePods)
		}
	}
}

// Nothing could be stored of a node for long, and one of its name has come since, and was measured: both have a pod of the first attempt.
func TestWhatIsThereCountsBeforeWhatWas(t *testing.T) {
	in := soloRun("a")
	addPod(&in, "a", 1, ended("killed", 1))
	in.Nodes[0] = in.Nodes[0].DeepCopy()
	in.Nodes[0].UID = "another"
	now := addPod(&in, "a", 1, ended(measuredAt(t, 100), 0))
	out, err := assessed(in)
	if err != nil {
		t.Fatal(err)
	}
	if r := out.Nodes[0].Result; r.Node.UID != "another" || len(r.Benchmarks[0].Attempts) != 1 || r.Benchmarks[0].Attempts[0].PodUID != now.UID {
		t.Errorf("stored are %+v of node %s, want the attempt of pod %s", r.Benchmarks[0].Attempts, r.Node.UID, now.UID)
	}
}
