package doctor

import (
	"cmp"
	"time"

	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
)

const (
	// clockTolerance is how far clocks may be apart: timestamps of the API server have whole seconds.
	clockTolerance = 5 * time.Second
	// nodeTolerance for nodes: kubelets renew their leases every 10 s.
	nodeTolerance = 30 * time.Second
)

// now by the API server's clock, or, where it did not say, by this computer's.
func (f *Facts) now() time.Time { return cmp.Or(f.There.Value, f.Here) }

// stale says whether the lease has run out, and nobody renewed it.
func (l *Lease) stale() bool { return l.age() > l.Duration+clockTolerance }

// clock checks that this computer and the API server agree what time it is. What waits, and how old something is, is shown by this one's.
func clock(f *Facts) findings {
	if f.There.Problem != "" {
		return one(Unknown, "%s", f.There.Problem)
	}
	skew := f.Here.Sub(f.There.Value)
	if skew.Abs() > clockTolerance+f.Uncertain {
		way := "ahead of"
		if skew < 0 {
			way = "behind"
		}
		return one(Warn, "this computer's clock is %s %s the API server's: correct one of them, or ages and waits will be wrong", message.Duration(skew.Abs()), way)
	}
	return one(OK, "this computer and the API server agree within %s", message.Duration(clockTolerance))
}

// nodeClocks: Ready nodes renew their leases by their own clocks.
func nodeClocks(f *Facts) findings {
	if f.NodeLeases.Problem != "" {
		return unread("Leases", f.NodeLeases.Problem)
	}
	ages := make(map[string]time.Duration, len(f.NodeLeases.Value))
	for l := range list.Each(f.NodeLeases.Value) {
		ages[l.Name] = l.age()
	}
	var ahead, behind []string
	for n := range list.Each(f.Nodes.Value) {
		age, known := ages[n.Name]
		switch {
		case !known || !n.Ready:
		case age < -clockTolerance:
			ahead = append(ahead, n.Name)
		case age > nodeTolerance:
			behind = append(behind, n.Name)
		}
	}
	var found findings
	found.about(ahead, Warn, "the clocks of %s are more than %s ahead of the API server's: check "+
		"whether chrony or ntpd runs there: %s", message.Several(len(ahead), "node"), message.Duration(clockTolerance))
	found.about(behind, Warn, "the leases of %s are older than %s by the API server's clock: the clocks there are behind, or the nodes are about to be NotReady: %s",
		message.Several(len(behind), "Ready node"), message.Duration(nodeTolerance))
	return found.or("the leases of %s agree with the API server's clock", message.Several(len(ages), "node"))
}
