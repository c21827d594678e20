package verdict

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-dev/assay/api/v1alpha1"
)

func TestDecide(t *testing.T) {
	m := triad(expecting(v1alpha1.Expectation{Min: "100"}))
	fleet := fleetOf(bench, []v1alpha1.Metric{m}, nil, true)
	judge := func(a *v1alpha1.Attempt) AttemptJudgement { return judgeIn(fleet, a, NodeFacts{}) }
	slow, slower, good := judge(attempt(m, 120, 90)), judge(attempt(m, 120, 80)), judge(attempt(m, 120, 110))
	wrongAttempt := attempt(m, 120, 110)
	wrongAttempt.Checks = []v1alpha1.Check{{Name: "dataIntegrity"}}
	wrong := judge(wrongAttempt)
	missing := judge(attemptOf())
	crash := judge(&v1alpha1.Attempt{Verdict: v1alpha1.VerdictError, Reason: v1alpha1.ReasonTimedOut, Message: "killed after 600 s"})
	skipped := judge(&v1alpha1.Attempt{Verdict: v1alpha1.VerdictSkipped, Reason: v1alpha1.ReasonCannotRunHere, Message: "one GPU only"})
	waiting := AttemptJudgement{Verdict: v1alpha1.VerdictPending, FleetPending: true, Message: "gpu0 fine; waiting"}

	type want struct {
		verdict         v1alpha1.Verdict
		reason, message string
		again           bool
	}
	tests := map[string]struct {
		js            []AttemptJudgement
		confirmations int32
		want          want
	}{
		"nothing measured needs an attempt":          {nil, 1, want{v1alpha1.VerdictPending, "", "not measured yet", true}},
		"a pass needs no second look":                {[]AttemptJudgement{good}, 1, want{v1alpha1.VerdictPass, "Passed", "gpu1 hbmTriad 110 GB/s", false}},
		"a fail asks for its confirmation":           {[]AttemptJudgement{slow}, 1, want{v1alpha1.VerdictPending, "", "to be confirmed by 1 re-run: gpu1 hbmTriad 90 GB/s: expected at least 100 GB/s", true}},
		"without confirmations a fail counts alone":  {[]AttemptJudgement{slow}, 0, want{v1alpha1.VerdictFail, "BelowExpectation", "gpu1 hbmTriad 90 GB/s: expected at least 100 GB/s", false}},
		"a negative number of confirmations is none": {[]AttemptJudgement{slow}, -3, want{v1alpha1.VerdictFail, "BelowExpectation", "gpu1 hbmTriad 90 GB/s: expected at least 100 GB/s", false}},
		"a confirmed fail shows the last number":     {[]AttemptJudgement{slow, slower}, 1, want{v1alpha1.VerdictFail, "BelowExpectation", "gpu1 hbmTriad 80 GB/s: expected at least 100 GB/s; confirmed by 1 re-run", false}},
		"two confirmations are asked for one by one": {[]AttemptJudgement{slow, slower}, 2, want{v1alpha1.VerdictPending, "", "to be confirmed by 1 re-run: gpu1 hbmTriad 80 GB/s: expected at least 100 GB/s", true}},
		"two confirmations agree":                    {[]AttemptJudgement{slow, slower, slow}, 2, want{v1alpha1.VerdictFail, "BelowExpectation", "gpu1 hbmTriad 90 GB/s: expected at least 100 GB/s; confirmed by 2 re-runs", false}},
		"one passing re-run clears the node, and both numbers are told": {[]AttemptJudgement{slow, good}, 1,
			want{v1alpha1.VerdictPass, "NotConfirmed", "failed once, but a re-run did not confirm it: gpu1 hbmTriad 90 GB/s: expected at least 100 GB/s; the re-run: gpu1 hbmTriad 110 GB/s", false}},
		"the second of two re-runs clears it, too": {[]AttemptJudgement{slow, slower, good}, 2,
			want{v1alpha1.VerdictPass, "NotConfirmed", "failed once, but a re-run did not confirm it: gpu1 hbmTriad 90 GB/s: expected at least 100 GB/s; the re-run: gpu1 hbmTriad 110 GB/s", false}},
		"wrong data waits for its confirmation":   {[]AttemptJudgement{wrong}, 1, want{v1alpha1.VerdictPending, "", "to be confirmed by 1 re-run: wrong data: check dataIntegrity failed", true}},
		"wrong data that goes away is still one":  {[]AttemptJudgement{wrong, good}, 1, want{v1alpha1.VerdictFail, "WrongData", "wrong data: check dataIntegrity failed; data was wrong in 1 of 2 attempts", false}},
		"wrong data that comes later is one, too": {[]AttemptJudgement{slow, wrong}, 1, want{v1alpha1.VerdictFail, "WrongData", "wrong data: check dataIntegrity failed; data was wrong in 1 of 2 attempts", false}},
		"no re-run could clear wrong data, so one that crashed does not either": {[]AttemptJudgement{wrong, crash}, 1,
			want{v1alpha1.VerdictFail, "WrongData", "wrong data: check dataIntegrity failed", false}},
		"an error alone is an error":           {[]AttemptJudgement{crash}, 1, want{v1alpha1.VerdictError, "TimedOut", "killed after 600 s", false}},
		"an error before a pass is forgotten":  {[]AttemptJudgement{crash, good}, 1, want{v1alpha1.VerdictPass, "Passed", "gpu1 hbmTriad 110 GB/s", false}},
		"an error before a fail confirms none": {[]AttemptJudgement{crash, slow}, 1, want{v1alpha1.VerdictPending, "", "to be confirmed by 1 re-run: gpu1 hbmTriad 90 GB/s: expected at least 100 GB/s", true}},
		"a fail whose confirmation crashed is no proof": {[]AttemptJudgement{slow, crash}, 1,
			want{v1alpha1.VerdictError, "TimedOut", "failed once and could not be confirmed, because the re-run was not measured (TimedOut): killed after 600 s; the failure: gpu1 hbmTriad 90 GB/s: expected at least 100 GB/s", false}},
		"a fail whose confirmation lacks the metric is no proof": {[]AttemptJudgement{slow, missing}, 1,
			want{v1alpha1.VerdictMissing, "MeasurementMissing", "failed once and could not be confirmed, because the re-run was not measured (MeasurementMissing): the program did not report hbmTriad, which the Benchmark expects; the failure: gpu1 hbmTriad 90 GB/s: expected at least 100 GB/s", false}},
		"a skip is a skip":                         {[]AttemptJudgement{skipped}, 1, want{v1alpha1.VerdictSkipped, "CannotRunHere", "one GPU only", false}},
		"what is missing is not measured again":    {[]AttemptJudgement{missing}, 1, want{v1alpha1.VerdictMissing, "MeasurementMissing", "the program did not report hbmTriad, which the Benchmark expects", false}},
		"what waits for the fleet waits":           {[]AttemptJudgement{waiting}, 1, want{v1alpha1.VerdictPending, "", "gpu0 fine; waiting", false}},
		"a re-run that waits for the fleet waits":  {[]AttemptJudgement{slow, waiting}, 1, want{v1alpha1.VerdictPending, "", "failed once: gpu1 hbmTriad 90 GB/s: expected at least 100 GB/s; the re-run: gpu0 fine; waiting", false}},
		"an attempt that still runs is waited for": {[]AttemptJudgement{slow, judge(nil)}, 1, want{v1alpha1.VerdictPending, "", "not measured yet", false}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			d := Decide(tt.js, tt.confirmations)
			got := want{d.Verdict, d.Reason, d.Message, d.NeedsAttempt}
			if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(want{})); diff != "" {
				t.Errorf("decision (-want +got):\n%s", diff)
			}
		})
	}
}
