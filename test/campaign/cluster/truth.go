package cluster

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/test/campaign/cases"
	"github.com/assay-dev/assay/test/campaign/sim"
)

// Truth is what is true of the machine of a Node, and since when, whatever the API server says of it. It stays when the machine has gone.
type Truth struct {
	UID types.UID // of the Node
	// unfitSince by benchmark, for as long as the machine is slow; EverUnfit: it was slow once, or lost a device.
	unfitSince map[string]time.Time
	EverUnfit  bool
	everSlow   []string
	// Disturbed is how many programs measured too little, although the machine is fit.
	Disturbed int
	// Lies: what its kubelet, or the driver of its devices, says is not true.
	Lies bool
	// SharedSince its GPUs are no whole ones; DividedLast is when they were divided, or made whole, last.
	SharedSince, DividedLast time.Time
	// Offers so many devices; others it offered until then.
	Offers  int
	Offered map[int]time.Time
}

// TruthOf the machine of a Node.
func (c *Cluster) TruthOf(uid types.UID) *Truth {
	t := c.truths[uid]
	if t == nil {
		t = &Truth{UID: uid, unfitSince: map[string]time.Time{}, Offered: map[int]time.Time{}}
		c.truths[uid] = t
	}
	return t
}

// SlowSince says since when a machine is slow by a benchmark with a bound of its own, so that every measurement shows it; zero: it is not.
func (t *Truth) SlowSince(benchmark string) time.Time {
	if benchmark == "fleet" || cases.IsGroup(benchmark) { // among slow ones a slow one is as good as any
		return time.Time{}
	}
	return t.unfitSince[benchmark]
}

// EverSlow by a benchmark was the machine.
func (t *Truth) EverSlow(benchmark string) bool { return slices.Contains(t.everSlow, benchmark) }

// noteOffer of so many devices as the machine offers now.
func (m *Machine) noteOffer() {
	m.Truth.Offered[m.Truth.Offers], m.Truth.Offers = m.cluster.Now(), m.GPUs
}

// noteSharing: since when the GPUs of the machine are no whole ones.
func (m *Machine) noteSharing() {
	m.Truth.DividedLast = m.cluster.Now()
	switch {
	case m.Shares == "":
		m.Truth.SharedSince = time.Time{}
	case m.Spec.Shares != "": // from the beginning
		m.Truth.SharedSince = sim.Epoch.Add(-time.Hour)
	default:
		m.Truth.SharedSince = m.cluster.Now()
	}
}
