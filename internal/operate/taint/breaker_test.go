package taint

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// nodes makes judged nodes from letters: p passed, f failed alone, a failed like the other a, e errored, s skipped,
// w failed like other w, at another part; . pending; a capital letter carries the taint.
func nodes(letters string) []JudgedNode {
	verdicts := map[string]v1alpha1.Verdict{"p": v1alpha1.VerdictPass, "f": v1alpha1.VerdictFail, "a": v1alpha1.VerdictFail, "w": v1alpha1.VerdictFail,
		"e": v1alpha1.VerdictError, "s": v1alpha1.VerdictSkipped, "m": v1alpha1.VerdictMissing, ".": v1alpha1.VerdictPending, "t": v1alpha1.VerdictPending}
	var judged []JudgedNode
	for i, letter := range strings.Split(letters, "") {
		kind := strings.ToLower(letter)
		n := JudgedNode{Name: fmt.Sprintf("n%d", i), Verdict: verdicts[kind], Tainted: kind != letter}
		switch kind {
		case "f":
			n.Failures = []string{fmt.Sprintf("hbm/triad%d/Min", i)}
			n.Parts = []string{n.Failures[0] + "/gpu0"}
		case "a":
			n.Failures = []string{"p2p/bandwidth/FractionOfPeak", "hbm/triad/Min", "p2p/bandwidth/FractionOfPeak"}
			n.Parts = []string{"p2p/bandwidth/FractionOfPeak/gpu0->gpu1", "hbm/triad/Min/gpu0"}
		case "w":
			n.Failures, n.Parts = []string{"hbm/triad/Min"}, []string{fmt.Sprintf("hbm/triad/Min/gpu%d", i)}
		}
		judged = append(judged, n)
	}
	return judged
}

func TestBreaker(t *testing.T) {
	tests := map[string]struct {
		judged string
		nodes  int
		limit  int
		open   bool
		says   string
		may    bool
		why    string
	}{
		"one of four fails: it may be tainted":                  {"pppf", 4, 1, false, "", true, ""},
		"the first of a large run waits":                        {"f", 40, 4, false, "", false, "1 of 40 nodes measured; the first taint waits for 4"},
		"so does the third":                                     {"fpp", 40, 4, false, "", false, "3 of 40 nodes measured"},
		"four measured are enough":                              {"fppp", 40, 4, false, "", true, ""},
		"a run of two nodes needs two":                          {"f.", 2, 1, false, "", false, "1 of 2 nodes measured; the first taint waits for 2"},
		"and has them then":                                     {"fp", 2, 1, false, "", true, ""},
		"a run of one node needs one":                           {"f", 1, 1, false, "", true, ""},
		"what cannot be measured is not waited for":             {"fpees", 5, 1, false, "", true, ""},
		"what is still to come is":                              {"fpees.", 6, 1, false, "", false, "2 of 6 nodes measured; the first taint waits for 3"},
		"no budget at all opens it at the first":                {"pppf", 4, 0, true, "1 of 4 nodes failed, but at most 0 may be tainted (maxTaintedNodes)", false, "at most 0 may"},
		"past the limit it opens":                               {"ppppppaa", 8, 1, true, "2 of 8 nodes failed, but at most 1 may be tainted (maxTaintedNodes)", false, "a likelier suspect"},
		"past it by faults of their own, the worst are tainted": {"ppppppff", 8, 1, false, "", true, ""},
		"also where one rule found them, at other parts":        {"ppppppww", 8, 1, false, "", true, ""},
		"and no more than may be":                               {"ppppppFf", 8, 1, false, "", false, "carry the taint: 1, allowed: 1"},
		"but not of more than twice as many":                    {"pppppfff", 8, 1, true, "3 of 8 nodes failed", false, "3 of 8"},
		"tainted or not does not matter":                        {"ppppppAa", 8, 1, true, "2 of 8 nodes failed", false, "2 of 8 nodes failed"},
		"at the limit it stays shut":                            {"ppppppff", 8, 2, false, "", true, ""},
		"the budget is used up":                                 {"ppppppFF", 8, 2, false, "", false, "nodes of this run that carry the taint: 2, allowed: 2"},
		"a taint of an earlier run still counts":                {"pppfT", 5, 1, false, "", false, "nodes of this run that carry the taint: 1, allowed: 1"},
		"also on a node that passed, till it goes":              {"Pppf", 4, 1, false, "", false, "nodes of this run that carry the taint: 1, allowed: 1"},
		"one that no pass will lift fills the limit":            {"pppfE", 5, 1, true, "1 of 5 nodes failed and 1 keeps an earlier taint, but at most 1 may be tainted", false, "1 of 5"},
		"where nothing failed, an older taint stops nothing":    {"pppE", 4, 0, false, "", false, "carry the taint: 1, allowed: 0"},
		"most fail alike":                                       {"aaap", 4, 4, true, "3 of 4 measured nodes failed alike (hbm/triad/Min)", false, "failed alike"},
		"half fail alike: not most":                             {"aapp", 4, 4, false, "", true, ""},
		"nor are four of eight":                                 {"aaaapppp", 8, 8, false, "", true, ""},
		"one of two":                                            {"ap", 2, 2, false, "", true, ""},
		"most fail, each differently":                           {"fffp", 4, 4, false, "", true, ""},
		"three nodes are too few to blame anything":             {"aaa", 3, 3, false, "", true, ""},
		"errors are no fails":                                   {"eeeeeep", 7, 1, false, "", true, ""},
		"a run that taints nothing can still be wrong":          {"aaap", 4, NoTaint, true, "3 of 4 measured nodes failed alike (hbm/triad/Min), so none of them is called unfit", false, "failed alike"},
		"and has no limit to pass":                              {"fffp", 4, NoTaint, false, "", false, "allowed: 0"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			in := BreakerInput{Nodes: tt.nodes, Judged: nodes(tt.judged), Limit: tt.limit}
			if open, says := Breaker(in); open != tt.open || !strings.Contains(says, tt.says) || open == (says == "") {
				t.Errorf("open %v, %q; want %v, %q", open, says, tt.open, tt.says)
			}
			if may, why := MayTaint(in, in.tainted()); may != tt.may || !strings.Contains(why, tt.why) || may == (why != "") {
				t.Errorf("may taint %v, %q; want %v, %q", may, why, tt.may, tt.why)
			}
		})
	}
}

func TestBreakerSaysWhatToDo(t *testing.T) {
	_, got := Breaker(BreakerInput{Nodes: 8, Judged: nodes("ppppppaa"), Limit: 1})
	want := "2 of 8 nodes failed, but at most 1 may be tainted (maxTaintedNodes); no more nodes are tainted, because " +
		"the baseline or the software is a likelier suspect than the nodes: check the Benchmark's expectations, " +
		"the HardwareProfile and what was last updated, then start another ValidationRun"
	if got != want {
		t.Errorf("got %q", got)
	}
}

// TestBudgetHoldsAtEveryInstant lets nodes be judged in random order, tainting and lifting as a controller would, and
// counts after each step.
func TestBudgetHoldsAtEveryInstant(t *testing.T) {
	letters := "ppppppfawes"
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 2))
		in := BreakerInput{Nodes: 1 + r.IntN(30)}
		in.Limit = r.IntN(in.Nodes + 1)
		for i := range in.Nodes {
			n := JudgedNode{Name: fmt.Sprint(i), Verdict: v1alpha1.VerdictPending, Tainted: in.tainted() < in.Limit && r.IntN(5) == 0}
			in.Judged = append(in.Judged, n)
		}
		for _, i := range r.Perm(in.Nodes) {
			final := nodes(string(letters[r.IntN(len(letters))]))[0]
			final.Tainted = in.Judged[i].Tainted
			in.Judged[i] = final
			for k := range in.Judged {
				n := &in.Judged[k]
				if n.Verdict == v1alpha1.VerdictPass && r.IntN(2) == 0 {
					n.Tainted = false
				}
				if n.Verdict == v1alpha1.VerdictFail && !n.Tainted {
					n.Tainted, _ = MayTaint(in, in.tainted())
				}
				if got := in.tainted(); got > in.Limit {
					t.Fatalf("seed %d: %d nodes carry the taint, at most %d may", seed, got, in.Limit)
				}
			}
		}
	}
}

func (in BreakerInput) tainted() int {
	n := 0
	for _, j := range in.Judged {
		if j.Tainted {
			n++
		}
	}
	return n
}

// Where two failures are as common, the first by name is told.
func TestCommonestFailure(t *testing.T) {
	if name, n := commonest(map[string]int{"b/m/Min": 3, "a/m/Min": 3, "c/m/Min": 2}); name != "a/m/Min" || n != 3 {
		t.Errorf("%s %d times", name, n)
	}
}
