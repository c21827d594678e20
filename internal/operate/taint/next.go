package taint

import (
	"cmp"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/nodevalidation"
)

// Action is what is to be done about a node.
type Action string

// The actions.
const (
	// Record what is known of the node.
	Record Action = "Record"
	// AddTaint and record why; before that, Quarantine has to decide it by what is there at that moment.
	AddTaint Action = "AddTaint"
	// Lift the taint, if there is one; before that, Lifted has to decide it by what is there at that moment.
	Lift Action = "Lift"
)

// Next is what is to be known of a node, and done about it.
type Next struct {
	Action     Action
	Validation *v1alpha1.NodeValidation
	// History is what was measured on it; nil: as it was.
	History *v1alpha1.NodeHistory
	// Taint to be added, or to be lifted; nil: there is none to lift. Devices that get it, or have it; none: the node.
	Taint   *corev1.Taint
	Devices []string
	// Convicted is what the node is convicted of with AddTaint, Standing without it.
	Convicted, Standing []v1alpha1.Conviction
	// Refuted are the convictions that the lifted taint rested on.
	Refuted []v1alpha1.Conviction
	// Note is what was, or was not, done about the verdict, and what the node still owes; for its row.
	Note string
}

// Next draws from a run's judgement what follows for the node. Convictions that any later measurement refutes go, whatever else
// came of that run; with the last of them, the taint. What this run failed convicts, and within the budgets taints. While the
// breaker is open the node is neither tainted nor told to be unfit.
func (j Judgement) Next(c Current) Next {
	k := j.known(c)
	v := k.Validation
	standing, own, withheld := j.convictions(k, c, j.Taint != nil && (j.TaintRefused == "" || c.Tainted()))
	next := Next{Action: Record, Validation: v, History: k.History, Note: j.outstanding(k, standing)}
	silent := j.BreakerOpen && !c.Tainted()
	if silent {
		own = nil
	}
	convicted := nodevalidation.Convict(standing, own)
	of := j.out(c.Node, v.Quarantine, convicted, own)
	next.Note = of.noted(next.Note, len(own) > 0, c.Node, v.Quarantine)
	switch {
	case len(convicted) == 0 && len(v.Convictions) > 0:
		next.Action = Lift
	case j.changes(c.Node, v.Quarantine, of),
		len(own) > 0 && j.Taint != nil && (!c.Tainted() || !equality.Semantic.DeepEqual(convicted, v.Convictions)):
		next.Action = AddTaint
	case j.Verdict == v1alpha1.VerdictFail && len(own) == 0:
		if !silent {
			next.Note = cmp.Or(withheld, "a later measurement supersedes this one")
		}
		v.Convictions = standing
	default:
		v.Convictions = convicted
	}
	return next
}

// Quarantine decides whether a node that failed is tainted, by what is there at this moment. allowed says whether the
// administrator allows a taint that was put on the node before.
func (j Judgement) Quarantine(c Current, allowed func(corev1.Taint) bool) Next {
	k := j.known(c)
	v := k.Validation
	t := j.taintOf(c.Node, v.Quarantine, allowed)
	state := StateOf(c.Node, t, v.Quarantine)
	ours := state == Ours || state == Unmarked
	standing, own, withheld := j.convictions(k, c, ours || state == Absent && j.TaintRefused == "")
	convicted := nodevalidation.Convict(standing, own)
	next := Next{Action: Record, Validation: v, History: k.History, Standing: standing, Convicted: convicted, Note: j.outstanding(k, standing)}
	of := j.out(c.Node, v.Quarantine, convicted, own)
	if state == Absent {
		of = j.afresh(c.Node, v.Quarantine, convicted)
	}
	next.Note = of.noted(next.Note, len(own) > 0, c.Node, v.Quarantine)
	switch {
	case len(convicted) == 0 && len(v.Convictions) > 0: // another run has just stored what refutes them, and not lifted the taint yet
		next.Action = Lift
	case j.changes(c.Node, v.Quarantine, of):
		next.Action, next.Taint, next.Devices = AddTaint, &t, of.devices
	case len(own) == 0:
		next.Note, v.Convictions = cmp.Or(withheld, next.Note), convicted
	case state == Foreign:
		next.Note = fmt.Sprintf("not tainted: the node carries a taint %s:%s that no record of Assay explains, so it stays as it is", t.Key,
			string(t.Effect))
		v.Convictions = convicted
	case ours:
		v.Convictions = convicted
	case j.TaintRefused != "":
		next.Note, v.Convictions = NotTainted(j.TaintRefused), standing
	default:
		next.Action, next.Taint, next.Devices = AddTaint, &t, of.devices
	}
	return next
}

// taintOf a node that is to be called unfit. One that is tainted keeps its taint, allowed or not: no record would explain it beside a second one.
func (j Judgement) taintOf(node *corev1.Node, q *v1alpha1.Quarantine, allowed func(corev1.Taint) bool) corev1.Taint {
	if q != nil && (Carries(node, q) || allowed(Of(q))) {
		return Of(q)
	}
	return *j.Taint
}

// changes: the quarantine of a node that carries its taint is to be of something else: of other devices, or of the node.
func (j Judgement) changes(node *corev1.Node, q *v1alpha1.Quarantine, of out) bool {
	return q != nil && StateOf(node, Of(q), q) == Ours && !slices.Equal(q.Devices, of.devices) && !of.taken(node, q)
}

// Replaces says whether a taint is to be added to a node that carries one of ours, and is on devices after that, or was before. The node counts already,
// and keeps what it has until it has the other.
func (n Next) Replaces(c Current) bool {
	if c.Validation == nil || c.Validation.Quarantine == nil || !Marked(c.Node) {
		return false
	}
	marked, _ := MarkedDevices(c.Node)
	return len(n.Devices)+len(c.Validation.Quarantine.Devices)+len(marked) > 0
}

// Convicts says whether a node that nothing convicted comes to be convicted, without a taint of ours: that is bounded, too.
func (j Judgement) Convicts(c Current, next Next) bool {
	return next.Action == Record && len(next.Validation.Convictions) > 0 && !c.Convicted()
}

// Resources that the benchmarks need which failed the node; "" for none.
func (j Judgement) Resources() []string {
	var all []string
	for _, b := range j.Benchmarks {
		if b.Verdict == v1alpha1.VerdictFail && !slices.Contains(all, b.DeviceResource) {
			all = append(all, b.DeviceResource)
		}
	}
	return all
}

// Spent is what is known of a node that is not tainted because the budgets are spent; it is not read anew for that.
func (j Judgement) Spent(c Current, why string) Next {
	k := j.known(c)
	standing, _, _ := j.convictions(k, c, false)
	k.Validation.Convictions = unlessLifted(k.Validation, standing)
	return Next{Action: Record, Validation: k.Validation, History: k.History, Note: why}
}

// Announced is the record that explains a taint which is about to be written. Its id is one that no quarantine had before: what is done
// about the node for an older one, and comes late, is told by that.
func (j Judgement) Announced(n Next, id types.UID) *v1alpha1.NodeValidation {
	v := n.Validation.DeepCopy()
	v.Convictions = n.Convicted
	if q := v.Quarantine; q == nil || Of(q) != *n.Taint || !slices.Equal(q.Devices, n.Devices) {
		v.Quarantine = &v1alpha1.Quarantine{Key: n.Taint.Key, Value: n.Taint.Value, Effect: n.Taint.Effect, Run: j.Run, Since: metav1.NewTime(j.Time),
			Devices: n.Devices}
	}
	v.Quarantine.ID = id
	return v
}

// Renounced is a record without the announcement of a taint that never came, and without what this run alone convicted the node of. What another run had
// convicted it of before stands, although the announcement has put this run's word in the place of that one's.
func (j Judgement) Renounced(v *v1alpha1.NodeValidation, standing []v1alpha1.Conviction) *v1alpha1.NodeValidation {
	v = v.DeepCopy()
	if q := v.Quarantine; q != nil && q.Run.UID == j.Run.UID {
		v.Quarantine = nil
	}
	v.Convictions = unlessLifted(v, slices.DeleteFunc(slices.Clone(standing), func(c v1alpha1.Conviction) bool { return c.Run.UID == j.Run.UID && !c.Again }))
	return v
}

// unlessLifted are the convictions that stand, or, where none does while the quarantine is still on record, those that it rests on: whoever
// takes the last one away lifts the taint with it.
func unlessLifted(v *v1alpha1.NodeValidation, standing []v1alpha1.Conviction) []v1alpha1.Conviction {
	switch {
	case len(standing) > 0:
		return standing
	case v.Quarantine != nil:
		return v.Convictions
	}
	return nil
}

// Lifted decides whether the taint of a node whose last conviction is refuted is lifted, by what is there at this moment.
func (j Judgement) Lifted(c Current) Next {
	k := j.known(c)
	v := k.Validation
	before := v.Convictions
	standing, own, _ := j.convictions(k, c, j.Taint != nil && c.Tainted())
	next := Next{Action: Record, Validation: v, History: k.History, Note: j.outstanding(k, standing)}
	if j.BreakerOpen && !c.Tainted() {
		own = nil
	}
	v.Convictions = nodevalidation.Convict(standing, own)
	if len(v.Convictions) > 0 || len(before) == 0 {
		return next
	}
	next.Action, next.Refuted, v.Convictions = Lift, before, nil
	if q := v.Quarantine; q != nil {
		next.Taint, next.Devices, v.Quarantine = new(Of(q)), q.Devices, nil
	}
	return next
}
