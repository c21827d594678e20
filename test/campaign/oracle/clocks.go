package oracle

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/test/campaign/kube"
)

// checkTimes: what a run says of times goes by the clock of the API server (P7), as that is, or was before it was set back.
func (o *Oracle) checkTimes(run *v1alpha1.ValidationRun) {
	for _, c := range run.Status.Conditions {
		if off := c.LastTransitionTime.Sub(o.Now()); off > o.API.Ahead()+time.Minute {
			o.Broken("P7", "condition %s of run %s is to turn in %s", c.Type, run.Name, off)
		}
	}
}

// madeAt is when a pod was made, whatever the clock of the API server said.
func (o *Oracle) madeAt(pod *corev1.Pod) time.Time { return o.edited.pods[pod.UID] }

// Grace that a run has after its deadline: two minutes, and a minute.
const Grace = 3 * time.Minute

// checkDeadlines: where nothing was the matter with the operator for so long, each run is over in time, whatever programs do (P2). Time is over when it is by the
// clock of the API server, and has passed.
func (o *Oracle) checkDeadlines() {
	for _, r := range kube.All[*v1alpha1.ValidationRun](o.API) {
		if r.Finished() || r.DeletionTimestamp != nil || r.Spec.Suspend || r.Status.StartTime == nil || meta.IsStatusConditionTrue(r.Status.Conditions, v1alpha1.ConditionSuspended) {
			continue
		}
		has := time.Duration(*r.Spec.ActiveDeadlineSeconds) * time.Second
		deadline, late := r.Status.StartTime.Add(has), Grace+15*time.Second
		passed := o.API.Ahead() == 0 || o.Now().After(o.edited.runs[r.UID].started.Add(has+late))
		if passed && o.API.Now().After(deadline.Add(late)) && o.leaders.Trouble.Before(o.Now().Add(deadline.Sub(o.API.Now())-time.Minute)) {
			o.Broken("P2", "run %s goes on although its deadline, a grace of two minutes, and a minute have passed", r.Name)
			return
		}
	}
}
