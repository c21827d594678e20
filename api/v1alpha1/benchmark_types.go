package v1alpha1

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Scope says how many nodes one measurement spans.
// +kubebuilder:validation:Enum=Node;Group
type Scope string

// The scopes.
const (
	// ScopeNode: one pod on one node.
	ScopeNode Scope = "Node"
	// ScopeGroup: one MPIJob over several nodes.
	ScopeGroup Scope = "Group"
)

// BenchmarkSpec is one measurement of the catalogue.
// +kubebuilder:validation:XValidation:rule="has(self.image) || has(self.siteImage)",message="image is missing: name the image that holds the program, or say in siteImage what the site has to provide"
// +kubebuilder:validation:XValidation:rule="(has(self.scope) && self.scope == 'Group') == has(self.group)",message="group belongs to scope Group, and scope Group needs it: say at least group.size"
// +kubebuilder:validation:XValidation:rule="!has(self.group) || type(self.group.slotsPerWorker) == int || self.group.slotsPerWorker != 'Devices' || (has(self.needs) && has(self.needs.deviceResource))",message="group.slotsPerWorker Devices needs needs.deviceResource: name the resource that is counted"
// +kubebuilder:validation:XValidation:rule="!has(self.group) || !has(self.group.rounds) || (type(self.group.size) == int && self.group.size == 2)",message="group.rounds is only for pairs: set group.size to 2, or leave rounds out"
// +kubebuilder:validation:XValidation:rule="!has(self.facts) || !has(self.scope) || self.scope != 'Group'",message="facts are only for scope Node: a fact is one node's, whatever group it is measured in"
// +kubebuilder:validation:XValidation:rule="!has(self.group) || !has(self.group.sizes) || self.metrics.exists(m, has(m.scaling))",message="group.sizes needs a metric with scaling: say which one is to grow with the number of nodes"
// +kubebuilder:validation:XValidation:rule="self.metrics.exists(m, has(m.headline) && m.headline)",message="at least one metric must have headline: true, so that the run's table has something to show"
// +kubebuilder:validation:XValidation:rule="self.metrics.all(m, !has(m.dependsOn) || self.metrics.exists(n, n.name == m.dependsOn && n.name != m.name))",message="dependsOn must name another metric of spec.metrics"
// +kubebuilder:validation:XValidation:rule="!has(self.output.patterns) || self.output.patterns.all(p, self.metrics.exists(m, m.name == p.metric))",message="every output pattern must name one of spec.metrics"
// +kubebuilder:validation:XValidation:rule="!has(self.scope) || self.scope != 'Group' || !(has(self.quietHost) && self.quietHost) && !self.metrics.exists(m, has(m.quietHost) && m.quietHost)",message="quietHost is only for scope Node: of a group it is not known on which node others were at work"
type BenchmarkSpec struct {
	// description: what is measured and how, in a sentence or two.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=2048
	Description string `json:"description"`

	// scope: Node (one pod on one node) or Group (one MPIJob over several nodes; needs the MPI Operator). Default Node.
	// +optional
	// +kubebuilder:default=Node
	Scope Scope `json:"scope,omitempty"`

	// group: the nodes of one measurement; for scope Group. The command is then the launcher's and starts with mpirun.
	// +optional
	Group *Group `json:"group,omitempty"`

	// suites this benchmark belongs to, for example quick, standard, acceptance.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MaxLength=63
	// +kubebuilder:validation:items:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	Suites []string `json:"suites,omitempty"`

	// image that holds the program, best by digest. Unset: siteImage says what the site has to provide, and the benchmark is skipped with
	// reason ImageNotProvided until somebody sets it.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:Pattern=`^[a-zA-Z0-9][a-zA-Z0-9._:/@-]*$`
	Image string `json:"image,omitempty"`

	// siteImage: what an image of the site's own has to hold, for a program that nobody may give away or that each site builds for itself.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	SiteImage string `json:"siteImage,omitempty"`

	// command: the argument vector, run as it is (no shell). $(name) is replaced by the parameter of that name.
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MaxLength=512
	Command []string `json:"command"`

	// env: fixed environment variables of the program.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=64
	Env []EnvVar `json:"env,omitempty"`

	// parameters that a run may set.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=32
	Parameters []ParameterSpec `json:"parameters,omitempty"`

	// needs: what a node must offer and what the pod requests.
	// +optional
	Needs Needs `json:"needs,omitzero"`

	// privileges beyond an ordinary container. Default: none.
	// +optional
	Privileges Privileges `json:"privileges,omitzero"`

	// timeoutSeconds: the program is killed after this time. Default 600.
	// +optional
	// +kubebuilder:default=600
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=86400
	TimeoutSeconds int32 `json:"timeoutSeconds,omitempty"`

	// costSeconds: about how long it takes, of a Group one MPIJob of it; cheaper benchmarks of a run go first. Default 60.
	// +optional
	// +kubebuilder:default=60
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=86400
	CostSeconds int32 `json:"costSeconds,omitempty"`

	// atRest: it measures the node while nothing runs, so it goes before all others of a run. Default false.
	// +optional
	AtRest bool `json:"atRest,omitempty"`

	// quietHost: other work on the host's processors and memory slows what it measures. A slow measurement beside which others took at least 3%
	// of the processors' time counts as disturbed: it is made again, and proves nothing. A good one counts as ever. Default false.
	// +optional
	QuietHost bool `json:"quietHost,omitempty"`

	// output: how the program's output is read.
	Output Output `json:"output"`

	// metrics that the benchmark measures; a metric of the output that is not listed here is kept, never judged.
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=32
	Metrics []Metric `json:"metrics"`

	// facts that are judged; all others are kept, never judged.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=64
	Facts []FactExpectation `json:"facts,omitempty"`
}

// Benchmark is one measurement of the catalogue. Only a cluster administrator writes it: it says which image and command run.
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Cluster,shortName=vbench
// +kubebuilder:printcolumn:name="Scope",type=string,JSONPath=`.spec.scope`
// +kubebuilder:printcolumn:name="Device",type=string,JSONPath=`.spec.needs.deviceResource`
// +kubebuilder:printcolumn:name="Cost",type=integer,JSONPath=`.spec.costSeconds`,description="About how many seconds it takes"
// +kubebuilder:printcolumn:name="Privileged",type=boolean,JSONPath=`.spec.privileges.privileged`
// +kubebuilder:printcolumn:name="Image",type=string,JSONPath=`.spec.image`,priority=1
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 40",message="the name of a Benchmark may have at most 40 characters: it becomes part of pod names"
type Benchmark struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec BenchmarkSpec `json:"spec"`
}

// BenchmarkList is a list of Benchmarks.
// +kubebuilder:object:root=true
type BenchmarkList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Benchmark `json:"items"`
}

// CompareOrder says which of two benchmarks of a run goes first: what measures the node at rest, then what is cheaper, then by name.
func CompareOrder(a, b *Benchmark) int {
	if a.Spec.AtRest != b.Spec.AtRest {
		if a.Spec.AtRest {
			return -1
		}
		return 1
	}
	return cmp.Or(cmp.Compare(a.Spec.CostSeconds, b.Spec.CostSeconds), cmp.Compare(a.Name, b.Name))
}

// Suites that a benchmark belongs to: those that it lists, then those of its labels.
func (b *Benchmark) Suites() []string {
	all := slices.Clone(b.Spec.Suites)
	for _, label := range slices.Sorted(maps.Keys(b.Labels)) {
		if suite, is := strings.CutPrefix(label, LabelSuite); is && !slices.Contains(all, suite) {
			all = append(all, suite)
		}
	}
	return all
}
