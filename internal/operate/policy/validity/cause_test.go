package validity

import (
	"testing"
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// TestACauseStaysWhatItIs: names of runs follow from it, and an operator of another release must not create the same run again.
func TestACauseStaysWhatItIs(t *testing.T) {
	c := Cause(14695981039346656037)
	c.text("boot-1")
	c.time(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	c.add("stream", Finding{Change: v1alpha1.ChangeDriver, run: "run-1", At: time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)})
	if want := Cause(13445080552571942788); c != want {
		t.Errorf("got %d, want %d", c, want)
	}
}
