package nodevalidation

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// unproved is a story whose benchmark came to a verdict for a reason.
func unproved(minute int, v v1alpha1.Verdict, reason string) Judgement {
	j := story(node("u1"), minute, v, "hbm")
	j.Result.Benchmarks[0].Reason = reason
	return j
}

func unprovedOf(nv Known) (out []string) {
	for _, u := range nv.Validation.Benchmarks[0].Unproved {
		boot := ""
		if u.Machine != nil {
			boot = u.Machine.BootID
		}
		out = append(out, fmt.Sprintf("%s %s/%s boot %s", u.RunUID, u.Verdict, u.Reason, boot))
	}
	return out
}

// TestWhatNothingCouldJudgeStaysInTheRing: ten runs that measured nothing do not push it out, until another one of its kind takes its place.
func TestWhatNothingCouldJudgeStaysInTheRing(t *testing.T) {
	nv := Next(Known{}, unproved(1, v1alpha1.VerdictInconclusive, v1alpha1.ReasonNotJudged))
	for minute := 2; minute < 15; minute++ {
		nv = Next(nv, unproved(minute, v1alpha1.VerdictError, v1alpha1.ReasonTimedOut))
	}
	all := unprovedOf(nv)
	if len(all) != maxUnproved || all[0] != "run1 Inconclusive/NotJudged boot boot" || all[9] != "run14 Error/TimedOut boot boot" {
		t.Errorf("the ring is %q", all)
	}
	nv = Next(nv, unproved(15, v1alpha1.VerdictInconclusive, v1alpha1.ReasonNotJudged))
	if all = unprovedOf(nv); all[0] != "run6 Error/TimedOut boot boot" || all[9] != "run15 Inconclusive/NotJudged boot boot" {
		t.Errorf("after a newer one the ring is %q", all)
	}
}

// TestARunInVainIsNotPushedOut by what nothing could judge, on however many terms: a policy counts it, and would try again for ever.
func TestARunInVainIsNotPushedOut(t *testing.T) {
	var nv Known
	for minute := range 12 {
		j := unproved(minute, v1alpha1.VerdictInconclusive, v1alpha1.ReasonNotJudged)
		j.Benchmarks = map[string]Benchmark{"hbm": {Asked: fmt.Sprint(minute), OwnParameters: true}}
		nv = Next(nv, j)
	}
	nv = Next(Next(nv, unproved(12, v1alpha1.VerdictError, v1alpha1.ReasonTimedOut)), unproved(13, v1alpha1.VerdictError, v1alpha1.ReasonTimedOut))
	if all := unprovedOf(nv); len(all) != maxUnproved || all[8] != "run12 Error/TimedOut boot boot" || all[9] != "run13 Error/TimedOut boot boot" {
		t.Errorf("the ring is %q", all)
	}
}

func TestUnprovedRuns(t *testing.T) {
	erred, cannot := unproved(2, v1alpha1.VerdictError, v1alpha1.ReasonTimedOut), unproved(3, v1alpha1.VerdictError, v1alpha1.ReasonCannotRunHere)
	passed, failed := story(node("u1"), 5, v1alpha1.VerdictPass, "hbm"), story(node("u1"), 6, v1alpha1.VerdictFail, "hbm")
	later := unproved(7, v1alpha1.VerdictMissing, v1alpha1.ReasonMeasurementMissing)
	easy := story(node("u1"), 5, v1alpha1.VerdictPass, "hbm")
	easy.Benchmarks = map[string]Benchmark{"hbm": {Asked: "easy", OwnExpectations: true}}
	cleared := story(node("u1"), 2, v1alpha1.VerdictPass, "hbm")
	rebooted := unproved(2, v1alpha1.VerdictError, v1alpha1.ReasonTimedOut)
	rebooted.Node.Status.NodeInfo.BootID = "next boot"
	changed := unproved(2, v1alpha1.VerdictError, v1alpha1.ReasonTimedOut)
	changed.Result.Benchmarks[0].Attempts[0].Machine = nil
	neverStarted := unproved(4, v1alpha1.VerdictMissing, v1alpha1.ReasonDeadlineExceeded)
	neverStarted.Result.Benchmarks[0].Attempts = nil
	const erredRow = "run2 Error/TimedOut boot boot"
	for name, test := range map[string]struct {
		runs []Judgement
		want []string
	}{
		"what erred and what cannot run, by time of measurement": {[]Judgement{cannot, erred}, []string{erredRow, "run3 Error/CannotRunHere boot boot"}},
		"the same run twice":                  {[]Judgement{erred, erred}, []string{erredRow}},
		"rebooted before it was judged":       {[]Judgement{rebooted}, []string{erredRow}},
		"on which boot, nobody knows":         {[]Judgement{changed}, []string{"run2 Error/TimedOut boot "}},
		"judged again after a reboot":         {[]Judgement{erred, rebooted}, []string{erredRow}},
		"a pass wipes out what came before":   {[]Judgement{erred, cannot, passed}, nil},
		"a pass on own terms wipes out none":  {[]Judgement{erred, easy}, []string{erredRow}},
		"applied after a pass that is newer":  {[]Judgement{passed, erred}, nil},
		"newer than the pass":                 {[]Judgement{later, erred, passed}, []string{"run7 Missing/MeasurementMissing boot boot"}},
		"a failure wipes out nothing":         {[]Judgement{erred, failed}, []string{erredRow}},
		"the run itself passed in the end":    {[]Judgement{erred, cleared}, nil},
		"what was in use was not tried":       {[]Judgement{unproved(2, v1alpha1.VerdictSkipped, v1alpha1.ReasonNodeBusy)}, nil},
		"what was cordoned was not tried":     {[]Judgement{unproved(2, v1alpha1.VerdictSkipped, v1alpha1.ReasonNodeCordoned)}, nil},
		"a run that nobody was measured in":   {[]Judgement{neverStarted}, nil},
		"a node of another UID starts afresh": {[]Judgement{erred, story(node("u2"), 3, v1alpha1.VerdictFail, "hbm")}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var nv Known
			for _, j := range test.runs {
				nv = Next(nv, j)
			}
			if diff := cmp.Diff(test.want, unprovedOf(nv)); diff != "" {
				t.Errorf("unproved runs (-want +got):\n%s", diff)
			}
		})
	}
}

// TestAPassWipesOutWhatAskedForNoMore: one as the Benchmark asks says nothing of own terms that nothing could judge, in whichever order runs are judged.
func TestAPassWipesOutWhatAskedForNoMore(t *testing.T) {
	asks := func(minute int, v v1alpha1.Verdict, asked string, own bool) Judgement {
		j := unproved(minute, v, "")
		j.Benchmarks = map[string]Benchmark{"hbm": {Asked: asked, OwnExpectations: own}}
		return j
	}
	const kept = "run1 Inconclusive/ boot boot"
	for name, test := range map[string]struct {
		runs []Judgement
		want []string
	}{
		"a pass of the Benchmark": {[]Judgement{asks(1, v1alpha1.VerdictInconclusive, "hard", true), asks(2, v1alpha1.VerdictPass, "image 1", false)}, []string{kept}},
		"a pass of other terms":   {[]Judgement{asks(1, v1alpha1.VerdictInconclusive, "hard", true), asks(2, v1alpha1.VerdictPass, "easy", true)}, []string{kept}},
		"a pass of the same":      {[]Judgement{asks(1, v1alpha1.VerdictInconclusive, "hard", true), asks(2, v1alpha1.VerdictPass, "hard", true)}, nil},
		"it measured nothing":     {[]Judgement{asks(1, v1alpha1.VerdictError, "hard", true), asks(2, v1alpha1.VerdictPass, "image 1", false)}, nil},
		"it was the Benchmark's, and another image passed": {[]Judgement{asks(1, v1alpha1.VerdictInconclusive, "image 1", false),
			asks(2, v1alpha1.VerdictPass, "image 2", false), asks(3, v1alpha1.VerdictFail, "image 1", false)}, nil},
	} {
		forwards, backwards := Known{}, Known{}
		for i := range test.runs {
			forwards, backwards = Next(forwards, test.runs[i]), Next(backwards, test.runs[len(test.runs)-1-i])
		}
		if diff := cmp.Diff([][]string{test.want, test.want}, [][]string{unprovedOf(forwards), unprovedOf(backwards)}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestUnprovedRunsAreTheLastTen, and those that errored before a benchmark was started have the time of what was.
func TestUnprovedRunsAreTheLastTen(t *testing.T) {
	var nv Known
	for minute := range 15 {
		j := story(node("u1"), minute, v1alpha1.VerdictMissing, "hbm", "p2p")
		j.Result.Benchmarks[1].Attempts = nil
		nv = Next(nv, j)
	}
	for _, h := range nv.Validation.Benchmarks {
		if n := len(h.Unproved); n != 10 || h.Unproved[0].RunUID != "run5" || h.Unproved[9].RunUID != "run14" || !h.Unproved[9].Time.Equal(new(at(14))) {
			t.Errorf("%s has %d unproved runs: %+v; want those from run5 to run14", h.Name, n, h.Unproved)
		}
	}
}

// TestAPassThatBecameNone: a run may judge a node anew, once its fleet has grown.
func TestAPassThatBecameNone(t *testing.T) {
	older := story(node("u1"), 1, v1alpha1.VerdictFail, "hbm")
	passed, erred := story(node("u1"), 2, v1alpha1.VerdictPass, "hbm"), unproved(2, v1alpha1.VerdictError, v1alpha1.ReasonNotConfirmed)
	nv := Next(Next(Next(Known{}, older), passed), erred)
	h := nv.Validation.Benchmarks[0]
	if len(h.History) != 1 || h.History[0].Verdict != v1alpha1.VerdictFail || len(h.Unproved) != 1 {
		t.Errorf("history %+v, unproved %+v; want the failure of run1, and run2 as unproved", h.History, h.Unproved)
	}
}

// TestWhatAPassThatBecameNoneHeld refutes nothing any more; what a run held that failed by something else, it held.
func TestWhatAPassThatBecameNoneHeld(t *testing.T) {
	holding := func(minute int, v v1alpha1.Verdict, metric string) Judgement {
		j := story(node("u1"), minute, v, "hbm")
		j.Benchmarks = map[string]Benchmark{"hbm": {Held: []v1alpha1.HeldRule{{Metric: metric, Rule: "Min", Limit: "90", Value: "95"}}}}
		return j
	}
	for v, want := range map[v1alpha1.Verdict]string{v1alpha1.VerdictPass: "[run1]", v1alpha1.VerdictFail: "[run1 run2]"} {
		k := Next(Next(Known{}, holding(1, v1alpha1.VerdictPass, "triad")), holding(2, v, "copy"))
		var runs []types.UID
		for _, h := range Next(k, unproved(2, v1alpha1.VerdictError, v1alpha1.ReasonNotConfirmed)).History.Benchmarks[0].Held {
			runs = append(runs, h.RunUID)
		}
		if fmt.Sprint(runs) != want {
			t.Errorf("%s that became none: rules are held by %v, want %s", v, runs, want)
		}
	}
}

// TestWhatARunInVainSays is weighed like a pass: what was asked, and on which machine.
func TestWhatARunInVainSays(t *testing.T) {
	asks := func(j Judgement, configuration string) Judgement {
		j.Benchmarks = map[string]Benchmark{"hbm": {Asked: "asked", OwnParameters: true, DeviceResource: "nvidia.com/gpu"}}
		if len(j.Result.Benchmarks[0].Attempts) > 0 {
			j.Result.Benchmarks[0].Attempts[0].Configuration = configuration
		}
		return j
	}
	neverStarted := unproved(3, v1alpha1.VerdictMissing, v1alpha1.ReasonDeadlineExceeded)
	neverStarted.Result.Benchmarks[0].Attempts = nil
	neverStarted.Result.Benchmarks = append(neverStarted.Result.Benchmarks, story(node("u1"), 3, v1alpha1.VerdictPass, "other").Result.Benchmarks...)
	then, now := v1alpha1.Machine{BootID: "boot", Kernel: "6.8", Driver: "580.82.07"}, MachineOf(node("u1"), "nvidia.com/gpu", "")
	for name, test := range map[string]struct {
		run     Judgement
		asked   string
		machine *v1alpha1.Machine
	}{
		"of its last attempt":                 {asks(unproved(2, v1alpha1.VerdictError, v1alpha1.ReasonCannotRunHere), "c"), "asked", &then},
		"of a pod that was made for another":  {asks(unproved(2, v1alpha1.VerdictError, v1alpha1.ReasonCannotRunHere), OtherConfiguration+"c"), "", &then},
		"of the node, where none was started": {asks(neverStarted, ""), "asked", &now},
	} {
		u := Next(Known{}, test.run).Validation.Benchmarks[0].Unproved
		if len(u) != 1 || u[0].Asked != test.asked || !cmp.Equal(u[0].Machine, test.machine) {
			t.Errorf("%s: %+v, want asked %q on %+v", name, u, test.asked, test.machine)
		}
	}
}
