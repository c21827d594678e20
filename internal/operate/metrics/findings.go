package metrics

import (
	"cmp"
	"slices"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/term"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/operate/taint"
)

// mostNamed nodes of a kind are named: whoever is woken reads no more of them.
const mostNamed = 10

const findingHelp = "By how much a part misses its bound, as a share of the greater of both; +Inf where the rule judges no number. Verdict Fail: the worst conviction of each of the ten nodes that were quarantined last. Verdict Warning: what benchmarks warn of, by the first warning of each of ten nodes for each rule. Label says has the rule in words."

var findingDesc = prometheus.NewDesc("assay_finding_ratio", findingHelp,
	[]string{"node", "benchmark", "metric", "part", "rule", "says", "verdict"}, nil)

var deviceDesc = prometheus.NewDesc("assay_device_out_of_service",
	"1 for each device that is out of service while others of its node may be used, for the ten nodes where this happened most recently; no series for others.", []string{"node", "uuid"}, nil)

// collectDevices names the devices of few nodes. A UUID is a series that never comes again once the device is replaced, so that there are none for the others.
func collectDevices(nodes []v1alpha1.NodeValidation, ch chan<- prometheus.Metric) {
	for _, n := range lastQuarantined(nodes, func(n *v1alpha1.NodeValidation) bool { return len(n.Quarantine.Devices) > 0 }) {
		for _, uuid := range n.Quarantine.Devices {
			ch <- prometheus.MustNewConstMetric(deviceDesc, prometheus.GaugeValue, 1, n.Name, uuid)
		}
	}
}

// collectFindings names few nodes and parts, so that an alert can: however many fail, there are no more series.
func collectFindings(nodes []v1alpha1.NodeValidation, ch chan<- prometheus.Metric) {
	send := func(w warned, verdict v1alpha1.Verdict) {
		f := w.finding
		ch <- prometheus.MustNewConstMetric(findingDesc, prometheus.GaugeValue, taint.Shortfall(f.RuleNumbers), w.node, w.benchmark, f.Metric, f.At,
			f.Rule, term.Says(f.Rule), string(verdict))
	}
	for _, n := range lastQuarantined(nodes, func(n *v1alpha1.NodeValidation) bool { return len(n.Convictions) > 0 }) {
		c := slices.MaxFunc(n.Convictions, func(a, b v1alpha1.Conviction) int {
			return cmp.Compare(taint.Shortfall(a.RuleNumbers), taint.Shortfall(b.RuleNumbers))
		})
		send(warned{n.Name, c.Benchmark, &v1alpha1.Finding{Metric: c.Metric, At: c.At, Rule: c.Rule, RuleNumbers: c.RuleNumbers}}, v1alpha1.VerdictFail)
	}
	for _, of := range firstWarned(nodes) {
		for _, w := range of[:min(len(of), mostNamed)] {
			send(w, v1alpha1.VerdictWarning)
		}
	}
}

// lastQuarantined are the nodes that were quarantined last and have something to show.
func lastQuarantined(nodes []v1alpha1.NodeValidation, shows func(*v1alpha1.NodeValidation) bool) []*v1alpha1.NodeValidation {
	last := list.Those(nodes, func(n *v1alpha1.NodeValidation) bool { return n.Quarantine != nil && shows(n) })
	slices.SortFunc(last, func(a, b *v1alpha1.NodeValidation) int {
		return cmp.Or(b.Quarantine.Since.Compare(a.Quarantine.Since.Time), cmp.Compare(a.Name, b.Name))
	})
	return last[:min(len(last), mostNamed)]
}

type warned struct {
	node, benchmark string
	finding         *v1alpha1.Finding
}

// firstWarned has the first warning of each node by rule, in order of the nodes' names.
func firstWarned(nodes []v1alpha1.NodeValidation) map[string][]warned {
	all := map[string][]warned{}
	for i := range nodes {
		for b := range list.Each(nodes[i].Benchmarks) {
			for f := range list.Each(b.Warnings) {
				if of := all[f.Rule]; len(of) == 0 || of[len(of)-1].node != nodes[i].Name {
					all[f.Rule] = append(of, warned{nodes[i].Name, b.Name, f})
				}
			}
		}
	}
	for _, of := range all {
		slices.SortFunc(of, func(a, b warned) int { return cmp.Compare(a.node, b.node) })
	}
	return all
}
