package policy

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// TestAFailureByOwnTermsIsNotForgotten: a node fails what only the policy expects, or nothing can judge it, and then the Benchmark gets another image, or its
// last one again. That lets it in by no gate.
func TestAFailureByOwnTermsIsNotForgotten(t *testing.T) {
	for sentence, c := range map[string]struct{ script, said string }{
		"another image, and the time of its gate is over": {`benchmark gemm throughput=yes image=bench:1
nodes 2
policy gpu gate=assay.dev/unvalidated timeout=1h onTimeout=Open limit=0 override=gemm
at 1m node new gate=assay.dev/unvalidated
at 1m finds new gemm=slow
at 30m benchmark gemm throughput=yes image=bench:2
at 30m set new ready=false
until 3h`, "GateKept"},
		"nothing could judge it, another image, and the time of its gate is over": {`benchmark gemm image=bench:1
nodes 2
policy gpu gate=assay.dev/unvalidated timeout=1h onTimeout=Open limit=0
at 1m node new gate=assay.dev/unvalidated
at 1m finds new gemm=notjudged
at 30m benchmark gemm image=bench:2
at 30m set new ready=false
until 3h`, "GateKept"},
		"another image, a pass without the policy's terms, and the time of its gate is over": {`benchmark gemm throughput=yes image=bench:1
nodes 2
policy gpu gate=assay.dev/unvalidated timeout=1h onTimeout=Open limit=0 override=gemm
at 1m node new gate=assay.dev/unvalidated
at 1m finds new gemm=slow
at 30m benchmark gemm throughput=yes image=bench:2
at 30m set new cordoned=true
at 31m run plain nodes=new suite=quick
until 3h`, "GateKept"},
		"nothing could judge its own terms, a pass without them, and the time of its gate is over": {`benchmark gemm throughput=yes
nodes 2
policy gpu gate=assay.dev/unvalidated timeout=1h onTimeout=Open limit=0 override=gemm
at 1m node new gate=assay.dev/unvalidated
at 1m finds new gemm=notjudged
at 20m finds new gemm=pass
at 30m set new cordoned=true
at 31m run plain nodes=new suite=quick
until 3h`, "GateKept"},
		"another image, a pass by it, the last image again, and it is gated again": {`benchmark gemm image=bench:1
nodes 2
policy gpu gate=assay.dev/unvalidated timeout=1h onTimeout=Open limit=0 on=BenchmarkChange
at 1m node new gate=assay.dev/unvalidated
at 1m finds new gemm=fail
at 30m benchmark gemm image=bench:2
at 30m finds new gemm=pass
at 31m run plain nodes=new suite=quick
at 40m set new cordoned=true gate=assay.dev/unvalidated
at 40m benchmark gemm image=bench:1
until 3h`, "open    new"},
		"it failed the Benchmark since its pass, and passed that, and is gated again": {`benchmark gemm throughput=yes
nodes 2
policy gpu gate=assay.dev/unvalidated timeout=1h limit=0 override=gemm
at 1m node new gate=assay.dev/unvalidated
at 10m set new cordoned=true
at 10m finds new gemm=fail
at 11m run plain nodes=new suite=quick
at 20m finds new gemm=pass
at 21m run again nodes=new suite=quick
at 30m set new gate=assay.dev/unvalidated
until 3h`, "plain: 1 measured; new Fail"},
		"the last image again, and it is gated again": {`benchmark gemm throughput=yes image=bench:1
nodes 2
policy gpu gate=assay.dev/unvalidated timeout=1h limit=0 override=gemm
at 1m node new gate=assay.dev/unvalidated
at 20m finds new gemm=slow
at 20m benchmark gemm throughput=yes image=bench:2
at 30m benchmark gemm throughput=yes image=bench:1
at 40m set new gate=assay.dev/unvalidated
until 3h`, "new Fail"},
	} {
		t.Run(sentence, func(t *testing.T) {
			w := played(t, "terse\n"+c.script)
			said := w.said.String()
			if !strings.Contains(said, c.said) {
				t.Fatalf("it did not come to that:\n%s", said)
			}
			if len(w.node("new").Spec.Taints) == 0 {
				t.Errorf("the gate opened:\n%s", said[strings.LastIndex(said, "open "):])
			}
		})
	}
}

// TestWhatNothingCouldJudgeIsOverWithAPass, by another image as well: an image later, the time of the gate counts for the node as for any that could not be measured.
func TestWhatNothingCouldJudgeIsOverWithAPass(t *testing.T) {
	w := played(t, `terse
benchmark gemm image=bench:1
nodes 2
policy gpu gate=assay.dev/unvalidated timeout=1h onTimeout=Open limit=0 on=BenchmarkChange
at 1m node new gate=assay.dev/unvalidated
at 1m finds new gemm=notjudged
at 10m benchmark gemm image=bench:2
at 10m finds new gemm=pass
at 30m set new cordoned=true gate=assay.dev/unvalidated
at 30m benchmark gemm image=bench:3
until 3h`)
	if said := w.said.String(); strings.Count(said, "open    new") != 2 || !strings.Contains(said, "after 1h0m0s without a valid pass") {
		t.Errorf("its gate opens by its pass, and then by its time:\n%s", said)
	}
}

// TestPoliciesWithOtherTermsComeToRest: they select the same nodes, and two of three expect something of their own. What one has measured makes no node due for
// another, unless it failed what that may ask for as well.
func TestPoliciesWithOtherTermsComeToRest(t *testing.T) {
	for sentence, c := range map[string]struct {
		finds, min  string
		own, others int // runs of the first policy, and of the other ones
		valid       []string
	}{
		"all nodes pass":                     {"pass", "2", 1, 1, []string{"3/3", "3/3", "3/3"}},
		"one fails both":                     {"slow", "2", 4, 4, []string{"2/3", "3/3", "2/3"}},
		"one fails the terms of one of them": {"slow", "0", 4, 4, []string{"2/3", "3/3", "3/3"}},
	} {
		for _, on := range []string{"", " on=BenchmarkChange"} {
			t.Run(sentence+on, func(t *testing.T) {
				w := newWorld(t)
				until := w.script(strings.Split("terse\nbenchmark gemm throughput=yes\nnodes 3\npolicy own override=gemm"+on+"\npolicy plain"+on+
					"\npolicy other override=gemm"+on+"\nfinds node-a gemm="+c.finds+"\nuntil 7d", "\n"))
				w.policies[2].Spec.Overrides[0].Expectations[0].Min = v1alpha1.Decimal(c.min)
				w.play(until)
				said := w.said.String()
				own := strings.Count(said, "  run     own-")
				if others := strings.Count(said, "  run     ") - own; own != c.own || others != c.others {
					t.Errorf("%d runs of the first policy and %d of the others in a week in which nothing changes, want %d and %d:\n%s", own, others, c.own, c.others, said)
				}
				for i, p := range w.policies {
					if p.Status.Valid != c.valid[i] {
						t.Errorf("policy %s: %s nodes are valid, want %s", p.Name, p.Status.Valid, c.valid[i])
					}
				}
			})
		}
	}
}
