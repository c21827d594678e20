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
	"github.com/assay-dev/assay/internal/list"
)

// GateOpened tells how long a node had waited at the gate of a policy.
func (r *Recorder) GateOpened(policy string, waited time.Duration) {
	r.gateWait.WithLabelValues(policy).Observe(waited.Seconds())
}

// PolicyRunCreated counts the retries that a run of a policy makes.
func (r *Recorder) PolicyRunCreated(reason string, nodes int) {
	if reason == v1alpha1.ReasonRetry {
		r.retries.Add(float64(nodes))
	}
}

// PolicySeen tells when the next pass of a policy's nodes expires; zero: none does.
func (r *Recorder) PolicySeen(policy string, expires time.Time) {
	r.expiries.set(policy, expires)
	r.gateWait.WithLabelValues(policy) // from 0 on, or Prometheus would not see the first gate that opens
}

// PolicyGone forgets a policy.
func (r *Recorder) PolicyGone(policy string) {
	r.expiries.set(policy, time.Time{})
	r.gateWait.DeleteLabelValues(policy)
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
	var policies v1alpha1.ValidationPolicyList
	if err := s.Reader.List(ctx, &policies, client.UnsafeDisableDeepCopyOption(true)); err != nil {
		ch <- prometheus.NewInvalidMetric(policyNodesDesc, err)
		return
	}
	for p := range list.Each(policies.Items) {
		ready := 0.0
		if meta.IsStatusConditionTrue(p.Status.Conditions, v1alpha1.ConditionReady) {
			ready = 1
		}
		ch <- prometheus.MustNewConstMetric(policyReadyDesc, prometheus.GaugeValue, ready, p.Name)
		n := p.Status.Nodes
		if n == nil {
			continue
		}
		for state, nodes := range map[string]int32{"selected": n.Selected, "valid": n.Valid, "due": n.Due, "failed": n.Failed, "unmeasurable": n.Unmeasurable,
			"overdue": n.Overdue, "validating": n.Validating, "gated": n.Gated, "stuck": n.Stuck} {
			ch <- prometheus.MustNewConstMetric(policyNodesDesc, prometheus.GaugeValue, float64(nodes), p.Name, state)
		}
	}
}
