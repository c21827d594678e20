package verdict

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/fact"
	"github.com/assay-dev/assay/internal/judge/fleet"
	"github.com/assay-dev/assay/internal/judge/rule"
	"github.com/assay-dev/assay/internal/judge/term"
)

// found are facts as a script has them: "gpu0/vbios=B1 governor=performance".
func found(text string) (facts []v1alpha1.Fact) {
	for _, word := range strings.Fields(text) {
		name, value, _ := strings.Cut(word, "=")
		at, name, ok := strings.Cut(name, "/")
		if !ok {
			at, name = "", at
		}
		facts = append(facts, v1alpha1.Fact{Name: name, At: at, Value: value})
	}
	return facts
}

// withFacts is an attempt of two GPUs that found these facts.
func withFacts(text string, values ...float64) v1alpha1.Attempt {
	a := *withDevices(onGPUs(triad(), values...), "H200", 2)
	a.Facts = found(text)
	return a
}

// fleetWithFacts is a complete fleet of nodes "0", "1" ... of one type that found these facts.
func fleetWithFacts(expect []v1alpha1.FactExpectation, metric v1alpha1.Metric, nodes ...string) *Judge {
	var own []fleet.Digest
	for i, text := range nodes {
		a := withFacts(text, 110, 110)
		d := fleet.DigestAttempt([]v1alpha1.Metric{metric}, &a).On("box 64 CPUs")
		d.Node = fmt.Sprint(i)
		own = append(own, d)
	}
	return newFleet(bench, []v1alpha1.Metric{metric}, own, nil, true).Expecting(expect)
}

func findingsAsTold(findings []v1alpha1.Finding) (all []string) {
	for _, f := range findings {
		all = append(all, fmt.Sprintf("%s %s %s: %s", f.Verdict, f.Rule, f.At, f.Message))
	}
	return all
}

func TestFactsAreWhatIsExpected(t *testing.T) {
	equal := v1alpha1.FactExpectation{Name: "ecc", Equal: "Enabled", Verdict: v1alpha1.VerdictFail}
	least := v1alpha1.FactExpectation{Name: "width", AtLeast: "16"} // Fail is the default
	warns := equal
	warns.Verdict = v1alpha1.VerdictWarning
	tests := map[string]struct {
		expect v1alpha1.FactExpectation
		facts  string
		want   v1alpha1.Verdict
		says   []string
		held   int32
	}{
		"equal":                            {equal, "gpu0/ecc=Enabled gpu1/ecc=Enabled", v1alpha1.VerdictPass, nil, 2},
		"another value, at one GPU":        {equal, "gpu0/ecc=Enabled gpu1/ecc=Disabled", v1alpha1.VerdictFail, []string{"Fail FactEqual gpu1: ecc of gpu1 (GPU-1) is Disabled, expected Enabled"}, 0},
		"another value, at both":           {equal, "gpu0/ecc=Disabled gpu1/ecc=Disabled", v1alpha1.VerdictFail, []string{"Fail FactEqual gpu0: ecc of gpu0, gpu1 is Disabled, expected Enabled"}, 0},
		"two other values":                 {equal, "gpu0/ecc=Disabled gpu1/ecc=Pending", v1alpha1.VerdictFail, []string{"Fail FactEqual gpu0: ecc of gpu0 (GPU-0) is Disabled, expected Enabled", "Fail FactEqual gpu1: ecc of gpu1 (GPU-1) is Pending, expected Enabled"}, 0},
		"a text is compared as it is":      {v1alpha1.FactExpectation{Name: "driver", Equal: "570.10"}, "driver=570.1", v1alpha1.VerdictFail, []string{"Fail FactEqual : driver is 570.1, expected 570.10"}, 0},
		"not reported":                     {equal, "other=1", v1alpha1.VerdictMissing, []string{"Missing Missing : the program did not report ecc, which the Benchmark expects"}, 0},
		"it warns":                         {warns, "gpu0/ecc=Enabled gpu1/ecc=Disabled", v1alpha1.VerdictPass, []string{"Warning FactEqual gpu1: ecc of gpu1 (GPU-1) is Disabled, expected Enabled"}, 0},
		"not reported, and only to warn":   {warns, "other=1", v1alpha1.VerdictPass, []string{"Warning Missing : the program did not report ecc, which the Benchmark expects"}, 0},
		"just enough":                      {least, "gpu0/width=16 gpu1/width=16.0", v1alpha1.VerdictPass, nil, 2},
		"too little":                       {least, "gpu0/width=9 gpu1/width=16", v1alpha1.VerdictFail, []string{"Fail FactAtLeast gpu0: width of gpu0 (GPU-0) is 9, expected at least 16"}, 0},
		"no number":                        {least, "gpu0/width=x16 gpu1/width=16", v1alpha1.VerdictFail, []string{"Fail FactAtLeast gpu0: width of gpu0 (GPU-0) is x16, which is not a number, expected at least 16"}, 0},
		"a number that is not reported":    {least, "", v1alpha1.VerdictMissing, []string{"Missing Missing : the program did not report width, which the Benchmark expects"}, 0},
		"uniform, and nobody to compare":   {v1alpha1.FactExpectation{Name: "vbios", Uniform: true}, "vbios=1", v1alpha1.VerdictPass, nil, 0},
		"uniform, and reported by no node": {v1alpha1.FactExpectation{Name: "vbios", Uniform: true}, "", v1alpha1.VerdictPass, nil, 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			f := fleetWithFacts([]v1alpha1.FactExpectation{tt.expect}, triad())
			d := f.Decide([]v1alpha1.Attempt{withFacts(tt.facts, 110, 110)}, rule.Given{}, 2)
			if d.Verdict != tt.want || d.NeedsAttempt {
				t.Errorf("verdict %s, another attempt %v; want %s at once", d.Verdict, d.NeedsAttempt, tt.want)
			}
			if diff := cmp.Diff(tt.says, findingsAsTold(d.Findings)); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
			if tt.want == v1alpha1.VerdictFail && (d.Message != tt.says[0][strings.Index(tt.says[0], ": ")+2:] && len(tt.says) == 1 || d.Reason != v1alpha1.ReasonBelowExpectation) {
				t.Errorf("it says %s: %s", d.Reason, d.Message)
			}
			held := slices.IndexFunc(d.Terms.Held, func(h term.Term) bool { return fact.FactRules[h.Rule] })
			if (held >= 0) != (tt.held > 0) || held >= 0 && d.Terms.Held[held].Parts != tt.held {
				t.Errorf("held terms %+v, want one of %d parts", d.Terms.Held, tt.held)
			}
			if broken := len(d.Terms.Broken) > 0; broken != (tt.want == v1alpha1.VerdictFail) {
				t.Errorf("broken terms %+v", d.Terms.Broken)
			}
		})
	}
}

// TestLeastValuesAreDecimals: a program writes numbers as it likes; what is recorded of them, the API server has to take.
func TestLeastValuesAreDecimals(t *testing.T) {
	decimal := regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?$`) // and at most 32 characters, as the API has it
	for facts, want := range map[string]v1alpha1.Decimal{
		"width=8": "8", "width=+8": "8", "width=8.": "8", "width=.5": "0.5", "width=-.5": "-0.5", "width=16": "16", "width=+16.": "16",
		"width=" + strings.Repeat("9", 37):          "1e+37",
		"width=0." + strings.Repeat("3", 37):        "0.3333333333333333",
		"gpu0/width=16 gpu1/width=+8 gpu2/width=.5": "0.5",
		"gpu0/width=x gpu1/width=8":                 "", "gpu0/width=8 gpu1/width=x": "", "width=+": "",
	} {
		f := fleetWithFacts([]v1alpha1.FactExpectation{{Name: "width", AtLeast: "16"}}, triad())
		terms := f.Decide([]v1alpha1.Attempt{withFacts(facts, 110, 110)}, rule.Given{}, 2).Terms
		i := slices.IndexFunc(terms.Held, func(h term.Term) bool { return h.Rule == term.FactAtLeast })
		noted := terms.Broken
		if i >= 0 {
			noted = terms.Held[i:]
		}
		if len(noted) == 0 || noted[0].Value != want || want != "" && (!decimal.MatchString(string(want)) || len(want) > 32) {
			t.Errorf("%s is noted as %+v, want value %q", facts, noted, want)
		}
	}
}

func TestFactsAreThoseOfMostNodes(t *testing.T) {
	uniform := []v1alpha1.FactExpectation{{Name: "vbios", Uniform: true}}
	b1, a5 := "gpu0/vbios=B1 gpu1/vbios=B1", "gpu0/vbios=A5 gpu1/vbios=A5"
	convicted := func(expected string) rule.Given {
		return rule.Given{Convicted: []v1alpha1.Conviction{{Benchmark: bench, Metric: "vbios", Rule: term.FactUniform, At: "gpu1", RuleNumbers: v1alpha1.RuleNumbers{Parts: 2}, Expected: expected}}}
	}
	tests := map[string]struct {
		nodes []string // the first is judged; those with a "!" stand convicted
		facts rule.Given
		says  []string
		held  int32
	}{
		"all are alike":                                  {[]string{b1, b1, b1}, rule.Given{}, nil, 2},
		"one of three differs":                           {[]string{a5, b1, b1}, rule.Given{}, []string{"Fail FactUniform gpu0: vbios of gpu0, gpu1 is A5 (on 1 of 3 nodes of its kind), and B1 on 2"}, 0},
		"one GPU of it":                                  {[]string{"gpu0/vbios=B1 gpu1/vbios=A5", b1, b1}, rule.Given{}, []string{"Fail FactUniform gpu1: vbios of gpu1 (GPU-1) is A5 (on 1 of 3 nodes of its kind), and B1 on 2"}, 0},
		"two of five differ":                             {[]string{a5, a5, b1, b1, b1}, rule.Given{}, []string{"Fail FactUniform gpu0: vbios of gpu0, gpu1 is A5 (on 2 of 5 nodes of its kind), and B1 on 3"}, 0},
		"half of them is not most":                       {[]string{a5, a5, b1, b1}, rule.Given{}, nil, 0},
		"two nodes tell nothing":                         {[]string{a5, b1}, rule.Given{}, nil, 0},
		"nor where they are alike":                       {[]string{b1, b1}, rule.Given{}, nil, 0},
		"those that do not report it do not count":       {[]string{a5, b1, "serial=1", "serial=2"}, rule.Given{}, nil, 0},
		"convicted, alone, and as it was":                {[]string{"!" + a5}, convicted("B1"), []string{"Skipped FactUniform gpu0: vbios of gpu0 is A5; when it was convicted, most nodes had B1; to compare it anew takes 3 nodes of its kind that are not convicted of it, and this run has 0"}, 0},
		"convicted, alone, and half mended":              {[]string{"!gpu0/vbios=B1 gpu1/vbios=A5"}, convicted("B1"), []string{"Skipped FactUniform gpu1: vbios of gpu1 is A5; when it was convicted, most nodes had B1; to compare it anew takes 3 nodes of its kind that are not convicted of it, and this run has 0"}, 0},
		"convicted, alone, and mended":                   {[]string{"!" + b1}, convicted("B1"), nil, 2},
		"convicted, and now others have what it has":     {[]string{"!" + a5, a5, a5, a5}, convicted("B1"), nil, 2},
		"convicted, and others have what it was like":    {[]string{"!" + a5, b1, b1, b1}, convicted("A5"), []string{"Fail FactUniform gpu0: vbios of gpu0, gpu1 is A5 (on 1 of 4 nodes of its kind), and B1 on 3"}, 0},
		"convicted, and all the others are like it, too": {[]string{"!" + a5, "!" + a5, "!" + a5}, convicted("B1"), []string{"Skipped FactUniform gpu0: vbios of gpu0 is A5; when it was convicted, most nodes had B1; to compare it anew takes 3 nodes of its kind that are not convicted of it, and this run has 0"}, 0},
		"convicted, with as many as are not":             {[]string{"!" + a5, "!" + a5, "!" + a5, b1, b1, b1}, convicted("B1"), []string{"Fail FactUniform gpu0: vbios of gpu0, gpu1 is A5 (on 3 of 6 nodes of its kind), and B1 on 3"}, 0},
		"convicted, and mended before the others":        {[]string{"!" + b1, "!" + a5, "!" + a5, "!" + a5, b1, b1, b1}, convicted("B1"), nil, 2},
		"convicted, and those that are not differ":       {[]string{"!" + a5, b1, b1, a5, a5}, convicted("B1"), []string{"Skipped FactUniform gpu0: vbios of gpu0 is A5; when it was convicted, most nodes had B1; the 4 nodes of its kind in this run that are not convicted of it have no value that most of them share"}, 0},
		"not convicted, beside more that are":            {[]string{b1, b1, b1, "!" + a5, "!" + a5, "!" + a5, "!" + a5}, rule.Given{}, nil, 2},
		"not convicted, and like those that are":         {[]string{a5, b1, b1, "!" + a5, "!" + a5}, rule.Given{}, []string{"Fail FactUniform gpu0: vbios of gpu0, gpu1 is A5 (on 3 of 5 nodes of its kind), and B1 on 2"}, 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var uncounted []fact.Of
			for i, text := range tt.nodes {
				if text, convicted := strings.CutPrefix(text, "!"); convicted {
					tt.nodes[i], uncounted = text, append(uncounted, fact.Of{Node: fmt.Sprint(i), Fact: "vbios"})
				}
			}
			f := fleetWithFacts(nil, triad(), tt.nodes...).Expecting(uniform, uncounted...)
			tt.facts.Node = "0"
			d := f.Decide([]v1alpha1.Attempt{withFacts(tt.nodes[0], 110, 110)}, tt.facts, 2)
			if diff := cmp.Diff(tt.says, findingsAsTold(d.Findings)); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
			held := slices.IndexFunc(d.Terms.Held, func(h term.Term) bool { return h.Rule == term.FactUniform })
			if (held >= 0) != (tt.held > 0) || held >= 0 && d.Terms.Held[held].Parts != tt.held {
				t.Errorf("held terms %+v, want one of %d parts", d.Terms.Held, tt.held)
			}
			for _, b := range d.Terms.Broken {
				if b.Expected != "B1" || b.Parts != 2 {
					t.Errorf("a later run could not tell that it is mended: %+v", b)
				}
			}
		})
	}
}

// TestOnlyNodesOfOneKindAreUniform: nodes of another type, or with other GPUs, have facts of their own; how many CPUs or GPUs they offer
// makes no other kind, as that may be the fault.
func TestOnlyNodesOfOneKindAreUniform(t *testing.T) {
	for name, tt := range map[string]struct {
		host, product string
		gpus          int
		want          bool
	}{
		"the same":      {"box 64 CPUs", "H200", 2, true},
		"fewer CPUs":    {"box 32 CPUs", "H200", 2, true},
		"fewer GPUs":    {"box 64 CPUs", "H200", 1, true},
		"another type":  {"tin 64 CPUs", "H200", 2, false},
		"another GPU":   {"box 64 CPUs", "H100", 2, false},
		"no type known": {"64 CPUs", "H200", 2, false},
	} {
		var own []fleet.Digest
		for i := range 4 {
			a := withFacts("vbios=B1", 110, 110)
			host := "box 64 CPUs"
			if i == 3 {
				a = *withDevices(onGPUs(triad(), 110), tt.product, tt.gpus)
				a.Facts, host = found("vbios=A5"), tt.host
			}
			d := fleet.DigestAttempt([]v1alpha1.Metric{triad()}, &a).On(host)
			d.Node = fmt.Sprint(i)
			own = append(own, d)
		}
		f := newFleet(bench, []v1alpha1.Metric{triad()}, own, nil, true).Expecting(nil)
		if got := len(f.Differences("3")) > 0; got != tt.want {
			t.Errorf("%s: compared with the others %v, want %v", name, got, tt.want)
		}
	}
}

// TestFactsBesideSpeeds: a fact decides at once, and never hides, nor proves, what was measured.
func TestFactsBesideSpeeds(t *testing.T) {
	m := triad(expecting(v1alpha1.Expectation{Min: "100"}))
	expect := []v1alpha1.FactExpectation{{Name: "ecc", Equal: "on"}}
	good, bad, none := "ecc=on", "ecc=off", ""
	fast, slow := []float64{110, 110}, []float64{110, 90}
	wrong := withFacts(bad, fast...)
	wrong.Checks = []v1alpha1.Check{{Name: "data"}}
	const speed, fact = "gpu1 (GPU-1) hbmTriad 90 GB/s: bound 100 GB/s", "ecc is off, expected on"
	type a = []v1alpha1.Attempt
	tests := map[string]struct {
		attempts a
		want     decided
		broken   string
	}{
		"a suspect stays one":              {a{withFacts(good, slow...)}, decided{v1alpha1.VerdictPending, "", "suspect, so it is measured again (at most 2 more): " + speed, true, nil}, ""},
		"a fact decides before it":         {a{withFacts(bad, slow...)}, decided{v1alpha1.VerdictFail, "BelowExpectation", fact, false, nil}, "FactEqual"},
		"a fact beside a proved speed":     {a{withFacts(bad, slow...), withFacts(bad, slow...)}, decided{v1alpha1.VerdictFail, "BelowExpectation", speed + "; confirmed: mean of 2 measurements; also, " + fact, false, nil}, "Min FactEqual"},
		"the newest attempt tells":         {a{withFacts(bad, slow...), withFacts(good, slow...)}, decided{v1alpha1.VerdictFail, "BelowExpectation", speed + "; confirmed: mean of 2 measurements", false, nil}, "Min"},
		"wrong data comes first":           {a{wrong, wrong}, decided{v1alpha1.VerdictFail, "WrongData", "wrong data: check data failed; data was wrong in 2 of 2 attempts; also, " + fact, false, nil}, "DataCheck FactEqual"},
		"a missing fact waits for a speed": {a{withFacts(none, slow...)}, decided{v1alpha1.VerdictPending, "", "suspect, so it is measured again (at most 2 more): " + speed, true, nil}, ""},
		"and does not hide it":             {a{withFacts(none, slow...), withFacts(none, slow...)}, decided{v1alpha1.VerdictFail, "BelowExpectation", speed + "; confirmed: mean of 2 measurements", false, nil}, "Min"},
		"a crash says nothing of facts":    {a{{Verdict: v1alpha1.VerdictError, Reason: "TimedOut", Message: "killed", Facts: found(bad)}}, decided{v1alpha1.VerdictError, "TimedOut", "killed", false, nil}, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			d := fleetWithFacts(expect, m).Decide(tt.attempts, rule.Given{}, 2)
			if diff := cmp.Diff(tt.want, told(d), cmp.AllowUnexported(decided{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			var broken []string
			for _, b := range d.Terms.Broken {
				broken = append(broken, b.Rule)
			}
			if got := strings.Join(broken, " "); got != tt.broken {
				t.Errorf("it convicts by %q, want %q", got, tt.broken)
			}
			for _, h := range d.Headline {
				if h.Verdict == v1alpha1.VerdictFail && !strings.Contains(tt.broken, "Min") && !d.NeedsAttempt {
					t.Errorf("a speed that is not proved is shown as failed: %+v", h)
				}
			}
			if !strings.Contains(tt.broken, "Min") && !d.NeedsAttempt && d.BySpeed() {
				t.Errorf("a speed that is not proved is among the findings: %v", findingsAsTold(d.Findings))
			}
		})
	}
}

// TestUniformFactsAwaitTheFleet: until all nodes are measured, nobody can tell what most of them have.
func TestUniformFactsAwaitTheFleet(t *testing.T) {
	f := newFleet(bench, []v1alpha1.Metric{triad()}, nil, nil, false).Expecting([]v1alpha1.FactExpectation{{Name: "vbios", Uniform: true}, {Name: "ecc", Equal: "on"}})
	d := f.Decide([]v1alpha1.Attempt{withFacts("vbios=B1 ecc=on", 110, 110)}, rule.Given{}, 2)
	if d.Verdict != v1alpha1.VerdictPending || d.NeedsAttempt || !strings.Contains(d.Message, "compared with the fleet") {
		t.Errorf("%s, another attempt %v: %s", d.Verdict, d.NeedsAttempt, d.Message)
	}
	if d := f.Decide([]v1alpha1.Attempt{withFacts("vbios=B1 ecc=off", 110, 110)}, rule.Given{}, 2); d.Verdict != v1alpha1.VerdictFail {
		t.Errorf("a fact that is wrong by itself waits for the fleet: %s", d.Message)
	}
}

// TestDifferences: parts that differ alike are told together, what differs everywhere is no difference, and the program's order stays.
func TestDifferences(t *testing.T) {
	node := func(vbios, governor string, i int) string {
		return fmt.Sprintf("gpu0/vbios=%s gpu1/vbios=%s governor=%s serial=%d kernel=6.8", vbios, vbios, governor, i)
	}
	f := fleetWithFacts(nil, triad(), node("B1", "fast", 0), node("B1", "fast", 1), node("A5", "slow", 2), node("B1", "fast", 3))
	want := []fact.Difference{{Deviant: fact.Deviant{Fact: "vbios", Value: "A5", Most: "B1", Own: 1, Having: 3, Nodes: 4}, Parts: []string{"gpu0", "gpu1"}},
		{Deviant: fact.Deviant{Fact: "governor", Value: "slow", Most: "fast", Own: 1, Having: 3, Nodes: 4}, Parts: []string{""}}}
	if diff := cmp.Diff(want, f.Differences("2")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if d := f.Differences("1"); d != nil {
		t.Errorf("a node like most differs in %+v", d)
	}
	if d := f.Differences("7"); d != nil {
		t.Errorf("a node that was not measured differs in %+v", d)
	}
}
