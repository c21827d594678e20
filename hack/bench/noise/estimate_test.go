package main

import (
	"bytes"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// drawn are machines whose parts differ by known noise.
func drawn(machines, parts, runs int, run, part, node float64) []machine {
	r := rand.New(rand.NewPCG(1, 2))
	all := make([]machine, machines)
	for i := range all {
		all[i] = machine{}
		level := 100 * (1 + node*r.NormFloat64())
		for p := range parts {
			own := level * (1 + part*r.NormFloat64())
			for range runs {
				at := "gpu" + string(rune('0'+p))
				all[i][at] = append(all[i][at], own*(1+run*r.NormFloat64()))
			}
		}
	}
	return all
}

func TestNoiseIsTakenApart(t *testing.T) {
	for name, want := range map[string][3]float64{
		"mostly from run to run":      {0.02, 0.01, 0.01},
		"mostly between parts":        {0.003, 0.01, 0.004},
		"mostly between machines":     {0.001, 0.002, 0.02},
		"between machines and nobody": {0.001, 0.001, 0.01},
	} {
		t.Run(name, func(t *testing.T) {
			e := estimateOf(drawn(60, 8, 12, want[0], want[1], want[2]))
			for i, got := range []component{e.run, e.part, e.node} {
				if math.Abs(got.sigma/want[i]-1) > 0.25 {
					t.Errorf("component %d: %.4f, want %.4f", i, got.sigma, want[i])
				}
				if got.upper() <= got.sigma {
					t.Errorf("component %d: upper limit %.4f of %.4f", i, got.upper(), got.sigma)
				}
			}
		})
	}
}

func TestOneDisturbedValueIsNotTheNoise(t *testing.T) {
	machines := drawn(5, 4, 8, 0.001, 0.001, 0.001)
	machines[2]["gpu1"][3] *= 0.8
	e := estimateOf(machines)
	if e.run.sigma > 0.0015 {
		t.Errorf("run %.4f, want about 0.001", e.run.sigma)
	}
	if math.Abs(e.worst+0.2) > 0.01 {
		t.Errorf("the worst value is told as %.3f, want -0.2", e.worst)
	}
}

func TestLittleEvidenceLeavesMuchRoom(t *testing.T) {
	// Limits by the chi-squared distribution: 0.9 of samples with these degrees of freedom have less scatter than their true one times this.
	for freedom, want := range map[float64]float64{2: 3.08, 8: 1.51, 100: 1.10} {
		if got := (component{1, freedom}).upper(); math.Abs(got/want-1) > 0.04 {
			t.Errorf("%v degrees of freedom: %.3f, want %.3f", freedom, got, want)
		}
	}
}

func TestWhatWasNotSeenIsLeftOut(t *testing.T) {
	alone := estimateOf([]machine{{"node": {100, 101, 99, 100}}})
	if got := alone.yaml(); !strings.HasPrefix(got, `{run: "0.0`) || strings.Contains(got, "part") || strings.Contains(got, "node") {
		t.Errorf("one part of one machine: %s", got)
	}
	still := estimateOf([]machine{{"gpu0": {5, 5, 5, 5}, "gpu1": {5, 5, 5, 5}}})
	if got := still.yaml(); got != `{run: "0.00010", part: "0.00010"}` {
		t.Errorf("no noise at all: %s", got)
	}
}

// The recordings of the repository, as the catalogue quotes them.
func TestRecordingsOfTheRepository(t *testing.T) {
	t.Chdir("../../..")
	var out bytes.Buffer
	files := []string{"test/testdata/cpu/vm16.json.gz", "test/testdata/cpu/vm64.json.gz"}
	for _, name := range strings.Fields("node1 node2 node3 node4 node5 two two2 one one2") {
		files = append(files, "test/testdata/h200/"+name+".json.gz")
	}
	if err := run(&out, files); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"gpu of NVIDIA H200: 188 values of 26 parts on 9 machines",
		"gpu->gpu of NVIDIA H200: 498 values of 64 parts on 7 machines",
		"hpl\n  - name: hpl\n    noise: {run: ", // from HPL's own report
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

func TestNoRecordingIsAMistake(t *testing.T) {
	if err := run(os.Stdout, nil); err == nil || !strings.Contains(err.Error(), "RECORDINGS") {
		t.Errorf("without files: %v", err)
	}
}
