package validity

import (
	"hash/fnv"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/peak"
)

// Terms are what a policy asks of a node.
type Terms struct {
	benchmarks []Benchmark
	on         changes
	// validFor is how long a pass is good; 0: for ever.
	validFor time.Duration
	// Requested: what was measured before does not count; zero: all of it may.
	Requested time.Time
	now       time.Time
	profiles  peak.Profiles
}

// New are the terms of a policy.
func New(policy *v1alpha1.ValidationPolicy, benchmarks []Benchmark, profiles peak.Profiles, request *v1alpha1.ValidateNow, now time.Time) *Terms {
	t := &Terms{benchmarks: benchmarks, on: changesOf(policy.Spec.RevalidateOn), now: now, profiles: profiles}
	if v := policy.Spec.ValidForSeconds; v != nil {
		t.validFor = time.Duration(*v) * time.Second
	}
	if request != nil {
		t.Requested = request.Time.Time
	}
	return t
}

// Expires is when a measurement of this time is too old; zero: never.
func (t *Terms) Expires(measured time.Time) time.Time {
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

// Renews is when a pass of this time is to be renewed; zero: never. Each node has its own share of the spread.
func (t *Terms) Renews(uid types.UID, measured time.Time) time.Time {
	if t.validFor == 0 {
		return time.Time{}
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(uid))
	share := renewalFrom + renewalSpread*float64(h.Sum32())/float64(1<<32)
	return measured.Add(time.Duration(share * float64(t.validFor))).Truncate(time.Second)
}

// Slack is how much later than it could a renewal may come: 1% of the time that a pass is valid. Nodes wait so long for others to share
// a run with, and for their work to end.
func (t *Terms) Slack() time.Duration { return t.validFor / 100 }

// Counts: a measurement of this time was not asked for anew since.
func (t *Terms) Counts(measured time.Time) bool { return !measured.Before(t.Requested) }

// Node is a node of the cluster, and what is known of it; nil: nothing is.
type Node struct {
	Object     *corev1.Node
	Validation *v1alpha1.NodeValidation
}

// Benchmark is one measurement that the policy asks for.
type Benchmark struct {
	// Object is the Benchmark as it is in the catalogue now.
	Object *v1alpha1.Benchmark
	// Asked is the hash of what the policy's runs ask for: image, command, environment, own expectations.
	Asked string
	// Own: the policy sets parameters or expectations, so that only a pass of just what it asks for counts.
	Own bool
}

// FabricOf a node by which it reaches others now; empty: the pod network, or no benchmark measures groups.
func (t *Terms) FabricOf(n *corev1.Node) string {
	for _, b := range t.benchmarks {
		if b.Object.Spec.Scope == v1alpha1.ScopeGroup {
			return t.Machine(n, b.Object).Fabric
		}
	}
	return ""
}
