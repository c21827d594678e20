package campaign

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/test/campaign/sim"
)

// machineTruth is what is true of the machine of a Node, and since when, whatever the API server says of it. It stays when the machine has gone.
type machineTruth struct {
	uid types.UID // of the Node
	// unfitSince by benchmark, for as long as the machine is slow; everUnfit: it was slow once, or lost a device.
	unfitSince map[string]time.Time
	everUnfit  bool
	// disturbed is how many programs measured too little, although the machine is fit.
	disturbed int
	// lies: what its kubelet, or the driver of its devices, says is not true.
	lies bool
	// sharedSince its GPUs are no whole ones; dividedLast is when they were divided, or made whole, last.
	sharedSince, dividedLast time.Time
	// offers so many devices; others it offered until then.
	offers  int
	offered map[int]time.Time
}

// truthOf the machine of a Node.
func (c *cluster) truthOf(uid types.UID) *machineTruth {
	t := c.truths[uid]
	if t == nil {
		t = &machineTruth{uid: uid, unfitSince: map[string]time.Time{}, offered: map[int]time.Time{}}
		c.truths[uid] = t
	}
	return t
}

// slowSince says since when a machine is slow by a benchmark with a bound of its own, so that every measurement shows it; zero: it is not.
func (t *machineTruth) slowSince(benchmark string) time.Time {
	if benchmark == "fleet" || benchmark == "net" { // among slow ones a slow one is as good as any
		return time.Time{}
	}
	return t.unfitSince[benchmark]
}

// moreSince then the machine offers more devices, or divides them.
func (t *machineTruth) moreSince(then time.Time) bool {
	for count, until := range t.offered {
		if until.After(then) && count < t.offers {
			return true
		}
	}
	return t.dividedLast.After(then)
}

// noteOffer of so many devices as the machine offers now.
func (m *machine) noteOffer() {
	m.truth.offered[m.truth.offers], m.truth.offers = m.cluster.Now(), m.gpus
}

// noteSharing: since when the GPUs of the machine are no whole ones.
func (m *machine) noteSharing() {
	m.truth.dividedLast = m.cluster.Now()
	switch {
	case m.shares == "":
		m.truth.sharedSince = time.Time{}
	case m.spec.Shares != "": // from the beginning
		m.truth.sharedSince = sim.Epoch.Add(-time.Hour)
	default:
		m.truth.sharedSince = m.cluster.Now()
	}
}

// slowness of a machine that is slow.
const slowness = 0.6

// slowOn these benchmarks the machine is from now on.
func (m *machine) slowOn(benchmarks []string) {
	for _, b := range benchmarks {
		m.slow[b], m.truth.everUnfit = slowness, true
		if m.truth.unfitSince[b].IsZero() {
			m.truth.unfitSince[b] = m.cluster.Now()
		}
	}
}

// repair all that is slow.
func (m *machine) repair() {
	m.slow, m.second, m.truth.unfitSince = map[string]float64{}, -1, map[string]time.Time{}
}

// loseGPU for a while: the last one, or the slow one.
func (m *machine) loseGPU(worst bool, d time.Duration) {
	if m.gpus < 2 || m.gpus < m.full {
		return
	}
	m.lost = m.full - 1
	if worst {
		m.lost = m.worst()
	}
	m.truth.everUnfit = true
	m.haveGPUs(m.gpus - 1)
	m.cluster.After(d, func() { m.haveGPUs(m.gpus + 1) })
}

// haveGPUs, so many, and say so.
func (m *machine) haveGPUs(n int) {
	m.gpus = n
	m.noteOffer()
	m.report(corev1.ConditionTrue)
	m.publish()
}

// heal what is broken, but for what is slow.
func (m *machine) heal() {
	m.garbled, m.hangs, m.disturbed = 0, 0, 0
	m.comeBack()
	m.restore()
	for _, p := range m.cluster.running(m) {
		if p.hangs && p.pod.Labels[v1alpha1.LabelBenchmark] != "" {
			p.end("", 137)
		}
	}
}
