// Package metrics exposes what the operator knows to Prometheus. Counters of what happened are kept here; the state of
// runs and nodes is read from the cache at every scrape, so that it is right after a restart too.
package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// Recorder counts what the operator does.
type Recorder struct {
	finished      *prometheus.CounterVec
	attempts      *prometheus.CounterVec
	duration      *prometheus.HistogramVec
	gpuSeconds    *prometheus.CounterVec
	joules        *prometheus.CounterVec
	taintsAdded   prometheus.Counter
	taintsRemoved prometheus.Counter
	notices       *prometheus.CounterVec
	gateWait      *prometheus.HistogramVec
	retries       prometheus.Counter
	expiries      *expiries
}

// New registers the operator's metrics.
func New(reg prometheus.Registerer) *Recorder {
	auto := promauto.With(reg)
	r := &Recorder{
		finished: auto.NewCounterVec(prometheus.CounterOpts{Name: "assay_runs_finished_total",
			Help: "Validation runs that finished, by verdict."}, []string{"verdict"}),
		attempts: auto.NewCounterVec(prometheus.CounterOpts{Name: "assay_attempts_total",
			Help: "Benchmark attempts stored, by benchmark and verdict."}, []string{"benchmark", "verdict"}),
		duration: auto.NewHistogramVec(prometheus.HistogramOpts{Name: "assay_benchmark_duration_seconds",
			Help:    "Run time of benchmark programs, by benchmark.",
			Buckets: []float64{1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600}}, []string{"benchmark"}),
		gpuSeconds: auto.NewCounterVec(prometheus.CounterOpts{Name: "assay_gpu_seconds_total",
			Help: "Time for which benchmark programs ran, times the GPUs that their pods held, by benchmark."}, []string{"benchmark"}),
		joules: auto.NewCounterVec(prometheus.CounterOpts{Name: "assay_gpu_joules_total",
			Help: "Energy that GPUs used while benchmark programs ran, as far as their power was read, by benchmark."}, []string{"benchmark"}),
		taintsAdded: auto.NewCounter(prometheus.CounterOpts{Name: "assay_taints_added_total",
			Help: "Nodes tainted because they failed."}),
		taintsRemoved: auto.NewCounter(prometheus.CounterOpts{Name: "assay_taints_removed_total",
			Help: "Taints taken off nodes that passed again, or whose record explains none."}),
		notices: auto.NewCounterVec(prometheus.CounterOpts{Name: "assay_notices_total",
			Help: "Notices for the webhook, by what happened and whether the receiver accepted them: delivered, or lost."}, []string{"event", "outcome"}),
		gateWait: auto.NewHistogramVec(prometheus.HistogramOpts{Name: "assay_gate_wait_seconds",
			Help:    "How long nodes waited at a policy's gate until Assay opened it.",
			Buckets: []float64{60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 43200, 86400}}, []string{"policy"}),
		retries: auto.NewCounter(prometheus.CounterOpts{Name: "assay_policy_retries_total",
			Help: "Nodes that policies had measured again because they failed or could not be measured."}),
		expiries: &expiries{at: map[string]time.Time{}},
	}
	reg.MustRegister(r.expiries)
	for _, v := range []v1alpha1.Verdict{v1alpha1.VerdictPass, v1alpha1.VerdictFail, v1alpha1.VerdictInconclusive, v1alpha1.VerdictError} {
		r.finished.WithLabelValues(string(v)) // from 0 on, or Prometheus would not see the first one as an increase
	}
	return r
}

// RunFinished counts a run that is over.
func (r *Recorder) RunFinished(v v1alpha1.Verdict) { r.finished.WithLabelValues(string(v)).Inc() }

// BenchmarkSeen prepares to count attempts of a benchmark that is about to run.
func (r *Recorder) BenchmarkSeen(benchmark string) {
	for _, v := range []v1alpha1.Verdict{v1alpha1.VerdictPass, v1alpha1.VerdictFail, v1alpha1.VerdictError} {
		r.attempts.WithLabelValues(benchmark, string(v)) // from 0 on, or Prometheus would not see the first attempt
	}
	r.duration.WithLabelValues(benchmark)
	r.gpuSeconds.WithLabelValues(benchmark)
	r.joules.WithLabelValues(benchmark)
}

// AttemptStored counts an attempt, the time its program took, and what it cost.
func (r *Recorder) AttemptStored(benchmark string, a *v1alpha1.Attempt) {
	r.attempts.WithLabelValues(benchmark, string(a.Verdict)).Inc()
	if a.StartTime != nil && a.EndTime != nil {
		r.duration.WithLabelValues(benchmark).Observe(a.EndTime.Sub(a.StartTime.Time).Seconds())
	}
	if a.Cost != nil {
		r.gpuSeconds.WithLabelValues(benchmark).Add(float64(a.Cost.GPUSeconds))
		r.joules.WithLabelValues(benchmark).Add(float64(a.Cost.Joules))
	}
}

// TaintAdded counts a node that was tainted.
func (r *Recorder) TaintAdded() { r.taintsAdded.Inc() }

// TaintRemoved counts a taint that was lifted.
func (r *Recorder) TaintRemoved() { r.taintsRemoved.Inc() }

// Notices prepares to count notices of these events.
func (r *Recorder) Notices(events ...string) {
	for _, e := range events {
		r.notices.WithLabelValues(e, "delivered") // from 0 on, or Prometheus would not see the first one that is lost
		r.notices.WithLabelValues(e, "lost")
	}
}

// NoticeDelivered counts a notice that the webhook's receiver accepted.
func (r *Recorder) NoticeDelivered(event string) { r.notices.WithLabelValues(event, "delivered").Inc() }

// NoticeLost counts a notice that was given up.
func (r *Recorder) NoticeLost(event string) { r.notices.WithLabelValues(event, "lost").Inc() }
