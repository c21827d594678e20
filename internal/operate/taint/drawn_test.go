package taint

import (
	"cmp"
	"embed"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/term"
	"github.com/assay-dev/assay/internal/operate/nodevalidation"
	"github.com/assay-dev/assay/test/golden"
)

//go:embed testdata
var files embed.FS

var _ = golden.Keep(files)

// life of a node: runs judge it, in any order, and people meddle.
type life struct {
	*rand.Rand
	c   Current
	now time.Time
	out strings.Builder
}

var hbm = []v1alpha1.Metric{{Name: "triad", Unit: "GB/s", Better: v1alpha1.Higher, Headline: true, Expectation: &v1alpha1.Expectation{Min: "4000", MaxRegression: "0.05"}}}

func (l *life) one(of ...string) string { return golden.One(l.Rand, of...) }

// measured is what one benchmark came to, and its row.
func (l *life) measured(name string, at time.Time) (Benchmark, v1alpha1.BenchmarkResult) {
	v := v1alpha1.Verdict(l.one("Pass", "Pass", "Pass", "Fail", "Fail", "Fail", "Error", "Inconclusive"))
	b := Benchmark{Name: name, Verdict: v}
	b.Asked, b.Metrics, b.DeviceResource, b.OwnParameters = "asked", hbm, "nvidia.com/gpu", l.IntN(10) == 0
	row := v1alpha1.BenchmarkResult{Name: name, Verdict: v, Message: name + " says", Reason: "Because"}
	if l.IntN(5) == 0 {
		b.Overridden = hbm
	}
	values, limit := []string{"4370", "4370", "4370", "4370"}, v1alpha1.Decimal(l.one("4000", "4000", "4000", "4200"))
	rule := l.one(term.Min, term.Min, term.FleetDeviation, term.Regression, term.DataCheck, term.Devices)
	slow := l.IntN(4)
	if v == v1alpha1.VerdictFail {
		broken := term.Term{Metric: "triad", Rule: rule, RuleNumbers: v1alpha1.RuleNumbers{Limit: limit, Value: v1alpha1.Decimal(l.one("3900", "3100")), Bound: limit, Unit: "GB/s", Parts: 4}}
		if rule == term.Devices {
			broken = term.Term{Rule: rule, RuleNumbers: v1alpha1.RuleNumbers{Value: "3", Bound: "4"}}
		} else if l.IntN(5) > 0 {
			broken.At = fmt.Sprintf("gpu%d", slow)
			broken.Ats = []string{broken.At}
			values[slow] = string(broken.Value)
		}
		b.Terms.Broken = []term.Term{broken}
		b.NotMissing = l.one("", "", "they are back")
		b.Findings = []v1alpha1.Finding{{Metric: broken.Metric, At: broken.At, Rule: rule, Verdict: v, Message: "slow"}}
	} else if v == v1alpha1.VerdictPass {
		for _, rule := range []string{term.Min, term.FleetDeviation, term.Regression, term.DataCheck}[l.IntN(4)/3:] {
			h := term.Term{Metric: "triad", Rule: rule, RuleNumbers: v1alpha1.RuleNumbers{Limit: limit, Value: "4370", Parts: 4}}
			if rule == term.DataCheck {
				h = term.Term{Rule: rule}
			}
			b.Terms.Held = append(b.Terms.Held, h)
		}
		if l.IntN(3) > 0 {
			b.Terms.Held = append(b.Terms.Held, term.Term{Rule: term.Devices, RuleNumbers: v1alpha1.RuleNumbers{Value: "4"}})
		}
	}
	if l.IntN(6) == 0 {
		b.Findings = append(b.Findings, v1alpha1.Finding{Rule: term.FactUniform, Verdict: v1alpha1.VerdictWarning, Message: "another driver"})
		b.Cleared = []v1alpha1.PartReference{{Metric: "triad", At: "gpu1"}}
	}
	configuration := l.one("c1", "c1", "c1", "c1", "c1", "c2")
	for n := range 1 + l.IntN(2) {
		a := v1alpha1.Attempt{Number: int32(n + 1), Verdict: v1alpha1.VerdictPass, LaunchTime: &metav1.Time{Time: at}, Configuration: configuration, Machine: new(nodevalidation.MachineOf(l.c.Node, "nvidia.com/gpu", ""))}
		if v == v1alpha1.VerdictError || v == v1alpha1.VerdictSkipped {
			a.Verdict, a.Reason = v, l.one(v1alpha1.ReasonTimedOut, v1alpha1.ReasonUnreadable)
		}
		got := v1alpha1.Measurement{Name: "triad", Unit: "GB/s"}
		for i, value := range values {
			a.Devices = append(a.Devices, v1alpha1.Device{Index: int32(i), UUID: fmt.Sprintf("GPU-%d", i), Product: "H200"})
			got.Parts = append(got.Parts, v1alpha1.PartValue{At: fmt.Sprintf("gpu%d", i), Value: v1alpha1.Decimal(value)})
		}
		a.Measurements = []v1alpha1.Measurement{got}
		row.Attempts = append(row.Attempts, a)
	}
	row.Headline = []v1alpha1.HeadlineValue{{Benchmark: name, Metric: "triad", Unit: "GB/s", Value: v1alpha1.Decimal(values[slow]), Verdict: v}}
	return b, row
}

// judgement of a run that measured the node lately, or some time ago.
func (l *life) judgement(run int) Judgement {
	at := l.now.Add(-time.Duration(l.IntN(4)/2*l.IntN(90)) * time.Minute)
	j := Judgement{Run: v1alpha1.ObjectReference{Name: fmt.Sprintf("run-%d", run), UID: types.UID(fmt.Sprintf("uid-%d", run))}, Verdict: v1alpha1.VerdictPass, Reason: "Because", Message: "it was measured", Time: l.now,
		Scope: v1alpha1.TaintScope(l.one("", string(v1alpha1.TaintScopeDevice))), BreakerOpen: l.IntN(10) == 0}
	j.Result = &v1alpha1.ValidationResult{Node: v1alpha1.ObjectReference{Name: l.c.Node.Name, UID: l.c.Node.UID}, Message: j.Message}
	for _, name := range []string{"hbm", "p2p"}[:1+l.IntN(2)] {
		b, row := l.measured(name, at)
		j.Benchmarks, j.Result.Benchmarks = append(j.Benchmarks, b), append(j.Result.Benchmarks, row)
		if j.Verdict == v1alpha1.VerdictPass || b.Verdict == v1alpha1.VerdictFail {
			j.Verdict = b.Verdict
		}
	}
	j.Result.Verdict = j.Verdict
	if l.IntN(6) > 0 {
		j.Taint = &corev1.Taint{Key: "assay.dev/unfit", Value: l.one("a", "a", "b"), Effect: corev1.TaintEffectNoSchedule}
		j.TaintRefused = l.one("", "", "", "", "the key is not allowed")
	}
	return j
}

// carryOut what follows from a judgement, as the controller does.
func (l *life) carryOut(j Judgement) {
	next := j.Next(l.c)
	l.told("next", next)
	switch {
	case next.Action == Lift:
		next = j.Lifted(l.c)
		l.told("lifted", next)
		if next.Action == Lift && next.Taint != nil {
			l.c.Node, _ = Free(l.c.Node, MarkOf(l.c.Validation.Quarantine))
		}
	case next.Action == AddTaint && l.IntN(8) == 0:
		next = j.Spent(l.c, "not tainted: the budget is spent")
		l.told("spent", next)
	case next.Action == AddTaint:
		next = j.Quarantine(l.c, func(corev1.Taint) bool { return l.IntN(4) > 0 })
		l.told("quarantine", next)
		if next.Action == AddTaint {
			fmt.Fprintf(&l.out, "replaces %v; resources %v\n", next.Replaces(l.c), j.Resources())
			next.Validation = j.Announced(next, types.UID("quarantine-of-"+j.Run.Name))
			if l.IntN(8) == 0 {
				next.Validation = j.Renounced(next.Validation, next.Standing)
			} else {
				l.c.Node, _ = Bind(l.c.Node, next.Validation.Quarantine)
			}
		}
	}
	fmt.Fprintf(&l.out, "convicts %v, by %.6g: %s\n", j.Convicts(l.c, next), j.Shortfall(), golden.Figures(j.Noted(next.Note, next.Validation)))
	l.c.Validation, l.c.History = Labelled(next.Validation, l.c.Node.Name), cmp.Or(next.History, l.c.History)
	if w, ok := j.Says(l.c); ok {
		l.show(w)
	} else if l.c.Tainted() {
		fmt.Fprintln(&l.out, "would be said:", golden.Figures(j.Changed(l.c).Message))
	}
}

func (l *life) show(w Word) {
	c, label, changed := Shown(l.c.Node, w, l.now)
	fmt.Fprintf(&l.out, "shown: %v %s %s %q since %s: %s\n", changed, c.Status, c.Reason, label, c.LastTransitionTime.Format("15:04"), golden.Figures(c.Message))
	if l.IntN(8) == 0 { // whoever was to say it stopped before he did
		return
	}
	l.c.Node = l.c.Node.DeepCopy()
	l.c.Node.Status.Conditions, l.c.Node.Labels = []corev1.NodeCondition{c}, map[string]string{v1alpha1.LabelVerdict: label}
}

func (l *life) told(what string, n Next) {
	fmt.Fprintf(&l.out, "%s %s %s of %v, %d refuted: %s\n", what, n.Action, golden.Told(n.Taint), n.Devices, len(n.Refuted), golden.Figures(n.Note))
}

// meddle with the node, as people and clouds do.
func (l *life) meddle() string {
	n := l.c.Node.DeepCopy()
	l.c.Node = n
	switch what := l.one("", "", "", "", "", "", "takes the taint away", "takes the mark away", "adds a taint like it", "replaces the node", "loses the history"); what {
	case "takes the taint away":
		n.Spec.Taints = nil
		return what
	case "takes the mark away":
		delete(n.Annotations, v1alpha1.AnnotationQuarantine)
		return what
	case "adds a taint like it":
		n.Spec.Taints = []corev1.Taint{{Key: "assay.dev/unfit", Value: "theirs", Effect: corev1.TaintEffectNoSchedule}}
		return what
	case "replaces the node":
		l.c.Node = gpus(4, nil)
		l.c.Node.UID = types.UID(fmt.Sprint("machine-", l.IntN(1000)))
		return what
	case "loses the history":
		l.c.History = nil
		return what
	}
	return ""
}

// TestDrawnLives: what becomes of nodes that are judged again and again.
func TestDrawnLives(t *testing.T) {
	golden.Sums(t, "lives", 320, func(r *rand.Rand) string {
		l := &life{Rand: r, now: now, c: Current{Node: gpus(4, nil)}}
		if l.IntN(3) == 0 {
			l.c.Node = node()
		}
		for run := range 12 {
			l.now = l.now.Add(time.Hour)
			fmt.Fprintf(&l.out, "\nsomebody %s\n", cmp.Or(l.meddle(), "does nothing"))
			j := l.judgement(run - l.IntN(6)/5) // the run before may judge it anew
			fmt.Fprintf(&l.out, "%s, as measured %s: %s", j.Run.Name, j.Result.Benchmarks[0].Attempts[0].LaunchTime.Format("15:04"), j.Verdict)
			for i, b := range j.Benchmarks {
				fmt.Fprintf(&l.out, ", %s %s %s own %v/%d", b.Name, b.Verdict, j.Result.Benchmarks[i].Attempts[0].Configuration, b.OwnParameters, len(b.Overridden))
				for _, t := range b.Terms.Broken {
					fmt.Fprintf(&l.out, " broke %s by %s at %q", t.Rule, t.Value, t.At)
				}
			}
			fmt.Fprintf(&l.out, "; breaker %v, scope %q, taints %v %s\n", j.BreakerOpen, j.Scope, j.Taint != nil, j.TaintRefused)
			l.carryOut(j)
			l.settled()
		}
		return l.out.String()
	})
}

// settled tells what is known after a run, and what the node carries.
func (l *life) settled() {
	v := l.c.Validation
	for _, c := range v.Convictions {
		fmt.Fprintf(&l.out, "convicted by %s of %s %s at %q, %v and %d more, as catalogued %v\n", c.Run.Name, c.Benchmark, term.RuleOf(c.Rule, c.Metric), c.At, c.Devices, c.More, c.AsCatalogued)
	}
	fmt.Fprintf(&l.out, "tainted %v as %v, stray %v, marked %q\n", l.c.Tainted(), golden.Told(l.c.Node.Spec.Taints), IsStray(l.c.Node, v.Quarantine), MarkOn(l.c.Node))
	w, owed := Owed(l.c)
	fmt.Fprintf(&l.out, "%s by %s, recorded %s, owed %v %s, %d offences, proof %s\n", v.Verdict, v.LastRun.Name, Recorded(v), owed, w.Verdict, v.OffenceCount, golden.Told(v.Proof))
	for _, h := range v.Benchmarks {
		fmt.Fprintf(&l.out, "%s %s:", h.Name, h.Verdict)
		for _, e := range h.History {
			fmt.Fprintf(&l.out, " %s=%s", e.Run, e.Verdict)
		}
		fmt.Fprintln(&l.out)
	}
	if l.c.History != nil {
		for _, h := range l.c.History.Benchmarks {
			fmt.Fprintf(&l.out, "history of %s: %d entries, %d held, %d passes, %d unconfirmed\n", h.Name, len(h.Entries), len(h.Held), len(h.Passes), len(h.Unconfirmed))
		}
	}
}

// TestDrawnBreakers: whether a run still calls nodes unfit.
func TestDrawnBreakers(t *testing.T) {
	golden.Sums(t, "breakers", 480, func(r *rand.Rand) string {
		in, at := BreakerInput{Limit: r.IntN(6) - 1}, []string{"hbm/triad/Min/gpu0", "hbm/triad/Min/gpu1", "p2p/write/FleetDeviation/gpu2", "p2p//DataCheck/"}
		for i := range r.IntN(9) {
			n := JudgedNode{Verdict: golden.One(r, v1alpha1.VerdictPass, v1alpha1.VerdictFail, v1alpha1.VerdictFail, v1alpha1.VerdictError, v1alpha1.VerdictPending), InstanceType: golden.One(r, "", "h200"), Tainted: r.IntN(4) == 0}
			n.Name = fmt.Sprint("node-", i)
			for range r.IntN(3) {
				part := golden.One(r, at[:1+r.IntN(len(at))]...)
				n.Parts, n.Failures = append(n.Parts, part), append(n.Failures, part[:strings.LastIndex(part, "/")])
			}
			in.Judged = append(in.Judged, n)
		}
		in.Nodes = len(in.Judged) + r.IntN(3)
		open, why := Breaker(in)
		may, whyNot := MayTaint(in, r.IntN(4))
		return fmt.Sprintf("%+v: open %v %s, early %v, one more %v %s", in, open, golden.Figures(why), in.Early(), may, golden.Figures(whyNot))
	})
}
