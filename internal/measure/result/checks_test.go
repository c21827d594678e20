package result

import (
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
)

func TestChecksGiveTheAttemptItsVerdict(t *testing.T) {
	ok := Check{Name: "data", OK: true}
	wrong := Check{Name: "data", Message: "3 of 8 words differ"}
	disturbed := Check{Name: "undisturbed", Message: "pid 77 (python) used gpu0"}
	calm := Check{Name: "undisturbed", OK: true}
	smaller := Check{Name: "comparable", Message: "arrays of 1 GiB, asked for 4 GiB"}
	stopped := Check{Name: "finished", Message: "stopped by SIGTERM after 3.2 s, before all was measured"}
	broken := Check{Name: "completed", Message: "--gpus 8 asks for more GPUs than are visible: 2"}
	tests := map[string]struct {
		checks          []Check
		want            v1alpha1.Verdict
		reason, message string
	}{
		"all are ok":                     {[]Check{ok, calm}, v1alpha1.VerdictPass, "Measured", ""},
		"wrong data":                     {[]Check{wrong, calm}, v1alpha1.VerdictFail, "WrongData", "check data failed: 3 of 8 words differ"},
		"disturbed":                      {[]Check{ok, disturbed}, v1alpha1.VerdictError, "Disturbed", "something else used the devices while they were measured: pid 77 (python) used gpu0"},
		"disturbed, without a word":      {[]Check{{Name: "undisturbed"}}, v1alpha1.VerdictError, "Disturbed", "something else used the devices while they were measured"},
		"smaller than asked for":         {[]Check{ok, smaller}, v1alpha1.VerdictError, "NotComparable", "less was measured than asked for, so it cannot be compared: arrays of 1 GiB, asked for 4 GiB"},
		"smaller because disturbed":      {[]Check{smaller, disturbed}, v1alpha1.VerdictError, "Disturbed", "something else used the devices while they were measured: pid 77 (python) used gpu0"},
		"wrong data while disturbed":     {[]Check{disturbed, wrong}, v1alpha1.VerdictFail, "WrongData", "check data failed: 3 of 8 words differ"},
		"stopped":                        {[]Check{ok, calm, stopped}, v1alpha1.VerdictError, "Interrupted", "a signal stopped the program: stopped by SIGTERM after 3.2 s, before all was measured"},
		"stopped while disturbed":        {[]Check{disturbed, stopped}, v1alpha1.VerdictError, "Interrupted", "a signal stopped the program: stopped by SIGTERM after 3.2 s, before all was measured"},
		"wrong data, then stopped":       {[]Check{wrong, stopped}, v1alpha1.VerdictError, "Interrupted", "a signal stopped the program: stopped by SIGTERM after 3.2 s, before all was measured"},
		"an argument that does not fit":  {[]Check{broken}, v1alpha1.VerdictError, "ProgramFailed", "the program could not measure everything: --gpus 8 asks for more GPUs than are visible: 2"},
		"broken off by being stopped":    {[]Check{broken, stopped}, v1alpha1.VerdictError, "Interrupted", "a signal stopped the program: stopped by SIGTERM after 3.2 s, before all was measured"},
		"out of memory beside another":   {[]Check{broken, disturbed}, v1alpha1.VerdictError, "Disturbed", "something else used the devices while they were measured: pid 77 (python) used gpu0"},
		"no value at all":                {[]Check{{Name: "measured", Message: "no value was measured"}}, v1alpha1.VerdictError, "ProgramFailed", "the program could not measure everything: no value was measured"},
		"wrong data, smaller, disturbed": {[]Check{smaller, wrong, disturbed}, v1alpha1.VerdictFail, "WrongData", "check data failed: 3 of 8 words differ"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			d := &Document{Checks: tt.checks, Measurements: []Measurement{{Name: "rate", Unit: "GB/s", Better: BetterHigher, Parts: []Part{{At: "gpu0", Value: 1}}}}}
			a := Envelope{Outcome: OutcomeMeasured, Reason: v1alpha1.ReasonMeasured, Document: d}.Attempt(1)
			if a.Verdict != tt.want || a.Reason != tt.reason || a.Message != tt.message {
				t.Errorf("got %s/%s %q, want %s/%s %q", a.Verdict, a.Reason, a.Message, tt.want, tt.reason, tt.message)
			}
			if len(a.Measurements) != 1 || len(a.Checks) != len(tt.checks) {
				t.Errorf("what was measured and checked is not kept: %+v", a)
			}
		})
	}
}
