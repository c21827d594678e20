package tracetest

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-dev/assay/api/v1alpha1"
)

const leaf = "example.com/leaf"

// statement is one kind of line of a script.
type statement struct {
	form *regexp.Regexp
	do   func(w *world, words []string)
}

func form(pattern string, do func(w *world, words []string)) statement {
	return statement{regexp.MustCompile("^" + pattern + "$"), do}
}

// statements that set the scene. Any of them may happen later, too, and all incidents may happen at once: "at 15s: b is cordoned".
var statements = []statement{
	form(`nodes (.+)`, func(w *world, words []string) { // nodes a b c
		for _, name := range strings.Fields(words[0]) {
			w.addNode(name)
		}
	}),
	form(`place (\S+): (.+)`, func(w *world, words []string) { // place rack1: a b
		for _, name := range strings.Fields(words[1]) {
			w.nodes[name].Labels[leaf] = words[0]
		}
	}),
	form(`benchmark (\S+)(?: (.+))?`, func(w *world, words []string) { // benchmark rate min 90 timeout 60 devices 8
		w.addBenchmark(words[0], v1alpha1.ScopeNode, words[1])
	}),
	form(`(pairs|set) (\S+)(?: (.+))?`, func(w *world, words []string) { // pairs net fleet 0.10; set all size All min 15
		w.addBenchmark(words[1], v1alpha1.ScopeGroup, map[string]string{"pairs": "size 2 metric bandwidth ", "set": "size All metric collective "}[words[0]]+words[2])
	}),
	form(`profile (\S+) where (\S+)=(\S+) has (\d+) devices`, func(w *world, words []string) {
		w.setProfile(words[0], map[string]string{words[1]: words[2]}, w.number(words[3]))
	}),
	form(`accept a loss of (\S+) by (\S+)`, func(w *world, words []string) { // accept a loss of 0.02 by rate
		w.accept(words[1], words[0])
	}),
	form(`run (\S+)(?: (.+))?`, func(w *world, words []string) { // run first by rate net of a b c taint at-most 2 deadline 600
		w.addRun(w.newRun(words[0], words[1]), words[1])
	}),
	form(`(\S+) on (\S+?)(?: attempt (\d+))?(?: in (\S+))?: (.+)`, func(w *world, words []string) { // rate on b attempt 1: 50, takes 20s
		attempt, _ := strconv.Atoi(words[2])
		s := scripted{benchmark: words[0], who: words[1], attempt: attempt, run: words[3], behaviour: w.parseBehaviour(words[4])}
		w.scripted = append([]scripted{s}, w.scripted...)
	}),
	form(`fabric of (\S+) is (\S+)`, func(w *world, words []string) { // fabric of b is 0.5; of a-b; of a>b
		share, _ := strconv.ParseFloat(words[1], 64)
		if strings.ContainsAny(words[0], "->") {
			w.fabric.links[words[0]] = share
		} else {
			w.fabric.nodes[words[0]] = share
		}
	}),
	form(`fabric between (\S+) and (\S+) is (\S+)`, func(w *world, words []string) { // places
		share, _ := strconv.ParseFloat(words[2], 64)
		for _, a := range w.nodes {
			for _, b := range w.nodes {
				if a.Labels[leaf] == words[0] && b.Labels[leaf] == words[1] {
					w.fabric.links[min(a.Name, b.Name)+"-"+max(a.Name, b.Name)] = share
				}
			}
		}
	}),
	form(`operator may quarantine (\d+)%`, func(w *world, words []string) { w.policy.MaxPercent, _ = strconv.Atoi(words[0]) }),
	form(`watch nodes? (.+)`, func(w *world, words []string) { w.watched = strings.Fields(words[0]) }),
	form(`watch steps`, func(w *world, _ []string) { w.steps = true }),
	form(`pods may stay`, func(w *world, _ []string) { w.leaves = true }),
}

// starts is the incident of a run that starts.
var starts = regexp.MustCompile(`^run \S+( [^i].*)?$`)

var later = regexp.MustCompile(`^at (\S+): (.+)$`)

// line of a script.
func (w *world) line(text string) {
	w.t.Helper()
	if words := later.FindStringSubmatch(text); words != nil {
		after, err := time.ParseDuration(words[1])
		if err != nil {
			w.t.Fatal(err)
		}
		w.at(after, words[2], func() { w.line(words[2]) })
		return
	}
	for _, s := range slices.Concat(incidents, statements) {
		if words := s.form.FindStringSubmatch(text); words != nil {
			s.do(w, words[1:])
			return
		}
	}
	w.t.Fatalf("the script says nothing that is known: %q", text)
}

// tell a story: the lines of its script that are no comment.
func tell(t testing.TB, script string) *world {
	t.Helper()
	w := newWorld(t)
	w.fabric = fabric{nodes: map[string]float64{}, links: map[string]float64{}}
	w.mpi.full = map[string]bool{}
	for text := range strings.Lines(script) {
		if text = strings.TrimSpace(text); text != "" && !strings.HasPrefix(text, "#") {
			w.line(text)
		}
	}
	return w
}

// scripted is what one benchmark does on one node or group; empty or 0: on any, in any attempt or run.
type scripted struct {
	benchmark, who string
	attempt        int
	run            string
	behaviour      behaviour
}

// behaviour of an attempt.
func (w *world) behaviour(benchmark, who string, attempt int, run string) behaviour {
	for _, s := range w.scripted {
		member := s.who == "*" || s.who == who || strings.HasPrefix(s.who, "*+") && slices.Contains(strings.Split(who, "+"), s.who[2:])
		if s.benchmark == benchmark && member && (s.attempt == 0 || s.attempt == attempt) && (s.run == "" || s.run == run) {
			return s.behaviour
		}
	}
	return behaviour{rate: 100, takes: 10 * time.Second}
}

// parseBehaviour reads "50, takes 20s, wrong data".
func (w *world) parseBehaviour(text string) behaviour {
	b := behaviour{rate: 100, takes: 10 * time.Second}
	for _, part := range strings.Split(text, ", ") {
		word, rest, _ := strings.Cut(part, " ")
		number, err := strconv.ParseFloat(word, 64)
		duration, _ := time.ParseDuration(rest)
		switch {
		case err == nil:
			b.rate = number
		case word == "takes":
			b.takes = duration
		case word == "gpus" || word == "links":
			b.gpus, b.links = rest, word == "links"
		case part == "lingers":
			b.lingers = true
		case word == "vanishes":
			b.vanishes = duration
		case word == "ahead":
			b.ahead = duration
		case part == "wrong data":
			b.wrongData = true
		case part == "does not end":
			b.forever = true
		case strings.HasPrefix(part, "does not go"):
			b.stays, b.staysOn = true, strings.TrimPrefix(strings.TrimPrefix(part, "does not go"), " on ")
		case word == "exits":
			n, _ := strconv.Atoi(rest)
			b.exit = int32(n)
		case word == "killed":
			b.exit, b.reason = 137, rest
		case word == "says":
			b.says = rest
		case word == "evicted":
			b.evict = rest
		case word == "cannot":
			b.skips = rest
		case word == "image":
			b.image = rest
		case word == "waiting":
			b.waiting = rest
		case word == "unschedulable":
			b.unschedulable = rest
		case word == "placed": // placed in 20s
			b.placedIn, _ = time.ParseDuration(strings.TrimPrefix(rest, "in "))
		case word == "disturbed":
			b.disturbed = strings.TrimPrefix(rest, "by ")
		case word == "others": // others take 0.1
			b.others, _ = strconv.ParseFloat(strings.TrimPrefix(rest, "take "), 64)
		case word == "interrupted": // interrupted by SIGTERM
			b.interrupted = "stopped " + rest
		case word == "breaks": // breaks off: out of memory
			b.breaksOff = strings.TrimPrefix(rest, "off: ")
		case word == "facts":
			b.facts = rest
		case word == "measures": // measures 1 GiB of 4
			b.smaller = rest
		case word == "loses":
			b.loses = rest
		default:
			w.t.Fatalf("no program does %q", part)
		}
	}
	return b
}

// options reads "min 90 timeout 60": names of one word, each with its value.
func (w *world) options(text string) map[string]string {
	words, out := strings.Fields(text), map[string]string{}
	if len(words)%2 != 0 {
		w.t.Fatalf("an option lacks its value: %q", text)
	}
	for i := 0; i < len(words); i += 2 {
		out[words[i]] = words[i+1]
	}
	return out
}

// expectedFacts reads "eccMode=Enabled,links>=18,vbios~,driver~?": a name, what it must be (~: as on most nodes), and ? where it only warns.
func (w *world) expectedFacts(text string) (facts []v1alpha1.FactExpectation) {
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' }) {
		word, warns := strings.CutSuffix(word, "?")
		f := v1alpha1.FactExpectation{Verdict: v1alpha1.VerdictFail}
		if warns {
			f.Verdict = v1alpha1.VerdictWarning
		}
		word, f.Uniform = strings.CutSuffix(word, "~")
		if name, least, found := strings.Cut(word, ">="); found {
			f.Name, f.AtLeast = name, v1alpha1.Decimal(least)
		} else {
			f.Name, f.Equal, _ = strings.Cut(word, "=")
		}
		facts = append(facts, f)
	}
	return facts
}

func (w *world) number(text string) int32 {
	n, err := strconv.Atoi(text)
	if err != nil {
		w.t.Fatal(err)
	}
	return int32(n)
}

func (w *world) addBenchmark(name string, scope v1alpha1.Scope, text string) {
	o := w.options(text)
	b := v1alpha1.Benchmark{ObjectMeta: metav1.ObjectMeta{Name: name, Generation: 1}}
	b.Spec = v1alpha1.BenchmarkSpec{Description: name, Scope: scope, Image: "registry.example/bench:1", Command: []string{"/bin/" + name},
		TimeoutSeconds: w.number(cmp.Or(o["timeout"], "60")), CostSeconds: w.number(cmp.Or(o["cost"], "60")), QuietHost: o["host"] == "quiet", Output: v1alpha1.Output{Format: v1alpha1.FormatAssay}}
	m := v1alpha1.Metric{Name: cmp.Or(o["metric"], "speed"), Unit: "GB/s", Better: v1alpha1.Higher, Headline: true, Noise: v1alpha1.Noise{Run: "0.01", Part: "0.01", Node: "0.01"}}
	if o["noise"] != "" {
		m.Noise = v1alpha1.Noise{Run: v1alpha1.Fraction(o["noise"]), Part: v1alpha1.Fraction(o["part"]), Node: v1alpha1.Fraction(o["node"])}
	}
	if e := (v1alpha1.Expectation{Min: v1alpha1.Decimal(o["min"]), MaxFleetDeviation: v1alpha1.Fraction(o["fleet"]), MaxRegression: v1alpha1.Fraction(o["regression"])}); e != (v1alpha1.Expectation{}) {
		m.Expectation = &e
	}
	if m.Name == "latency" {
		m.Unit, m.Better = "us", v1alpha1.Lower
	}
	b.Spec.Metrics, b.Spec.Facts = []v1alpha1.Metric{m}, w.expectedFacts(o["facts"])
	if o["devices"] != "" {
		b.Spec.Needs.DeviceResource, b.Spec.Needs.MinDevices = "nvidia.com/gpu", new(w.number(o["devices"]))
	}
	if key, value, ok := strings.Cut(o["needs"], "="); ok {
		b.Spec.Needs.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{key: value}}
	}
	if o["parameter"] != "" {
		b.Spec.Parameters = []v1alpha1.ParameterSpec{{Name: o["parameter"], Type: v1alpha1.ParameterInteger, Default: "1", Minimum: "1", Maximum: "8"}}
		b.Spec.Command = append(b.Spec.Command, "$("+o["parameter"]+")")
	}
	if scope == v1alpha1.ScopeGroup {
		b.Spec.CostSeconds += 60
		b.Spec.Group = &v1alpha1.Group{Size: intstr.Parse(o["size"]), Topology: leaf, SlotsPerWorker: intstr.FromInt32(1), SSHPort: 2222, Within: o["within"], Across: o["across"]}
		b.Spec.Command = []string{"mpirun", "/bin/" + name}
		if o["rounds"] != "" {
			b.Spec.Group.Rounds = new(w.number(o["rounds"]))
		}
	}
	w.benchmarks = append(slices.DeleteFunc(w.benchmarks, func(c v1alpha1.Benchmark) bool { return c.Name == name }), b)
}
