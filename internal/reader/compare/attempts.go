package compare

import (
	"cmp"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/attempt"
	"github.com/assay-dev/assay/internal/judge/bounds"
	"github.com/assay-dev/assay/internal/judge/part"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/operate/catalogue"
	"github.com/assay-dev/assay/internal/reader/export"
)

// Begin a run, whose results follow.
func (s *Side) Begin(cluster string, run *v1alpha1.ValidationRun, started *catalogue.Snapshot) {
	s.about.Runs = append(s.about.Runs, Run{
		Cluster: cluster, Name: run.Name, UID: string(run.UID),
		Unfinished: !meta.IsStatusConditionTrue(run.Status.Conditions, v1alpha1.ConditionFinished),
	})
	s.run, s.asked = run.UID, asks(run, started)
}

// AddResult adds what the run that was begun last measured on a node or group, as far as it belongs to the side.
func (s *Side) AddResult(r *v1alpha1.ValidationResult, keep Keep) {
	if r.Run.UID != s.run {
		return // another run's, whatever its labels say
	}
	nodes := []v1alpha1.ObjectReference{r.Node}
	if r.Group != nil {
		nodes = r.Group.Nodes
	}
	if !keep.all(nodes) {
		return
	}
	said := once{}
	for b := range list.Each(r.Benchmarks) {
		if s.addBenchmark(nodes, said, b, keep) {
			s.traits.addOnce(said, "host", r.Host, "")
		}
	}
}

func (k Keep) all(nodes []v1alpha1.ObjectReference) bool {
	return k.Nodes == nil || !slices.ContainsFunc(nodes, func(n v1alpha1.ObjectReference) bool { return !k.Nodes(n) })
}

// during says whether something was measured in the time that is meant; what has no time was not, if one is meant.
func (k Keep) during(t time.Time) bool {
	if k.From.IsZero() && k.To.IsZero() {
		return true
	}
	return !t.IsZero() && !t.Before(k.From) && (k.To.IsZero() || t.Before(k.To))
}

// addBenchmark adds the attempts that count, and says whether there are any.
func (s *Side) addBenchmark(nodes []v1alpha1.ObjectReference, said once, b *v1alpha1.BenchmarkResult, keep Keep) bool {
	as := s.asked[b.Name]
	var last *v1alpha1.Attempt
	for a := range list.Each(b.Attempts) {
		when := launched(a)
		if !keep.during(when) {
			continue
		}
		switch {
		case attempt.Disturbed(a):
			s.about.LeftOut.Disturbed++
		case attempt.WrongData(a):
			s.about.LeftOut.WrongData++
		case a.Verdict != v1alpha1.VerdictPass:
			s.about.LeftOut.Unmeasured++
		default:
			if last == nil {
				s.known(b.Name, as.metrics)
			}
			last = a
			s.addAttempt(s.owner(nodes), b.Name, a)
		}
	}
	if last != nil {
		for _, h := range b.Headline {
			s.benchmark(b.Name).headline[h.Metric] = true
		}
		s.traits.ofAttempt(said, b.Name, last, len(nodes) > 1)
		s.traits.ofRun(b.Name, as, last)
	}
	return last != nil
}

// known is what the Benchmark says of its metrics.
func (s *Side) known(name string, metrics []v1alpha1.Metric) {
	b := s.benchmark(name)
	for _, m := range metrics {
		if was, ok := b.metrics[m.Name]; ok && bounds.NoiseOf(&was).Run > bounds.NoiseOf(&m).Run {
			continue
		}
		b.metrics[m.Name] = m
		b.headline[m.Name] = b.headline[m.Name] || m.Headline
	}
}

func (s *Side) addAttempt(owner int, name string, a *v1alpha1.Attempt) {
	group := len(s.owners[owner].machines) > 1
	b := s.benchmark(name)
	b.attempts[a.Configuration]++
	identity := func(at string) string { return at } // the devices of a group are those of one of its nodes
	if group {
		b.grouped = true
	} else {
		identity = s.identities(owner, a.Devices).Of
	}
	s.at(a.LaunchTime)
	s.at(a.EndTime)
	for m := range export.Numbers(a.Measurements) {
		s.add(rowKey{name, m.Name, kindOf(m.At, group)}, m.Unit, m.Better, of(owner, m.At, identity(m.At), a.Configuration), m.Value)
	}
}

// identities of a node's parts, by its devices. They tell which node it is when it gets another name.
func (s *Side) identities(owner int, devices []v1alpha1.Device) part.Identities {
	ids := part.NewIdentities(devices)
	for _, uuid := range ids {
		s.machines[s.owners[owner].machines[0]].devices[uuid] = true
	}
	return ids
}

// launched is when an attempt was made, as far as that is known.
func launched(a *v1alpha1.Attempt) time.Time {
	return ptr.Deref(cmp.Or(a.LaunchTime, a.StartTime, a.EndTime), metav1.Time{}).Time
}
