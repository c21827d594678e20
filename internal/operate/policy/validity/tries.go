package validity

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
)

// Tries of a node that did not pass: since its last pass, and since it last changed or booted, as far as its history tells.
type Tries struct {
	// Runs that count against the limit of retries, and early ones, which do not: nothing could run yet on a node that was young then.
	Runs, Early []types.UID
	Last        time.Time
	// LastEarly: the last try was an early one.
	LastEarly bool
}

// TriesOf a node, which was young until then; zero: it was not. Where none is left because all were over another fabric, all count, unless the last run of
// the policy began while the node's own was another one: a group whose nodes differ goes over no fabric of theirs, each time.
func (t *Terms) TriesOf(n Node, sameFabric bool, young time.Time) Tries {
	out := t.triesSince(n, anyChange, young)
	if out.None() && sameFabric {
		return t.triesSince(n, anyButFabrics, young)
	}
	return out
}

// triesSince the node last changed so.
func (t *Terms) triesSince(n Node, by changes, young time.Time) Tries {
	var all []try
	for b := range list.Each(t.benchmarks) {
		if h := n.Validation.Benchmark(b.Object.Name); h != nil {
			is := t.Machine(n.Object, b.Object)
			all = b.appendTries(all, h, &is, by)
		}
	}
	var since time.Time // the last one on what was another machine, or another boot of it
	for _, o := range all {
		if o.elsewhere && o.at.After(since) {
			since = o.at
		}
	}
	var out Tries
	for _, o := range all {
		if o.elsewhere || !o.at.After(since) || !t.Counts(o.at) {
			continue
		}
		early := o.nothingRan && o.at.Before(young)
		runs := &out.Runs
		if early {
			runs = &out.Early
		}
		if !slices.Contains(*runs, o.run) {
			*runs = append(*runs, o.run)
		}
		if o.at.After(out.Last) {
			out.Last, out.LastEarly = o.at, early
		}
	}
	// A run of which one benchmark ran counts, whatever became of the others.
	out.Early = slices.DeleteFunc(out.Early, func(run types.UID) bool { return slices.Contains(out.Runs, run) })
	out.LastEarly = out.LastEarly && len(out.Early) > 0
	return out
}

// None: no run was tried.
func (t *Tries) None() bool { return len(t.Runs)+len(t.Early) == 0 }

// try is a run that failed a node, or came to nothing there.
type try struct {
	run types.UID
	at  time.Time
	// elsewhere: the node was not what it is now.
	elsewhere bool
	// nothingRan: no program was started, as the image, the devices or something else of the cluster was missing.
	nothingRan bool
}

// missing are the reasons of attempts for which the node, or the cluster, lacked something: a young node may have it soon.
var missing = []string{v1alpha1.ReasonImagePullFailed, v1alpha1.ReasonPodStartFailed, v1alpha1.ReasonUnschedulable, v1alpha1.ReasonEvicted,
	v1alpha1.ReasonNodeNotReady, v1alpha1.ReasonDevicesMissing, v1alpha1.ReasonMPIOperatorMissing, v1alpha1.ReasonMPIOperatorSilent}

// appendTries since the last pass. A run in vain that asked for something else, by its parameters or by another image, is none, nor one that
// failed its own terms alone.
func (b *Benchmark) appendTries(all []try, h *v1alpha1.BenchmarkState, is *v1alpha1.Machine, by changes) []try {
	r := b.recordOf(h)
	for _, e := range r.failures {
		all = append(all, try{e.RunUID, e.Time.Time, by.other(e.Machine, is), false})
	}
	var pass time.Time
	if r.pass != nil {
		pass = r.pass.Time.Time
	}
	for u := range list.Each(h.Unproved) {
		if u.Time.After(pass) && u.Asked == b.Asked {
			all = append(all, try{u.RunUID, u.Time.Time, by.other(u.Machine, is), slices.Contains(missing, u.Reason)})
		}
	}
	return all
}

// other: the node was another machine then; nil: unknown, which counts as the same.
func (c changes) other(was, is *v1alpha1.Machine) bool { return was != nil && c.differ(was, is) != "" }

// anyChange is what starts the retries of a node anew. The fabric of a group is not that of each of its nodes where they differ, so it does so only where the
// node's own is another one, too.
var (
	anyChange     = changes{reboot: true, kernel: true, driver: true, devices: true, fabric: true}
	anyButFabrics = changes{reboot: true, kernel: true, driver: true, devices: true}
)
