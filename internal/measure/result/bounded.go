package result

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/quantity"
)

// Bounds of what is stored, in bytes of JSON. etcd takes 1.5 MiB in one request. What a program reports goes through a
// termination message of 4 KiB, so that no honest attempt comes near them; a forged message unpacks to far more.
const (
	// maxAttempt is the largest attempt.
	maxAttempt = 256 << 10
	// maxAttempts is how large all attempts of one ValidationResult may be together.
	maxAttempts = 1 << 20
	// maxResult is the largest ValidationResult, with all that was concluded from its attempts.
	maxResult = 1280 << 10
)

// Size of a value in JSON, in bytes, as the API server stores it.
func Size(v any) int {
	text, err := json.Marshal(v)
	if err != nil {
		return math.MaxInt
	}
	return len(text)
}

// Bounded returns an attempt that the API can store in a result which is already so many bytes large: texts are cut to
// their length, times that no client could read are dropped, and what is too large becomes a BadOutput attempt that says
// so and holds nothing else. Pods' statuses are hostile too: a kubelet writes into them what it likes.
func Bounded(a v1alpha1.Attempt, result int) v1alpha1.Attempt {
	a.Reason = Truncate(a.Reason, maxReason)
	a.Message = Clean(a.Message, maxMessage)
	a.ImageID = Clean(a.ImageID, maxImageID)
	a.StartTime, a.EndTime = storable(a.StartTime), storable(a.EndTime)
	size := Size(a)
	switch room := maxAttempts - result; {
	case size > maxAttempt:
		return withoutPayload(a,
			fmt.Sprintf("the attempt takes %d bytes, at most %d can be stored: have the program report fewer parts", size, maxAttempt))
	case size > room:
		return withoutPayload(a, fmt.Sprintf("the attempt takes %d bytes, but %d of the %d that one result holds are left: measure fewer "+
			"benchmarks in one run, or have the programs report fewer parts", size, max(room, 0), maxAttempts))
	}
	return a
}

// withoutPayload keeps which attempt it was, and says why there is no more.
func withoutPayload(a v1alpha1.Attempt, why string) v1alpha1.Attempt {
	return v1alpha1.Attempt{Number: a.Number, Round: a.Round, Verdict: v1alpha1.VerdictError, Reason: v1alpha1.ReasonBadOutput,
		Message: Clean(why, maxMessage), Pod: a.Pod, PodUID: a.PodUID, StartTime: a.StartTime, EndTime: a.EndTime, Cost: a.Cost, Machine: a.Machine, Machines: a.Machines}
}

func storable(t *metav1.Time) *metav1.Time {
	if t == nil || !readable(t.Time) {
		return nil
	}
	return t
}

// readable: RFC 3339 has four digits for the year, and the API writes times in UTC, where a year may be another one.
func readable(t time.Time) bool {
	year := t.UTC().Year()
	return year >= 1970 && year <= 9999
}

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

// Stored is a result by its text. What cannot be decoded is replaced by an error of the benchmarks that it was about: of the node's, which are given, or of the
// group's own. It is an error where not even this much can be told.
func Stored(text []byte, ofNode []string) (*v1alpha1.ValidationResult, error) {
	v := &v1alpha1.ValidationResult{}
	cause := json.Unmarshal(text, v)
	if cause == nil {
		return v, nil
	}
	var is struct {
		metav1.ObjectMeta `json:"metadata"`

		Run        v1alpha1.ObjectReference `json:"run"`
		Node       v1alpha1.ObjectReference `json:"node"`
		Group      *v1alpha1.GroupReference `json:"group"`
		Benchmarks []struct{ Name string }  `json:"benchmarks"`
	}
	if err := json.Unmarshal(text, &is); err != nil {
		return nil, fmt.Errorf("%s: %w", is.Name, cause)
	}
	v = &v1alpha1.ValidationResult{ObjectMeta: is.ObjectMeta, Run: is.Run, Node: is.Node, Group: is.Group, Verdict: v1alpha1.VerdictPending}
	failed := v1alpha1.Attempt{Number: 1, Verdict: v1alpha1.VerdictError, Reason: v1alpha1.ReasonUnreadable,
		Message: quantity.Clip("what ValidationResult "+is.Name+" held could not be decoded, so it counts for nothing and this error stands in "+
			"its place: find out who wrote it, then start another run: "+cause.Error(), maxMessage)}
	if is.Group != nil {
		failed.Round, ofNode = 1, list.Map(is.Benchmarks, func(b struct{ Name string }) string { return b.Name })
	}
	v.Benchmarks = list.Map(ofNode, func(name string) v1alpha1.BenchmarkResult {
		return v1alpha1.BenchmarkResult{Name: name, Verdict: v1alpha1.VerdictPending, Attempts: []v1alpha1.Attempt{failed}}
	})
	return v, nil
}
