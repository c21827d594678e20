package nodes

import (
	"cmp"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/cause"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/quantity"
)

// fleetNode is what is known of one node, at a glance.
type fleetNode struct {
	Name string `json:"name"`
	// State is one of the reasons of states; empty: nothing is asked of the node, and nothing is known.
	State    string     `json:"state,omitempty"`
	Message  string     `json:"message,omitempty"`
	ProvedAt *time.Time `json:"provedAt,omitempty"`
	// Worst is what the node was convicted of, or else the judged headline metric by which it is furthest behind what is typical.
	Worst *worstValue `json:"worst,omitempty"`
	Gated bool        `json:"gated,omitempty"`
	Taint string      `json:"taint,omitempty"`
	// OutOfService are the devices that have the taint in place of the node.
	OutOfService *cause.OutOfService `json:"outOfService,omitempty"`
	Policies     []string            `json:"policies,omitempty"`
	LastRun      string              `json:"lastRun,omitempty"`
	Driver       string              `json:"driver,omitempty"`

	values []fleetValue
	// marked: the node says that it, or some of its devices, is out of service.
	marked bool
}

// worstValue of a node, as a rule judged it or, where it broke none, beside what is typical of the nodes shown.
type worstValue struct {
	Benchmark string   `json:"benchmark"`
	Metric    string   `json:"metric"`
	At        string   `json:"at,omitempty"`
	Unit      string   `json:"unit,omitempty"`
	Value     *float64 `json:"value,omitempty"`
	// Typical is what others reach, and Bound what a conviction says that it broke.
	Typical *float64 `json:"typical,omitempty"`
	Bound   *float64 `json:"bound,omitempty"`
	// BehindPercent of typical, or else of the bound: by how much the value is worse.
	BehindPercent *float64 `json:"behindPercent,omitempty"`
}

// fleetValue is the newest value of a headline metric of a node. Only values of one configuration are compared.
type fleetValue struct {
	of    valueOf
	value float64
}

type valueOf struct{ benchmark, configuration, metric, unit string }

// states of a node, those that need somebody first.
var states = []string{v1alpha1.ReasonUnfit, v1alpha1.ReasonFailed, v1alpha1.ReasonUnmeasured, v1alpha1.ReasonOverdue,
	v1alpha1.ReasonNeverValidated, v1alpha1.ReasonExpired, v1alpha1.ReasonPassed, ""}

// fleetOf puts together what is known of the nodes of a cluster.
type fleetOf struct {
	nodes    map[string]*fleetNode
	policies []fleetPolicy
	metrics  map[[2]string]*v1alpha1.Metric // by benchmark and name
	now      time.Time
}

// fleetPolicy is what a policy asks of the nodes it selects.
type fleetPolicy struct {
	*v1alpha1.ValidationPolicy
	selector labels.Selector
}

func newFleet(policies []v1alpha1.ValidationPolicy, benchmarks []v1alpha1.Benchmark, now time.Time) *fleetOf {
	f := &fleetOf{nodes: map[string]*fleetNode{}, metrics: map[[2]string]*v1alpha1.Metric{}, now: now}
	for p := range list.Each(policies) {
		if selector, err := p.Spec.ByLabels(); err == nil {
			f.policies = append(f.policies, fleetPolicy{p, selector})
		}
	}
	for b := range list.Each(benchmarks) {
		for m := range list.Each(b.Spec.Metrics) {
			f.metrics[[2]string{b.Name, m.Name}] = m
		}
	}
	return f
}

// addNode takes from a Node what Kubernetes knows.
func (f *fleetOf) addNode(n *corev1.Node) {
	row := &fleetNode{Name: n.Name, marked: n.Annotations[v1alpha1.AnnotationQuarantine] != ""}
	f.nodes[n.Name] = row
	for _, p := range f.policies {
		if !p.selector.Matches(labels.Set(n.Labels)) {
			continue
		}
		row.Policies = append(row.Policies, p.Name)
		row.State = v1alpha1.ReasonNeverValidated
		if g := p.Spec.Gate; g != nil && slices.ContainsFunc(n.Spec.Taints, func(t corev1.Taint) bool {
			return t.Key == cmp.Or(g.Taint.Key, v1alpha1.DefaultGateKey)
		}) {
			row.Gated = true
		}
	}
	slices.Sort(row.Policies)
	if n.Labels[v1alpha1.LabelOverdue] != "" {
		row.State = v1alpha1.ReasonOverdue
	}
}

// addValidation takes what Assay knows. The row is made where nodes could not be read.
func (f *fleetOf) addValidation(v *v1alpha1.NodeValidation, make bool) {
	row := f.nodes[v.Name]
	if row == nil {
		if !make {
			return
		}
		row = &fleetNode{Name: v.Name, State: v1alpha1.ReasonNeverValidated}
		f.nodes[v.Name] = row
	}
	row.LastRun, row.Message, row.Driver = v.LastRun.Name, v.Message, v.Fingerprint.Driver
	if q := v.Quarantine; q != nil && (len(q.Devices) == 0 || row.marked || make) { // who removes the mark puts devices back in service
		row.Taint, row.OutOfService = q.Key, cause.OutOfServiceOn(v, nil)
	}
	if v.Proof != nil {
		row.ProvedAt = &v.Proof.MeasuredAt.Time
	}
	f.judge(row, v)
	for c := range list.Each(v.Convictions) {
		row.Worst = worse(row.Worst, convictedOf(c))
	}
	row.values = newestValues(v)
}

// judge says where a node stands that was measured.
func (f *fleetOf) judge(row *fleetNode, v *v1alpha1.NodeValidation) {
	switch overdue := row.State == v1alpha1.ReasonOverdue; {
	case len(v.Convictions) > 0:
		row.State = v1alpha1.ReasonUnfit
	case v.Proof != nil && v.Proof.Verdict == v1alpha1.VerdictFail:
		row.State = v1alpha1.ReasonFailed
	case v.Verdict == v1alpha1.VerdictError || v.Verdict == v1alpha1.VerdictMissing || v.Verdict == v1alpha1.VerdictInconclusive:
		row.State = v1alpha1.ReasonUnmeasured
	case overdue:
	case v.Proof == nil:
	case f.expired(row):
		row.State = v1alpha1.ReasonExpired
	default:
		row.State = v1alpha1.ReasonPassed
	}
}

// newestValues are the headline values of the last measurement by each benchmark.
func newestValues(v *v1alpha1.NodeValidation) (all []fleetValue) {
	for b := range list.Each(v.Benchmarks) {
		if len(b.History) == 0 {
			continue
		}
		newest := &b.History[len(b.History)-1]
		for _, h := range newest.Values {
			if value, ok := quantity.ParseDecimal(h.Value); ok {
				all = append(all, fleetValue{valueOf{b.Name, newest.Configuration, h.Metric, h.Unit}, value})
			}
		}
	}
	return all
}

// judged says whether some rule may object to a metric; a minimum of 0 only asks for its presence.
func judged(m *v1alpha1.Metric) bool {
	if m.Expectation == nil {
		return false
	}
	e := *m.Expectation
	if least, ok := quantity.ParseDecimal(e.Min); ok && least <= 0 {
		e.Min = ""
	}
	return e != v1alpha1.Expectation{}
}

// convictedOf is what a conviction says, as a value.
func convictedOf(c *v1alpha1.Conviction) *worstValue {
	w := &worstValue{Benchmark: c.Benchmark, Metric: c.Metric, At: c.At, Unit: c.Unit,
		Value: quantity.Known(c.Value), Typical: quantity.Known(c.Typical), Bound: quantity.Known(c.Bound)}
	if reference := cmp.Or(w.Typical, w.Bound); w.Value != nil && reference != nil && *reference > 0 {
		w.fallsBehind(*reference, w.Bound != nil && *w.Value > *w.Bound)
	}
	return w
}
