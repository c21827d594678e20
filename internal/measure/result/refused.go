package result

import (
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
)

// Fit makes a result small enough for etcd. The attempts are bounded by themselves; what was concluded from them is cut
// step by step: findings first, of which the worst are kept, then what a node's result repeats of its groups, then headlines.
func Fit(r *v1alpha1.ValidationResult) {
	for _, findings := range []int{64, 16, 4, 1} {
		if Size(r) <= maxResult {
			return
		}
		for b := range list.Each(r.Benchmarks) {
			b.Findings = b.Findings[:min(len(b.Findings), findings)]
		}
	}
	for i := range r.Benchmarks {
		if Size(r) <= maxResult {
			return
		}
		r.Benchmarks[i].Attempts = withoutExtracts(r.Benchmarks[i].Attempts)
	}
	for i := range r.Benchmarks {
		if Size(r) <= maxResult {
			return
		}
		r.Benchmarks[i].Headline, r.Benchmarks[i].Curves = nil, nil
	}
}

// withoutExtracts leaves out the payload of attempts of groups, which their own results hold.
func withoutExtracts(attempts []v1alpha1.Attempt) []v1alpha1.Attempt {
	attempts = slices.Clone(attempts)
	for i, a := range attempts {
		if a.Pod == "" && len(a.Measurements)+len(a.Telemetry)+len(a.Notes)+len(a.Devices)+len(a.Checks) > 0 {
			a.Measurements, a.Telemetry, a.Devices, a.Checks = nil, nil, nil, nil
			a.Notes = []string{"the numbers are only in the results of the groups: there was no room for them here"}
			attempts[i] = a
		}
	}
	return attempts
}

// Refused is what to store of a result that the API server would not take: the attempts that stored (nil: there is none)
// does not hold yet, without their payload. They are to be judged anew, so that the verdict is Pending. Where no attempt is
// new, it is what was concluded that cannot be stored: verdicts and messages stay, the details go.
func Refused(stored, refused *v1alpha1.ValidationResult, why string) *v1alpha1.ValidationResult {
	next := refused.DeepCopy()
	fresh := 0
	for b := range list.Each(next.Benchmarks) {
		b.Headline, b.Findings, b.Curves = nil, nil, nil
		b.Attempts = withoutExtracts(b.Attempts)
		for k, a := range b.Attempts {
			if a.Pod != "" && !holds(stored, b.Name, a) {
				b.Attempts[k] = withoutPayload(a, "the API server refused to store what was measured: "+why)
				fresh++
			}
		}
	}
	if fresh == 0 {
		return next
	}
	next.Verdict, next.Reason, next.Message = v1alpha1.VerdictPending, "", ""
	for b := range list.Each(next.Benchmarks) {
		b.Verdict, b.Reason, b.Message = v1alpha1.VerdictPending, "", ""
	}
	next.Benchmarks = slices.DeleteFunc(next.Benchmarks, func(b v1alpha1.BenchmarkResult) bool { return len(b.Attempts) == 0 })
	return next
}

// holds says whether the result has this attempt of the benchmark.
func holds(r *v1alpha1.ValidationResult, benchmark string, a v1alpha1.Attempt) bool {
	if r == nil {
		return false
	}
	return slices.ContainsFunc(r.Benchmarks, func(b v1alpha1.BenchmarkResult) bool {
		return b.Name == benchmark && slices.ContainsFunc(b.Attempts, func(old v1alpha1.Attempt) bool { return old.Number == a.Number })
	})
}
