package run

import (
	"errors"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
)

// moved changes what is known of node a, as the passes of other runs do: it now reached 9.5 GB/s before, of which 9.2 are no regression.
func (j *judgedRun) moved(t *testing.T) {
	t.Helper()
	v, h := j.known(t), &v1alpha1.NodeHistory{}
	if err := j.Get(t.Context(), client.ObjectKey{Name: "a"}, h); err != nil {
		t.Fatal(err)
	}
	part := &h.Benchmarks[0].Passes[0].Metrics[0].Parts[0]
	part.Baseline, part.Recent = "9.5", []v1alpha1.PassingValue{"9.5", "9.5", "9.5", "9.5", "9.5"}
	if err := j.Update(t.Context(), h); err != nil {
		t.Fatal(err)
	}
	v.NodeHistory.Generation = h.Generation
	if err := j.Update(t.Context(), v); err != nil {
		t.Fatal(err)
	}
}

func (j *judgedRun) known(t *testing.T) *v1alpha1.NodeValidation {
	t.Helper()
	v := &v1alpha1.NodeValidation{}
	if err := j.Get(t.Context(), client.ObjectKey{Name: "a"}, v); err != nil {
		t.Fatal(err)
	}
	return v
}

// TestAConvictionStandsAsLongAsItsVerdict: what other runs find out about a node meanwhile changes neither its verdict in this run nor what
// the node is convicted of, also where the operator was restarted in between.
func TestAConvictionStandsAsLongAsItsVerdict(t *testing.T) {
	for sentence, restart := range map[string]func(*judgedRun){
		"the operator goes on": func(*judgedRun) {},
		"it was restarted":     func(j *judgedRun) { j.in.Memory, j.r = &observe.Memory{}, reconcilerOf(j.Cluster) },
		"it knows other nodes": func(j *judgedRun) { j.in.Known, j.in.KnownAnew = []observe.Known{{Benchmark: "another"}}, true },
		"it was, and knows them": func(j *judgedRun) {
			j.in.Memory, j.r = &observe.Memory{}, reconcilerOf(j.Cluster)
			j.in.Known, j.in.KnownAnew = []observe.Known{{Benchmark: "another"}}, true
		},
	} {
		t.Run(sentence, func(t *testing.T) {
			j := newJudgedRun(t, "9.2", "a")
			v, h := passedBefore("a")
			if err := errors.Join(j.Create(t.Context(), v), j.Create(t.Context(), h)); err != nil {
				t.Fatal(err)
			}
			j.pass(t, nil)
			convicted := j.known(t).Convictions
			if len(convicted) != 1 || convicted[0].Rule != "Regression" {
				t.Fatalf("8%% slower than before convicts of %+v", convicted)
			}
			j.moved(t)
			restart(j)
			for range 2 {
				j.pass(t, nil)
			}
			if v := j.in.Results[0].Head.Verdict; v != v1alpha1.VerdictFail {
				t.Errorf("its verdict has become %s", v)
			}
			now := j.known(t).Convictions
			if len(now) != 1 || now[0].Bound != convicted[0].Bound || now[0].Value != convicted[0].Value {
				t.Errorf("it was convicted of %+v, and now of %+v", convicted, now)
			}
		})
	}
}
