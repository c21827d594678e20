package nodes

import (
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/reader/cli/output"
	"github.com/assay-dev/assay/internal/reader/export"
	"github.com/assay-dev/assay/test/clitest"
	"github.com/assay-dev/assay/test/testdata"
)

// gpuOut is a cluster of nodes of which one has a GPU out of service.
func gpuOut(t *testing.T, marked bool) (client.WithWatch, *export.Run) {
	t.Helper()
	var all []export.Run
	testdata.OneGPUOut(&all)
	objects := []client.Object{all[0].Run, &all[0].Validations[0]}
	for _, name := range []string{"node-1", "node-2", "node-3", "node-4"} {
		n := clitest.Node(name, nil)
		if name == "node-3" && marked {
			n.Annotations = map[string]string{v1alpha1.AnnotationQuarantine: "{}"}
		}
		objects = append(objects, n)
	}
	return clitest.Cluster(t, interceptor.Funcs{}, objects...), &all[0]
}

func TestNodesTellAGPUThatIsOutOfService(t *testing.T) {
	c, _ := gpuOut(t, true)
	for name, format := range map[string]string{"gpuout.table.golden": output.Table, "gpuout.wide.golden": output.Wide, "gpuout.json.golden": output.JSON, "gpuout.csv.golden": output.CSV} {
		t.Run(name, func(t *testing.T) {
			text, _ := nodesShown(t, c, nodesFlags{format: format, failed: format != output.Table})
			clitest.Golden(t, name, text)
		})
	}
}

// TestAGPUThatSomebodyPutBack is in service, although the node is unfit: whoever removes the mark of a node does that.
func TestAGPUThatSomebodyPutBack(t *testing.T) {
	c, _ := gpuOut(t, false)
	if text, _ := nodesShown(t, c, nodesFlags{format: output.Wide}); strings.Contains(text, "assay.dev/unfit") || strings.Contains(text, "out of service") || !strings.Contains(text, "node-3   Unfit") {
		t.Errorf("got\n%s", text)
	}
}

// TestWatchShowsThatAnotherGPUIsOut: nothing else of the node has changed.
func TestWatchShowsThatAnotherGPUIsOut(t *testing.T) {
	c, run := gpuOut(t, true)
	f, shown := nodesFlags{format: output.Table}, map[string]string{}
	news := func() string {
		t.Helper()
		var out strings.Builder
		rows, err := readFleet(t.Context(), c, f, clitest.Noon, &out)
		if err == nil {
			err = f.showNews(&out, rows, shown, len(shown) == 0)
		}
		if err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	news()
	if is := news(); is != "" {
		t.Errorf("shown again: %s", is)
	}
	v := run.Validations[0].DeepCopy()
	v.Quarantine.Devices = append(v.Quarantine.Devices, v.Fingerprint.DeviceUUIDs[5])
	if err := c.Patch(t.Context(), v, client.MergeFrom(&run.Validations[0])); err != nil {
		t.Fatal(err)
	}
	if is := news(); !strings.Contains(is, "assay.dev/unfit on 2 of 8 GPUs: gpu3") || strings.Contains(is, "node-1") {
		t.Errorf("shown: %q", is)
	}
}
