// Package explain says why a node is tainted, gated or failed, what is known about it, and what to do next. It is pure: it puts together
// what the operator and the runs say, in the order in which somebody looks for the cause, and judges nothing.
package explain

import (
	"cmp"
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/cause"
	"github.com/assay-dev/assay/internal/judge/term"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/internal/reader/export"
	"github.com/assay-dev/assay/internal/reader/history"
)

// Input is what is known. Only the node's name and one run must be there.
type Input struct {
	Node string
	// Runs that measured the node. The newest has what failed on other nodes, too.
	Runs []export.Run
	// OthersCut says that more nodes failed than that run has results of here.
	OthersCut bool
	// Live is the node as it is now. Nil: not known.
	Live *corev1.Node
	// Policies of the cluster.
	Policies []v1alpha1.ValidationPolicy
}

// Section is one part of an explanation.
type Section struct {
	Title string   `json:"title"`
	Lines []string `json:"lines,omitempty"`
}

// New explains a node. The first section is the summary.
func New(in Input) []Section {
	c := newCase(&in)
	all := []Section{{Title: c.title()}}
	for _, s := range []Section{
		{"Why", c.why()},
		{"Changed since it last passed", c.changes()},
		{"Links", c.links()},
		{"What would have been found in 99 of 100 cases", c.finds()},
		{"Policy and gate", c.policy()},
		{"What to do", c.next()},
	} {
		if len(s.Lines) > 0 {
			all = append(all, s)
		}
	}
	return all
}

// Faults of a node, as its newest run found them.
func Faults(in Input) []cause.Told {
	c := newCase(&in)
	return list.Map(cause.Of(c.result), func(f cause.Fault) cause.Told { return f.Told(c.Node) })
}

// Newest of the runs that tried to measure a node, or else of those that only list it: by when the node was measured.
func Newest(node string, runs []export.Run) *export.Run {
	var newest *export.Run
	var at int64
	tried := false
	for r := range list.Each(runs) {
		t := r.Run.CreationTimestamp.Unix()
		if result := resultOf(r, node); result != nil {
			t = max(t, measuredAt(result))
		}
		now := triedOn(r, node)
		if newest == nil || now && !tried || now == tried && t >= at {
			newest, at, tried = r, t, now
		}
	}
	return newest
}

// finds is from which loss on this node would not have passed: how sure its pass is.
func (c *knownCase) finds() (all []string) {
	if c.result.Verdict != v1alpha1.VerdictPass {
		return nil
	}
	for b := range list.Each(c.result.Benchmarks) {
		for h := range list.Each(b.Headline) {
			if h.FindsFromPercent != "" {
				percent, _ := quantity.ParseDecimal(h.FindsFromPercent)
				all = append(all, fmt.Sprintf("%s: a loss of %s or more, compared with %s", cause.Named(h.Benchmark, h.Metric, ""), quantity.Percent(percent),
					term.Against(h.FindsBy)))
			}
		}
	}
	return all
}

// triedOn says whether a run measured a node or could not, and did not merely list or skip it.
func triedOn(r *export.Run, node string) bool {
	verdict := v1alpha1.Verdict("")
	if row := r.Run.Row(node); row != nil {
		verdict = row.Verdict
	}
	if result := resultOf(r, node); result != nil {
		if measuredAt(result) > 0 {
			return true
		}
		verdict = result.Verdict
	}
	return verdict != "" && verdict != v1alpha1.VerdictSkipped && verdict != v1alpha1.VerdictPending
}

func measuredAt(r *v1alpha1.ValidationResult) (latest int64) {
	for _, a := range export.Attempts(r) {
		if a.LaunchTime != nil {
			latest = max(latest, a.LaunchTime.Unix())
		}
	}
	return latest
}

// resultOf a node in a run; nil where there is none.
func resultOf(r *export.Run, node string) *v1alpha1.ValidationResult {
	return list.First(r.Results, func(v *v1alpha1.ValidationResult) bool { return v.Group == nil && v.Node.Name == node })
}

// knownCase is what is known of the node, sorted.
type knownCase struct {
	*Input
	newest     *export.Run
	result     *v1alpha1.ValidationResult // of the newest run; empty where it has none
	row        *v1alpha1.NodeRow          // of the newest run; empty where it has none
	validation *v1alpha1.NodeValidation   // empty: not known
	past       *v1alpha1.NodeHistory      // nil: not known
	history    history.History
}

func newCase(in *Input) *knownCase {
	c := &knownCase{Input: in, newest: Newest(in.Node, in.Runs), history: history.New(in.Node, in.Runs)}
	validation, past := history.Newest(in.Node, in.Runs)
	c.validation, c.past = cmp.Or(validation, &v1alpha1.NodeValidation{}), past
	c.result = cmp.Or(resultOf(c.newest, in.Node), &v1alpha1.ValidationResult{})
	c.row = cmp.Or(c.newest.Run.Row(in.Node), &v1alpha1.NodeRow{})
	return c
}

// title says how the node stands.
func (c *knownCase) title() string {
	verdict, reason, run := c.ended()
	text := c.Node + ": " + cmp.Or(string(verdict), "not measured")
	if reason != "" && verdict != v1alpha1.VerdictPass {
		text += " (" + reason + ")"
	}
	text = message.With(text, " in run ", run)
	if c.validation.OffenceCount > 0 {
		text += "; failed by " + message.Several(c.validation.OffenceCount, "run") + " so far"
	}
	return text
}

// ended is how the node did in its newest run, or else in the last one that its NodeValidation knows.
func (c *knownCase) ended() (verdict v1alpha1.Verdict, reason, run string) {
	verdict, reason, run = c.result.Verdict, c.result.Reason, c.newest.Run.Name
	if c.row.Name != "" && (verdict == "" || c.row.Reason != "") {
		verdict, reason = c.row.Verdict, c.row.Reason
	}
	if verdict == "" && c.validation.Name != "" {
		verdict, run = c.validation.Verdict, c.validation.LastRun.Name
	}
	return verdict, reason, run
}

// failing says whether a finding is what fails a node.
func failing(f *v1alpha1.Finding) bool {
	return f.Verdict == v1alpha1.VerdictFail || f.Verdict == v1alpha1.VerdictMissing
}
