package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/assay-dev/assay/test/clitest"
)

// TestNodesAreLaidOutByALabel of theirs, from the cluster and from what export saved of it.
func TestNodesAreLaidOutByALabel(t *testing.T) {
	objects := clitest.Rack7(t)
	for name, rack := range map[string]string{"node-1": "r1", "node-4": "r2", "elsewhere": "r3"} {
		objects = append(objects, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"topology.kubernetes.io/rack": rack, "site/row": "x"}}})
	}
	c := clitest.Cluster(t, interceptor.Funcs{}, objects...)
	file := filepath.Join(t.TempDir(), "rack-7.jsonl")
	if _, err := run(t, c, "export", "rack-7", "--to", file); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), `"node-4":{"topology.kubernetes.io/rack":"r2"}`) || strings.Contains(string(text), "elsewhere") {
		t.Errorf("the file has other places than those of the run's nodes: %v", err)
	}
	const byRack, onNode4 = "\"placeLabel\": \"topology.kubernetes.io/rack\"", "\"place\": \"r2\""
	for sentence, x := range map[string]struct {
		from client.WithWatch
		args []string
		want []string
		fail string
	}{
		"the page by itself":     {c, []string{"rack-7", "-o", "html"}, []string{"same label topology.kubernetes.io/rack.", "<b>r1</b>", "<b>r2</b>"}, ""},
		"the page by another":    {c, []string{"rack-7", "-o", "html", "--group-by", "site/row"}, []string{"same label site/row.", "<b>x</b>"}, ""},
		"the document":           {c, []string{"rack-7", "-o", "json", "--group-by", "topology.kubernetes.io/rack"}, []string{byRack, onNode4}, ""},
		"the page of a file":     {noCluster(t), []string{"-f", file, "-o", "html"}, []string{"<b>r1</b>"}, ""},
		"the document of a file": {noCluster(t), []string{"-f", file, "-o", "json"}, []string{byRack, onNode4}, ""},
		"a table":                {c, []string{"rack-7", "--group-by", "site/row"}, nil, "--group-by is for -o html and -o json: other formats do not say where nodes stand"},
		"a label of no node": {c, []string{"rack-7", "-o", "html", "--group-by", "rack"}, nil,
			"no node of run rack-7 has the label rack: kubectl get nodes --show-labels lists the labels of all nodes"},
	} {
		t.Run(sentence, func(t *testing.T) {
			out, err := run(t, x.from, append([]string{"report"}, x.args...)...)
			if x.fail != "" {
				clitest.Fails(t, err, x.fail)
			} else if err != nil {
				t.Fatal(err)
			}
			for _, want := range x.want {
				if !strings.Contains(out, want) {
					t.Errorf("the report lacks %s", want)
				}
			}
		})
	}
}

// TestPlacesThatMayNotBeRead are left out, and whoever asks for them is told so.
func TestPlacesThatMayNotBeRead(t *testing.T) {
	c := clitest.Cluster(t, interceptor.Funcs{List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
		if _, is := list.(*metav1.PartialObjectMetadataList); is {
			return apierrors.NewForbidden(schema.GroupResource{Resource: "nodes"}, "", nil)
		}
		return c.List(ctx, list, opts...)
	}}, clitest.Rack7(t)...)
	if out, err := run(t, c, "report", "rack-7", "-o", "html"); err != nil || !strings.Contains(out, "sorted by name") {
		t.Errorf("error %v", err)
	}
	for format, want := range map[string]string{"html": "sorted by name", "json": `"name": "node-4"`} {
		out, notes, err := notedRun(t, c, "report", "rack-7", "-o", format, "--group-by", "x")
		if err != nil || !strings.Contains(out, want) || notes != "you may not list nodes of the cluster, so nothing is laid out by x: ask an administrator for the "+
			"right to get and list nodes, or for a file that kubectl assay export saved\n" {
			t.Errorf("%s: notes %q, error %v", format, notes, err)
		}
	}
}
