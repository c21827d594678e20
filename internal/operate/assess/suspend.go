package assess

import (
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// resumed: the run was suspended and is not any more.
func resumed(run *v1alpha1.ValidationRun) bool {
	return !run.Spec.Suspend && meta.IsStatusConditionTrue(run.Status.Conditions, v1alpha1.ConditionSuspended)
}

// Started: the run's start time is stored.
func Started(run *v1alpha1.ValidationRun) bool { return run.Status.StartTime != nil }
