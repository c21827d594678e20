package nodevalidation

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// mixed is the outcome of a run that measured hbm and p2p, each with a verdict of its own; none: it did not measure that one.
func mixed(n *corev1.Node, minute int, hbm, p2p v1alpha1.Verdict) Judgement {
	out := story(n, minute, v1alpha1.VerdictPass)
	for name, v := range map[string]v1alpha1.Verdict{"hbm": hbm, "p2p": p2p} {
		if v == "" {
			continue
		}
		out.Result.Benchmarks = append(out.Result.Benchmarks, story(n, minute, v, name).Result.Benchmarks...)
		if v == v1alpha1.VerdictFail {
			out.Result.Verdict = v
		}
	}
	return out
}

// judge is what the controller does about an outcome, where nothing stops it: what a run held refutes, what it failed convicts.
func judge(nv Known, out Judgement) Known {
	out.Benchmarks = map[string]Benchmark{}
	for _, b := range out.Result.Benchmarks {
		if b.Verdict == v1alpha1.VerdictPass {
			out.Benchmarks[b.Name] = Benchmark{Held: []v1alpha1.HeldRule{{Metric: "triad", Rule: "Min", Limit: "90", Value: "95", AsCatalogued: true}}}
		}
	}
	next := Next(nv, out)
	var own []v1alpha1.Conviction
	for i := range out.Result.Benchmarks {
		b := &out.Result.Benchmarks[i]
		c := v1alpha1.Conviction{Benchmark: b.Name, Metric: "triad", Rule: "Min", RuleNumbers: v1alpha1.RuleNumbers{Limit: "90"}, Configuration: Configuration(b), AsCatalogued: true, Run: out.Run, MeasuredAt: MeasuredAt(b)}
		if refuted, _ := next.Refuted(&c); b.Verdict == v1alpha1.VerdictFail && !refuted {
			own = append(own, c)
		}
	}
	next.Validation.Convictions = Convict(next.Standing(out.Run.UID, own), own)
	return next
}

// TestRunsThatDisagreeInAnyOrder: three runs measured a node one after the other by one or two benchmarks, and are judged in any order,
// each of them again and again. What the node ends up convicted of, its history, its offences, and whose word counts are the same.
func TestRunsThatDisagreeInAnyOrder(t *testing.T) {
	n := node("u1")
	verdicts := []v1alpha1.Verdict{"", v1alpha1.VerdictPass, v1alpha1.VerdictFail}
	var pairs [][2]v1alpha1.Verdict
	for _, hbm := range verdicts {
		for _, p2p := range verdicts {
			if hbm+p2p != "" {
				pairs = append(pairs, [2]v1alpha1.Verdict{hbm, p2p})
			}
		}
	}
	orders := [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}
	type end struct {
		Convicted []string
		Histories map[string][]string
		Offences  int32
		Proof     *v1alpha1.Proof
		Speaker   types.UID
	}
	for i := range len(pairs) * len(pairs) * len(pairs) {
		of := [][2]v1alpha1.Verdict{pairs[i%len(pairs)], pairs[i/len(pairs)%len(pairs)], pairs[i/len(pairs)/len(pairs)]}
		var runs []Judgement
		for k, v := range of {
			runs = append(runs, mixed(n, k+1, v[0], v[1]))
		}
		var want end
		for _, order := range orders {
			var nv Known
			for round := range order {
				for _, k := range order[:round+1] { // those that are active already look again
					nv = judge(nv, runs[k])
				}
			}
			got := end{Histories: map[string][]string{}, Offences: nv.Validation.OffenceCount, Proof: nv.Validation.Proof, Speaker: Speaker(nv.Validation)}
			for _, c := range nv.Validation.Convictions {
				got.Convicted = append(got.Convicted, fmt.Sprintf("%s by %s", c.Benchmark, c.Run.Name))
			}
			for _, b := range nv.History.Benchmarks {
				for _, h := range b.Entries {
					got.Histories[b.Name] = append(got.Histories[b.Name], fmt.Sprintf("%s %s", h.Run, h.Verdict))
				}
			}
			if want.Proof == nil {
				want = got
				checkModel(t, of, got.Convicted)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("runs that found %v, judged in order %v (-in order of measurement +got):\n%s", of, order, diff)
			}
		}
	}
}

// checkModel: a node is convicted by the last run that measured a benchmark, if that failed it.
func checkModel(t *testing.T, runs [][2]v1alpha1.Verdict, got []string) {
	t.Helper()
	var want []string
	for b, name := range []string{"hbm", "p2p"} {
		last := ""
		for k, v := range runs {
			switch v[b] {
			case v1alpha1.VerdictFail:
				last = fmt.Sprintf("%s by run%d", name, k+1)
			case v1alpha1.VerdictPass:
				last = ""
			}
		}
		if last != "" {
			want = append(want, last)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("runs that found %v (-want +got):\n%s", runs, diff)
	}
}
