package assess

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/summary"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/operate/assess/judge"
	"github.com/assay-dev/assay/internal/quantity"
)

// maxConditionMessage keeps a condition readable in a terminal.
const maxConditionMessage = 2048

// setConditions sets verdict and conditions: that it is over (Finished) apart from how it went (Succeeded), and what GitOps
// tools read (Reconciling and Stalled are present only while True).
func (s *Concluded) setConditions(next *v1alpha1.ValidationRunStatus, w Written, over bool) {
	c := conditions{generation: s.Run.Generation, now: metav1.NewTime(s.Now), list: &next.Conditions}
	if !over {
		next.Verdict = v1alpha1.VerdictPending
		s.goesOn(c, next)
		return
	}
	faults, warnings := s.sortedFindings()
	facts := summary.RunFacts{Summary: *next.Summary, BreakerOpen: s.breaker.Open, BreakerMessage: s.breaker.Message,
		DeadlineExceeded: s.costsVerdicts(), Cut: s.Cut, Findings: len(faults)}
	if len(next.Nodes) > 0 {
		facts.WorstNode, facts.WorstMessage = next.Nodes[0].Name, next.Nodes[0].Message
	}
	if len(faults) > 0 {
		facts.Finding = faults[0]
	}
	v, reason, text := summary.Run(facts)
	if len(warnings) > 0 {
		text = quantity.Clip(text, maxConditionMessage/2) + "; warning: " + warnings[0]
		if others := len(warnings) - 1; others > 0 {
			text += fmt.Sprintf(" (and %s)", message.Several(others, "more warning"))
		}
	}
	if left := cmp.Or(s.PodsLeft(), s.PodsCutOff()); left != "" && w.Err == nil {
		text += "; " + left
	}
	if next.LastWriteError != "" {
		text = quantity.Clip(text, maxConditionMessage/2) + "; given up at the deadline: " + next.LastWriteError
	}
	next.Verdict = v
	next.CompletionTime = &metav1.Time{Time: s.Now.Truncate(time.Second)}
	if next.StartTime != nil {
		next.Duration = message.Duration(next.CompletionTime.Sub(next.StartTime.Time))
	}
	c.finish(v, reason, text)
}

// costsVerdicts: the deadline cost at least one node its verdict.
func (s *Concluded) costsVerdicts() bool {
	for _, n := range s.nodes {
		for _, d := range n.Decisions {
			if d.Reason == v1alpha1.ReasonDeadlineExceeded || d.Verdict == v1alpha1.VerdictMissing && d.Reason == v1alpha1.ReasonInterrupted {
				return true
			}
		}
	}
	return false
}

// goesOn sets the conditions of a run that is not over.
func (s *Concluded) goesOn(c conditions, next *v1alpha1.ValidationRunStatus) {
	if s.Run.Spec.Suspend {
		text := fmt.Sprintf("suspended with %s nodes done: set spec.suspend to false to resume", next.Progress)
		c.say(metav1.ConditionFalse, metav1.ConditionUnknown, v1alpha1.ReasonSuspended, text, v1alpha1.ConditionSuspended)
		return
	}
	reason, text := v1alpha1.ReasonRunning, measuring(next.Summary.Running, next.Progress)
	if next.Summary.Running+next.Summary.Pending == 0 {
		text = fmt.Sprintf("%s done; %s", next.Progress, s.Ending())
	}
	if len(s.plan.Waiting) > 0 && s.plan.Active == 0 {
		reason = v1alpha1.ReasonWaiting
		for _, n := range s.nodes {
			if why, ok := s.plan.Waiting[n.Name]; ok {
				text = fmt.Sprintf("%s done; node %s: %s", next.Progress, n.Name, why)
				break
			}
		}
	}
	if next.LastWriteError != "" {
		text = quantity.Clip(text, maxConditionMessage/2) + "; trying again: " + next.LastWriteError
	}
	c.say(metav1.ConditionFalse, metav1.ConditionUnknown, reason, text, v1alpha1.ConditionReconciling)
}

// conditions writes conditions of one generation at one time.
type conditions struct {
	generation int64
	now        metav1.Time
	list       *[]metav1.Condition
}

func (c conditions) set(kind string, status metav1.ConditionStatus, reason, text string) {
	meta.SetStatusCondition(c.list, metav1.Condition{Type: kind, Status: status, Reason: reason,
		Message: quantity.Clip(text, maxConditionMessage), ObservedGeneration: c.generation,
		LastTransitionTime: metav1.NewTime(c.now.Truncate(time.Second))})
}

// say whether the run is over and how it went, and which conditions are present beside that.
func (c conditions) say(finished, succeeded metav1.ConditionStatus, reason, text string, present ...string) {
	c.set(v1alpha1.ConditionFinished, finished, reason, text)
	c.set(v1alpha1.ConditionSucceeded, succeeded, reason, text)
	for _, k := range []string{v1alpha1.ConditionReconciling, v1alpha1.ConditionStalled, v1alpha1.ConditionSuspended} {
		if slices.Contains(present, k) {
			c.set(k, metav1.ConditionTrue, reason, text)
		} else {
			meta.RemoveStatusCondition(c.list, k)
		}
	}
}

// finish sets the conditions of a run that is over.
func (c conditions) finish(v v1alpha1.Verdict, reason, text string) {
	switch v {
	case v1alpha1.VerdictPass:
		c.say(metav1.ConditionTrue, metav1.ConditionTrue, reason, text)
	case v1alpha1.VerdictFail, v1alpha1.VerdictError:
		c.say(metav1.ConditionTrue, metav1.ConditionFalse, reason, text, v1alpha1.ConditionStalled)
	default:
		c.say(metav1.ConditionTrue, metav1.ConditionUnknown, reason, text, v1alpha1.ConditionStalled)
	}
}

// sortedFindings are the messages of what fails the run, and of what is only to be known.
func (s *Concluded) sortedFindings() (faults, warnings []string) {
	for _, f := range s.Findings {
		if f.Kind == judge.KindPopulation || f.Kind == judge.KindShift {
			warnings = append(warnings, f.Message)
		} else {
			faults = append(faults, f.Message)
		}
	}
	return faults, warnings
}
