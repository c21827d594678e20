package run

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// TestOneErrorDoesNotDelayVerdicts: while the verdicts of a large fleet are stored in pieces, a node that cannot be written makes no pass
// wait. Where nothing can be stored, passes back off.
func TestOneErrorDoesNotDelayVerdicts(t *testing.T) {
	var names []string
	for i := range 200 {
		names = append(names, fmt.Sprintf("node-%03d", i))
	}
	for write, want := range map[string]reconcile.Result{
		"create NodeValidation node-000": {RequeueAfter: piecesInterval},
		"update ValidationResult ":       {},
	} {
		j := newJudgedRun(t, "10", names...)
		run := j.in.Run.DeepCopy()
		if err := j.Create(t.Context(), run); err != nil {
			t.Fatal(err)
		}
		j.Refuse = func(w string) error {
			if strings.HasPrefix(w, write) {
				return errors.New("no")
			}
			return nil
		}
		p := &pass{run: run, memory: j.r.memoryOf(run), in: j.in, pin: &pin{stored: true}}
		out, err := j.r.assess(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		written := j.r.write(t.Context(), p, &out)
		if written.Err == nil {
			t.Fatalf("%q was not refused", write)
		}
		again, err := j.r.conclude(t.Context(), p, out.Report(written), written.Err)
		if backsOff := want.RequeueAfter == 0; again != want || (err != nil) != backsOff {
			t.Errorf("without %q the next pass is due in %v, after error %v", write, again.RequeueAfter, err)
		}
	}
}
