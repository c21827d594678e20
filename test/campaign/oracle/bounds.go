package oracle

import (
	"slices"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/test/campaign/cluster"
	"github.com/assay-dev/assay/test/campaign/kube"
)

// catalogued is what the catalogue said of a benchmark from some time on.
type catalogued struct {
	since time.Time
	// there: it existed. min is the bound of its metric, devices how many a node needs, and suites those that it is in.
	there   bool
	min     float64
	devices int
	suites  []string
}

// runTruth is when a run was made, when what it measures was pinned, when it started, and when it was suspended last: by the true time, whatever the clock of the
// API server said.
type runTruth struct {
	made, pinned, started, suspended time.Time
	asks                             v1alpha1.ValidationRunSpec
}

// edited is what people made of the catalogue and of policies while these were at work.
type edited struct {
	benchmarks map[string][]catalogued
	runs       map[types.UID]*runTruth
	policies   map[types.UID][]policySpec
	// profile of all nodes: how many devices it says that they have, and what peak.
	profile []catalogued
	peak    float64
	// pods were made then, and nodes put into another pool.
	pods, moved map[types.UID]time.Time
}

func newEdited() edited {
	return edited{benchmarks: map[string][]catalogued{}, runs: map[types.UID]*runTruth{}, policies: map[types.UID][]policySpec{}, pods: map[types.UID]time.Time{}, moved: map[types.UID]time.Time{}}
}

// noteEdited what a change says of the catalogue, of runs and of policies.
func (o *Oracle) noteEdited(c kube.Change) {
	switch object := c.Object().(type) {
	case *v1alpha1.Benchmark:
		o.noteBenchmark(object, c.After != nil)
	case *v1alpha1.HardwareProfile:
		o.noteProfile(object, c.After != nil)
	case *v1alpha1.ValidationPolicy:
		o.notePolicy(object, c.After != nil)
	case *v1alpha1.ValidationRun:
		o.noteRun(c, object)
	}
	if c.Before != nil {
		return
	}
	switch owner := metav1.GetControllerOf(c.After); {
	case c.Kind == "Pod":
		o.edited.pods[c.After.GetUID()] = o.Now().Truncate(time.Second)
	case c.Kind == "ControllerRevision" && owner != nil && o.edited.runs[owner.UID] != nil:
		o.edited.runs[owner.UID].pinned = o.Now()
	}
}

func (o *Oracle) noteBenchmark(b *v1alpha1.Benchmark, there bool) {
	is := catalogued{since: o.Now(), there: there, suites: b.Spec.Suites}
	if e := b.Spec.Metrics[0].Expectation; e != nil {
		share, _ := strconv.ParseFloat(string(e.MinFractionOfPeak), 64)
		is.min, _ = strconv.ParseFloat(string(e.Min), 64)
		is.min = max(is.min, share*o.edited.peak)
	}
	if least := b.Spec.Needs.MinDevices; least != nil {
		is.devices = int(*least)
	}
	o.edited.benchmarks[b.Name] = append(o.edited.benchmarks[b.Name], is)
}

// noteProfile of all nodes: with its peak the bounds change of the benchmarks that go by it.
func (o *Oracle) noteProfile(p *v1alpha1.HardwareProfile, there bool) {
	is := catalogued{since: o.Now(), there: there}
	if o.edited.peak = 0; there {
		o.edited.peak, _ = strconv.ParseFloat(string(p.Spec.Peaks[0].Value), 64)
		for _, d := range p.Spec.Devices {
			is.devices = int(d.Count)
		}
	}
	o.edited.profile = append(o.edited.profile, is)
	for _, b := range kube.All[*v1alpha1.Benchmark](o.API) {
		o.noteBenchmark(b, true)
	}
}

func (o *Oracle) noteRun(c kube.Change, r *v1alpha1.ValidationRun) {
	before, was := c.Before.(*v1alpha1.ValidationRun)
	if !was {
		o.edited.runs[r.UID] = &runTruth{made: o.Now(), asks: r.Spec}
		o.noteTerms(r)
	}
	if at := r.Status.StartTime; at != nil && (!was || !at.Equal(before.Status.StartTime)) {
		o.edited.runs[r.UID].started = o.Now()
	}
	if r.Spec.Suspend || was && before.Spec.Suspend {
		o.edited.runs[r.UID].suspended = o.Now()
	}
}

// seenLate is how long before a run was made what it measures may have been read: caches are behind.
const seenLate = 10 * time.Second

// boundsOf the run of a program: the least and the most that it may judge by. It pins what the catalogue has when it starts, and nobody can tell which of two it
// has read that were there just then.
func (o *Oracle) boundsOf(m *measured) (least, most float64) {
	run := o.edited.runs[types.UID(m.Pod.Labels[v1alpha1.LabelRunUID])]
	all := o.edited.benchmarks[m.Benchmark]
	if run == nil || len(all) < 2 {
		return 0, 0
	}
	for _, is := range o.asPinned(run, all) {
		if !is.there || is.min == 0 {
			continue
		}
		if least == 0 || is.min < least {
			least = is.min
		}
		most = max(most, is.min)
	}
	return least, most
}

// asPinned: of what was there one after the other, what a run may have been started with.
func (o *Oracle) asPinned(run *runTruth, all []catalogued) (may []catalogued) {
	until := o.Now()
	if !run.pinned.IsZero() {
		until = run.pinned
	}
	for i, is := range all {
		if over := i+1 < len(all) && all[i+1].since.Before(run.made.Add(-seenLate)); !over && !is.since.After(until) {
			may = append(may, is)
		}
	}
	return may
}

// mayMissDevices: the profile that a run was started with says that nodes have more devices than any has.
func (o *Oracle) mayMissDevices(run types.UID) bool {
	of := o.edited.runs[run]
	return of != nil && slices.ContainsFunc(o.asPinned(of, o.edited.profile), func(is catalogued) bool { return is.devices == cluster.TooMany })
}

// mayPass: what a program measured may meet the bound of its Benchmark, as that was when its run started.
func (o *Oracle) mayPass(m *measured) bool {
	if least, _ := o.boundsOf(m); least > 0 && m.Least > 0 {
		return m.Least >= least
	}
	return m.fit
}

// mayMiss: what a program measured may break the bound of its Benchmark, as that was when its run started, although the machine is what it should be.
func (o *Oracle) mayMiss(m *measured) bool {
	_, most := o.boundsOf(m)
	return m.Least > 0 && m.Least < most
}

// askedTooMuch: a bound of the catalogue was such that what the machine reaches breaks it.
func (o *Oracle) askedTooMuch(n *nodeTruth) bool {
	for _, all := range n.stored {
		if slices.ContainsFunc(all, o.mayMiss) {
			return true
		}
	}
	return false
}

// wasMet: a bound of the catalogue was such that a slow machine meets it, and it has.
func (o *Oracle) wasMet(n *nodeTruth, benchmark string) bool {
	return slices.ContainsFunc(n.stored[benchmark], func(m *measured) bool { return !m.fit && !m.bad && o.mayPass(m) })
}

// meetsNewerBound: what a program measured broke the bound of its run only. A run that started later has passed by another one, which it meets, too: an administrator
// vouches for what the catalogue says then.
func (o *Oracle) meetsNewerBound(n *nodeTruth, m *measured) bool {
	of := o.edited.runs[types.UID(m.Pod.Labels[v1alpha1.LabelRunUID])]
	return of != nil && slices.ContainsFunc(n.stored[m.Benchmark], func(other *measured) bool {
		run := o.edited.runs[types.UID(other.Pod.Labels[v1alpha1.LabelRunUID])]
		least, _ := o.boundsOf(other)
		return run != nil && run.pinned.After(of.pinned) && other.decided && o.mayPass(other) && m.Least > 0 && m.Least >= least
	})
}
