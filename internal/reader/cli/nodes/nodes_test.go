package nodes

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
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/reader/cli/output"
	"github.com/assay-dev/assay/internal/reader/export"
	"github.com/assay-dev/assay/test/clitest"
	"github.com/assay-dev/assay/test/golden"
)

func nodesShown(t *testing.T, c client.Client, f nodesFlags) (text, notes string) {
	t.Helper()
	var out, err bytes.Buffer
	rows, failure := readFleet(t.Context(), c, f, clitest.Noon, &err)
	if failure != nil {
		t.Fatal(failure)
	}
	if failure := listOf(rows, clitest.Noon).Write(&out, f.format); failure != nil {
		t.Fatal(failure)
	}
	return out.String(), err.String()
}

func TestNodesStandByNeed(t *testing.T) {
	c := clitest.Cluster(t, interceptor.Funcs{}, clitest.Fleet()...)
	for name, f := range map[string]nodesFlags{
		"nodes.table.golden": {format: output.Table}, "nodes.wide.golden": {format: output.Wide}, "nodes.json.golden": {format: output.JSON},
		"nodes.csv.golden": {format: output.CSV}, "nodes.name.golden": {format: output.Name}, "nodes.yaml.golden": {format: output.YAML, failed: true}, "nodes.failed.golden": {format: output.Table, failed: true},
		"nodes.selector.golden": {format: output.Table, selector: "pool=cpu"}, "nodes.none.golden": {format: output.Table, selector: "pool=x"},
	} {
		t.Run(name, func(t *testing.T) {
			text, notes := nodesShown(t, c, f)
			if notes != "" {
				t.Errorf("notes %q", notes)
			}
			if f.format == output.JSON {
				text = golden.FoldJSON(text)
			}
			clitest.Golden(t, name, text)
		})
	}
	text, _ := nodesShown(t, c, nodesFlags{format: output.Table, policy: "gpu"})
	if strings.Contains(text, "node-6") || !strings.Contains(text, "node-10") {
		t.Errorf("--policy gpu:\n%s", text)
	}
}

// What assay-viewer may read is enough for those that were measured.
func TestNodesWithoutTheRightToListNodes(t *testing.T) {
	c := clitest.Cluster(t, interceptor.Funcs{List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
		if _, nodes := list.(*corev1.NodeList); nodes {
			return apierrors.NewForbidden(schema.GroupResource{Resource: "nodes"}, "", nil)
		}
		return c.List(ctx, list, opts...)
	}}, clitest.Fleet()...)
	text, notes := nodesShown(t, c, nodesFlags{format: output.Table})
	clitest.Golden(t, "nodes.viewer.golden", text)
	if want := "you may not list nodes of the cluster, so that only those that were measured are shown, without gates and policies: " +
		"ask an administrator for the right to get and list nodes\n"; notes != want {
		t.Errorf("notes %q", notes)
	}
	_, err := runnodes(t, c, "nodes", "-l", "pool=gpu")
	clitest.Fails(t, err, "--selector and --policy need the labels of nodes, and you may not list nodes of the cluster: ask an administrator for the right to get and list nodes")
}

// A driver's name or a message is no formula of a spreadsheet.
func TestACellOfNodesIsNoFormula(t *testing.T) {
	hostile := clitest.Validation("node-1", v1alpha1.VerdictPass, time.Hour, "182", "2")
	hostile.Fingerprint.Driver, hostile.Message = `=HYPERLINK("http://x","y")`, "\x1b=1+1\u202e"
	for _, f := range []nodesFlags{{format: output.CSV}, {format: output.JSON}} {
		text, _ := nodesShown(t, clitest.Cluster(t, interceptor.Funcs{}, clitest.Node("node-1", nil), hostile), f)
		if strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && export.Steers(r) }) {
			t.Errorf("%s steers a terminal: %q", f.format, text)
		}
		if f.format == output.CSV && !strings.HasSuffix(text, `,"'=HYPERLINK(""http://x"",""y"")",'=1+1,`+"\n") {
			t.Errorf("got %s", text)
		}
	}
}

func TestNodesRefusesWhatItCannotShow(t *testing.T) {
	for want, args := range map[string][]string{
		`unknown output format "xml": choose one of table, wide, json, yaml, name, csv`:                                                                                 {"-o", "xml"},
		`there is no policy "cpu": kubectl get validationpolicies lists all policies`:                                                                                   {"--policy", "cpu"},
		`--selector "a=(" cannot be read (unable to parse requirement: found '(', expected: identifier): write it as for kubectl get -l, for example pool=h200,zone!=b`: {"-l", "a=("},
	} {
		_, err := runnodes(t, clitest.Cluster(t, interceptor.Funcs{}, clitest.Fleet()...), append([]string{"nodes"}, args...)...)
		clitest.Fails(t, err, want)
	}
}

// Ten thousand nodes are read page by page and shown in one go.
func TestNodesOfALargeFleet(t *testing.T) {
	f := newFleet(nil, nil, clitest.Noon)
	for i := range 10_000 {
		name := fmt.Sprintf("node-%d", i+1)
		f.addNode(clitest.Node(name, nil))
		f.addValidation(clitest.Validation(name, v1alpha1.VerdictPass, time.Hour, fmt.Sprint(180+i%7), "2"), false)
	}
	rows := f.rows()
	if len(rows) != 10_000 || rows[0].Name != "node-1" || rows[9999].Name != "node-10000" || rows[0].Worst != nil {
		t.Errorf("%d rows, from %s to %s", len(rows), rows[0].Name, rows[len(rows)-1].Name)
	}
	if diff := cmp.Diff([]string{"10000 Passed"}, counts(rows)); diff != "" {
		t.Error(diff)
	}
}

// No row is wider than the terminal, whatever nodes are called.
func TestNodesDoNotWrap(t *testing.T) {
	f := newFleet(nil, nil, clitest.Noon)
	for _, name := range []string{"node-1", "ip-10-0-12-34.eu-central-1.compute.internal", strings.Repeat("gpu-", 30) + "1"} {
		f.addNode(clitest.Node(name, nil))
		f.addValidation(clitest.Validation(name, v1alpha1.VerdictPass, time.Hour, "182", "2"), false)
		f.nodes[name].Worst = &worstValue{Benchmark: "stream", Metric: strings.Repeat("triad", 20)}
		list := listOf(f.rows(), clitest.Noon)
		for _, width := range []int{80, 60, 40} {
			var out bytes.Buffer
			header, rows := list.Fit(width)
			if err := output.Grid(&out, header, rows); err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(out.String()) {
				if len(line) > width+1 || !strings.Contains(out.String(), "Passed") {
					t.Errorf("%d columns: %q", width, line)
				}
			}
		}
	}
}
