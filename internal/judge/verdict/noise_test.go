package verdict

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/expect"
	"github.com/assay-dev/assay/internal/judge/part"
	"github.com/assay-dev/assay/internal/judge/past"
	"github.com/assay-dev/assay/internal/judge/rule"
	"github.com/assay-dev/assay/internal/judge/term"
	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/test/testdata"
)

// Real noise: five machines with four healthy H200s each (test/testdata/h200), judged as the catalogue judges them. The
// memory of node1, node4 and node5 is 0.4% faster than that of the others.
var machines = []string{"node1", "node2", "node3", "node4", "node5"}

const gpusOfMachine = 4

// fleetsOf are the sets of machines that a run may have had.
var fleetsOf = map[string][][]string{
	"one machine":                     {{"node1"}, {"node2"}, {"node3"}, {"node4"}, {"node5"}},
	"two machines":                    {{"node1", "node2"}, {"node1", "node3"}, {"node2", "node3"}},
	"two machines of one kind":        {{"node2", "node3"}, {"node4", "node5"}},
	"two machines of different kinds": {{"node1", "node2"}, {"node1", "node3"}},
	"three machines":                  {{"node1", "node2", "node3"}},
	"five machines":                   {machines},
}

// recorded is what was recorded of one benchmark.
type recorded struct {
	benchmark *v1alpha1.Benchmark
	attempts  map[string][]*v1alpha1.Attempt
}

func record(t *testing.T, name string) recorded {
	t.Helper()
	r := recorded{testdata.Benchmark(name), map[string][]*v1alpha1.Attempt{}}
	for _, machine := range machines {
		file := testdata.Recorded("h200/" + machine)
		r.attempts[machine] = attempts(t, file, name, r.benchmark.Spec.Metrics)
		for _, a := range r.attempts[machine] {
			dropOtherSizes(a)
		}
	}
	return r
}

// dropOtherSizes leaves the message sizes of collectives that the catalogue's command measures. By default the program measures more, and
// 256 MiB of an all-to-all scatter by 5%.
func dropOtherSizes(a *v1alpha1.Attempt) {
	for i := range a.Measurements {
		m := &a.Measurements[i]
		m.Parts = slices.DeleteFunc(m.Parts, func(p v1alpha1.PartValue) bool { return strings.HasSuffix(p.At, "iB") && p.At != "8GiB" })
	}
}

// rounds are runs over a set of machines: as many as there are repetitions on the machine with the most.
func (r *recorded) rounds(fleet []string) [][]*v1alpha1.Attempt {
	most := 0
	for _, machine := range fleet {
		most = max(most, len(r.attempts[machine]))
	}
	rounds := make([][]*v1alpha1.Attempt, most)
	for i := range rounds {
		for _, machine := range fleet {
			attempts := r.attempts[machine]
			rounds[i] = append(rounds[i], attempts[i%len(attempts)])
		}
	}
	return rounds
}

// judge judges all of a run's nodes.
func (r *recorded) judge(round []*v1alpha1.Attempt) []rule.Outcome {
	fleet := fleetOf(r.benchmark.Name, r.benchmark.Spec.Metrics, round, true)
	judgements := make([]rule.Outcome, len(round))
	for i, a := range round {
		judgements[i] = judgeIn(fleet, a, rule.Given{})
	}
	return judgements
}

// history is what a machine's other repetitions left behind.
func (r *recorded) history(machine string, without int) past.Past {
	var others []*v1alpha1.Attempt
	for i, a := range r.attempts[machine] {
		if i != without && len(others) < 10 {
			others = append(others, a)
		}
	}
	return pastOf(others...)
}

// slowed is an attempt whose GPU has only the given share of its rates, in every part that it takes part in. No latency changes.
func slowed(a *v1alpha1.Attempt, gpu int, share float64) *v1alpha1.Attempt {
	slow := a.DeepCopy()
	for i := range slow.Measurements {
		m := &slow.Measurements[i]
		for j := range m.Parts {
			if m.Better == v1alpha1.Higher && m.Unit != "count" && mentions(m.Parts[j].At, gpu) {
				value, _ := quantity.ParseDecimal(m.Parts[j].Value)
				m.Parts[j].Value = v1alpha1.Decimal(strconv.FormatFloat(value*share, 'f', -1, 64))
			}
		}
	}
	return slow
}

func mentions(at string, gpu int) bool { return slices.Contains(part.Read(at).GPUs, int32(gpu)) }

// convicts says whether a rule failed a part that a GPU takes part in.
func convicts(j rule.Outcome, rule string, gpu int) bool {
	return slices.ContainsFunc(j.Findings, func(f v1alpha1.Finding) bool {
		return f.Verdict == v1alpha1.VerdictFail && f.Rule == rule && mentions(f.At, gpu)
	})
}

func TestNoRecordedHealthyGPUFails(t *testing.T) {
	for _, name := range []string{"gpustream", "p2p", "hostlink", "gemm", "collectives"} {
		r := record(t, name)
		for kind, fleets := range fleetsOf {
			judged := 0
			for _, fleet := range fleets {
				for _, round := range r.rounds(fleet) {
					for i, j := range r.judge(round) {
						judged++
						if j.Verdict == v1alpha1.VerdictFail {
							t.Errorf("%s, %s: %s: %s: %s", name, kind, fleet[i], j.Verdict, j.Message)
						}
					}
				}
			}
			t.Logf("%s, %s: %d judgements", name, kind, judged)
		}
		for _, machine := range machines {
			for i, a := range r.attempts[machine] {
				facts := rule.Given{Past: r.history(machine, i)}
				if j := judgeIn(fleetOf(name, r.benchmark.Spec.Metrics, []*v1alpha1.Attempt{a}, true), a, facts); j.Verdict == v1alpha1.VerdictFail {
					t.Errorf("%s against its history: %s: %s: %s", name, machine, j.Verdict, j.Message)
				}
			}
		}
	}
}

// The share of slowed GPUs that the catalogue finds. Where it is not nearly all, the comment says why: these are limits of the
// rules, kept here so that they are known, and so that a change of the rules shows.
func TestRecordedGPUsMadeSlowAreFound(t *testing.T) {
	tests := map[string]struct {
		benchmark string
		share     float64
		fleet     string // empty: the node's own history
		atLeast   float64
		atMost    float64
	}{
		"memory 1% slower, four GPUs":                {"gpustream", 0.99, "one machine", 0.99, 1},
		"memory 1% slower, two machines of one kind": {"gpustream", 0.99, "two machines of one kind", 0.99, 1},
		// The nodes differ by 0.4%, but the GPUs of a node hardly do.
		"memory 1% slower, two machines, one of which is faster": {"gpustream", 0.99, "two machines of different kinds", 0.99, 1},
		"memory 1% slower, three machines":                       {"gpustream", 0.99, "three machines", 0.99, 1},
		"memory 1% slower than it was":                           {"gpustream", 0.99, "", 0.99, 1},
		// A GPU has part in half of all pairs of four: beside each slow one, more of the others are not.
		"links 1% slower, four GPUs":       {"p2p", 0.99, "one machine", 0.99, 1},
		"links 1% slower, two machines":    {"p2p", 0.99, "two machines", 0.99, 1},
		"links 1% slower, three machines":  {"p2p", 0.99, "three machines", 0.99, 1},
		"links 1% slower than they were":   {"p2p", 0.99, "", 0.99, 1},
		"products 5% slower, four GPUs":    {"gemm", 0.95, "one machine", 0.99, 1},
		"products 5% slower, two machines": {"gemm", 0.95, "two machines", 0.99, 1},
		"products 5% slower, three machines": {
			"gemm", 0.95, "three machines", 0.99, 1},
		"products 2% slower than they were": {"gemm", 0.98, "", 0.99, 1},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			r := record(t, tt.benchmark)
			var found, all int
			if tt.fleet == "" {
				found, all = r.foundByHistory(tt.share)
			} else {
				found, all = r.foundByFleet(fleetsOf[tt.fleet], tt.share)
			}
			recall := float64(found) / float64(all)
			t.Logf("found %d of %d, %.4f", found, all, recall)
			if all == 0 || recall < tt.atLeast || recall > tt.atMost {
				t.Errorf("found %d of %d: %.4f, want %v to %v", found, all, recall, tt.atLeast, tt.atMost)
			}
		})
	}
}

func (r *recorded) foundByFleet(fleets [][]string, share float64) (found, all int) {
	for _, fleet := range fleets {
		for _, round := range r.rounds(fleet) {
			for node := range round {
				for gpu := range gpusOfMachine {
					run := slices.Clone(round)
					run[node] = slowed(round[node], gpu, share)
					all++
					if convicts(r.judge(run)[node], term.FleetDeviation, gpu) {
						found++
					}
				}
			}
		}
	}
	return found, all
}

func (r *recorded) foundByHistory(share float64) (found, all int) {
	for _, machine := range machines {
		for i, a := range r.attempts[machine] {
			facts := rule.Given{Past: r.history(machine, i)}
			for gpu := range gpusOfMachine {
				slow := slowed(a, gpu, share)
				all++
				if convicts(judgeIn(fleetOf(r.benchmark.Name, r.benchmark.Spec.Metrics, []*v1alpha1.Attempt{slow}, true), slow, facts), term.Regression, gpu) {
					found++
				}
			}
		}
	}
	return found, all
}

// What the power limit holds tells less about one GPU: FP32, which stays below it, is what finds a slow one for certain.
func TestWhichProductsFindASlowGPU(t *testing.T) {
	r := record(t, "gemm")
	metrics := r.benchmark.Spec.Metrics
	atLeast := map[string]struct{ byFleet, byHistory float64 }{"fp32": {0.99, 0.99}, "fp16": {0.6, 0.93}, "fp64": {0.3, 0.2}}
	for i := range metrics {
		if !expect.Expects(&metrics[i]) {
			continue
		}
		alone := r.benchmark.DeepCopy()
		alone.Spec.Metrics = metrics[i : i+1]
		one := recorded{alone, r.attempts}
		byFleet, fleets := one.foundByFleet(fleetsOf["three machines"], 0.95)
		byHistory, runs := one.foundByHistory(0.98)
		t.Logf("%s: 5%% against the fleet %d of %d, 2%% against history %d of %d", metrics[i].Name, byFleet, fleets, byHistory, runs)
		want := atLeast[metrics[i].Name]
		if float64(byFleet) < want.byFleet*float64(fleets) || float64(byHistory) < want.byHistory*float64(runs) {
			t.Errorf("%s: found %d of %d and %d of %d, want at least %v", metrics[i].Name, byFleet, fleets, byHistory, runs, want)
		}
	}
}

// unlinked is an attempt in which two GPUs do not reach each other: p2p counts one peer less and has no part for the pair.
func unlinked(a *v1alpha1.Attempt) *v1alpha1.Attempt {
	cut := a.DeepCopy()
	for i := range cut.Measurements {
		m := &cut.Measurements[i]
		m.Parts = slices.DeleteFunc(m.Parts, func(p v1alpha1.PartValue) bool { return mentions(p.At, 0) && mentions(p.At, 1) })
		for j := range m.Parts {
			if m.Name == "reachablePeers" && (mentions(m.Parts[j].At, 0) || mentions(m.Parts[j].At, 1)) {
				m.Parts[j].Value = "2"
			}
		}
	}
	return cut
}

func TestAMissingPeerIsFound(t *testing.T) {
	r := record(t, "p2p")
	cut := unlinked(r.attempts["node1"][0])
	for _, others := range [][]string{{"node2"}, {"node2", "node3"}} {
		round := []*v1alpha1.Attempt{cut}
		for _, machine := range others {
			round = append(round, r.attempts[machine][0])
		}
		judged := r.judge(round)
		if !convicts(judged[0], term.FleetDeviation, 0) || !convicts(judged[0], term.FleetDeviation, 1) {
			t.Errorf("beside %v: %s: %s", others, judged[0].Verdict, judged[0].Message)
		}
		for i, j := range judged[1:] {
			if j.Verdict != v1alpha1.VerdictPass {
				t.Errorf("%s: %s: %s", others[i], j.Verdict, j.Message)
			}
		}
	}
	// Of four GPUs alone, two have lost a peer: beside each of them, two of three others have not.
	facts := rule.Given{Past: r.history("node1", 0)}
	alone := judgeIn(fleetOf("p2p", r.benchmark.Spec.Metrics, []*v1alpha1.Attempt{cut}, true), cut, facts)
	if !convicts(alone, term.Regression, 0) && !convicts(alone, term.Regression, 1) || !convicts(alone, term.FleetDeviation, 0) || !convicts(alone, term.FleetDeviation, 1) {
		t.Errorf("alone: %s: %s", alone.Verdict, alone.Message)
	}
}
