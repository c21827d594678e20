package cli

import (
	"context"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/yaml"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/reader/export"
	"github.com/assay-dev/assay/test/clitest"
	"github.com/assay-dev/assay/test/testdata"
)

func TestExplain(t *testing.T) {
	c := clitest.Cluster(t, interceptor.Funcs{}, objects(node4(t))...)
	out, err := run(t, c, "explain", "node-4")
	if err != nil {
		t.Fatal(err)
	}
	clitest.Golden(t, "explain.golden", out)
	saved, err := run(t, noCluster(t), "explain", "node-4", "-f", fileOf(t, node4(t)))
	if err != nil {
		t.Fatal(err)
	}
	if saved != out {
		t.Errorf("with a file:\n%s\nwith a cluster:\n%s", saved, out)
	}
}

func TestExplainKnowsTheGate(t *testing.T) {
	n := &corev1.Node{}
	n.Name = "node-4"
	n.Spec.Taints = []corev1.Taint{{Key: v1alpha1.DefaultGateKey, Effect: corev1.TaintEffectNoSchedule}}
	n.Annotations = map[string]string{v1alpha1.AnnotationGate: `{"policy":"nightly","run":"rack-5","openedAt":"2026-02-15T12:00:00Z","by":"assay"}`}
	p := &v1alpha1.ValidationPolicy{}
	p.Name, p.Spec.Gate = "nightly", &v1alpha1.Gate{}
	p.Status.Attention = []v1alpha1.NodeAttention{{Name: "node-4", Reason: v1alpha1.ReasonFailed, Message: "it is measured again tomorrow"}}
	out, err := run(t, clitest.Cluster(t, interceptor.Funcs{}, append(objects(node4(t)), n, p)...), "explain", "node-4")
	if err != nil {
		t.Fatal(err)
	}
	want := `
Policy and gate
  gated: taint assay.dev/unvalidated stays until the node holds a valid pass of policy nightly
  policy nightly, Failed since 0001-01-01: it is measured again tomorrow
  the gate of policy nightly was opened by assay on 2026-02-15, after run rack-5
`
	if !strings.Contains(out, want) {
		t.Errorf("got\n%s\nwant in it\n%s", out, want)
	}
}

// Whoever removes the mark of a node puts its devices back in service, whatever its record says.
func TestExplainAGPUThatSomebodyPutBack(t *testing.T) {
	const want = "    somebody has removed the annotation assay.dev/quarantine of the node, so that they are in service again"
	for mark, removed := range map[string]bool{"": true, "{}": false} {
		var all []export.Run
		testdata.OneGPUOut(&all)
		n := &corev1.Node{}
		n.Name, n.Annotations = "node-3", map[string]string{v1alpha1.AnnotationQuarantine: mark}
		if out, err := run(t, clitest.Cluster(t, interceptor.Funcs{}, append(objects(all), n)...), "explain", "node-3"); err != nil || strings.Contains(out, want) != removed {
			t.Errorf("mark %q: %v\n%s", mark, err, out)
		}
	}
}

// What explains a node is there for programs, too: the faults by themselves, and every line.
func TestExplainAsADocument(t *testing.T) {
	var document struct {
		Schema, Node string
		Faults       []struct{ Cause, At, Action string }
		Sections     []struct {
			Title string
			Lines []string
		}
	}
	for _, format := range []string{"json", "yaml"} {
		out, err := run(t, noCluster(t), "explain", "node-4", "-f", fileOf(t, node4(t)), "-o", format)
		if err != nil {
			t.Fatal(err)
		}
		if err := yaml.Unmarshal([]byte(out), &document); err != nil {
			t.Fatal(err)
		}
		if d := document; d.Schema != "assay.dev/explain/v1" || d.Node != "node-4" || len(d.Faults) == 0 || d.Faults[0].Action == "" || len(d.Sections) < 3 || d.Sections[1].Title != "Why" {
			t.Errorf("%s: %+v", format, d)
		}
	}
}

// All runs may be deleted: the NodeValidation still says why the node is tainted.
func TestExplainWithoutRuns(t *testing.T) {
	out, err := run(t, clitest.Cluster(t, interceptor.Funcs{}, client.Object(&node4(t)[1].Validations[0])), "explain", "node-4")
	if err != nil {
		t.Fatal(err)
	}
	clitest.Golden(t, "explain.deleted.golden", out)
}

func TestExplainOfANodeThatPassed(t *testing.T) {
	out, err := run(t, clitest.Cluster(t, interceptor.Funcs{}, objects(node4(t))...), "explain", "node-6")
	if err != nil {
		t.Fatal(err)
	}
	clitest.Golden(t, "explain.passed.golden", out)
}

// A run may have ten thousand nodes. What failed on others is read of those that its table lists, and of no more.
func TestExplainReadsOfOtherNodesWhatTheTableLists(t *testing.T) {
	all := node4(t)
	rack7 := &all[1]
	for i := range 20 {
		name := fmt.Sprintf("far-%d", i)
		r := rack7.Results[1].DeepCopy()
		r.Node.Name = name
		rack7.Results = append(rack7.Results, *r)
	}
	rack7.Run.Status.Nodes, rack7.Run.Status.Summary.Nodes = rack7.Run.Status.Nodes[:2], 23
	gets := 0
	c := clitest.Cluster(t, interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
			if _, ok := o.(*v1alpha1.ValidationResult); ok {
				gets++
			}
			return c.Get(ctx, key, o, opts...)
		},
		List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
			if _, ok := list.(*v1alpha1.ValidationResultList); ok {
				t.Error("it lists all results")
			}
			return c.List(ctx, list, opts...)
		},
	}, objects(all)...)
	out, err := run(t, c, "explain", "node-4")
	if want := "gpustream hbmTriad fails on at least 1 of 22 other nodes too: node-5\n"; err != nil || !strings.Contains(out, want) {
		t.Errorf("error %v, got\n%s\nwant in it %s", err, out, want)
	}
	if gets != 3 { // its own of two runs, and that of node-5
		t.Errorf("it read %d results", gets)
	}
}

func TestExplainRefuses(t *testing.T) {
	for want, args := range map[string][]string{
		"no node is named: kubectl assay explain NODE":                                                                       {"explain"},
		"too many arguments: 2 were given, see kubectl assay explain --help":                                                 {"explain", "a", "b"},
		`nothing is stored about node "node-9": check the name, or measure it with "kubectl assay run --nodes" and its name`: {"explain", "node-9"},
	} {
		_, err := run(t, clitest.Cluster(t, interceptor.Funcs{}, objects(node4(t))...), args...)
		clitest.Fails(t, err, want)
	}
}

func TestAnExplanationCannotSteerTheTerminal(t *testing.T) {
	hostile := node4(t)
	b := &hostile[1].Results[0].Benchmarks[0]
	b.Findings[0].Message, b.Attempts[1].Telemetry[0].Parts[1].At = "slow\x1b[2J\nnode-4: Pass", "gpu1\x1b]0;x\x07"
	b.Attempts[0].Facts[0].Value = "\u202eDelbane\x1b[1m"
	out, err := run(t, noCluster(t), "explain", "node-4", "-f", fileOf(t, hostile))
	if err != nil || strings.ContainsAny(out, "\x1b\x07\u202e") || strings.Contains(out, "\nnode-4: Pass") {
		t.Errorf("error %v, got %q", err, out)
	}
}
