package verdict

import (
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/rule"
)

// TestASlowAttemptBesideOthersIsNoEvidence: what others take may be what is missing. A fast one counts, and wrong data is wrong beside anybody.
func TestASlowAttemptBesideOthersIsNoEvidence(t *testing.T) {
	m := triad(expecting(v1alpha1.Expectation{Min: "100"}))
	beside := func(value float64, others v1alpha1.Decimal) v1alpha1.Attempt {
		a := *onGPUs(m, value)
		a.Telemetry = []v1alpha1.Measurement{{Name: "cpuOthers", Unit: "fraction", Parts: []v1alpha1.PartValue{{At: "node", Value: others}}}}
		return a
	}
	wrong := beside(90, "0.2")
	wrong.Checks = []v1alpha1.Check{{Name: "dataIntegrity"}}
	const pass, fail, pending, failed = v1alpha1.VerdictPass, v1alpha1.VerdictFail, v1alpha1.VerdictPending, v1alpha1.VerdictError
	for name, tt := range map[string]struct {
		loud     bool // the benchmark does not ask for a quiet host
		attempts []v1alpha1.Attempt
		verdict  v1alpha1.Verdict
		reason   string
	}{
		"slow, and others were there":           {false, []v1alpha1.Attempt{beside(90, "0.12")}, pending, ""},
		"and gone":                              {false, []v1alpha1.Attempt{beside(90, "0.12"), beside(110, "0")}, pass, v1alpha1.ReasonPassed},
		"and gone, and it is as slow":           {false, []v1alpha1.Attempt{beside(90, "0.12"), beside(90, "0"), beside(90, "0.01")}, fail, v1alpha1.ReasonBelowExpectation},
		"and still there":                       {false, []v1alpha1.Attempt{beside(90, "0.12"), beside(90, "0.12"), beside(90, "0.12")}, failed, v1alpha1.ReasonDisturbed},
		"fast all the same":                     {false, []v1alpha1.Attempt{beside(110, "0.12")}, pass, v1alpha1.ReasonPassed},
		"hardly there":                          {false, []v1alpha1.Attempt{beside(90, "0.029"), beside(90, "0.029")}, fail, v1alpha1.ReasonBelowExpectation},
		"not a number":                          {false, []v1alpha1.Attempt{beside(90, "much"), beside(90, "much")}, fail, v1alpha1.ReasonBelowExpectation},
		"slower than they can make it":          {false, []v1alpha1.Attempt{beside(40, "0.12"), beside(40, "0.12")}, fail, v1alpha1.ReasonBelowExpectation},
		"slower than so few can make it":        {false, []v1alpha1.Attempt{beside(70, "0.03"), beside(70, "0.03")}, fail, v1alpha1.ReasonBelowExpectation},
		"they took nearly all of it":            {false, []v1alpha1.Attempt{beside(30, "0.8")}, pending, ""},
		"wrong data":                            {false, []v1alpha1.Attempt{wrong, wrong}, fail, v1alpha1.ReasonWrongData},
		"what others do is of no matter for it": {true, []v1alpha1.Attempt{beside(90, "0.12"), beside(90, "0.12")}, fail, v1alpha1.ReasonBelowExpectation},
	} {
		t.Run(name, func(t *testing.T) {
			d := newFleet(bench, []v1alpha1.Metric{m}, nil, nil, true).OnQuietHost(!tt.loud).Decide(tt.attempts, rule.Given{}, 1)
			if d.Verdict != tt.verdict || d.Reason != tt.reason {
				t.Errorf("%s/%s: %s", d.Verdict, d.Reason, d.Message)
			}
		})
	}
}

// TestWhatOthersSlow: where one program measures what others on the host slow and what they do not, no attempt counts in which they explain why
// something is slow: beside a slow GPU it would convict another one.
func TestWhatOthersSlow(t *testing.T) {
	memory, host := triad(expecting(v1alpha1.Expectation{Min: "100"})), triad(expecting(v1alpha1.Expectation{Min: "100"}))
	host.Name, host.QuietHost = "hostToDevice", true
	for name, tt := range map[string]struct {
		memory, host float64
		reason       string
	}{
		"the host's link":  {110, 90, v1alpha1.ReasonDisturbed},
		"memory":           {90, 110, v1alpha1.ReasonBelowExpectation},
		"both":             {90, 90, v1alpha1.ReasonDisturbed},
		"more than theirs": {90, 40, v1alpha1.ReasonBelowExpectation},
		"neither":          {110, 110, v1alpha1.ReasonPassed},
	} {
		t.Run(name, func(t *testing.T) {
			a := *onGPUs(memory, tt.memory)
			a.Measurements = append(a.Measurements, onGPUs(host, tt.host).Measurements...)
			a.Telemetry = []v1alpha1.Measurement{{Name: "cpuOthers", Unit: "fraction", Parts: []v1alpha1.PartValue{{At: "node", Value: "0.12"}}}}
			d := newFleet(bench, []v1alpha1.Metric{memory, host}, nil, nil, true).Decide([]v1alpha1.Attempt{a, a, a}, rule.Given{}, 1)
			if d.Reason != tt.reason {
				t.Errorf("%s/%s: %s, want %s", d.Verdict, d.Reason, d.Message, tt.reason)
			}
		})
	}
}
