package metrics

import (
	"cmp"
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/term"
)

var (
	runsDesc  = prometheus.NewDesc("assay_runs", "Validation runs in the cluster, by verdict.", []string{"verdict"}, nil)
	nodesDesc = prometheus.NewDesc("assay_nodes", "Nodes by what was last proved of them, Pass or Fail; a node of which nothing is proved, by the verdict of its latest run.", []string{"verdict"}, nil)
	quarDesc  = prometheus.NewDesc("assay_nodes_quarantined",
		"Nodes that Assay tainted and that have not passed since, also where somebody else took the taint away.", nil, nil)
	outDesc = prometheus.NewDesc("assay_devices_out_of_service",
		"Single devices that Assay took out of service and that have not passed since, also where somebody else put them back. Each of their nodes counts in assay_nodes_quarantined, too.", nil, nil)
	warnedDesc = prometheus.NewDesc("assay_nodes_warned",
		"Nodes that benchmarks warn of without failing them, by rule: parts that drift, and unstable ones.", []string{"rule"}, nil)
	ageDesc = prometheus.NewDesc("assay_proof_age_seconds",
		"How long ago nodes were last proved fit or unfit, over all nodes of which something is proved. Quantiles 0 and 1 are the newest and the oldest proof.", nil, nil)

	warnDesc = prometheus.NewDesc("assay_node_warnings",
		"What benchmarks warn of on nodes without failing them, by rule: parts that drift, and unstable ones.", []string{"node", "benchmark", "rule"}, nil)
	nodeQuarDesc = prometheus.NewDesc("assay_node_quarantined", "1 for a node that Assay tainted and that has not passed since; no series for others.", []string{"node"}, nil)
	nodeOutDesc  = prometheus.NewDesc("assay_node_devices_out_of_service", "Devices of a node that are out of service while its others may be used; no series for other nodes.", []string{"node"}, nil)
	valueDesc    = prometheus.NewDesc("assay_node_benchmark_value",
		"Latest headline value of a node's worst part, in the benchmark's unit.", []string{"node", "benchmark", "metric", "unit"}, nil)
	validDesc = prometheus.NewDesc("assay_node_validated_timestamp_seconds", "When the measurement that last proved a node fit or unfit was started; of a node without proof, when its latest run judged it.", []string{"node", "verdict"}, nil)
)

// scrapeTimeout bounds a read of the cache.
const scrapeTimeout = 5 * time.Second

// State exposes the runs, nodes and policies in the cache, and what all nodes reached as distributions. PerNode adds series for each node:
// thousands of nodes make many series, so that it has to be asked for.
type State struct {
	Reader  client.Reader
	PerNode bool
	Clock   clock.PassiveClock
}

// Describe implements prometheus.Collector.
func (s *State) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{runsDesc, nodesDesc, quarDesc, outDesc, warnedDesc, ageDesc, policyNodesDesc, policyReadyDesc, levelDesc, worstDesc, findingDesc, deviceDesc} {
		ch <- d
	}
	if s.PerNode {
		for _, d := range []*prometheus.Desc{warnDesc, nodeQuarDesc, nodeOutDesc, valueDesc, validDesc} {
			ch <- d
		}
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
		count[cmp.Or(runs.Items[i].Status.Verdict, v1alpha1.VerdictPending)]++
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
	fleet, now := counts{verdicts: map[v1alpha1.Verdict]int{}, warned: map[string]int{term.Drift: 0, term.Unstable: 0}}, s.Clock.Now()
	for i := range nodes.Items {
		fleet.add(&nodes.Items[i], now)
		if s.PerNode {
			collectNode(&nodes.Items[i], ch)
		}
	}
	fleet.collect(ch)
	collectFindings(nodes.Items, ch)
	collectDevices(nodes.Items, ch)
	s.collectLevels(ctx, nodes.Items, ch)
}

// counts of nodes, which no number of nodes makes more series.
type counts struct {
	verdicts    map[v1alpha1.Verdict]int
	warned      map[string]int
	quarantined int
	devices     int // out of service
	ages        []float64
}

func (c *counts) add(n *v1alpha1.NodeValidation, now time.Time) {
	v, _ := proved(n)
	c.verdicts[v]++
	if n.Quarantine != nil {
		c.quarantined++
		c.devices += len(n.Quarantine.Devices)
	}
	if n.Proof != nil {
		c.ages = append(c.ages, max(0, now.Sub(n.Proof.MeasuredAt.Time).Seconds()))
	}
	rules := map[string]bool{}
	for _, b := range n.Benchmarks {
		for _, w := range b.Warnings {
			rules[w.Rule] = true
		}
	}
	for rule := range rules {
		c.warned[rule]++
	}
}

func (c *counts) collect(ch chan<- prometheus.Metric) {
	for v, n := range c.verdicts {
		ch <- prometheus.MustNewConstMetric(nodesDesc, prometheus.GaugeValue, float64(n), string(v))
	}
	for rule, n := range c.warned {
		ch <- prometheus.MustNewConstMetric(warnedDesc, prometheus.GaugeValue, float64(n), rule)
	}
	ch <- prometheus.MustNewConstMetric(quarDesc, prometheus.GaugeValue, float64(c.quarantined))
	ch <- prometheus.MustNewConstMetric(outDesc, prometheus.GaugeValue, float64(c.devices))
	if len(c.ages) > 0 {
		ch <- summary(ageDesc, c.ages)
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
	v, at := proved(n)
	ch <- prometheus.MustNewConstMetric(validDesc, prometheus.GaugeValue, float64(at.Unix()), n.Name, string(v))
	if n.Quarantine != nil {
		ch <- prometheus.MustNewConstMetric(nodeQuarDesc, prometheus.GaugeValue, 1, n.Name)
		if out := len(n.Quarantine.Devices); out > 0 {
			ch <- prometheus.MustNewConstMetric(nodeOutDesc, prometheus.GaugeValue, float64(out), n.Name)
		}
	}
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
