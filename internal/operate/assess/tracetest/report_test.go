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
	"github.com/assay-dev/assay/internal/operate/taint"
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
		r.happened++
		if text, told := r.rowText(row); told {
			r.say("row", row.Name, "%s", text)
		}
	}
	was, is := conditionOf(before.Conditions, v1alpha1.ConditionFinished), conditionOf(status.Conditions, v1alpha1.ConditionFinished)
	if is != nil && (was == nil || was.Status != is.Status || was.Reason != is.Reason || was.Message != is.Message) {
		r.happened++
		r.reportRun(*is, before.StartTime == nil && status.StartTime != nil)
	}
}

// reportRun tells how the run as a whole gets on.
func (r *run) reportRun(finished metav1.Condition, started bool) {
	s := r.object.Status
	text := "goes on"
	switch {
	case finished.Status == metav1.ConditionTrue:
		text = "is over, " + string(s.Verdict)
	case started:
		text = "starts over " + message.Several(len(s.Nodes), "node")
	}
	switch counts := !r.steps && counting.MatchString(finished.Message); {
	case counts && !started:
		return
	case !counts:
		text += ", " + finished.Reason + others(s.Conditions, finished) + ": " + finished.Message
	}
	r.say("run", strings.TrimSpace(r.object.Name+" "+r.asked), "%s", text)
	r.asked = ""
}

// usual is what every attempt goes through, and what a story tells only if it is to watch each step.
const usual = `(not measured yet|attempt \d+ is stored; pod \S+ is being removed|attempt \d+ of \S+ is starting|pod \S+ is running|` +
	`\S+ is measuring the node with .+ \(MPIJob \S+\)|node \S+: waiting for pod \S+ of the previous measurement to end|the tournament of pairs is still running)`

var (
	step = regexp.MustCompile(`^` + usual + `$`)
	// counting are the messages of a run that say how many nodes have got how far.
	counting = regexp.MustCompile(`^\d+ nodes? (is|are) being measured, \d+/\d+ done$|` +
		`^\d+/\d+ done; (waiting for pod \S+ to end on node \S+( and for \d+ more)?|node \S+: ` + usual + `)$`)
)

// rowText is what a row says, and whether that is told: a row that is as the trace says of the node's result and taint is news to nobody.
func (r *run) rowText(row v1alpha1.NodeRow) (text string, told bool) {
	v, node, result := r.validations[row.Name], r.nodes[row.Name], r.results[v1alpha1.ResultName(r.object, row.Name)]
	waits := row.Verdict == v1alpha1.VerdictPending
	stored := !waits && result != nil && result.Verdict == row.Verdict && result.Reason == row.Reason && result.Message == row.Message
	text = string(row.Verdict)
	if !stored {
		text += "/" + row.Reason + ": " + row.Message
	}
	tainted := node != nil && v != nil && v.Quarantine != nil && taint.Carries(node, v.Quarantine)
	told = r.steps || row.Note != "" || row.Tainted != tainted || !stored && !step.MatchString(row.Message)
	if row.Note != "" {
		text += "; " + row.Note
	}
	if row.Tainted {
		text += " [tainted]"
	}
	return text, told && (!waits || len(r.watched) == 0 || slices.Contains(r.watched, row.Name))
}

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
