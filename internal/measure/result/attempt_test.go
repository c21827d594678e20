package result

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
)

func TestAttemptCopiesEverythingTheAPIStores(t *testing.T) {
	d := smallDocument()
	d.Parameters = map[string]any{"threads": json.Number("2"), "verify": true, "stores": "regular"}
	d.Notes = []string{"a note"}
	d.Device = []Device{{Index: 1, UUID: "GPU-1", Product: "H200"}}
	d.Measurements[0].Better = BetterLower
	e := measured(d)
	e.Telemetry = []Measurement{{Name: "gpuPower", Unit: "W", Better: BetterLower, Parts: []Part{{At: "gpu1", Value: 700.12345}}}}
	end := testStart.Add(90 * time.Second)
	want := v1alpha1.Attempt{
		Number: 2, Verdict: v1alpha1.VerdictPass, Reason: v1alpha1.ReasonMeasured,
		StartTime: &metav1.Time{Time: testStart}, EndTime: &metav1.Time{Time: end}, Version: "0.1.0",
		Measurements: []v1alpha1.Measurement{{Name: "bandwidth", Unit: "GB/s", Better: v1alpha1.Lower, Parts: []v1alpha1.PartValue{
			{At: "gpu0->gpu1", Value: "392.1", Samples: 12, Spread: "0.004"},
		}}},
		Telemetry: []v1alpha1.Measurement{{Name: "gpuPower", Unit: "W", Better: v1alpha1.Lower, Parts: []v1alpha1.PartValue{{At: "gpu1", Value: "700.123"}}}},
		Checks:    []v1alpha1.Check{{Name: "dataIntegrity", OK: true}},
		Notes:     []string{"parameters: stores=regular threads=2 verify=true", "a note"},
		Devices:   []v1alpha1.Device{{Index: 1, UUID: "GPU-1", Product: "H200"}},
	}
	if diff := cmp.Diff(want, e.Attempt(2)); diff != "" {
		t.Errorf("attempt (-want +got):\n%s", diff)
	}
}

func TestAttemptVerdicts(t *testing.T) {
	wrong := smallDocument()
	wrong.Checks = []Check{{Name: "a", OK: true}, {Name: "b", Message: "3 words differ"}, {Name: "c"}}
	unusable := smallDocument()
	unusable.Checks = []Check{{Name: v1alpha1.CheckDevicesUsable, Message: "no GPU can be used"}}
	for name, test := range map[string]struct {
		envelope Envelope
		verdict  v1alpha1.Verdict
		reason   string
		message  string
	}{
		"measured, data right":          {measured(smallDocument()), v1alpha1.VerdictPass, v1alpha1.ReasonMeasured, ""},
		"measured, data wrong":          {measured(wrong), v1alpha1.VerdictFail, v1alpha1.ReasonWrongData, "check b failed: 3 words differ; check c failed"},
		"its devices could not be used": {measured(unusable), v1alpha1.VerdictFail, v1alpha1.ReasonDevicesUnusable, "check devicesUsable failed: no GPU can be used"},
		"a program that cannot run has measured nothing": {
			Envelope{Outcome: OutcomeSkipped, Reason: v1alpha1.ReasonCannotRunHere, Message: "no GPU"},
			v1alpha1.VerdictError, v1alpha1.ReasonCannotRunHere, "no GPU",
		},
		"failed, with the log": {
			failed(v1alpha1.ReasonTimedOut), v1alpha1.VerdictError, v1alpha1.ReasonTimedOut,
			"the program exited with code 3; its last lines: one | two",
		},
		"an outcome that nobody knows": {Envelope{Outcome: "Passed", Reason: "x"}, v1alpha1.VerdictError, "x", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := test.envelope.Attempt(1)
			if got.Verdict != test.verdict || got.Reason != test.reason || got.Message != test.message {
				t.Errorf("got %s/%s %q, want %s/%s %q", got.Verdict, got.Reason, got.Message, test.verdict, test.reason, test.message)
			}
		})
	}
}

func TestAttemptHasNoNoteWhereNothingIsToBeNoted(t *testing.T) {
	d := smallDocument()
	d.Parameters, d.Notes = nil, nil
	if a := measured(d).Attempt(1); len(a.Notes) > 0 {
		t.Errorf("notes %q", a.Notes)
	}
}

func TestAttemptKeepsTheEndOfALongLog(t *testing.T) {
	e := failed(v1alpha1.ReasonProgramFailed)
	e.LogTail = strings.Repeat("é\x1b", 3000) + "the last word"
	message := e.Attempt(1).Message
	if n := utf8.RuneCountInString(message); n != maxMessage {
		t.Errorf("%d characters, want %d", n, maxMessage)
	}
	if !strings.HasPrefix(message, "the program exited with code 3; its last lines: …") || !strings.HasSuffix(message, "the last word") {
		t.Errorf("message %.60q ... %q", message, message[len(message)-30:])
	}
	if strings.ContainsRune(message, 0x1b) {
		t.Error("the message holds an escape character")
	}
}

// A log's end of a few characters would say nothing, and what happened comes first.
func TestAttemptLeavesTheLogOutBesideALongMessage(t *testing.T) {
	e := failed(v1alpha1.ReasonProgramFailed)
	e.Message, e.LogTail = strings.Repeat("m", 2000), strings.Repeat("l", 100)
	if got := e.Attempt(1).Message; got != e.Message {
		t.Errorf("message of %d characters that ends in %q, want the envelope's", len(got), got[len(got)-30:])
	}
}
