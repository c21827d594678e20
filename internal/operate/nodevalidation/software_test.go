package nodevalidation

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/past"
)

// Each passing run knows with which driver it ran; it is written down only where it changed, and survives the run that said it.
func TestWithWhichDriverRunsPassed(t *testing.T) {
	var nv Known
	for minute := range 14 {
		run := measuring(minute, v1alpha1.VerdictPass, "A=100")
		run.Node = run.Node.DeepCopy()
		run.Node.Labels = map[string]string{labelDriverFull: map[bool]string{true: "580.1", false: "580.2"}[minute < 12]}
		nv = Next(nv, run)
	}
	var stored, meant []string
	runs := nv.History.Benchmarks[0].Passes[0].Runs
	for i, r := range past.SpellOut(runs) {
		stored, meant = append(stored, runs[i].Driver), append(meant, r.Driver)
	}
	if diff := cmp.Diff([]string{"580.1", "", "", "", "", "", "", "", "580.2", ""}, stored); diff != "" {
		t.Errorf("stored (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"580.1", "580.1", "580.1", "580.1", "580.1", "580.1", "580.1", "580.1", "580.2", "580.2"}, meant); diff != "" {
		t.Errorf("meant (-want +got):\n%s", diff)
	}
}
