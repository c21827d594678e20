package doctor

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/message"
)

// unseenGrace is how long a run or policy may be without a status of its newest generation.
const unseenGrace = time.Minute

// catalogue checks that there is something to measure.
func catalogue(f *Facts) findings {
	if len(f.Benchmarks.Value) == 0 {
		return one(Fail, "there is no Benchmark, so no run can start: kubectl apply --server-side -k config/catalogue, or helm upgrade")
	}
	found := one(OK, "%s, %s", message.Several(len(f.Benchmarks.Value), "Benchmark"), message.Several(len(f.Profiles.Value), "HardwareProfile"))
	var open []string
	for b := range list.Each(f.Benchmarks.Value) {
		if workload.NotProvided(b) != "" {
			open = append(open, b.Name)
		}
	}
	found.about(open, OK, "without an image of yours (spec.image; chart: catalogue.images.NAME), "+ // not every site has these programs
		"these are skipped with reason ImageNotProvided: %s")
	return found
}

// runs that are not over go on.
func runs(f *Facts) (found findings) {
	for r := range list.Each(f.Runs.Value) {
		switch unseen := f.unseen("run", r, r.Status.ObservedGeneration); {
		case unseen != "":
			found.add(Fail, "%s", unseen)
		case meta.IsStatusConditionTrue(r.Status.Conditions, v1alpha1.ConditionStalled):
			stalled := meta.FindStatusCondition(r.Status.Conditions, v1alpha1.ConditionStalled)
			found.add(Fail, "%s", message.Because("run "+r.Name+" is stalled", stalled.Message))
		case r.Status.LastWriteError != "":
			found.add(Fail, "the API server refuses what the operator writes about run %s: %s", r.Name, r.Status.LastWriteError)
		}
	}
	if len(f.Runs.Value) == 0 {
		return one(OK, "none is in progress")
	}
	return found.or("%s in progress, none stuck", message.Several(len(f.Runs.Value), "run"))
}

// unseen says that the operator has not looked at an object as it is now; empty: it has, or has some time left.
func (f *Facts) unseen(kind string, o metav1.Object, observed int64) string {
	ago := f.now().Sub(o.GetCreationTimestamp().Time)
	if observed == o.GetGeneration() || ago <= unseenGrace {
		return ""
	}
	return fmt.Sprintf("the operator has not picked up %s %s, made or changed %s ago: see the checks of the operator and its leader", kind, o.GetName(),
		message.Duration(ago))
}

// policies are enforced.
func policies(f *Facts) (found findings) {
	for p := range list.Each(f.ValidationPolicies.Value) {
		ready := meta.FindStatusCondition(p.Status.Conditions, v1alpha1.ConditionReady)
		switch unseen := f.unseen("policy", p, p.Status.ObservedGeneration); {
		case unseen != "":
			found.add(Fail, "%s", unseen)
		case p.Spec.Suspend:
			found.add(Warn, "policy %[1]s is suspended, so it starts no runs and opens no gates: "+
				"kubectl patch validationpolicy %[1]s --type=merge -p '{\"spec\":{\"suspend\":false}}'", p.Name)
		case ready != nil && ready.Status != metav1.ConditionTrue:
			found.add(Fail, "%s", message.Because("policy "+p.Name+" is not enforced", ready.Message))
		}
	}
	if len(f.ValidationPolicies.Value) == 0 {
		return one(OK, "none")
	}
	return found.or("all %d are enforced", len(f.ValidationPolicies.Value))
}
