package controllers

import (
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/plan"
	"github.com/assay-dev/assay/internal/taint"
	"github.com/assay-dev/assay/internal/verdict"
)

// scope is all that was read for one pass over one run, and what was concluded from it. Objects from the cache are never
// changed; what is to be written is a copy.
type scope struct {
	run      *v1alpha1.ValidationRun
	now      time.Time
	started  time.Time
	deadline time.Time
	pin      *pin
	tasks    []task
	nodes    []*nodeScope
	profiles verdict.Profiles
	// badProfiles says which HardwareProfiles cannot be read and so give no peak; nil for none.
	badProfiles error
	// groups by the names of their results; leftovers are pods of MPIJobs that are gone.
	groups    map[string]*groupScope
	leftovers []*corev1.Pod
	// index of the groups that were measured or have jobs.
	index groupIndex
	// operatorSeen: the newest sign of life of the MPI Operator in this run's MPIJobs; silent: it has left one of them undone.
	operatorSeen time.Time
	silent       bool
	// mpiMissing: the cluster does not know MPIJobs. mpiAway: it did a moment ago, and may again.
	mpiMissing, mpiAway bool
	// findings about links and sets of nodes.
	findings []v1alpha1.FabricFinding
	// woken: earliest time at which a group has to be looked at without a change.
	woken  time.Time
	waking sync.Mutex // launches run in parallel

	plan    plan.Plan
	breaker breaker
	// budgetSpent says why no more nodes are tainted in this pass; empty: more may be. Held under RunReconciler.taints.
	budgetSpent string
	// taintRefused says why the administrator does not allow the run's taint any more; empty: it is allowed.
	taintRefused string
	// clusterNodes: how many nodes the cluster has.
	clusterNodes int
	// failed is what could not be written in this pass.
	failed error
}

// task is one benchmark of the run.
type task struct {
	benchmark     *v1alpha1.Benchmark
	argv          []string
	metrics       []v1alpha1.Metric
	configuration string
	// parameters: the run sets some; overridden: metrics of which it sets the expectation.
	parameters bool
	overridden []string
	fleet      *verdict.Fleet
}

func (t task) name() string { return t.benchmark.Name }

// asCatalogued: the run judges a metric just as the Benchmark asks.
func (t task) asCatalogued(metric string) bool {
	return !t.parameters && !slices.Contains(t.overridden, metric)
}

func (t task) timeout() time.Duration {
	return time.Duration(t.benchmark.Spec.TimeoutSeconds) * time.Second
}

// nodeScope is one node of the run.
type nodeScope struct {
	name string
	// node is nil where there is none of this name.
	node  *corev1.Node
	facts plan.Facts
	// occupied says who else holds the node; held, which pod of this run's last measurement has still to go.
	occupied   string
	held       string
	peaks      verdict.Peaks
	validation *v1alpha1.NodeValidation
	// stored is the result in the cluster, nil for none; result is what it is to become.
	stored, result *v1alpha1.ValidationResult
	// unstored says why the API server would not store it.
	unstored error
	pods     []*podScope
	// by task:
	unmet     []string
	decisions []verdict.Decision
	// away says why the node, which takes part in the group benchmark that is judged, cannot be measured any more; nil: it can.
	away *verdict.Decision
	// grouped are the attempts of group benchmarks, made from those of the groups.
	grouped [][]v1alpha1.Attempt

	verdict         v1alpha1.Verdict
	reason, message string
	// remark is what was, or was not, done about the verdict, and what the node still owes; for its row.
	remark string
	// lookAgain: earliest time at which one of its pods has to be looked at without a change.
	lookAgain time.Time
}

// podScope is one pod of the run.
type podScope struct {
	pod *corev1.Pod
	// nodeUID, task and attempt as its name proves them; task is -1 where it is that of no attempt.
	nodeUID types.UID
	task    int
	attempt int32
	// ended: its attempt is in the result.
	ended bool
	// waits says why it does not run yet.
	waits string
}

// wake remembers the earliest time at which the run has to be looked at; zero: none.
func (s *scope) wake(at time.Time) {
	s.waking.Lock()
	defer s.waking.Unlock()
	if !at.IsZero() && (s.woken.IsZero() || at.Before(s.woken)) {
		s.woken = at
	}
}

// final: there is a verdict and nothing more to measure.
func (n *nodeScope) final() bool { return n.verdict != v1alpha1.VerdictPending }

// attempts stored for a task.
func (n *nodeScope) attempts(name string) []v1alpha1.Attempt {
	if b := n.benchmark(name); b != nil {
		return b.Attempts
	}
	return nil
}

func (n *nodeScope) benchmark(name string) *v1alpha1.BenchmarkResult {
	if n.result == nil {
		return nil
	}
	for i := range n.result.Benchmarks {
		if n.result.Benchmarks[i].Name == name {
			return &n.result.Benchmarks[i]
		}
	}
	return nil
}

// tainted: the node carries the taint that Assay remembers to have put there.
func (n *nodeScope) tainted() bool {
	return n.node != nil && n.validation != nil && taint.Carries(n.node.Spec.Taints, n.validation.Quarantine)
}

func (s *scope) overdue() bool { return !s.now.Before(s.deadline) }

// pastCleanup: the run is over, and its last pods had their time to go.
func (s *scope) pastCleanup() bool { return !s.now.Before(s.deadline.Add(cleanupGrace)) }
