package metrics

import (
	"context"
	"maps"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// policies counts what the operator does for policies.
type policies struct {
	gateWait *prometheus.HistogramVec
	retries  prometheus.Counter
	expiries *expiries
}

func newPolicies() policies {
	return policies{
		gateWait: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "assay_gate_wait_seconds",
			Help:    "How long nodes waited at a policy's gate until Assay opened it.",
			Buckets: []float64{60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 43200, 86400}}, []string{"policy"}),
		retries: prometheus.NewCounter(prometheus.CounterOpts{Name: "assay_policy_retries_total",
			Help: "Nodes that policies had measured again because they failed or could not be measured."}),
		expiries: &expiries{at: map[string]time.Time{}},
	}
}

// GateOpened tells how long a node had waited at the gate of a policy.
func (r *Recorder) GateOpened(policy string, waited time.Duration) {
	r.policies.gateWait.WithLabelValues(policy).Observe(waited.Seconds())
}

// PolicyRunCreated counts the retries that a run of a policy makes.
func (r *Recorder) PolicyRunCreated(reason string, nodes int) {
	if reason == v1alpha1.ReasonRetry {
		r.policies.retries.Add(float64(nodes))
	}
}

// PolicySeen tells when the next pass of a policy's nodes expires; zero: none does.
func (r *Recorder) PolicySeen(policy string, expires time.Time) {
	r.policies.expiries.set(policy, expires)
	r.policies.gateWait.WithLabelValues(policy) // from 0 on, or Prometheus would not see the first gate that opens
}

// PolicyGone forgets a policy.
func (r *Recorder) PolicyGone(policy string) {
	r.policies.expiries.set(policy, time.Time{})
	r.policies.gateWait.DeleteLabelValues(policy)
}

var (
	policyNodesDesc = prometheus.NewDesc("assay_policy_nodes",
		"Nodes of a policy by state: selected, valid, due, failed, unmeasurable; and of these overdue, validating, gated and stuck.", []string{"policy", "state"}, nil)
	policyReadyDesc  = prometheus.NewDesc("assay_policy_ready", "1: the policy is understood and enforced; 0: it is not.", []string{"policy"}, nil)
	policyExpiryDesc = prometheus.NewDesc("assay_policy_next_expiry_seconds",
		"Seconds until the next valid pass of a policy's nodes expires; no series where none does.", []string{"policy"}, nil)
)

// expiries of policies, as the last pass over each found them.
type expiries struct {
	mu sync.Mutex
	at map[string]time.Time
}

func (e *expiries) set(policy string, at time.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if at.IsZero() {
		delete(e.at, policy)
		return
	}
	e.at[policy] = at
}

// Describe implements prometheus.Collector.
func (e *expiries) Describe(ch chan<- *prometheus.Desc) { ch <- policyExpiryDesc }

// Collect implements prometheus.Collector.
func (e *expiries) Collect(ch chan<- prometheus.Metric) {
	e.mu.Lock()
	all := maps.Clone(e.at)
	e.mu.Unlock()
	for policy, at := range all {
		ch <- prometheus.MustNewConstMetric(policyExpiryDesc, prometheus.GaugeValue, time.Until(at).Seconds(), policy)
	}
}

func (s *State) collectPolicies(ctx context.Context, ch chan<- prometheus.Metric) {
	var list v1alpha1.ValidationPolicyList
	if err := s.Reader.List(ctx, &list, client.UnsafeDisableDeepCopyOption(true)); err != nil {
		ch <- prometheus.NewInvalidMetric(policyNodesDesc, err)
		return
	}
	for i := range list.Items {
		p := &list.Items[i]
		ready := 0.0
		if meta.IsStatusConditionTrue(p.Status.Conditions, v1alpha1.ConditionReady) {
			ready = 1
		}
		ch <- prometheus.MustNewConstMetric(policyReadyDesc, prometheus.GaugeValue, ready, p.Name)
		for state, n := range nodesByState(&p.Status) {
			ch <- prometheus.MustNewConstMetric(policyNodesDesc, prometheus.GaugeValue, float64(n), p.Name, state)
		}
	}
}

// nodesByState as the status counts them.
func nodesByState(s *v1alpha1.ValidationPolicyStatus) map[string]int32 {
	if s.Nodes == nil {
		return nil
	}
	n := s.Nodes
	return map[string]int32{"selected": n.Selected, "valid": n.Valid, "due": n.Due, "failed": n.Failed, "unmeasurable": n.Unmeasurable,
		"overdue": n.Overdue, "validating": n.Validating, "gated": n.Gated, "stuck": n.Stuck}
}
