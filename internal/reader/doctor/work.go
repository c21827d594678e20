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
func catalogue(f *Facts) []Finding {
	switch {
	case f.Benchmarks.Problem != "":
		return one(Unknown, doctorUnread("Benchmarks", f.Benchmarks.Problem))
	case len(f.Benchmarks.Value) == 0:
		return one(Fail, "there is no Benchmark, so no run can start: kubectl apply --server-side -k config/catalogue, or helm upgrade")
	}
	found := one(OK,
		fmt.Sprintf("%s, %s", message.Several(len(f.Benchmarks.Value), "Benchmark"), message.Several(len(f.Profiles.Value), "HardwareProfile")))
	var open []string
	for i := range f.Benchmarks.Value {
		if b := &f.Benchmarks.Value[i]; workload.NotProvided(b) != "" {
			open = append(open, b.Name)
		}
	}
	if len(open) > 0 { // nothing is wrong: not every site has these programs
		found = append(found, Finding{Status: OK, Message: fmt.Sprintf("without an image of yours (spec.image; chart: catalogue.images.NAME), "+
			"these are skipped with reason ImageNotProvided: %s", message.Names(open))})
	}
	return found
}

// runs that are not over go on.
func runs(f *Facts) []Finding {
	if f.Runs.Problem != "" {
		return one(Unknown, doctorUnread("ValidationRuns", f.Runs.Problem))
	}
	var found []Finding
	for r := range list.Each(f.Runs.Value) {
		if why := stuck(f, r); why != "" {
			found = append(found, Finding{Status: Fail, Message: why})
		}
	}
	if len(found) > 0 {
		return found
	}
	return one(OK, doctorRuns(len(f.Runs.Value)))
}

// stuck says why a run does not go on; empty: it does.
func stuck(f *Facts, r *v1alpha1.ValidationRun) string {
	status := &r.Status
	switch {
	case status.ObservedGeneration != r.Generation && f.now().Sub(r.CreationTimestamp.Time) > unseenGrace:
		return doctorUnseen("run", r.Name, f.now().Sub(r.CreationTimestamp.Time))
	case meta.IsStatusConditionTrue(status.Conditions, v1alpha1.ConditionStalled):
		return message.Because("run "+r.Name+" is stalled", meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionStalled).Message)
	case status.LastWriteError != "":
		return message.Because("the API server refuses what the operator writes about run "+r.Name, status.LastWriteError)
	}
	return ""
}

// policies are enforced.
func policies(f *Facts) []Finding {
	if f.ValidationPolicies.Problem != "" {
		return one(Unknown, doctorUnread("ValidationPolicies", f.ValidationPolicies.Problem))
	}
	var found []Finding
	for p := range list.Each(f.ValidationPolicies.Value) {
		ready := meta.FindStatusCondition(p.Status.Conditions, v1alpha1.ConditionReady)
		switch {
		case p.Status.ObservedGeneration != p.Generation && f.now().Sub(p.CreationTimestamp.Time) > unseenGrace:
			found = append(found, Finding{Status: Fail, Message: doctorUnseen("policy", p.Name, f.now().Sub(p.CreationTimestamp.Time))})
		case p.Spec.Suspend:
			found = append(found, Finding{Status: Warn, Message: fmt.Sprintf("policy %[1]s is suspended, so it starts no runs and opens no gates: "+
				"kubectl patch validationpolicy %[1]s --type=merge -p '{\"spec\":{\"suspend\":false}}'", p.Name)})
		case ready != nil && ready.Status != metav1.ConditionTrue:
			found = append(found, Finding{Status: Fail, Message: message.Because("policy "+p.Name+" is not enforced", ready.Message)})
		}
	}
	if len(found) > 0 {
		return found
	}
	return one(OK, doctorPolicies(len(f.ValidationPolicies.Value)))
}
