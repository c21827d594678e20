package forecast

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/operate/catalogue"
	"github.com/assay-dev/assay/internal/operate/policy/needs"
)

// ReasonNoProfile is for nodes that no HardwareProfile selects, though benchmarks are judged by what one says.
const ReasonNoProfile = "NoHardwareProfile"

// foresee what the benchmarks are, and what is missing.
func (w *world) foresee() {
	nodes := w.selected()
	for i := range w.snapshot.Benchmarks {
		b := w.snapshot.Benchmarks[i].Object
		one := Benchmark{Name: b.Name, Seconds: int64(catalogue.Cost(b).Seconds()), Together: b.Spec.Scope == v1alpha1.ScopeGroup}
		for _, n := range nodes {
			if !needs.Exempts(b, n) {
				one.Nodes++
			}
		}
		w.out.Benchmarks = append(w.out.Benchmarks, one)
	}
	if w.out.Invalid == "" {
		w.lacks(nodes)
	}
}

// selected nodes, as they are.
func (w *world) selected() (nodes []*corev1.Node) {
	selector, err := w.in.Policy.Spec.ByLabels()
	if err != nil {
		return nil
	}
	for i := range w.in.Nodes {
		n := &w.in.Nodes[i]
		if selector.Matches(labels.Set(n.Labels)) && n.DeletionTimestamp.IsZero() && workload.Reserved(n) == "" {
			nodes = append(nodes, n)
		}
	}
	return nodes
}

// lacks of nodes, those that keep most of them first.
func (w *world) lacks(nodes []*corev1.Node) {
	var objects []*v1alpha1.Benchmark
	for i := range w.snapshot.Benchmarks {
		objects = append(objects, w.snapshot.Benchmarks[i].Object)
	}
	need, err := needs.New(objects, w.in.Policy.Spec.Run.OnFailure)
	if err != nil {
		return
	}
	quarantines := map[string]*v1alpha1.Quarantine{}
	for i := range w.in.Validations {
		quarantines[w.in.Validations[i].Name] = w.in.Validations[i].Quarantine
	}
	byPeak := judgedByPeak(objects)
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
