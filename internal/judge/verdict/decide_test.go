package verdict

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/fleet"
	"github.com/assay-dev/assay/internal/judge/rule"
)

// decided is a decision as a person reads it.
type decided struct {
	verdict         v1alpha1.Verdict
	reason, message string
	again           bool
	cleared         []v1alpha1.PartReference
}

func told(d Decision) decided {
	return decided{d.Verdict, d.Reason, d.Message, d.NeedsAttempt, d.Cleared}
}

// TestDecide: fixed bounds, which every attempt has to break.
func TestDecide(t *testing.T) {
	m := triad(expecting(v1alpha1.Expectation{Min: "100"}))
	fleet := newFleet(bench, []v1alpha1.Metric{m}, nil, nil, true)
	a := func(values ...float64) v1alpha1.Attempt { return *onGPUs(m, values...) }
	slow, slower, good := a(120, 90), a(120, 80), a(120, 110)
	wrong := a(120, 110)
	wrong.Checks = []v1alpha1.Check{{Name: "dataIntegrity"}}
	missing := *attemptOf()
	crash := v1alpha1.Attempt{Verdict: v1alpha1.VerdictError, Reason: v1alpha1.ReasonTimedOut, Message: "killed after 600 s"}
	skipped := v1alpha1.Attempt{Verdict: v1alpha1.VerdictSkipped, Reason: v1alpha1.ReasonNodeBusy, Message: "pods use its GPUs"}
	running := v1alpha1.Attempt{Verdict: v1alpha1.VerdictPending, Message: "not measured yet"}
	gpu1 := []v1alpha1.PartReference{{Metric: "hbmTriad", At: "gpu1"}}

	const pass, fail, pending = v1alpha1.VerdictPass, v1alpha1.VerdictFail, v1alpha1.VerdictPending
	const found = "gpu1 hbmTriad 90 GB/s: bound 100 GB/s"
	tests := map[string]struct {
		attempts      []v1alpha1.Attempt
		confirmations int32
		want          decided
	}{
		"nothing measured needs an attempt":          {nil, 1, decided{pending, "", "not measured yet", true, nil}},
		"a pass needs no second look":                {[]v1alpha1.Attempt{good}, 1, decided{pass, "Passed", "gpu1 hbmTriad 110 GB/s", false, nil}},
		"a suspect is measured again":                {[]v1alpha1.Attempt{slow}, 1, decided{pending, "", "suspect, so it is measured again (at most 1 more): " + found, true, nil}},
		"without confirmations a fail counts alone":  {[]v1alpha1.Attempt{slow}, 0, decided{fail, "BelowExpectation", found, false, nil}},
		"a negative number of confirmations is none": {[]v1alpha1.Attempt{slow}, -3, decided{fail, "BelowExpectation", found, false, nil}},
		"two that agree convict, and their mean is shown": {[]v1alpha1.Attempt{slow, slower}, 5,
			decided{fail, "BelowExpectation", "gpu1 hbmTriad 85 GB/s: bound 100 GB/s; confirmed: mean of 2 measurements", false, nil}},
		"one that found it fine clears it, and both numbers are told": {[]v1alpha1.Attempt{slow, good}, 2,
			decided{pass, "NotConfirmed", "suspect in only 1 of 2 measurements, so it is cleared: " + found + "; measured last: gpu1 hbmTriad 110 GB/s", false, gpu1}},
		"another part in each attempt clears both": {[]v1alpha1.Attempt{slow, a(90, 110)}, 2,
			decided{pass, "NotConfirmed", "suspect in only 1 of 2 measurements, so it is cleared: gpu0 hbmTriad 90 GB/s: bound 100 GB/s; measured last: gpu0 hbmTriad 90 GB/s",
				false, []v1alpha1.PartReference{{Metric: "hbmTriad", At: "gpu0"}, {Metric: "hbmTriad", At: "gpu1"}}}},
		"one part that is always slow convicts, another one is cleared": {[]v1alpha1.Attempt{a(90, 90), slow}, 2,
			decided{fail, "BelowExpectation", found + "; confirmed: mean of 2 measurements", false, []v1alpha1.PartReference{{Metric: "hbmTriad", At: "gpu0"}}}},
		"a part that is gone proves nothing yet": {[]v1alpha1.Attempt{slow, a(120)}, 2, decided{pending, "", "suspect in 1 of 2 measurements, so it is measured again (at most 1 more): " + found, true, nil}},
		"nor later": {[]v1alpha1.Attempt{slow, a(120), slow}, 2,
			decided{v1alpha1.VerdictError, "NotConfirmed", "suspect, and not confirmed, because this part is missing from some of the 3 measurements: " + found + "; find out why the program left it out", false, nil}},
		"wrong data is measured once more":       {[]v1alpha1.Attempt{wrong}, 3, decided{pending, "", "measuring once more to see whether it is permanent: wrong data: check dataIntegrity failed", true, nil}},
		"wrong data that goes away is still one": {[]v1alpha1.Attempt{wrong, good}, 3, decided{fail, "WrongData", "wrong data: check dataIntegrity failed; data was wrong in 1 of 2 attempts", false, nil}},
		"wrong data that comes later is one, too": {[]v1alpha1.Attempt{slow, wrong}, 1,
			decided{fail, "WrongData", "wrong data: check dataIntegrity failed; data was wrong in 1 of 2 attempts", false, nil}},
		"no re-run could clear wrong data, so one that crashed does not either": {[]v1alpha1.Attempt{wrong, crash}, 1,
			decided{fail, "WrongData", "wrong data: check dataIntegrity failed", false, nil}},
		"an error alone is an error":           {[]v1alpha1.Attempt{crash}, 1, decided{v1alpha1.VerdictError, "TimedOut", "killed after 600 s", false, nil}},
		"an error before a pass is forgotten":  {[]v1alpha1.Attempt{crash, good}, 1, decided{pass, "Passed", "gpu1 hbmTriad 110 GB/s", false, nil}},
		"an error before a fail confirms none": {[]v1alpha1.Attempt{crash, slow}, 1, decided{pending, "", "suspect, so it is measured again (at most 1 more): " + found, true, nil}},
		"an error between two changes nothing": {[]v1alpha1.Attempt{slow, crash, slow}, 1, decided{fail, "BelowExpectation", found + "; confirmed: mean of 2 measurements", false, nil}},
		"a suspect whose re-run crashed is proved nothing": {[]v1alpha1.Attempt{slow, crash}, 1,
			decided{v1alpha1.VerdictError, "TimedOut", "suspect, and not confirmed, because the re-run was not measured (TimedOut): killed after 600 s; first measurement: " + found, false, nil}},
		"a suspect whose re-run lacks the metric is proved nothing": {[]v1alpha1.Attempt{slow, missing}, 1,
			decided{v1alpha1.VerdictMissing, "MeasurementMissing", "suspect, and not confirmed, because the re-run was not measured (MeasurementMissing): the program did not report hbmTriad, which the Benchmark expects; first measurement: " + found, false, nil}},
		"a skip is a skip":                         {[]v1alpha1.Attempt{skipped}, 1, decided{v1alpha1.VerdictSkipped, "NodeBusy", "pods use its GPUs", false, nil}},
		"what is missing is not measured again":    {[]v1alpha1.Attempt{missing}, 1, decided{v1alpha1.VerdictMissing, "MeasurementMissing", "the program did not report hbmTriad, which the Benchmark expects", false, nil}},
		"an attempt that still runs is waited for": {[]v1alpha1.Attempt{slow, running}, 1, decided{pending, "", "not measured yet", false, nil}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := told(fleet.Decide(tt.attempts, rule.Given{}, tt.confirmations))
			if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(decided{})); diff != "" {
				t.Errorf("decision (-want +got):\n%s", diff)
			}
		})
	}
}

// TestDecideBeforeTheFleetIsComplete: fixed bounds decide at once, what waits for the fleet waits.
func TestDecideBeforeTheFleetIsComplete(t *testing.T) {
	m := triad(expecting(v1alpha1.Expectation{Min: "100", MaxFleetDeviation: "0.05"}))
	fleet := newFleet(bench, []v1alpha1.Metric{m}, nil, nil, false)
	slow, good := *onGPUs(m, 120, 90), *onGPUs(m, 120, 110)
	const waits = "to be compared with the fleet once all nodes are measured"
	for sentence, tt := range map[string]struct {
		attempts []v1alpha1.Attempt
		want     decided
	}{
		"what waits for the fleet waits": {[]v1alpha1.Attempt{good}, decided{v1alpha1.VerdictPending, "Measured", "gpu1 hbmTriad 110 GB/s; " + waits, false, nil}},
		"a re-run that waits for the fleet waits": {[]v1alpha1.Attempt{slow, good}, decided{v1alpha1.VerdictPending, "Measured",
			"suspect at first: gpu1 hbmTriad 90 GB/s: bound 100 GB/s; measured again: gpu1 hbmTriad 110 GB/s; " + waits, false, []v1alpha1.PartReference{{Metric: "hbmTriad", At: "gpu1"}}}},
		"a fixed bound needs no fleet": {[]v1alpha1.Attempt{slow, slow}, decided{v1alpha1.VerdictFail, "BelowExpectation",
			"gpu1 hbmTriad 90 GB/s: bound 100 GB/s; confirmed: mean of 2 measurements", false, nil}},
	} {
		t.Run(sentence, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, told(fleet.Decide(tt.attempts, rule.Given{}, 2)), cmp.AllowUnexported(decided{})); diff != "" {
				t.Errorf("decision (-want +got):\n%s", diff)
			}
		})
	}
}

// TestWithoutConfirmations: what is near enough to be suspect convicts nobody by a single measurement. It has to be as far off as the mean of several would be.
func TestWithoutConfirmations(t *testing.T) {
	m := triad(expecting(v1alpha1.Expectation{MaxFleetDeviation: "0.001"}))
	decide := func(slow float64, confirmations int32) Decision {
		a := onGPUs(m, 119, 120, 121, 120, 119, 121, 120, slow)
		own := fleet.DigestAttempt([]v1alpha1.Metric{m}, a)
		own.Node = nodeOf(a)
		return newFleet(bench, []v1alpha1.Metric{m}, []fleet.Digest{own}, nil, true).Decide([]v1alpha1.Attempt{*a}, rule.Given{Node: own.Node}, confirmations)
	}
	near := 120.0
	for decide(near, 1).Verdict == v1alpha1.VerdictPass {
		near -= 0.1
	}
	if got := decide(near, 1).Verdict; got != v1alpha1.VerdictPending {
		t.Fatalf("%.1f GB/s beside 120 is %s at first, expected it to be measured again", near, got)
	}
	if got := decide(near, 0); got.Reason != v1alpha1.ReasonPassed || len(got.Terms.Doubtful) > 0 {
		t.Errorf("%.1f GB/s is near enough to be suspect, and without confirmations the verdict is %s (%s), in doubt are %v, expected a plain pass", near, got.Verdict, got.Reason, got.Terms.Doubtful)
	}
	if got := decide(80, 0).Verdict; got != v1alpha1.VerdictFail {
		t.Errorf("80 GB/s beside 120 is %s without confirmations, expected a fail", got)
	}
}
