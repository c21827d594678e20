package policy

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// history is a random life of a small fleet: a script like those of testdata.
func history(r *rand.Rand) []string {
	pick := func(all ...string) string { return all[r.IntN(len(all))] }
	lines := []string{"benchmark gemm parameter=bytes throughput=yes", "benchmark p2p min=2 cost=60s", "nodes 5 passed=" + pick("no", "yes")}
	if r.IntN(2) == 0 {
		lines = append(lines, "benchmark allreduce group=2 cost=3m")
	}
	if r.IntN(2) == 0 {
		lines = append(lines, "benchmark nvlink cost=90s "+pick("product=NVIDIA-H200", "not=NVIDIA-L40S"))
	}
	policy := "policy one gate=assay.dev/unvalidated"
	for _, extra := range []string{"validFor=2d", "schedule=\"0 2 * * *\"", "limit=1", "onTimeout=Open", "batch=0s", "overdue=3h", "retry=10m",
		"on=Reboot,DriverChange,DeviceChange,BenchmarkChange,KernelChange"} {
		if r.IntN(2) == 0 {
			policy += " " + extra
		}
	}
	lines = append(lines, policy)
	if r.IntN(2) == 0 {
		lines = append(lines, "policy two validFor=1d "+pick("", "gate=assay.dev/unvalidated", "suite=quick retry=5m", "override=gemm"))
	}
	at := time.Duration(0)
	for i := range 40 {
		at += time.Duration(r.IntN(2*3600)) * time.Second
		node := pick("node-a", "node-b", "node-c", "node-d", "node-e")
		lines = append(lines, fmt.Sprintf("at %s %s", at, pick(
			"reboot "+node, "reboot "+node,
			"set "+node+" driver=570."+pick("1", "2", "3"),
			"set "+node+" devices="+pick("0", "1", "7", "8"),
			"set "+node+" offers="+pick("0", "1", "8"),
			"set "+node+" has="+pick("1", "8"),
			"set "+node+" label=nvidia.com/gpu.product:"+pick("NVIDIA-H200", "NVIDIA-L40S"),
			"set "+node+" ready="+pick("true", "false"),
			"set "+node+" cordoned="+pick("true", "false"),
			"set "+node+" gate=assay.dev/unvalidated",
			"ungate "+node,
			"set "+node+" busy=\"pod a/b holds 8 nvidia.com/gpu\"",
			"set "+node+" idle=yes", "set "+node+" idle=yes",
			"finds "+node+" gemm="+pick("fail", "slow", "pass", "nopull", "notjudged", "cannot"),
			"finds "+node+" p2p="+pick("fail", "pass", "cannot"),
			"finds "+node+" gemm=pass p2p=pass allreduce=pass",
			"convict "+node+" by="+pick("gemm", "hpl"),
			fmt.Sprintf("node new-%d gate=assay.dev/unvalidated", i),
			"restart", "down", "up", "clock -1h", "killruns",
			"policy one suspend=true", "policy one suspend=false", "policy one suspend=false",
			"policy one validFor="+pick("1d", "7d"), "policy one override="+pick("", "gemm"),
			"benchmark gemm image=bench:"+pick("1", "2"),
			fmt.Sprintf("ask one v%d", i),
			fmt.Sprintf("run hand-%d nodes=%s suite=quick", i, node),
			fmt.Sprintf("run weak-%d nodes=%s weaker=gemm", i, node),
			fmt.Sprintf("run other-%d nodes=%s suite=quick override=gemm", i, node),
			fmt.Sprintf("run huge-%d nodes=%s huge=gemm", i, node),
		)))
	}
	return append(lines, fmt.Sprintf("at %s up", at), "until 96h")
}

var lives = flag.Uint64("lives", 12, "how many random lives are played")

// TestWhatAlwaysHolds plays random lives: each pass is held to what check_test.go says, and each comes to rest.
func TestWhatAlwaysHolds(t *testing.T) {
	for seed := range *lives {
		lines := history(rand.New(rand.NewPCG(seed, 13)))
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			w := newWorld(t)
			w.play(w.script(lines))
			if t.Failed() {
				t.Log(strings.Join(lines, "\n"))
			}
			w.checkPace()
		})
	}
}

// checkPace: no life needs more runs than what happened in it accounts for.
func (w *world) checkPace() {
	if n := strings.Count(w.said.String(), "  run     "); n > 250 {
		w.t.Errorf("%d runs were created in four days:\n%s", n, w.said.String())
	}
}
