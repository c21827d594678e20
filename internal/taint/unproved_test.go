package taint

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// unproved is a story whose benchmark came to a verdict for a reason.
func unproved(minute int, v v1alpha1.Verdict, reason string) Judgement {
	j := story(node("u1"), minute, v, "hbm")
	j.Result.Benchmarks[0].Reason = reason
	return j
}

func unprovedOf(nv *v1alpha1.NodeValidation) (out []string) {
	for _, u := range nv.Benchmarks[0].Unproved {
		out = append(out, fmt.Sprintf("%s %s/%s boot %s", u.RunUID, u.Verdict, u.Reason, u.BootID))
	}
	return out
}

func TestUnprovedRuns(t *testing.T) {
	erred, skipped := unproved(2, v1alpha1.VerdictError, v1alpha1.ReasonTimedOut), unproved(3, v1alpha1.VerdictSkipped, v1alpha1.ReasonCannotRunHere)
	passed, failed := story(node("u1"), 5, v1alpha1.VerdictPass, "hbm"), story(node("u1"), 6, v1alpha1.VerdictFail, "hbm")
	later := unproved(7, v1alpha1.VerdictMissing, v1alpha1.ReasonMeasurementMissing)
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
		"what erred and what cannot run, by time of measurement": {[]Judgement{skipped, erred}, []string{erredRow, "run3 Skipped/CannotRunHere boot boot"}},
		"the same run twice":                  {[]Judgement{erred, erred}, []string{erredRow}},
		"rebooted before it was judged":       {[]Judgement{rebooted}, []string{erredRow}},
		"on which boot, nobody knows":         {[]Judgement{changed}, []string{"run2 Error/TimedOut boot "}},
		"judged again after a reboot":         {[]Judgement{erred, rebooted}, []string{erredRow}},
		"a pass wipes out what came before":   {[]Judgement{erred, skipped, passed}, nil},
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
			var nv *v1alpha1.NodeValidation
			for _, j := range test.runs {
				nv = NextValidation(nv, j)
			}
			if diff := cmp.Diff(test.want, unprovedOf(nv)); diff != "" {
				t.Errorf("unproved runs (-want +got):\n%s", diff)
			}
		})
	}
}

// TestUnprovedRunsAreTheLastTen, and those that errored before a benchmark was started have the time of what was.
func TestUnprovedRunsAreTheLastTen(t *testing.T) {
	var nv *v1alpha1.NodeValidation
	for minute := range 15 {
		j := story(node("u1"), minute, v1alpha1.VerdictMissing, "hbm", "p2p")
		j.Result.Benchmarks[1].Attempts = nil
		nv = NextValidation(nv, j)
	}
	for _, h := range nv.Benchmarks {
		if n := len(h.Unproved); n != 10 || h.Unproved[0].RunUID != "run5" || h.Unproved[9].RunUID != "run14" || !h.Unproved[9].Time.Equal(new(at(14))) {
			t.Errorf("%s has %d unproved runs: %+v; want those from run5 to run14", h.Name, n, h.Unproved)
		}
	}
}

// TestAPassThatBecameNone: a run may judge a node anew, once its fleet has grown.
func TestAPassThatBecameNone(t *testing.T) {
	older := story(node("u1"), 1, v1alpha1.VerdictFail, "hbm")
	passed, erred := story(node("u1"), 2, v1alpha1.VerdictPass, "hbm"), unproved(2, v1alpha1.VerdictError, v1alpha1.ReasonNotConfirmed)
	nv := NextValidation(NextValidation(NextValidation(nil, older), passed), erred)
	h := nv.Benchmarks[0]
	if len(h.History) != 1 || h.History[0].Verdict != v1alpha1.VerdictFail || len(h.Unproved) != 1 {
		t.Errorf("history %+v, unproved %+v; want the failure of run1, and run2 as unproved", h.History, h.Unproved)
	}
}

// TestASkippedRunHidesNothing: in whatever order the runs are judged.
func TestASkippedRunHidesNothing(t *testing.T) {
	passed, skipped := story(node("u1"), 1, v1alpha1.VerdictPass, "hbm"), unproved(2, v1alpha1.VerdictSkipped, v1alpha1.ReasonCannotRunHere)
	one, other := NextValidation(NextValidation(nil, passed), skipped), NextValidation(NextValidation(nil, skipped), passed)
	if one.Verdict != v1alpha1.VerdictPass || one.LastRun.Name != "run1" || one.Benchmarks[0].Message != "hbm says" || len(one.Benchmarks[0].Unproved) != 1 {
		t.Errorf("last verdict %s by %s, unproved %v; want Pass by run1, and run2 as unproved", one.Verdict, one.LastRun.Name, unprovedOf(one))
	}
	if diff := cmp.Diff(one, other); diff != "" {
		t.Errorf("the order in which they are judged matters (-in order +reversed):\n%s", diff)
	}
}
