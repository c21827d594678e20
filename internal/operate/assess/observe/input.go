package observe

import (
	"errors"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/peak"
	"github.com/assay-dev/assay/internal/judge/summary"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/operate/pack"
	"github.com/assay-dev/assay/internal/operate/taint"
)

// Input is all that was read for one pass over a run. Its objects may be the cache's own: nothing here changes them.
type Input struct {
	Run *v1alpha1.ValidationRun
	// Now by the API server's clock.
	Now time.Time
	// Cut is what the run's deadline is.
	Cut summary.Cut
	// Tasks, cheapest first, and the profiles that give the peaks: the catalogue that the run was, or is to be, started with.
	Tasks    []Task
	Profiles peak.Profiles
	// TaintRefused says why the administrator does not allow the run's taint any more; empty: it is allowed.
	TaintRefused string
	// Nodes of the cluster.
	Nodes []*corev1.Node
	// Results of the run, of nodes and of groups.
	Results []*pack.Result
	// Jobs are the run's MPIJobs, without their specs; JobKind says whether the cluster knows the kind.
	Jobs    []metav1.PartialObjectMetadata
	JobKind JobKind
	// Pods of the benchmark namespace, of all runs.
	Pods []*corev1.Pod
	// Busy nodes by name, with what holds them: what a live look found lately.
	Busy map[string]string
	// CutShort says what attempts waited for that the deadline cut short in earlier passes.
	CutShort map[Attempted]string
	// StartedAnew are the pods and MPIJobs that made way for others of the same attempt in earlier passes.
	StartedAnew StartedAnew
	// ShortSince is when the run first saw nodes offer too few devices that still do, as its last pass said.
	ShortSince map[Short]time.Time
	// Changing are nodes, by name, that are not as they were read, as a live look found in this pass: nobody knows what they miss.
	Changing map[string]bool
	// Known is what other nodes of the cluster reached, as it was when the run started. KnownAnew: it was read in mid-run, as the operator was
	// started anew, so that it may not be what the stored verdicts follow from. Those stand.
	Known     []Known
	KnownAnew bool
	// Elsewhere is what other runs convicted lately.
	Elsewhere []taint.Alike
	// Validations by node, and Complaints by the UID of an MPIJob: its latest warning event. Those that Needs names.
	Validations map[string]*v1alpha1.NodeValidation
	// Memory of the passes before; nil: there is none.
	Memory     *Memory
	Complaints map[types.UID]string
}

// JobKind is how a run saw the kind of MPIJobs: whether the cluster knows it now, whether the run ever saw it, and since when
// it is missing.
type JobKind struct {
	Known, Seen  bool
	MissingSince time.Time
}

// Needs is what Run has to be given beside what every pass reads: it follows from that.
type Needs struct {
	// Nodes of the run, in order: all that is known of them.
	Nodes []string
	// StalledJobs: the MPI Operator does nothing about these MPIJobs, and tells why by an event only.
	StalledJobs map[types.UID]bool
}

// Needs says what else is to be read.
func (in *Input) Needs() (Needs, error) {
	s, err := Observe(*in)
	if err != nil {
		return Needs{}, err
	}
	return Needs{Nodes: list.Map(s.Nodes, (*ObservedNode).Key), StalledJobs: s.stalledJobs()}, nil
}

// ErrInvalid marks what only a person can put right: the spec refers to what does not exist, or sets what is not allowed.
var ErrInvalid = errors.New("")

// Invalid is an error that only a person can put right.
func Invalid(why string) error { return fmt.Errorf("%w%s", ErrInvalid, why) }

// Attempted is one benchmark on one node.
type Attempted struct{ Node, Benchmark string }

// StartedAnew are the pods and MPIJobs that made way for others of the same attempt, by their name, which is the attempt's.
type StartedAnew map[string][]types.UID

// Add what a pass adds. Passes may meet the same pod several times.
func (a StartedAnew) Add(more StartedAnew) {
	for name, uids := range more {
		for _, uid := range uids {
			if !slices.Contains(a[name], uid) {
				a[name] = append(slices.Clip(a[name]), uid)
			}
		}
	}
}
