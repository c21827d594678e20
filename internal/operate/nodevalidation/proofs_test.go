package nodevalidation

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// asking is a run that asked for something: on terms of its own, unless they are empty.
func asking(minute int, v v1alpha1.Verdict, terms string) Judgement {
	j := story(gpuNode("8", "NVIDIA-H200"), minute, v, "hbm")
	j.Benchmarks = map[string]Benchmark{"hbm": {Asked: "asked" + terms, DeviceResource: gpus, OwnExpectations: terms != "", OwnTerms: terms != "" && v == v1alpha1.VerdictFail}}
	return j
}

// proved is what the state has of the runs, each with its minute, a + for a pass that says on which machine, a - for a failure, and the terms, if it says so.
func proved(k Known) string {
	var all []string
	for _, e := range k.Validation.Benchmarks[0].History {
		sign := "-" // on which machine it failed may be forgotten
		switch {
		case e.Verdict == v1alpha1.VerdictPass && e.Machine == nil:
			sign = "?"
		case e.Verdict == v1alpha1.VerdictPass:
			sign = "+"
		}
		all = append(all, strings.TrimPrefix(string(e.RunUID), "run")+sign+strings.TrimPrefix(e.Asked, "asked"))
	}
	return strings.Join(all, " ")
}

// TestEachTermsHaveTheirProof: what is measured on other terms pushes no pass out that a policy may go by, for as long as there are not too many.
func TestEachTermsHaveTheirProof(t *testing.T) {
	for sentence, c := range map[string]struct {
		runs []string // + or -, and the terms
		want string
	}{
		"one pass of each":                      {[]string{"+a", "+", "+b", "+a", "+"}, "3+b 4+a 5+"},
		"failures since the first of them":      {[]string{"-", "+a", "-b", "-b", "+", "-"}, "2+a 3-b 4-b 5+ 6-"},
		"a failure of before is put right":      {[]string{"-a", "-", "+", "+a"}, "3+ 4+a"},
		"a failure that only others passed":     {[]string{"-a", "+", "+b"}, "1-a 2+ 3+b"},
		"the oldest of too many own terms goes": {[]string{"+a", "+", "+b", "+c", "+d", "+e"}, "2+ 3+b 4+c 5+d 6+e"},
		"more than the history has room for":    {strings.Fields("+a +b " + strings.Repeat("+ ", 12)), "1+a 2+b 14+"},
	} {
		var k Known
		for i, run := range c.runs {
			v := v1alpha1.VerdictPass
			if run[0] == '-' {
				v = v1alpha1.VerdictFail
			}
			k = Next(k, asking(i+1, v, run[1:]))
		}
		if diff := cmp.Diff(c.want, proved(k)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", sentence, diff)
		}
	}
}

// TestProofsInAnyOrder: runs on some terms, judged in any order, again and again.
func TestProofsInAnyOrder(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 31))
		var runs []Judgement
		for i := range 25 {
			runs = append(runs, asking(i, []v1alpha1.Verdict{v1alpha1.VerdictPass, v1alpha1.VerdictPass, v1alpha1.VerdictFail}[r.IntN(3)], []string{"", "", "a", "b", "c", "d", "e"}[r.IntN(7)]))
		}
		want := after(runs...)
		order := r.Perm(len(runs))
		var k Known
		for i := range order {
			k = Next(Next(k, runs[order[i]]), runs[order[r.IntN(i+1)]])
		}
		if diff := cmp.Diff(fmt.Sprint(proved(want), want.History.Benchmarks[0].Entries), fmt.Sprint(proved(k), k.History.Benchmarks[0].Entries)); diff != "" {
			t.Fatalf("seed %d, judged in order %v (-in order of measurement +got):\n%s", seed, order, diff)
		}
	}
}
