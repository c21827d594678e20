// Package doctor says whether an installation is sound: what was read of a cluster goes in, findings come out, each with what to do. It is
// pure; internal/reader/cli reads.
package doctor

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/dra"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/operate/devicerule"
)

// Status of a finding.
type Status string

// How a check ended. Unknown: it could not look.
const (
	OK      Status = "ok"
	Warn    Status = "warn"
	Fail    Status = "FAIL"
	Unknown Status = "?"
)

// Finding is what one check says.
type Finding struct {
	Check   string `json:"check"`
	Status  Status `json:"status"`
	Message string `json:"message"`
}

// Seen is what was read, or why it was not.
type Seen[T any] struct {
	Value T
	// Problem is why nothing was read; empty: something was.
	Problem string
}

// Facts are all that was read.
type Facts struct {
	// Version of this program, and the manifests that it has in itself.
	Version   string
	KnownCRDs []apiextensionsv1.CustomResourceDefinition
	// KnownPolicies are the names of the ValidatingAdmissionPolicies, without the prefix of the installation.
	KnownPolicies []string

	// Here is the time of this computer when the API server said that it is There. Uncertain is how long the answer took.
	Here      time.Time
	There     Seen[time.Time]
	Uncertain time.Duration

	// APIServer is its version. NoGates: it lacks MutatingAdmissionPolicies.
	APIServer Seen[string]
	NoGates   bool

	CRDs        Seen[[]apiextensionsv1.CustomResourceDefinition]
	Deployments Seen[[]appsv1.Deployment]
	// Leases of the operator, and of MPI Operators.
	Lease     Seen[*Lease]
	MPILeases Seen[[]Lease]
	// Namespaces by name: their labels, nil where there is no such namespace.
	Namespaces map[string]Seen[map[string]string]
	Policies   Seen[[]admissionv1.ValidatingAdmissionPolicy]
	Bindings   Seen[[]admissionv1.ValidatingAdmissionPolicyBinding]
	// OperatorRights and UserRights were asked for one by one.
	OperatorRights, UserRights Seen[[]Right]

	Nodes Seen[[]Node]
	// NoSlices: the API server serves no ResourceSlices. SlicesProblem is why they were not read; empty: they were.
	NoSlices      bool
	SlicesProblem string

	// Rules of devices, of the nodes that have some or are to have some. NoRules: the API server serves none.
	Rules   Seen[[]Rules]
	NoRules bool

	NodeLeases Seen[[]Lease]
	Benchmarks Seen[[]v1alpha1.Benchmark]
	Profiles   Seen[[]v1alpha1.HardwareProfile]
	// Runs that are not over, and all policies.
	Runs               Seen[[]v1alpha1.ValidationRun]
	ValidationPolicies Seen[[]v1alpha1.ValidationPolicy]

	// HasMonitors says whether the cluster knows ServiceMonitors. Monitors are all of them, Services those of the operator's namespace.
	HasMonitors bool
	Monitors    Seen[[]Monitor]
	Services    Seen[[]corev1.Service]
	// Pulls that were tried; nil: none.
	Pulls []Pull
}

// Lease is who leads, or a node's sign of life.
type Lease struct {
	Namespace, Name, Holder string
	Renewed                 time.Time
	Duration                time.Duration
	// Read is when it was read, by the API server's clock, or, where it did not say, by this computer's.
	Read time.Time
}

// age since it was renewed, when it was read. Later reads of other kinds take their time and make it no older.
func (l *Lease) age() time.Duration { return l.Read.Sub(l.Renewed) }

// Right is something that the operator or the user has to be allowed.
type Right struct {
	Verb, Resource, Namespace string
	Allowed                   bool
}

// Node is what the checks ask of a node.
type Node struct {
	Name   string
	Labels map[string]string
	Ready  bool
	GPUs   int64
	// Published is what a DRA driver publishes of its devices; nil: nothing.
	Published *dra.Offer
	Taints    []corev1.Taint
}

// Rules are the DeviceTaintRules of a node's devices that are out of service. Plugin: a device plugin hands out its devices.
type Rules struct {
	Node   string
	Plugin bool
	devicerule.Standing
}

// Monitor is what is asked of a ServiceMonitor.
type Monitor struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Selector          metav1.LabelSelector `json:"selector"`
		NamespaceSelector struct {
			Any        bool     `json:"any"`
			MatchNames []string `json:"matchNames"`
		} `json:"namespaceSelector"`
	} `json:"spec"`
}

// Pull of an image on a node. Problem is why it did not come; empty: it did.
type Pull struct {
	Image, Node, Problem string
	Took                 time.Duration
}

// Examine says what each check finds, in an order in which what comes first may explain what follows.
func Examine(f *Facts) []Finding {
	var all []Finding
	for _, c := range checks {
		found := c.examine(f)
		for i := range found {
			found[i].Check = c.name
		}
		all = append(all, found...)
	}
	return all
}

// check is one of what is looked at.
type check struct {
	name string
	look func(f *Facts) findings
	// problem is why what it looks at was not read, reads its name; empty: another check says it.
	reads   string
	problem func(f *Facts) string
}

func (c check) examine(f *Facts) findings {
	if c.problem == nil || c.problem(f) == "" {
		return c.look(f)
	}
	if c.reads == "" {
		return nil
	}
	return unread(c.reads, c.problem(f))
}

var checks = []check{
	{"api-server", apiServer, "/version", func(f *Facts) string { return f.APIServer.Problem }},
	{"kinds", crds, "CustomResourceDefinitions", func(f *Facts) string { return f.CRDs.Problem }},
	{"operator", operator, "Deployments", func(f *Facts) string { return f.Deployments.Problem }},
	{"version", version, "", nil},
	{"leader", located(leader), "", nil},
	{"operator-rights", located(operatorRights), "", nil},
	{"user-rights", userRights, "", nil},
	{"namespaces", located(namespaces), "", nil},
	{"admission", located(admission), "ValidatingAdmissionPolicies", func(f *Facts) string { return cmp.Or(f.Policies.Problem, f.Bindings.Problem) }},
	{"mpi-operator", mpiOperator, "", nil},
	{"devices", devices, "nodes", nodesProblem},
	{"labels", gpuLabels, "", nil},
	{"profiles", profiles, "HardwareProfiles", func(f *Facts) string { return f.Profiles.Problem }},
	{"taints", taints, "", nodesProblem},
	{"out-of-service", outOfService, "", nodesProblem},
	{"images", images, "", nil},
	{"metrics", metrics, "ServiceMonitors", func(f *Facts) string { return f.Monitors.Problem }},
	{"clock", clock, "", nil},
	{"node-clocks", nodeClocks, "", nodesProblem},
	{"catalogue", catalogue, "Benchmarks", func(f *Facts) string { return f.Benchmarks.Problem }},
	{"runs", runs, "ValidationRuns", func(f *Facts) string { return f.Runs.Problem }},
	{"policies", policies, "ValidationPolicies", func(f *Facts) string { return f.ValidationPolicies.Problem }},
}

func nodesProblem(f *Facts) string { return f.Nodes.Problem }

// Worst of all findings: FAIL goes before what could not be looked at, and that before a warning.
func Worst(all []Finding) Status {
	for _, s := range []Status{Fail, Unknown, Warn} {
		if slices.ContainsFunc(all, func(f Finding) bool { return f.Status == s }) {
			return s
		}
	}
	return OK
}

// findings of one check. Each is one line: what was found, and, where it is not as it should be, what to do.
type findings []Finding

func (all *findings) add(s Status, format string, args ...any) {
	*all = append(*all, Finding{Status: s, Message: fmt.Sprintf(format, args...)})
}

// about adds what is wrong with some things, if any: their names are the last argument.
func (all *findings) about(names []string, s Status, format string, args ...any) {
	if len(names) > 0 {
		all.add(s, format, append(args, message.Names(names))...)
	}
}

// or says that all is well, where nothing was found.
func (all findings) or(format string, args ...any) findings {
	if len(all) > 0 {
		return all
	}
	return one(OK, format, args...)
}

func one(s Status, format string, args ...any) (all findings) {
	all.add(s, format, args...)
	return all
}

func unread(what, why string) findings { return one(Unknown, "could not read %s: %s", what, why) }
