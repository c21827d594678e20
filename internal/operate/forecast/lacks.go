package forecast

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/operate/catalogue"
	"github.com/assay-dev/assay/internal/operate/policy"
	"github.com/assay-dev/assay/internal/operate/policy/needs"
)

// ReasonNoProfile is for nodes that no HardwareProfile selects, though benchmarks are judged by what one says.
const ReasonNoProfile = "NoHardwareProfile"

// foresee what the benchmarks are, and what is missing.
func (w *world) foresee() {
	nodes := w.selected()
	for _, b := range w.benchmarks() {
		w.out.Benchmarks = append(w.out.Benchmarks, Benchmark{Name: b.Name, Seconds: int64(catalogue.Cost(b).Seconds()),
			Together: b.Spec.Scope == v1alpha1.ScopeGroup, Nodes: list.Count(nodes, func(n *corev1.Node) bool { return !needs.Exempts(b, n) })})
	}
	if w.out.Invalid == "" {
		w.lacks(nodes)
	}
}

// benchmarks that the policy asks for.
func (w *world) benchmarks() []*v1alpha1.Benchmark {
	return list.Map(w.snapshot.Benchmarks, func(b policy.Benchmark) *v1alpha1.Benchmark { return b.Object })
}

// selected nodes, as they are.
func (w *world) selected() []*corev1.Node {
	selector, err := w.in.Policy.Spec.ByLabels()
	if err != nil {
		return nil
	}
	return list.Those(w.in.Nodes, func(n *corev1.Node) bool {
		return selector.Matches(labels.Set(n.Labels)) && n.DeletionTimestamp.IsZero() && workload.Reserved(n) == ""
	})
}

// lacks of nodes, those that keep most of them first.
func (w *world) lacks(nodes []*corev1.Node) {
	need, err := needs.New(w.benchmarks(), w.in.Policy.Spec.Run.OnFailure)
	if err != nil {
		return
	}
	quarantines := map[string]*v1alpha1.Quarantine{}
	for v := range list.Each(w.in.Validations) {
		quarantines[v.Name] = v.Quarantine
	}
	byPeak := judgedByPeak(w.benchmarks())
	for _, n := range nodes {
		if l := need.Lack(n, quarantines[n.Name]); l.Any() {
			w.lack(l.Reason, l.Text(n), n)
		}
		if len(byPeak) > 0 && !w.hasProfile(n) {
			w.lack(ReasonNoProfile, "no HardwareProfile selects the node, so that nothing is compared with a peak by "+message.Nodes(byPeak), n)
		}
	}
	slices.SortStableFunc(w.out.Lacks, func(a, b Lack) int { return len(b.Nodes) - len(a.Nodes) })
}

func (w *world) lack(reason, text string, n *corev1.Node) {
	text = strings.ReplaceAll(text, n.Name, "the node")
	i := slices.IndexFunc(w.out.Lacks, func(l Lack) bool { return l.Reason == reason && l.Message == text })
	if i < 0 {
		i, w.out.Lacks = len(w.out.Lacks), append(w.out.Lacks, Lack{Reason: reason, Message: text})
	}
	w.out.Lacks[i].Nodes = append(w.out.Lacks[i].Nodes, n.Name)
}

// judgedByPeak are the benchmarks of which a metric must reach a share of a peak.
func judgedByPeak(benchmarks []*v1alpha1.Benchmark) (names []string) {
	for _, b := range benchmarks {
		if slices.ContainsFunc(b.Spec.Metrics, func(m v1alpha1.Metric) bool {
			return m.Peak != "" && m.Expectation != nil && (m.Expectation.MinFractionOfPeak != "" || m.Expectation.MinFractionOfReached != "")
		}) {
			names = append(names, b.Name)
		}
	}
	return names
}

func (w *world) hasProfile(n *corev1.Node) bool {
	return slices.ContainsFunc(w.in.Profiles, func(p v1alpha1.HardwareProfile) bool {
		selector, err := p.Spec.ByLabels()
		return err == nil && selector.Matches(labels.Set(n.Labels))
	})
}
