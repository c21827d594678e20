package cli

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/reader/export"
)

// validation of a node that a run measured so long ago.
func validation(name string, v v1alpha1.Verdict, ago time.Duration, triad, latency string) *v1alpha1.NodeValidation {
	at := metav1.NewTime(noon.Add(-ago))
	nv := &v1alpha1.NodeValidation{ObjectMeta: metav1.ObjectMeta{Name: name}, Verdict: v, LastRun: v1alpha1.ObjectReference{Name: "rack-7"},
		Message: "1 of 1 benchmarks passed", Fingerprint: v1alpha1.Fingerprint{Driver: "570.1"}}
	if v == v1alpha1.VerdictPass || v == v1alpha1.VerdictFail {
		nv.Proof = &v1alpha1.Proof{Verdict: v, MeasuredAt: at}
	}
	if triad != "" {
		nv.Benchmarks = []v1alpha1.BenchmarkState{{Name: "stream", Verdict: v, History: []v1alpha1.HistoryEntry{{Run: "rack-7", Time: at, Verdict: v,
			Values: []v1alpha1.HistoryValue{{Metric: "triad", Unit: "GB/s", Value: v1alpha1.Decimal(triad)}, {Metric: "latency", Unit: "us", Value: v1alpha1.Decimal(latency)}}}}}}
	}
	return nv
}

// fleet is a cluster with a node in each state.
func fleet() []client.Object {
	valid := int64(86400)
	policy := &v1alpha1.ValidationPolicy{ObjectMeta: metav1.ObjectMeta{Name: "gpu"}, Spec: v1alpha1.ValidationPolicySpec{Suite: "quick",
		Selector: metav1.LabelSelector{MatchLabels: map[string]string{"pool": "gpu"}}, ValidForSeconds: &valid, Gate: &v1alpha1.Gate{}},
		Status: v1alpha1.ValidationPolicyStatus{Attention: []v1alpha1.NodeAttention{{Name: "node-9", Reason: "NeverValidated", Message: "never validated; it is measured by\x1b[31m run gpu-x"}}}}
	stream := &v1alpha1.Benchmark{ObjectMeta: metav1.ObjectMeta{Name: "stream"}, Spec: v1alpha1.BenchmarkSpec{
		Metrics: []v1alpha1.Metric{{Name: "triad"}, {Name: "latency", Better: v1alpha1.Lower}}}}
	all := []client.Object{policy, stream}
	for i := range 10 {
		n := node(fmt.Sprintf("node-%d", i+1), map[string]string{"pool": "gpu"})
		switch n.Name {
		case "node-6":
			n.Labels["pool"] = "cpu"
		case "node-8":
			n.Labels[v1alpha1.LabelOverdue] = "gpu"
		case "node-9":
			n.Spec.Taints = []corev1.Taint{{Key: v1alpha1.DefaultGateKey, Effect: corev1.TaintEffectNoSchedule}}
		}
		all = append(all, n)
	}
	unfit := validation("node-4", v1alpha1.VerdictPass, time.Hour, "180", "2")
	unfit.Quarantine = &v1alpha1.Quarantine{Key: v1alpha1.DefaultTaintKey}
	unfit.Message = "stream: socket0 triad is 5.09 GB/s"
	unfit.Convictions = []v1alpha1.Conviction{
		{Benchmark: "stream", Metric: "triad", At: "node", Unit: "GB/s", Value: "91", Bound: "100"},
		{Benchmark: "stream", Metric: "triad", At: "socket0", Unit: "GB/s", Value: "5.09", Bound: "18.29"}, {Benchmark: "inventory", Metric: "driver"}}
	missing := validation("node-5", v1alpha1.VerdictError, 0, "", "")
	missing.Message = "stream: the image cannot be pulled"
	failed := validation("node-7", v1alpha1.VerdictFail, 3*time.Hour, "181", "2")
	return append(all, unfit, missing, failed,
		validation("node-1", v1alpha1.VerdictPass, 2*time.Hour, "182", "2"), validation("node-2", v1alpha1.VerdictPass, 5*time.Hour, "182", "2.5"),
		validation("node-3", v1alpha1.VerdictPass, 5*24*time.Hour, "170", "1.9"), validation("node-gone", v1alpha1.VerdictPass, time.Hour, "182", "2"))
}

func nodesShown(t *testing.T, c client.Client, f nodesFlags) (text, notes string) {
	t.Helper()
	var out, err bytes.Buffer
	rows, failure := readFleet(t.Context(), c, f, noon, &err)
	if failure != nil {
		t.Fatal(failure)
	}
	if failure := writeNodes(&out, rows, f.format, noon); failure != nil {
		t.Fatal(failure)
	}
	return out.String(), err.String()
}

func TestNodesStandByNeed(t *testing.T) {
	c := cluster(t, interceptor.Funcs{}, fleet()...)
	for name, f := range map[string]nodesFlags{
		"nodes.table.golden": {format: formatTable}, "nodes.wide.golden": {format: formatWide}, "nodes.json.golden": {format: formatJSON},
		"nodes.csv.golden": {format: formatCSV}, "nodes.failed.golden": {format: formatTable, failed: true},
		"nodes.selector.golden": {format: formatTable, selector: "pool=cpu"}, "nodes.none.golden": {format: formatTable, selector: "pool=x"},
	} {
		t.Run(name, func(t *testing.T) {
			text, notes := nodesShown(t, c, f)
			if notes != "" {
				t.Errorf("notes %q", notes)
			}
			golden(t, name, text)
		})
	}
	text, _ := nodesShown(t, c, nodesFlags{format: formatTable, policy: "gpu"})
	if strings.Contains(text, "node-6") || !strings.Contains(text, "node-10") {
		t.Errorf("--policy gpu:\n%s", text)
	}
}

// What assay-viewer may read is enough for those that were measured.
func TestNodesWithoutTheRightToListNodes(t *testing.T) {
	c := cluster(t, interceptor.Funcs{List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
		if _, nodes := list.(*corev1.NodeList); nodes {
			return apierrors.NewForbidden(schema.GroupResource{Resource: "nodes"}, "", nil)
		}
		return c.List(ctx, list, opts...)
	}}, fleet()...)
	text, notes := nodesShown(t, c, nodesFlags{format: formatTable})
	golden(t, "nodes.viewer.golden", text)
	if want := "you may not list nodes of the cluster, so that only those that were measured are shown, without gates and policies: " +
		"ask an administrator for the right to get and list nodes\n"; notes != want {
		t.Errorf("notes %q", notes)
	}
	_, err := run(t, c, "nodes", "-l", "pool=gpu")
	fails(t, err, "--selector and --policy need the labels of nodes, and you may not list nodes of the cluster: ask an administrator for the right to get and list nodes")
}

// A driver's name or a message is no formula of a spreadsheet.
func TestACellOfNodesIsNoFormula(t *testing.T) {
	hostile := validation("node-1", v1alpha1.VerdictPass, time.Hour, "182", "2")
	hostile.Fingerprint.Driver, hostile.Message = `=HYPERLINK("http://x","y")`, "\x1b=1+1\u202e"
	for _, f := range []nodesFlags{{format: formatCSV}, {format: formatJSON}} {
		text, _ := nodesShown(t, cluster(t, interceptor.Funcs{}, node("node-1", nil), hostile), f)
		if strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && export.Steers(r) }) {
			t.Errorf("%s steers a terminal: %q", f.format, text)
		}
		if f.format == formatCSV && !strings.HasSuffix(text, `,"'=HYPERLINK(""http://x"",""y"")",'=1+1`+"\n") {
			t.Errorf("got %s", text)
		}
	}
}

func TestNodesRefusesWhatItCannotShow(t *testing.T) {
	for want, args := range map[string][]string{
		`unknown output format "xml": choose one of table, wide, json, csv`:                                                                                             {"-o", "xml"},
		`there is no policy "cpu": kubectl get validationpolicies lists all policies`:                                                                                   {"--policy", "cpu"},
		`--selector "a=(" cannot be read (unable to parse requirement: found '(', expected: identifier): write it as for kubectl get -l, for example pool=h200,zone!=b`: {"-l", "a=("},
	} {
		_, err := run(t, cluster(t, interceptor.Funcs{}, fleet()...), append([]string{"nodes"}, args...)...)
		fails(t, err, want)
	}
}

// Ten thousand nodes are read page by page and shown in one go.
func TestNodesOfALargeFleet(t *testing.T) {
	f := newFleet(nil, nil, noon)
	for i := range 10_000 {
		name := fmt.Sprintf("node-%d", i+1)
		f.addNode(node(name, nil))
		f.addValidation(validation(name, v1alpha1.VerdictPass, time.Hour, fmt.Sprint(180+i%7), "2"), false)
	}
	rows := f.rows()
	if len(rows) != 10_000 || rows[0].Name != "node-1" || rows[9999].Name != "node-10000" || rows[0].Worst.FleetDeviationPercent == nil {
		t.Errorf("%d rows, from %s to %s", len(rows), rows[0].Name, rows[len(rows)-1].Name)
	}
	if diff := cmp.Diff([]string{"10000 Passed"}, counts(rows)); diff != "" {
		t.Error(diff)
	}
}
