package collect

import (
	"maps"
	"slices"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/verdict"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
	"github.com/assay-dev/assay/internal/operate/plan"
)

// MostStored is how many verdicts one pass stores at most. When the last node of a fleet is measured, all nodes get their verdicts at once,
// and what is written of them, with all that was measured and is known, would take a gigabyte.
const MostStored = 128

// Names of the facts by which an attempt says which devices were missing.
const (
	FactOffered  = "devicesOffered"
	FactExpected = "devicesExpected"
)

// Missing gives nodes that lost devices an attempt that says so, by each task that uses them and is due. Nothing is started for it: what the node
// offers is read from the node, and a pod would only measure what is left.
func Missing(s *Collected, more *Collected, due func(k, i int) bool) (some bool) {
	if s.Run.Spec.Suspend || !observe.Started(s.Run) || s.Overdue() {
		return false
	}
	added := 0
	for k, n := range s.Nodes {
		if added == MostStored { // a driver update may take a device from each node of a fleet
			list.Sooner(&more.Recheck, s.Now)
			break
		}
		for i := range s.Tasks {
			if s.Tasks[i].IsGroup() || !n.Lacks[i].Missing() || !due(k, i) {
				continue
			}
			if more.Nodes[k] == n {
				c := *n
				c.Own()
				more.Nodes[k] = &c
				added++
			}
			s.addMissing(more.Nodes[k], i)
		}
	}
	return added > 0
}

// unmeasured does so where nothing was measured yet, before the first judgement: a fleet may be complete by it, and then other nodes are judged
// by their past.
func unmeasured(s *Collected) *Collected {
	for {
		more := s.Fork()
		due := func(k, i int) bool {
			n := s.Nodes[k]
			return len(n.Attempts(s.Tasks[i].Name())) == 0 && s.DecideUnmeasured(n, i).Verdict == v1alpha1.VerdictPending && s.Startable(n, i)
		}
		if !Missing(s, more, due) {
			return s
		}
		s = more
	}
}

// DecideUnmeasured judges a benchmark of which nothing was measured on a node.
func (s *Collected) DecideUnmeasured(n *CollectedNode, i int) verdict.Decision {
	// A pod that will not go (its process hangs in a driver) holds the verdict up only for so long.
	idle := len(s.PodsOf(n, i)) == 0 || s.PastCleanup()
	if n.Lacks[i].Never() && idle {
		return n.Lacks[i].Skip()
	}
	if d, ok := s.Closed(n, i); ok && idle {
		return d
	}
	return verdict.Decision{Verdict: v1alpha1.VerdictPending}
}

// Fork makes what more is collected into.
func (s *Collected) Fork() *Collected {
	more := *s
	more.Nodes, more.Groups = slices.Clone(s.Nodes), maps.Clone(s.Groups)
	return &more
}

// Startable: nothing but what the node lacks keeps another attempt from it.
func (s *Collected) Startable(n *CollectedNode, i int) bool {
	if len(n.Attempts(s.Tasks[i].Name())) >= plan.MaxAttempts || len(s.PodsOf(n, i)) > 0 {
		return false
	}
	_, closed := s.Closed(n, i)
	return !closed
}

// addMissing to the node's result.
func (s *Collected) addMissing(n *CollectedNode, i int) {
	a := s.MissingAttempt(n, i)
	a.Number = int32(len(n.Attempts(s.Tasks[i].Name()))) + 1
	n.add(s.Run, n.Node.UID, s.Tasks[i].Name(), a)
}

// MissingAttempt says of a node which devices it lacks that a task takes.
func (s *Collected) MissingAttempt(n *CollectedNode, i int) v1alpha1.Attempt {
	t, l := &s.Tasks[i], n.Lacks[i]
	machine := t.MachineOf(n.Node, nil)
	at := observe.PartOf(l.Expected.Resource)
	return v1alpha1.Attempt{Number: 1, Verdict: v1alpha1.VerdictFail,
		Reason: v1alpha1.ReasonDevicesMissing, Message: l.Message, LaunchTime: &metav1.Time{Time: s.Now}, Configuration: t.Configuration, Machine: &machine,
		Facts: []v1alpha1.Fact{{Name: FactExpected, At: at, Value: strconv.FormatInt(l.Expected.Count, 10)},
			{Name: FactOffered, At: at, Value: strconv.FormatInt(l.Offered, 10)}}}
}

// MissedDevices is the last attempt, where it found devices missing; nil: it did not.
func MissedDevices(attempts []v1alpha1.Attempt) *v1alpha1.Attempt {
	if n := len(attempts); n > 0 && foundMissing(&attempts[n-1]) {
		return &attempts[n-1]
	}
	return nil
}

// foundMissing: Assay itself made this attempt. What a pod says counts for no more than its own words.
func foundMissing(a *v1alpha1.Attempt) bool {
	return a.Reason == v1alpha1.ReasonDevicesMissing && a.Pod == ""
}
