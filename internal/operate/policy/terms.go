package policy

import (
	"hash/fnv"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/peak"
)

// terms are what a policy asks of a node.
type terms struct {
	benchmarks []Benchmark
	on         changes
	// validFor is how long a pass is good; 0: for ever.
	validFor time.Duration
	// requested: what was measured before does not count; zero: all of it may.
	requested time.Time
	now       time.Time
	machines  machines
	compared  compared
}

// compared is the latest comparison of a machine with what its node is.
type compared struct {
	was      *v1alpha1.Machine
	resource string
	group    bool
	node     *Node
	change   v1alpha1.Change
}

func newTerms(policy *v1alpha1.ValidationPolicy, benchmarks []Benchmark, profiles peak.Profiles, request *v1alpha1.ValidateNow, now time.Time) *terms {
	t := &terms{benchmarks: benchmarks, on: changesOf(policy.Spec.RevalidateOn), now: now, machines: machines{known: map[kind]v1alpha1.Machine{}, profiles: profiles}}
	if v := policy.Spec.ValidForSeconds; v != nil {
		t.validFor = seconds(*v)
	}
	if request != nil {
		t.requested = request.Time.Time
	}
	return t
}

func seconds[T int32 | int64](n T) time.Duration { return time.Duration(n) * time.Second }

// expires is when a measurement of this time is too old; zero: never.
func (t *terms) expires(measured time.Time) time.Time {
	if t.validFor == 0 {
		return time.Time{}
	}
	return measured.Add(t.validFor)
}

// Renewal comes from 80% of the time that a pass is valid, spread over the next 15%: nodes that were measured in one hour are not
// measured again in one hour, and 5% are left to measure them before their passes expire.
const (
	renewalFrom, renewalSpread = 0.8, 0.15
)

// renews is when a pass of this time is to be renewed; zero: never. Each node has its own share of the spread.
func (t *terms) renews(uid types.UID, measured time.Time) time.Time {
	if t.validFor == 0 {
		return time.Time{}
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(uid))
	share := renewalFrom + renewalSpread*float64(h.Sum32())/float64(1<<32)
	return measured.Add(time.Duration(share * float64(t.validFor))).Truncate(time.Second)
}

// slack is how much later than it could a renewal may come: 1% of the time that a pass is valid. Nodes wait so long for others to share
// a run with, and for their work to end.
func (t *terms) slack() time.Duration { return t.validFor / 100 }

// young: a measurement of this time is not too old.
func (t *terms) young(measured time.Time) bool {
	return t.validFor == 0 || t.now.Before(measured.Add(t.validFor))
}

// counts: a measurement of this time was not asked for anew since.
func (t *terms) counts(measured time.Time) bool { return !measured.Before(t.requested) }
