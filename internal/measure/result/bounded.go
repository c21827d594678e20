package result

import (
	"encoding/json"
	"fmt"
	"math"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
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
