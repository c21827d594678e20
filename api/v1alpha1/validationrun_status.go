package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// RunSummary counts the nodes of a run.
type RunSummary struct {
	// nodes in the run.
	Nodes int32 `json:"nodes"`
	// pending: not started.
	Pending int32 `json:"pending"`
	// running: being measured, or waiting to be judged.
	Running int32 `json:"running"`
	// passed nodes.
	Passed int32 `json:"passed"`
	// failed nodes.
	Failed int32 `json:"failed"`
	// errored nodes: could not be measured, or a measurement is missing.
	Errored int32 `json:"errored"`
	// notJudged nodes: measured, with nothing to compare an expected metric with.
	// +optional
	NotJudged int32 `json:"notJudged"`
	// skipped nodes.
	Skipped int32 `json:"skipped"`
	// tainted: nodes of this run that carry Assay's taint.
	Tainted int32 `json:"tainted"`
}

// BenchmarkSummary sums up one headline metric over the run's nodes.
type BenchmarkSummary struct {
	// name of the Benchmark.
	// +kubebuilder:validation:MaxLength=63
	Name string `json:"name"`
	// metric summed up.
	// +kubebuilder:validation:MaxLength=63
	Metric string `json:"metric"`
	// unit of the values.
	// +kubebuilder:validation:MaxLength=32
	Unit string `json:"unit"`
	// nodes that have a value. The value of a node is that of its worst part.
	Nodes int32 `json:"nodes"`
	// median of the nodes' values.
	Median Decimal `json:"median,omitempty"`
	// min of the nodes' values.
	Min Decimal `json:"min,omitempty"`
	// max of the nodes' values.
	Max Decimal `json:"max,omitempty"`
	// p5: the 5th percentile.
	P5 Decimal `json:"p5,omitempty"`
	// p95: the 95th percentile.
	P95 Decimal `json:"p95,omitempty"`
	// percentOfPeak of the median, where the nodes' profiles agree on the peak.
	// +optional
	PercentOfPeak Decimal `json:"percentOfPeak,omitempty"`
}

// HeadlineValue is one headline metric of one node: that of its worst part.
type HeadlineValue struct {
	// benchmark it belongs to.
	// +kubebuilder:validation:MaxLength=63
	Benchmark string `json:"benchmark"`
	// metric.
	// +kubebuilder:validation:MaxLength=63
	Metric string `json:"metric"`
	// unit of value.
	// +kubebuilder:validation:MaxLength=32
	Unit string `json:"unit"`
	// value measured.
	Value Decimal `json:"value"`
	// typical: the median of like parts, in unit. Unset: too few like parts.
	// +optional
	Typical Decimal `json:"typical,omitempty"`
	// expected: the bound that decided, in unit. Unset: nothing was expected.
	// +optional
	Expected Decimal `json:"expected,omitempty"`
	// percentOfPeak of value. Unset: no peak is known.
	// +optional
	PercentOfPeak Decimal `json:"percentOfPeak,omitempty"`
	// fleetDeviationPercent of value from typical (negative: below).
	// +optional
	FleetDeviationPercent Decimal `json:"fleetDeviationPercent,omitempty"`
	// findsFromPercent: the least loss, in percent of what is typical, that would have been found of this part in 99 of 100 cases. Unset: not known.
	// +optional
	FindsFromPercent Decimal `json:"findsFromPercent,omitempty"`
	// findsBy: the rule that would have found it.
	// +optional
	// +kubebuilder:validation:MaxLength=32
	FindsBy string `json:"findsBy,omitempty"`
	// at: the part with this value: GPU, link, NUMA node.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	At string `json:"at,omitempty"`
	// verdict on this metric.
	Verdict Verdict `json:"verdict"`
}

// Measuring is what a node is measured by just now.
type Measuring struct {
	// benchmark whose program runs.
	// +kubebuilder:validation:MaxLength=63
	Benchmark string `json:"benchmark"`
	// attempt that it is, from 1.
	Attempt int32 `json:"attempt"`
	// round of the tournament, from 1. Unset: none.
	// +optional
	Round int32 `json:"round,omitempty"`
	// since: when the program started, by the node's clock. Where that cannot be true: when the API server created the pod or MPIJob.
	Since metav1.Time `json:"since"`
}

// NodeRow is one node of the run's table.
type NodeRow struct {
	// name of the node.
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
	// verdict so far.
	Verdict Verdict `json:"verdict"`
	// reason: one of the documented reasons.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	Reason string `json:"reason,omitempty"`
	// message: what was found, the number, what was expected.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Message string `json:"message,omitempty"`
	// note: what was, or could not be, done about the verdict, and what else to know of the node.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	Note string `json:"note,omitempty"`
	// tainted by Assay.
	// +optional
	Tainted bool `json:"tainted,omitempty"`
	// measuring: the benchmark that runs on the node now. Unset: none.
	// +optional
	Measuring *Measuring `json:"measuring,omitempty"`
	// metrics: the headline values.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	Metrics []HeadlineValue `json:"metrics,omitempty"`
}

// FabricFinding is what a run found where no single node is to blame. Population and Shift are warnings: they fail no run.
type FabricFinding struct {
	// kind: Link (between two nodes), Boundary (between two places), Set (of nodes), or Suspects (one of these nodes, or the
	// link between them, may be to blame); Population (like nodes of two levels, judged apart), or Shift (most nodes changed alike).
	// +kubebuilder:validation:Enum=Link;Boundary;Set;Suspects;Population;Shift
	Kind string `json:"kind"`
	// benchmark that found it.
	// +kubebuilder:validation:MaxLength=63
	Benchmark string `json:"benchmark"`
	// metric.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Metric string `json:"metric,omitempty"`
	// members: the nodes, or for a Boundary the places, at most 16.
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MaxLength=253
	Members []string `json:"members"`
	// message: the number, what was expected, what to do.
	// +kubebuilder:validation:MaxLength=1024
	Message string `json:"message"`
}

// PinnedObject is an object of the catalogue as it was when the run started.
type PinnedObject struct {
	// name of the object.
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
	// generation of its spec.
	Generation int64 `json:"generation"`
	// configuration of a Benchmark: hash of its image, command with this run's parameters, and environment.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	Configuration string `json:"configuration,omitempty"`
}

// PinnedCatalogue is what the run measures and compares with, as it was when the run started. Editing or deleting the objects
// does not affect a run that has started.
type PinnedCatalogue struct {
	// revision: the ControllerRevision in the benchmark namespace that keeps the specs.
	// +kubebuilder:validation:MaxLength=253
	Revision string `json:"revision"`
	// hash of its data, SHA-256 in hexadecimal: data of another hash is not used.
	// +kubebuilder:validation:MaxLength=64
	Hash string `json:"hash"`
	// benchmarks of the run, in the order they run.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	Benchmarks []PinnedObject `json:"benchmarks,omitempty"`
	// profiles: the HardwareProfiles, at most 64 are listed here; the revision keeps all.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	Profiles []PinnedObject `json:"profiles,omitempty"`
}

// ValidationRunStatus is what the run found so far.
type ValidationRunStatus struct {
	// observedGeneration of the spec that this status is about; -1 until the controller has seen the run.
	// +optional
	// +kubebuilder:default=-1
	ObservedGeneration int64 `json:"observedGeneration"`

	// verdict of the run: Pending, Pass, Fail, Inconclusive or Error.
	// +optional
	Verdict Verdict `json:"verdict,omitempty"`

	// progress: nodes done of all, for example 118/120.
	// +optional
	// +kubebuilder:validation:MaxLength=32
	Progress string `json:"progress,omitempty"`

	// startTime: when the run started, or went on after it was suspended; the deadline counts from here.
	// +optional
	StartTime *metav1.Time `json:"startTime,omitempty"`

	// completionTime: when the run finished.
	// +optional
	CompletionTime *metav1.Time `json:"completionTime,omitempty"`

	// duration from startTime to completionTime, for example 1h20m. Unset until the run has finished.
	// +optional
	// +kubebuilder:validation:MaxLength=32
	Duration string `json:"duration,omitempty"`

	// measures: the suite, and which of its benchmarks are overridden, or the benchmarks, by name.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	Measures string `json:"measures,omitempty"`

	// catalogue: the Benchmarks and HardwareProfiles that the run was started with, and uses to its end.
	// +optional
	Catalogue *PinnedCatalogue `json:"catalogue,omitempty"`

	// summary counts the nodes.
	// +optional
	Summary *RunSummary `json:"summary,omitempty"`

	// cost of all attempts that are stored so far, those before the run was suspended among them. Unset: none held a GPU, or an earlier
	// version measured.
	// +optional
	Cost *Cost `json:"cost,omitempty"`

	// worst: the worst node's name and message, for a glance.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	Worst string `json:"worst,omitempty"`

	// benchmarks: each headline metric over all nodes.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +listMapKey=metric
	// +kubebuilder:validation:MaxItems=256
	Benchmarks []BenchmarkSummary `json:"benchmarks,omitempty"`

	// nodes: at most 100, worst first. Every number of every node is in its ValidationResult.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=100
	Nodes []NodeRow `json:"nodes,omitempty"`

	// findings about links and sets of nodes, at most 50: what no single node is to blame for.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=50
	Findings []FabricFinding `json:"findings,omitempty"`

	// lastWriteError: what the API server refused to store at the last try, and why. Unset once it accepted it.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	LastWriteError string `json:"lastWriteError,omitempty"`

	// conditions: Finished, Succeeded, Reconciling, Stalled, Suspended.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=16
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}
