package tracetest

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/message"
)

// report takes the status as the run's, and tells what is new in it.
func (r *run) report(status v1alpha1.ValidationRunStatus) {
	before := r.object.Status
	next := r.object.DeepCopy()
	next.Status = status
	r.object = stored(r.t, next)
	for _, f := range status.Findings {
		if key := f.Kind + f.Benchmark + f.Metric + f.Message + strings.Join(f.Members, " "); !r.found[key] {
			r.found[key] = true
			r.say("finding", r.object.Name, "%s %s: %s", f.Kind, strings.Join(f.Members, ", "), f.Message)
		}
	}
	for _, row := range slices.SortedFunc(slices.Values(status.Nodes), func(a, b v1alpha1.NodeRow) int { return cmp.Compare(a.Name, b.Name) }) {
		was := r.shown[row.Name]
		r.shown[row.Name] = row
		r.checkMeasuring(row)
		if was.Verdict == row.Verdict && was.Reason == row.Reason && was.Message == row.Message && was.Note == row.Note && was.Tainted == row.Tainted {
			continue
		}
		if row.Verdict == v1alpha1.VerdictPending && len(r.watched) > 0 && !slices.Contains(r.watched, row.Name) {
			continue
		}
		text := string(row.Verdict) + "/" + row.Reason + ": " + row.Message
		if v := r.results[v1alpha1.ResultName(r.object, row.Name)]; v != nil && v.Verdict == row.Verdict && v.Message == row.Message {
			text = string(row.Verdict) // as stored
		}
		if row.Note != "" {
			text += "; " + row.Note
		}
		if row.Tainted {
			text += " [tainted]"
		}
		r.say("row", row.Name, "%s", text)
	}
	for _, c := range status.Conditions {
		if was := conditionOf(before.Conditions, c.Type); c.Type == v1alpha1.ConditionFinished && (was == nil || was.Status != c.Status || was.Reason != c.Reason || was.Message != c.Message) {
			text := "goes on"
			switch {
			case c.Status == metav1.ConditionTrue:
				text = "is over, " + string(status.Verdict)
			case before.StartTime == nil && status.StartTime != nil:
				text = "starts over " + message.Several(len(status.Nodes), "node")
			}
			if text == "goes on" && counting.MatchString(c.Message) && !r.counts {
				continue
			}
			r.say("run", r.object.Name, "%s, %s%s: %s", text, c.Reason, others(status.Conditions, c), c.Message)
		}
	}
}

// counting are messages of a run that say what other lines of the trace say, too: how many nodes are launched, stored and still to be rid of pods.
var counting = regexp.MustCompile(`^\d+ nodes? (is|are) being measured, \d+/\d+ done$|^(\d+)/(\d+) done; waiting for pod \S+ to end on node \S+( and for \d+ more)?$`)

// alike: scripts see no difference.
func alike(a, b []metav1.Condition) bool {
	return slices.EqualFunc(a, b, func(x, y metav1.Condition) bool {
		return x.Type == y.Type && x.Status == y.Status && x.Reason == y.Reason
	})
}

// earlier of two times; zero stands for never.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || b.Before(a) {
		return b
	}
	return a
}

// others are the conditions beside Finished, unless they say only that the run goes on.
func others(list []metav1.Condition, finished metav1.Condition) string {
	var out []string
	for _, c := range list {
		if c.Type != v1alpha1.ConditionFinished && (finished.Status == metav1.ConditionTrue || c.Status != metav1.ConditionUnknown && c.Type != v1alpha1.ConditionReconciling) {
			out = append(out, c.Type+" "+string(c.Status))
		}
	}
	if len(out) == 0 {
		return ""
	}
	return " (" + strings.Join(out, ", ") + ")"
}

func conditionOf(list []metav1.Condition, kind string) *metav1.Condition {
	for i := range list {
		if list[i].Type == kind {
			return &list[i]
		}
	}
	return nil
}
