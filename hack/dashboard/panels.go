package main

import (
	"fmt"
	"strings"
)

// Kinds of panels, as Grafana's plugins are named.
const (
	stat       = "stat"
	timeSeries = "timeseries"
	barGauge   = "bargauge"
	table      = "table"
)

// row is a heading and what stands below it.
type row struct {
	title  string
	panels []panel
}

// panel shows some queries.
type panel struct {
	kind, title, description string
	unit                     string
	width, height            int
	queries                  []query
	// warnAt: from this value on it stands out; 0: it never does.
	warnAt float64
	// stacked: the values of a time are parts of one whole.
	stacked bool
	// repeat: a panel for each value of this variable.
	repeat string
	// unitInLegend: each series has the unit that its legend names. ofNodes: each is of a node, and leads to what is known of it.
	unitInLegend, ofNodes bool
}

type query struct{ expr, legend string }

// chosen are the series of the clusters and operators that the reader has chosen.
const chosen = `cluster=~"$cluster",job=~"$job"`

// state sums a gauge over clusters. All replicas of an operator know the same, so that one of them counts.
func state(metric string, by string, matchers ...string) string {
	within := "cluster,job"
	if by != "" {
		within += "," + by
	}
	return fmt.Sprintf("sum by (%s) (max by (%s) (%s{%s}))", by, within, metric, with(matchers...))
}

// ofPolicies sums the nodes of policies in a state. One node may be of several policies, each of which counts it.
func ofPolicies(by string, states ...string) string {
	matchers := with(`policy=~"$policy"`, `state=~"`+strings.Join(states, "|")+`"`)
	return fmt.Sprintf("sum by (%s) (max by (cluster,job,policy,state) (assay_policy_nodes{%s}))", by, matchers)
}

func with(matchers ...string) string { return strings.Join(append([]string{chosen}, matchers...), ",") }

// most that any cluster says.
func most(metric string, matchers ...string) string {
	return fmt.Sprintf("max(%s{%s})", metric, with(matchers...))
}

// number is a panel with one figure.
func number(title, description, unit string, warnAt float64, expr string) panel {
	return panel{kind: stat, title: title, description: description, unit: unit, width: 4, height: 4, warnAt: warnAt, queries: []query{{expr, title}}}
}

// graph over time.
func graph(title, description, unit string, queries ...query) panel {
	return panel{kind: timeSeries, title: title, description: description, unit: unit, width: 8, height: 8, queries: queries}
}

func stacked(p panel) panel {
	p.stacked = true
	return p
}

// firstMetrics are shown until the reader chooses: each has a panel, and the whole catalogue has 51.
var firstMetrics = []string{"hbmTriad", "fp64", "allReduceBusBandwidth", "writeBandwidth", "hostToDeviceBandwidth", "triad"}

func variables() []object {
	return []object{
		{"type": "datasource", "name": "datasource", "label": "Data source", "query": "prometheus", "current": object{}},
		variable("cluster", "Cluster", "label_values(assay_nodes_quarantined, cluster)", ".*"), // most Prometheus servers have one cluster, and no such label
		variable("job", "Operator", `label_values(assay_nodes_quarantined{cluster=~"$cluster"}, job)`, ""),
		variable("policy", "Policy", "label_values(assay_policy_ready{"+chosen+"}, policy)", ".*"),
		variable("benchmark", "Benchmark", "label_values(assay_benchmark_value_count{"+chosen+"}, benchmark)", ".*"),
		opening(variable("metric", "Metric", "label_values(assay_benchmark_value_count{"+with(`benchmark=~"$benchmark"`)+"}, metric)", ""), firstMetrics),
		variable("node", "Node (per-node series)", "label_values(assay_node_validated_timestamp_seconds{"+chosen+"}, node)", ".*"),
	}
}

func rows() []row {
	return []row{{"Fleet", fleet()}, {"Policies and gates", policies()}, {"What nodes reach", measurements()}, {"Worst nodes", worst()}, {"Operator", operator()}}
}

func fleet() []panel {
	return []panel{
		number("Proved fit", "Nodes of which the newest proof is a pass.", "none", 0, state("assay_nodes", "", `verdict="Pass"`)+" or vector(0)"),
		number("Proved unfit", "Nodes of which the newest proof is a failure.", "none", 1, state("assay_nodes", "", `verdict="Fail"`)+" or vector(0)"),
		quarantined(),
		number("Warnings", "Nodes with parts that drift, and nodes with unstable ones: who has both counts twice. No expectation fails them yet.", "none", 1, state("assay_nodes_warned", "", `rule="Drift"`)+" + "+state("assay_nodes_warned", "", `rule="Unstable"`)),
		number("Runs in progress", "Runs that are not over.", "none", 0, state("assay_runs", "", `verdict="Pending"`)+" or vector(0)"),
		number("Oldest proof", "Age of the oldest proof of any node.", "s", 0, most("assay_proof_age_seconds", `quantile="1"`)),
		stacked(graph("Nodes by verdict", "By what was last proved of them; without a proof, by the verdict of their latest run.", "none",
			query{state("assay_nodes", "verdict"), "{{verdict}}"})),
		graph("Age of proofs", "How long ago nodes were last proved fit or unfit. 0.5 is the median, 1 the oldest.", "s",
			query{"max by (cluster, quantile) (assay_proof_age_seconds{" + chosen + "})", "{{quantile}} {{cluster}}"}),
		graph("Runs that ended, per hour", "Inconclusive and Error prove nothing.", "none",
			query{"sum by (verdict) (increase(assay_runs_finished_total{" + chosen + "}[1h]))", "{{verdict}}"}),
		graph("Taints, per hour", "Many at once mean a wrong bound or new software rather than broken hardware.", "none",
			query{"sum(increase(assay_taints_added_total{" + chosen + "}[1h]))", "added"},
			query{"sum(increase(assay_taints_removed_total{" + chosen + "}[1h]))", "lifted"}),
		graph("Attempts, per hour", "Measurements by how they were judged alone, before confirmation.", "none",
			query{"sum by (verdict) (increase(assay_attempts_total{" + with(`benchmark=~"$benchmark"`) + "}[1h]))", "{{verdict}}"}),
		graph("Nodes with warnings", "Drift: slower than in the first passes. Unstable: suspect again and again.", "none",
			query{state("assay_nodes_warned", "rule"), "{{rule}}"}),
	}
}

// quarantined nodes, and those of their devices that are out of service one by one.
func quarantined() panel {
	p := number("Quarantined", "Nodes that Assay tainted and that have not passed since. GPUs: single ones that are out of service, of those nodes whose others may be used.", "none", 1,
		state("assay_nodes_quarantined", ""))
	p.queries = []query{{p.queries[0].expr, "nodes"}, {state("assay_devices_out_of_service", ""), "GPUs"}}
	return p
}

const ofPolicy = `policy=~"$policy"`

func policies() []panel {
	share := panel{kind: barGauge, title: "Nodes with a valid pass", description: "Share of each policy's nodes, over all clusters that are chosen.", unit: "percentunit", width: 8, height: 8,
		queries: []query{{ofPolicies("policy", "valid") + " / (" + ofPolicies("policy", "selected") + " > 0)", "{{policy}}"}}}
	return []panel{
		share,
		stacked(graph("Nodes of policies", "Every selected node is one of these.", "none",
			query{ofPolicies("state", "valid", "due", "failed", "unmeasurable"), "{{state}}"})),
		graph("Overdue, gated, stuck", "Overdue: due for too long. Stuck: gated for too long.", "none",
			query{ofPolicies("policy,state", "overdue", "gated", "stuck"), "{{policy}} {{state}}"}),
		graph("Wait at the gate", "Of nodes that were let in within an hour.", "s",
			query{"histogram_quantile(0.5, sum by (policy, le) (increase(assay_gate_wait_seconds_bucket{" + with(ofPolicy) + "}[1h])))", "{{policy}} median"},
			query{"histogram_quantile(0.95, sum by (policy, le) (increase(assay_gate_wait_seconds_bucket{" + with(ofPolicy) + "}[1h])))", "{{policy}} 95%"}),
		graph("Gates opened, per hour", "Nodes that were let in.", "none",
			query{"sum by (policy) (increase(assay_gate_wait_seconds_count{" + with(ofPolicy) + "}[1h]))", "{{policy}}"}),
		graph("Next pass expires in", "Nodes are measured again before that.", "s",
			query{"min by (policy) (assay_policy_next_expiry_seconds{" + with(ofPolicy) + "})", "{{policy}}"}),
		graph("Policies that are enforced", "0: in at least one of the clusters the policy starts no runs, or opens no gates; its condition Ready says why.", "none",
			query{"min by (policy) (max by (cluster,job,policy) (assay_policy_ready{" + with(ofPolicy) + "}))", "{{policy}}"}),
		graph("Nodes tried again, per hour", "They had failed, or could not be measured.", "none",
			query{"sum(increase(assay_policy_retries_total{" + chosen + "}[1h]))", "nodes"}),
	}
}

func measurements() []panel {
	distribution := graph("$metric", "Latest values of all nodes with the same devices, each node by its worst part: extremes, median, and where nine tenths are.", "none",
		query{"max by (cluster, benchmark, devices, unit, quantile) (assay_benchmark_value{" + with(`benchmark=~"$benchmark"`, `metric=~"$metric"`) + "})",
			"{{benchmark}} {{devices}} {{quantile}} ({{unit}}) {{cluster}}"})
	distribution.repeat, distribution.unitInLegend = "metric", true
	duration := graph("Run time of programs", "95% end within this time, by the histogram's buckets.", "s",
		query{"histogram_quantile(0.95, sum by (benchmark, le) (increase(assay_benchmark_duration_seconds_bucket{" + with(`benchmark=~"$benchmark"`) + "}[1h])))", "{{benchmark}}"})
	return []panel{duration, distribution}
}

func worst() []panel {
	ratio := panel{kind: table, title: "Furthest below the median", description: "The worst nodes of each metric beside the median of nodes with the same devices.",
		unit: "percentunit", width: 12, height: 10, ofNodes: true,
		queries: []query{{"bottomk(20, min by (cluster, node, benchmark, metric, devices) (assay_worst_node_ratio{" +
			with(`benchmark=~"$benchmark"`, `metric=~"$metric"`) + "}))", ""}}}
	quarantined := panel{kind: table, title: "Last proof of each node", description: "Needs --per-node-metrics. How long ago, and with which verdict.", unit: "s", width: 12, height: 10, ofNodes: true,
		queries: []query{{"topk(100, time() - max by (cluster, node, verdict) (assay_node_validated_timestamp_seconds{" + with(`node=~"$node"`) + "}))", ""}}}
	values := graph("Values of nodes", "Needs --per-node-metrics. Choose a metric and some nodes; at most 50 are shown.", "none",
		query{"topk(50, max by (cluster, node, benchmark, metric, unit) (assay_node_benchmark_value{" +
			with(`benchmark=~"$benchmark"`, `metric=~"$metric"`, `node=~"$node"`) + "}))", "{{node}} {{metric}} ({{unit}}) {{cluster}}"})
	values.width, values.unitInLegend, values.ofNodes = columns, true, true
	return []panel{ratio, quarantined, values}
}

const controllers = `controller=~"validationrun|validationpolicy"`

func operator() []panel {
	return []panel{
		graph("Leads", "1: this replica acts. Where none does, nothing starts and no gate opens.", "none",
			query{"max by (cluster, pod, instance) (leader_election_master_status{" + chosen + "})", "{{pod}} {{instance}}"}),
		graph("Time of a pass", "95% of the passes over a run or policy take less.", "s",
			query{"histogram_quantile(0.95, sum by (controller, le) (rate(controller_runtime_reconcile_time_seconds_bucket{" + with(controllers) + "}[$__rate_interval])))", "{{controller}}"}),
		graph("Passes per second", "By what came of them.", "reqps",
			query{"sum by (controller, result) (rate(controller_runtime_reconcile_total{" + with(controllers) + "}[$__rate_interval]))", "{{controller}} {{result}}"}),
		graph("Queue", "Runs and policies that wait for a pass.", "none",
			query{"sum by (name) (workqueue_depth{" + with(`name=~"validationrun|validationpolicy"`) + "})", "{{name}}"}),
		graph("Wait in the queue", "95% wait for less.", "s",
			query{"histogram_quantile(0.95, sum by (name, le) (rate(workqueue_queue_duration_seconds_bucket{" + with(`name=~"validationrun|validationpolicy"`) + "}[$__rate_interval])))", "{{name}}"}),
		graph("API writes per second", "Requests that change something, by the API server's answer.", "reqps",
			query{"sum by (method, code) (rate(rest_client_requests_total{" + with(`method!="GET"`) + "}[$__rate_interval]))", "{{method}} {{code}}"}),
		graph("Errors per second", "Passes that failed and are tried again.", "reqps",
			query{"sum by (controller) (rate(controller_runtime_reconcile_errors_total{" + with(controllers) + "}[$__rate_interval]))", "{{controller}}"}),
		graph("Memory", "Of the operator's process, and what of it is Go's heap.", "bytes",
			query{"sum by (instance) (process_resident_memory_bytes{" + chosen + "})", "{{instance}} resident"},
			query{"sum by (instance) (go_memstats_heap_inuse_bytes{" + chosen + "})", "{{instance}} heap"}),
		graph("CPU", "Cores that the operator uses.", "none",
			query{"sum by (instance) (rate(process_cpu_seconds_total{" + chosen + "}[$__rate_interval]))", "{{instance}}"}),
	}
}
