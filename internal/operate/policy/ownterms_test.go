package policy

import (
	"strings"
	"testing"
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
