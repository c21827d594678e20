// Package forecast says what a policy would do, and what that takes: it plays the coming weeks with the policy's own decisions, in a cluster in which
// nothing else happens, every node is idle, and everything passes. It is pure: it writes nothing, and knows of the cluster what it is given.
package forecast

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// Input is what was read of the cluster.
type Input struct {
	// Policy as the API server would store it, with its defaults.
	Policy      *v1alpha1.ValidationPolicy
	Benchmarks  []v1alpha1.Benchmark
	Profiles    []v1alpha1.HardwareProfile
	Nodes       []corev1.Node
	Validations []v1alpha1.NodeValidation
	Runs        []v1alpha1.ValidationRun
	Policies    []v1alpha1.ValidationPolicy
}

// Forecast of a policy.
type Forecast struct {
	From  time.Time `json:"from"`
	Until time.Time `json:"until"`
	// Invalid says why the policy cannot be enforced; empty: it can.
	Invalid string `json:"-"`
	// Nodes as the policy counts them now.
	Nodes v1alpha1.PolicyNodes `json:"nodes"`
	// Benchmarks that it asks for, in the order in which they run.
	Benchmarks []Benchmark `json:"benchmarks"`
	// Runs that it would create, in order.
	Runs []Run `json:"runs"`
	// Budget of the policy as it is now; nil: it has none.
	Budget *v1alpha1.PolicyBudget `json:"budget,omitempty"`
	// MostWaiting nodes at once for the budget, and until when some do; zero: none ever does.
	MostWaiting  int32      `json:"mostWaiting,omitempty"`
	WaitingUntil *time.Time `json:"waitingUntil,omitempty"`
	// Lacks are what keeps nodes from being measured, or values from being judged.
	Lacks []Lack `json:"lacks,omitempty"`
	// Cut: there are more runs than are foreseen; what there is ends at Until.
	Cut bool `json:"cut,omitempty"`
}

// Benchmark that the policy asks for.
type Benchmark struct {
	Name string `json:"name"`
	// Seconds that one measurement takes; together: it measures several nodes at once.
	Seconds  int64 `json:"seconds"`
	Together bool  `json:"together,omitempty"`
	// Nodes that it is for, of those selected.
	Nodes int `json:"nodes"`
}

// Run that the policy would create.
type Run struct {
	At     time.Time `json:"at"`
	Ends   time.Time `json:"ends"`
	Reason string    `json:"reason"`
	Nodes  []string  `json:"nodes"`
	// NodeHours are the hours for which a benchmark has a node, and DeviceHours those for which it has its devices, by their resource.
	NodeHours   float64            `json:"nodeHours"`
	DeviceHours map[string]float64 `json:"deviceHours,omitempty"`
}

// Lack that nodes share.
type Lack struct {
	Reason  string   `json:"reason"`
	Message string   `json:"message"`
	Nodes   []string `json:"nodes"`
}

const (
	// mostRuns that are foreseen, and mostPasses that are made for it.
	mostRuns, mostPasses = 2000, 20_000
	// finest is how far apart passes are once the first run was created, at least, and finestShare that as a share of the whole time: when one of a
	// thousand passes is renewed is not foreseen to the minute.
	finest, finestShare = time.Minute, 4000
)

// Digits of hours: costs are estimates.
const Digits = 6

// New forecasts what a policy does from now on until then.
func New(in Input, now, until time.Time) Forecast {
	w := newWorld(in, now)
	w.out.Until = until
	for pass := 0; ; pass++ {
		if pass == mostPasses || len(w.out.Runs) >= mostRuns {
			w.out.Cut, w.out.Until = true, w.now
			break
		}
		next := w.pass()
		if next.IsZero() || next.After(until) || w.out.Invalid != "" {
			break
		}
		w.now = w.coarse(next, until.Sub(now)/finestShare)
	}
	w.foresee()
	return w.out
}

// coarse moments once the first run was created: until then they are what they are.
func (w *world) coarse(next time.Time, share time.Duration) time.Time {
	if soonest := w.now.Add(max(finest, share)); w.begun() && next.Before(soonest) && next.After(w.now) {
		return soonest
	}
	return next
}
