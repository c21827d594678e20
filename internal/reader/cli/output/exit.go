package output

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// Exit codes. Whatever proves the nodes neither fit nor unfit is Undecided.
const (
	Pass      = 0
	Fail      = 1
	Undecided = 2
)

// ExitError ends the program with a code after everything was said.
type ExitError struct{ Code int }

func (e *ExitError) Error() string { return fmt.Sprintf("exit code %d", e.Code) }

// ExitCode of a run that is over.
func ExitCode(run *v1alpha1.ValidationRun) int {
	if !meta.IsStatusConditionTrue(run.Status.Conditions, v1alpha1.ConditionFinished) {
		return Undecided
	}
	switch run.Status.Verdict {
	case v1alpha1.VerdictPass:
		return Pass
	case v1alpha1.VerdictFail:
		return Fail
	default:
		return Undecided
	}
}
