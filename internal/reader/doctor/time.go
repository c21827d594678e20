package doctor

import (
	"fmt"
	"time"

	"github.com/assay-dev/assay/internal/message"
)

const (
	// clockTolerance is how far clocks may be apart: timestamps of the API server have whole seconds.
	clockTolerance = 5 * time.Second
	// nodeTolerance for nodes: kubelets renew their leases every 10 s.
	nodeTolerance = 30 * time.Second
)

// now by the API server's clock, or, where it did not say, by this computer's.
func (f *Facts) now() time.Time {
	if f.There.Problem != "" {
		return f.Here
	}
	return f.There.Value
}

// stale says whether the lease has run out, and nobody renewed it.
func (l *Lease) stale() bool { return l.age() > l.Duration+clockTolerance }

// clock checks that this computer and the API server agree what time it is. What waits, and how old something is, is shown by this one's.
func clock(f *Facts) []Finding {
	if f.There.Problem != "" {
		return one(Unknown, f.There.Problem)
	}
	skew := f.Here.Sub(f.There.Value)
	if skew.Abs() > clockTolerance+f.Uncertain {
		return one(Warn, doctorClock(skew))
	}
	return one(OK, fmt.Sprintf("this computer and the API server agree within %s", message.Duration(clockTolerance)))
}

// nodeClocks: Ready nodes renew their leases by their own clocks.
func nodeClocks(f *Facts) []Finding {
	switch {
	case f.Nodes.Problem != "":
		return nil // said by the check of devices
	case f.NodeLeases.Problem != "":
		return one(Unknown, doctorUnread("Leases", f.NodeLeases.Problem))
	}
	ages := make(map[string]time.Duration, len(f.NodeLeases.Value))
	for i := range f.NodeLeases.Value {
		ages[f.NodeLeases.Value[i].Name] = f.NodeLeases.Value[i].age()
	}
	var ahead, behind []string
	for i := range f.Nodes.Value {
		n := &f.Nodes.Value[i]
		age, known := ages[n.Name]
		switch {
		case !known || !n.Ready:
		case age < -clockTolerance:
			ahead = append(ahead, n.Name)
		case age > nodeTolerance:
			behind = append(behind, n.Name)
		}
	}
	var found []Finding
	if len(ahead) > 0 {
		found = append(found, Finding{Status: Warn, Message: fmt.Sprintf("the clocks of %s are more than %s ahead of the API server's: check "+
			"whether chrony or ntpd runs there: %s", message.Several(len(ahead), "node"), message.Duration(clockTolerance), message.Names(ahead))})
	}
	if len(behind) > 0 {
		found = append(found, Finding{Status: Warn, Message: doctorNodesBehind(behind, nodeTolerance)})
	}
	if len(found) > 0 {
		return found
	}
	return one(OK, fmt.Sprintf("the leases of %s agree with the API server's clock", message.Several(len(ages), "node")))
}
