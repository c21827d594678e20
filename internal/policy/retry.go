package policy

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// tries of a node that did not pass: since its last pass, and since it last changed or booted, as far as its history tells.
type tries struct {
	runs []types.UID
	last time.Time
}

// triesOf a node. refused: it can run no benchmark at all, so that runs which say so count as well.
func (t *terms) triesOf(n *Node, refused bool) tries {
	var all []try
	for i := range t.benchmarks {
		b := t.benchmarks[i].Object
		if h := historyOf(n.Validation, b.Name); h != nil {
			is := t.machines.of(n.Object, b)
			all = appendTries(all, h, is, refused)
		}
	}
	var since time.Time // the last one on what was another machine, or another boot of it
	for _, o := range all {
		if o.elsewhere && o.at.After(since) {
			since = o.at
		}
	}
	var out tries
	for _, o := range all {
		if o.elsewhere || !o.at.After(since) || !t.counts(o.at) {
			continue
		}
		if !slices.Contains(out.runs, o.run) {
			out.runs = append(out.runs, o.run)
		}
		if o.at.After(out.last) {
			out.last = o.at
		}
	}
	return out
}

// try is a run that failed a node, or came to nothing there.
type try struct {
	run types.UID
	at  time.Time
	// elsewhere: the node was not what it is now.
	elsewhere bool
}

// appendTries since the last pass of a benchmark. That it cannot run is a try only where it has to.
func appendTries(all []try, h *v1alpha1.BenchmarkHistory, is *v1alpha1.Machine, refused bool) []try {
	var pass time.Time
	refused = refused || len(h.History) > 0 && h.History[len(h.History)-1].Verdict == v1alpha1.VerdictFail
	for i := len(h.History) - 1; i >= 0; i-- {
		e := &h.History[i]
		if e.Verdict != v1alpha1.VerdictFail {
			pass = e.Time.Time
			break
		}
		all = append(all, try{e.RunUID, e.Time.Time, e.Machine != nil && anyChange.differ(e.Machine, is) != ""})
	}
	for i := range h.Unproved {
		u := &h.Unproved[i]
		if u.Time.After(pass) && (refused || u.Reason != v1alpha1.ReasonCannotRunHere) {
			all = append(all, try{u.RunUID, u.Time.Time, u.BootID != "" && u.BootID != is.BootID})
		}
	}
	return all
}

// fresh: the node is not what it was when it was last judged; what is not known has not changed.
func fresh(nv *v1alpha1.NodeValidation, is *v1alpha1.Machine) bool {
	was := &nv.Fingerprint
	differs := func(was, is string) bool { return was != "" && is != "" && was != is }
	return differs(was.BootID, is.BootID) || differs(was.Kernel, is.Kernel) || differs(was.Driver, is.Driver)
}

// retryAt is when the next try may be; zero: there is none left.
func retryAt(r v1alpha1.Retry, made tries) time.Time {
	n := len(made.runs)
	if n > retryLimit(r) {
		return time.Time{}
	}
	return made.last.Add(seconds(r.AfterSeconds) << max(0, n-1))
}

// Defaults of spec.retry, where the API server did not fill them in.
const (
	defaultRetryLimit = 3
	defaultRetryAfter = int64(3600)
)

func retryLimit(r v1alpha1.Retry) int {
	if r.Limit == nil {
		return defaultRetryLimit
	}
	return int(*r.Limit)
}
