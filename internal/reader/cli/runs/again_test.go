package runs

import (
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/test/clitest"
)

// measured is a pool whose node-1 broke a rule of stream in run rack-7, which had a parameter and an expectation of its own.
func measuredPool(rule string) []client.Object {
	run := &v1alpha1.ValidationRun{ObjectMeta: metav1.ObjectMeta{Name: "rack-7", UID: "7"}, Spec: v1alpha1.ValidationRunSpec{
		NodeNames: []string{"node-1", "node-2"}, Confirmations: new(int32(1)), Suspend: true, TTLSecondsAfterFinished: new(int32(60)),
		Benchmarks: []v1alpha1.BenchmarkRef{{Name: "hpl"}, {Name: "stream", Parameters: []v1alpha1.ParameterValue{{Name: "seconds", Value: "20"}},
			Expectations: []v1alpha1.ExpectationOverride{{Metric: "triad", Expectation: v1alpha1.Expectation{Min: "100"}}}}}},
		Status: v1alpha1.ValidationRunStatus{Nodes: []v1alpha1.NodeRow{{Name: "node-1", Verdict: v1alpha1.VerdictFail}, {Name: "node-2", Verdict: v1alpha1.VerdictPass}}}}
	found := &v1alpha1.ValidationResult{ObjectMeta: metav1.ObjectMeta{Name: v1alpha1.ResultName(run, "node-1"), Labels: map[string]string{v1alpha1.LabelRunUID: "7"}},
		Run: v1alpha1.ObjectReference{Name: "rack-7", UID: "7"}, Node: v1alpha1.ObjectReference{Name: "node-1"}, Verdict: v1alpha1.VerdictFail,
		Benchmarks: []v1alpha1.BenchmarkResult{{Name: "hpl", Verdict: v1alpha1.VerdictPass}, {Name: "stream", Verdict: v1alpha1.VerdictFail,
			Findings: []v1alpha1.Finding{{Metric: "triad", Rule: rule, Verdict: v1alpha1.VerdictFail, Message: "slow"}}}}}
	return append(pool(), run, found)
}

func TestRunAgain(t *testing.T) {
	for name, c := range map[string]struct {
		rule  string
		args  []string
		nodes []string
		names []string
	}{
		"a run":                      {"Min", []string{"--again=rack-7"}, []string{"node-1", "node-2"}, []string{"hpl", "stream"}},
		"a run on another node":      {"Min", []string{"--again=rack-7", "--nodes=node-3"}, []string{"node-3"}, []string{"hpl", "stream"}},
		"a node":                     {"Min", []string{"--again=node-1"}, []string{"node-1"}, []string{"stream"}},
		"a node beside those I name": {"Blame", []string{"--again=node-1", "--nodes=node-1,node-2,node-3"}, []string{"node-1", "node-2", "node-3"}, []string{"stream"}},
	} {
		t.Run(name, func(t *testing.T) {
			api := clitest.Cluster(t, interceptor.Funcs{}, measuredPool(c.rule)...)
			if _, err := runruns(t, api, append([]string{"run", "--name=a"}, c.args...)...); err != nil {
				t.Fatal(err)
			}
			var made v1alpha1.ValidationRun
			if err := api.Get(t.Context(), client.ObjectKey{Name: "a"}, &made); err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, b := range made.Spec.Benchmarks {
				names = append(names, b.Name)
			}
			stream := made.Spec.Benchmarks[len(made.Spec.Benchmarks)-1]
			if !slices.Equal(made.Spec.NodeNames, c.nodes) || !slices.Equal(names, c.names) || stream.Parameters[0].Value != "20" || stream.Expectations[0].Expectation.Min != "100" {
				t.Errorf("made %+v", made.Spec)
			}
			if made.Spec.Suspend || made.Spec.TTLSecondsAfterFinished != nil || *made.Spec.Confirmations != 1 {
				t.Errorf("made %+v", made.Spec)
			}
		})
	}
	for want, args := range map[string][]string{
		"node-1 broke a rule that compares it with other nodes, and its run has 2 too few that passed by the same benchmarks: name node-1 and the others with --nodes": {"--again=node-1"},
		`there is no run "nobody", and of node "nobody": `: {"--again=nobody"},
		"--again measures by what was measured before":     {"--again=node-1", "--suite=quick"},
	} {
		_, err := runruns(t, clitest.Cluster(t, interceptor.Funcs{}, measuredPool("Blame")...), append([]string{"run", "--name=a"}, args...)...)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %s", args, err, want)
		}
	}
}
