package policy

import (
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/policy/validity"
)

func quantityOf(n int) string { return strconv.Itoa(n) + " nodes" }

// words of a line: names, and settings name=value.
type words struct {
	plain []string
	set   map[string]string
}

func (w *world) words(line string) words {
	out := words{set: map[string]string{}}
	for _, field := range fields(line) {
		if name, value, ok := strings.Cut(field, "="); ok && !strings.Contains(name, " ") {
			out.set[name] = value
		} else {
			out.plain = append(out.plain, field)
		}
	}
	return out
}

// fields between spaces; quotes keep spaces.
func fields(line string) []string {
	var out []string
	for i, part := range strings.Split(line, `"`) {
		if i%2 == 0 {
			out = append(out, strings.Fields(part)...)
		} else if n := len(out); n > 0 && strings.HasSuffix(out[n-1], "=") {
			out[n-1] += part
		} else {
			out = append(out, part)
		}
	}
	return out
}

func (w *world) duration(text string) time.Duration {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, err := strconv.ParseFloat(days, 64)
		if err == nil {
			return time.Duration(n * 24 * float64(time.Hour))
		}
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		w.t.Fatalf("%q is no duration", text)
	}
	return d
}

// script sets the world up, and returns when it ends.
func (w *world) script(lines []string) (until time.Time) {
	start := w.now
	for _, line := range lines {
		verb, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch verb {
		case "", "#":
		case "start":
			at, err := time.Parse(time.RFC3339, rest)
			if err != nil {
				w.t.Fatal(err)
			}
			w.now, start = at.UTC(), at.UTC()
		case "at":
			when, what, _ := strings.Cut(rest, " ")
			w.at(start.Add(w.duration(when)), strings.TrimSpace(what), w.incident(strings.TrimSpace(what)))
		case "until":
			until = start.Add(w.duration(rest))
		default:
			w.incident(strings.TrimSpace(line))()
		}
	}
	return until
}

// incident that a line tells.
func (w *world) incident(line string) func() {
	verb, rest, _ := strings.Cut(line, " ")
	o := w.words(rest)
	each := func(do func(n *worldNode)) func() {
		return func() {
			for _, name := range o.plain {
				if name == "*" {
					for _, n := range w.nodes {
						do(n)
					}
					continue
				}
				do(w.node(name))
			}
		}
	}
	switch verb {
	case "benchmark":
		return func() { w.setBenchmark(o) }
	case "policy":
		return func() { w.setPolicy(o) }
	case "profile":
		return func() { w.setProfile(o) }
	case "nodes":
		return func() { w.addNodes(o) }
	case "node":
		return func() {
			w.now = w.now.Add(-w.durationOr(o.set["made"], 0))
			n := w.addNode(o.plain[0])
			w.now = w.now.Add(w.durationOr(o.set["made"], 0))
			w.setNode(n, o)
		}
	case "set":
		return each(func(n *worldNode) { w.setNode(n, o) })
	case "reboot":
		return each(func(n *worldNode) {
			n.Status.NodeInfo.BootID += "'"
			n.setReady(true, w.now)
		})
	case "finds":
		return each(func(n *worldNode) {
			for b, f := range o.set {
				n.finds[b] = f
			}
		})
	case "convict":
		return each(func(n *worldNode) {
			if n.validation == nil {
				n.validation = &v1alpha1.NodeValidation{Fingerprint: v1alpha1.Fingerprint{NodeUID: n.UID}}
			}
			n.validation.Convictions = append(n.validation.Convictions, v1alpha1.Conviction{Benchmark: o.set["by"], Metric: "throughput"})
		})
	case "ungate":
		return each(func(n *worldNode) {
			w.untaint(n, corev1.Taint{Key: v1alpha1.DefaultGateKey, Effect: corev1.TaintEffectNoSchedule})
		})
	case "remove":
		return each(func(n *worldNode) {
			w.nodes = slices.DeleteFunc(w.nodes, func(o *worldNode) bool { return o == n })
			w.left[n.Name] = n.validation
		})
	case "run":
		return func() { w.byHand(o) }
	case "rollout":
		return func() { w.rollout(o) }
	case "restart":
		return func() { w.forget() }
	case "down", "up":
		return func() {
			w.down = verb == "down"
			w.forget()
		}
	case "clock":
		return func() { w.setBack(w.duration(strings.TrimPrefix(o.plain[0], "-"))) }
	case "ask":
		return func() {
			p := w.policy(o.plain[0])
			p.Annotations = map[string]string{v1alpha1.AnnotationValidateNow: o.plain[1]}
		}
	case "allow":
		return func() { w.allowed = append(w.allowed, o.plain...) }
	case "terse":
		return func() { w.terse = true }
	case "killruns":
		return func() { w.runs = nil }
	case "drop":
		return func() {
			w.policies = slices.DeleteFunc(w.policies, func(p *worldPolicy) bool { return p.Name == o.plain[0] })
			delete(w.wakes, o.plain[0])
		}
	}
	w.t.Fatalf("the script says %q, which means nothing", line)
	return nil
}

func (w *world) durationOr(text string, otherwise time.Duration) time.Duration {
	if text == "" {
		return otherwise
	}
	return w.duration(text)
}

// forget what the operator's process knew.
func (w *world) forget() {
	for _, p := range w.policies {
		p.passes, p.seen, p.looks, p.memory = 0, map[types.UID]Seen{}, map[types.UID]Look{}, &validity.Memory{}
	}
}

// setBack the clock: what is to come stays as far away as it was.
func (w *world) setBack(by time.Duration) {
	w.now = w.now.Add(-by)
	for i := range w.incidents {
		w.incidents[i].at = w.incidents[i].at.Add(-by)
	}
	for _, r := range w.runs {
		r.ends = r.ends.Add(-by)
	}
	clear(w.wakes)
}
