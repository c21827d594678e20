package collect

import (
	"slices"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/attempt"
	"github.com/assay-dev/assay/internal/judge/fleet"
)

// Measured: the program ended and left numbers, or wrong data.
func Measured(a v1alpha1.Attempt) bool {
	return a.Verdict == v1alpha1.VerdictPass || a.Verdict == v1alpha1.VerdictFail && !foundMissing(&a)
}

// Digest the node's first measured attempts.
func (s *Collected) Digest(n *CollectedNode) []*fleet.Digest {
	digests := make([]*fleet.Digest, len(s.Tasks))
	for i := range s.Tasks {
		if !s.Tasks[i].IsGroup() {
			digests[i] = s.digestOf(n, i)
		}
	}
	return digests
}

// digestOf the node's first measured attempt by a task; nil: there is none.
func (s *Collected) digestOf(n *CollectedNode, i int) *fleet.Digest {
	t, m := &s.Tasks[i], &n.Memory.Tasks[i]
	attempts := n.Attempts(t.Name())
	alike := attempt.Alike(attempts)
	first := slices.IndexFunc(alike, Measured)
	if first < 0 {
		return nil
	}
	at := slices.IndexFunc(attempts, func(a v1alpha1.Attempt) bool { return a.Number == alike[first].Number })
	if !n.Changed && m.Digest != nil && m.Digested == at {
		return m.Digest
	}
	d := digest(n.Name, t.Metrics, &n.MeasuredBy(t.Name()).Attempts[at], n.host())
	if !n.Changed {
		m.Digest, m.Digested = d, at
	}
	return d
}

func digest(node string, metrics []v1alpha1.Metric, a *v1alpha1.Attempt, host string) *fleet.Digest {
	d := fleet.DigestAttempt(metrics, a).On(host)
	d.Node = node
	return &d
}

// worthKeeping leaves out how the GPUs fared during metrics that nothing is expected of: it explains readings that fall short, and a
// program that measures many number formats says it of each.
func worthKeeping(telemetry []v1alpha1.Measurement, metrics []v1alpha1.Metric, measured []v1alpha1.Measurement) []v1alpha1.Measurement {
	idle := map[string]bool{}
	for i := range measured {
		name := measured[i].Name
		expected := slices.ContainsFunc(metrics, func(m v1alpha1.Metric) bool { return m.Name == name && m.Expectation != nil })
		idle[name] = !expected
	}
	return slices.DeleteFunc(telemetry, func(t v1alpha1.Measurement) bool {
		return idle[strings.TrimSuffix(strings.TrimSuffix(t.Name, "Clock"), "Power")]
	})
}
