package policy

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
)

// What a table tells: one line for each thing that happens, and the status of a policy where it says something new.

func (w *world) say(format string, args ...any) {
	zone := ""
	if w.zone != time.UTC {
		zone = w.now.In(w.zone).Format("-07")
	}
	fmt.Fprintf(&w.said, "%s%s  %s\n", w.local(w.now), zone, fmt.Sprintf(format, args...))
}

// local time of a place, as it is written.
func (w *world) local(at time.Time) string { return at.In(w.zone).Format("01-02 15:04:05") }

// tell what the status says, where it says something new: other counts, another time of the next run, rows that nobody has read yet. That a
// run begins, and ends what was to come next, its own line tells.
func (w *world) tell(p *worldPolicy) {
	counts, next := w.counts(p), ""
	if at := p.Status.NextRunTime; at != nil {
		next = "; next " + w.local(at.Time)
	}
	rows := w.newRows(p)
	news := counts != p.counts || next != p.next && next != "" || rows != ""
	if p.counts, p.next = counts, next; !news || w.terse {
		return
	}
	name := ""
	if len(w.policies) > 1 {
		name = p.Name + " "
	}
	w.say("status  %s%s%s%s", name, counts, next, rows)
}

// counts of the nodes, and what the status says of the policy as a whole.
func (w *world) counts(p *worldPolicy) string {
	text := "not known"
	if c := p.Status.Nodes; c != nil {
		text = p.Status.Valid + " valid"
		count := func(n int32, what string) {
			if n > 0 {
				text += fmt.Sprintf(", %d %s", n, what)
			}
		}
		count(c.Due, "due")
		count(c.Failed, "failed")
		count(c.Unmeasurable, "unmeasurable")
		count(c.Overdue, "overdue")
		if c.Validating != w.countRunning(p) { // else the runs tell that were created
			text += fmt.Sprintf(", %d validating", c.Validating)
		}
		count(c.Gated, "gated")
		count(c.Stuck, "stuck")
	}
	ready := meta.FindStatusCondition(p.Status.Conditions, v1alpha1.ConditionReady)
	if ready.Reason != v1alpha1.ReasonEnforced {
		text += "; " + ready.Reason + ": " + ready.Message
	} else if strings.Contains(ready.Message, "Left out") {
		text += "; " + ready.Message
	}
	if b := p.Status.Budget; b != nil {
		text += fmt.Sprintf("; %d GPU-seconds spent", b.SpentGPUSeconds)
		if b.Waiting > 0 {
			text += fmt.Sprintf(", %d wait", b.Waiting)
		}
		if b.Until != nil {
			text += " until " + w.local(b.Until.Time)
		}
	}
	if rows := len(p.Status.Attention); rows > toldRows {
		text += fmt.Sprintf("; %d rows", rows)
	}
	return text
}

// toldRows of a status: the first ones.
const toldRows = 3

// newRows are those of the first three that say something new. That the next run takes the node, or that one has it, is nothing new: the time of
// that run is told, and then the run.
func (w *world) newRows(p *worldPolicy) string {
	var told []said
	rows := map[string]string{}
	for _, a := range p.Status.Attention[:min(toldRows, len(p.Status.Attention))] {
		head := fmt.Sprintf("%s since %s: ", a.Reason, w.local(a.Since.Time))
		cause, expected := strings.CutSuffix(a.Message, w.expected(a.Name))
		if before := p.rows[a.Name]; before != head+a.Message && !(expected && strings.HasPrefix(before, head+cause)) {
			told = append(told, said{a.Name, head + a.Message})
		}
		rows[a.Name] = head + a.Message
	}
	p.rows = rows
	text := ""
	for _, line := range together(told) {
		text += fmt.Sprintf("\n%27s%s", "", line)
	}
	return text
}

// expected end of a row.
func (w *world) expected(node string) string {
	if r := w.running(node); r != nil {
		return fmt.Sprintf("; run %s includes the node now", r.Name)
	}
	return "; the next run takes it"
}

// said of a node.
type said struct{ node, text string }

// together has one line for all nodes of which the same is said.
func together(all []said) (lines []string) {
	for _, alike := range list.Groups(all, func(s said) string { return s.text }) {
		var nodes []string
		for _, s := range alike {
			nodes = append(nodes, s.node)
		}
		lines = append(lines, strings.Join(nodes, ", ")+" "+alike[0].text)
	}
	return lines
}

// running is the run that measures a node; nil: none does.
func (w *world) running(name string) *worldRun {
	i := slices.IndexFunc(w.runs, func(r *worldRun) bool {
		return !r.Finished() && !r.Spec.Suspend && slices.Contains(r.Spec.NodeNames, name)
	})
	if i < 0 {
		return nil
	}
	return w.runs[i]
}

// countRunning nodes of a policy.
func (w *world) countRunning(p *worldPolicy) (count int32) {
	selector, err := metav1.LabelSelectorAsSelector(&p.Spec.Selector)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, n := range w.nodes {
		if selector.Matches(labels.Set(n.Labels)) && w.running(n.Name) != nil {
			count++
		}
	}
	return count
}
