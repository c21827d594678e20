package doctor

import (
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/message"
)

// unseenGrace is how long a run or policy may be without a status of its newest generation.
const unseenGrace = time.Minute

// catalogue checks that there is something to measure.
func catalogue(f *Facts) []Finding {
	switch {
	case f.Benchmarks.Problem != "":
		return one(Unknown, message.DoctorUnread("Benchmarks", f.Benchmarks.Problem))
	case len(f.Benchmarks.Value) == 0:
		return one(Fail, message.DoctorNoBenchmarks())
	}
	found := one(OK, message.DoctorCatalogue(len(f.Benchmarks.Value), len(f.Profiles.Value)))
	var open []string
	for i := range f.Benchmarks.Value {
		if b := &f.Benchmarks.Value[i]; workload.NotProvided(b) != "" {
			open = append(open, b.Name)
		}
	}
	if len(open) > 0 { // nothing is wrong: not every site has these programs
		found = append(found, Finding{Status: OK, Message: message.DoctorImagesToProvide(open)})
	}
	return found
}

// runs that are not over go on.
func runs(f *Facts) []Finding {
	if f.Runs.Problem != "" {
		return one(Unknown, message.DoctorUnread("ValidationRuns", f.Runs.Problem))
	}
	var found []Finding
	for i := range f.Runs.Value {
		r := &f.Runs.Value[i]
		if why := stuck(f, r); why != "" {
			found = append(found, Finding{Status: Fail, Message: why})
		}
	}
	if len(found) > 0 {
		return found
	}
	return one(OK, message.DoctorRuns(len(f.Runs.Value)))
}

// stuck says why a run does not go on; empty: it does.
func stuck(f *Facts, r *v1alpha1.ValidationRun) string {
	status := &r.Status
	switch {
	case status.ObservedGeneration != r.Generation && f.now().Sub(r.CreationTimestamp.Time) > unseenGrace:
		return message.DoctorUnseen("run", r.Name, f.now().Sub(r.CreationTimestamp.Time))
	case meta.IsStatusConditionTrue(status.Conditions, v1alpha1.ConditionStalled):
		return message.DoctorRunStalled(r.Name, meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionStalled).Message)
	case status.LastWriteError != "":
		return message.DoctorRunRefused(r.Name, status.LastWriteError)
	}
	return ""
}

// policies are enforced.
func policies(f *Facts) []Finding {
	if f.ValidationPolicies.Problem != "" {
		return one(Unknown, message.DoctorUnread("ValidationPolicies", f.ValidationPolicies.Problem))
	}
	var found []Finding
	for i := range f.ValidationPolicies.Value {
		p := &f.ValidationPolicies.Value[i]
		ready := meta.FindStatusCondition(p.Status.Conditions, v1alpha1.ConditionReady)
		switch {
		case p.Status.ObservedGeneration != p.Generation && f.now().Sub(p.CreationTimestamp.Time) > unseenGrace:
			found = append(found, Finding{Status: Fail, Message: message.DoctorUnseen("policy", p.Name, f.now().Sub(p.CreationTimestamp.Time))})
		case p.Spec.Suspend:
			found = append(found, Finding{Status: Warn, Message: message.DoctorPolicySuspended(p.Name)})
		case ready != nil && ready.Status != metav1.ConditionTrue:
			found = append(found, Finding{Status: Fail, Message: message.DoctorPolicyNotReady(p.Name, ready.Message)})
		}
	}
	if len(found) > 0 {
		return found
	}
	return one(OK, message.DoctorPolicies(len(f.ValidationPolicies.Value)))
}
