// Package metrics exposes what the operator knows to Prometheus. Counters of what happened are kept here; the state of
// runs and nodes is read from the cache at every scrape, so that it is right after a restart too.
package metrics

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/quantity"
)

// Recorder counts what the operator does.
type Recorder struct {
	finished      *prometheus.CounterVec
	attempts      *prometheus.CounterVec
	duration      *prometheus.HistogramVec
	taintsAdded   prometheus.Counter
	taintsRemoved prometheus.Counter
	policies      policies
}

// New registers the operator's metrics.
func New(reg prometheus.Registerer) *Recorder {
	r := &Recorder{
		finished: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "assay_runs_finished_total",
			Help: "Validation runs that finished, by verdict."}, []string{"verdict"}),
		attempts: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "assay_attempts_total",
			Help: "Benchmark attempts stored, by benchmark and verdict."}, []string{"benchmark", "verdict"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "assay_benchmark_duration_seconds",
			Help:    "Run time of benchmark programs, by benchmark.",
			Buckets: []float64{1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600}}, []string{"benchmark"}),
		taintsAdded: prometheus.NewCounter(prometheus.CounterOpts{Name: "assay_taints_added_total",
			Help: "Nodes tainted because they failed."}),
		taintsRemoved: prometheus.NewCounter(prometheus.CounterOpts{Name: "assay_taints_removed_total",
			Help: "Taints lifted because the node passed again."}),
		policies: newPolicies(),
	}
	for _, v := range []v1alpha1.Verdict{v1alpha1.VerdictPass, v1alpha1.VerdictFail, v1alpha1.VerdictInconclusive, v1alpha1.VerdictError} {
		r.finished.WithLabelValues(string(v)) // from 0 on, or Prometheus would not see the first one as an increase
	}
	reg.MustRegister(r.finished, r.attempts, r.duration, r.taintsAdded, r.taintsRemoved, r.policies.gateWait, r.policies.retries, r.policies.expiries)
	return r
}

// RunFinished counts a run that is over.
func (r *Recorder) RunFinished(v v1alpha1.Verdict) { r.finished.WithLabelValues(string(v)).Inc() }

// AttemptStored counts an attempt and the time its program took.
func (r *Recorder) AttemptStored(benchmark string, a *v1alpha1.Attempt) {
	r.attempts.WithLabelValues(benchmark, string(a.Verdict)).Inc()
	if a.StartTime != nil && a.EndTime != nil {
		r.duration.WithLabelValues(benchmark).Observe(a.EndTime.Sub(a.StartTime.Time).Seconds())
	}
}

// TaintAdded counts a node that was tainted.
func (r *Recorder) TaintAdded() { r.taintsAdded.Inc() }

// TaintRemoved counts a taint that was lifted.
func (r *Recorder) TaintRemoved() { r.taintsRemoved.Inc() }

var (
	runsDesc  = prometheus.NewDesc("assay_runs", "Validation runs in the cluster, by verdict.", []string{"verdict"}, nil)
	nodesDesc = prometheus.NewDesc("assay_nodes", "Nodes by what was last proved of them, Pass or Fail; a node of which nothing is proved, by the verdict of its latest run.", []string{"verdict"}, nil)
	quarDesc  = prometheus.NewDesc("assay_nodes_quarantined",
		"Nodes that Assay tainted and that have not passed since, also where somebody else took the taint away.", nil, nil)
	warnDesc = prometheus.NewDesc("assay_node_warnings",
		"What benchmarks warn of on nodes without failing them, by rule: parts that drift, and unstable ones.", []string{"node", "benchmark", "rule"}, nil)
	valueDesc = prometheus.NewDesc("assay_node_benchmark_value",
		"Latest headline value of a node's worst part, in the benchmark's unit.", []string{"node", "benchmark", "metric", "unit"}, nil)
	validDesc = prometheus.NewDesc("assay_node_validated_timestamp_seconds", "When the measurement that last proved a node fit or unfit was started; of a node without proof, when its latest run judged it.", []string{"node", "verdict"}, nil)
)

// scrapeTimeout bounds a read of the cache.
const scrapeTimeout = 5 * time.Second

// State exposes the runs, nodes and policies in the cache. PerNode adds one series per node and headline metric: thousands of
// nodes make many series, so that it has to be asked for.
type State struct {
	Reader  client.Reader
	PerNode bool
}

// Describe implements prometheus.Collector.
func (s *State) Describe(ch chan<- *prometheus.Desc) {
	ch <- runsDesc
	ch <- nodesDesc
	ch <- quarDesc
	ch <- warnDesc
	ch <- policyNodesDesc
	ch <- policyReadyDesc
	if s.PerNode {
		ch <- valueDesc
		ch <- validDesc
	}
}

// Collect implements prometheus.Collector.
func (s *State) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), scrapeTimeout)
	defer cancel()
	s.collectRuns(ctx, ch)
	s.collectNodes(ctx, ch)
	s.collectPolicies(ctx, ch)
}

func (s *State) collectRuns(ctx context.Context, ch chan<- prometheus.Metric) {
	var runs v1alpha1.ValidationRunList
	if err := s.Reader.List(ctx, &runs, client.UnsafeDisableDeepCopyOption(true)); err != nil {
		ch <- prometheus.NewInvalidMetric(runsDesc, err)
		return
	}
	count := map[v1alpha1.Verdict]int{}
	for i := range runs.Items {
		v := runs.Items[i].Status.Verdict
		if v == "" {
			v = v1alpha1.VerdictPending
		}
		count[v]++
	}
	for v, n := range count {
		ch <- prometheus.MustNewConstMetric(runsDesc, prometheus.GaugeValue, float64(n), string(v))
	}
}

func (s *State) collectNodes(ctx context.Context, ch chan<- prometheus.Metric) {
	var nodes v1alpha1.NodeValidationList
	if err := s.Reader.List(ctx, &nodes, client.UnsafeDisableDeepCopyOption(true)); err != nil {
		ch <- prometheus.NewInvalidMetric(nodesDesc, err)
		return
	}
	count, quarantined := map[v1alpha1.Verdict]int{}, 0
	for i := range nodes.Items {
		n := &nodes.Items[i]
		verdict, _ := proved(n)
		count[verdict]++
		if n.Quarantine != nil {
			quarantined++
		}
		collectWarnings(n, ch)
		if s.PerNode {
			collectNode(n, ch)
		}
	}
	for v, n := range count {
		ch <- prometheus.MustNewConstMetric(nodesDesc, prometheus.GaugeValue, float64(n), string(v))
	}
	ch <- prometheus.MustNewConstMetric(quarDesc, prometheus.GaugeValue, float64(quarantined))
}

// collectWarnings adds no series for a node that nothing is the matter with.
func collectWarnings(n *v1alpha1.NodeValidation, ch chan<- prometheus.Metric) {
	for _, b := range n.Benchmarks {
		count := map[string]int{}
		for _, w := range b.Warnings {
			count[w.Rule]++
		}
		for rule, warnings := range count {
			ch <- prometheus.MustNewConstMetric(warnDesc, prometheus.GaugeValue, float64(warnings), n.Name, b.Name, rule)
		}
	}
}

// proved is the verdict of a node's proof and when it was measured. What could not be measured since hides neither.
func proved(n *v1alpha1.NodeValidation) (v1alpha1.Verdict, metav1.Time) {
	if n.Proof != nil {
		return n.Proof.Verdict, n.Proof.MeasuredAt
	}
	return n.Verdict, n.ValidatedAt
}

func collectNode(n *v1alpha1.NodeValidation, ch chan<- prometheus.Metric) {
	verdict, at := proved(n)
	ch <- prometheus.MustNewConstMetric(validDesc, prometheus.GaugeValue, float64(at.Unix()), n.Name, string(verdict))
	for _, b := range n.Benchmarks {
		if len(b.History) == 0 {
			continue
		}
		for _, v := range b.History[len(b.History)-1].Values {
			if f, ok := quantity.ParseDecimal(v.Value); ok {
				ch <- prometheus.MustNewConstMetric(valueDesc, prometheus.GaugeValue, f, n.Name, b.Name, v.Metric, v.Unit)
			}
		}
	}
}
