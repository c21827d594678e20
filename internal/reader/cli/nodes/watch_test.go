package nodes

import (
	"bytes"
	"context"
	"regexp"
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/reader/cli/output"
	"github.com/assay-dev/assay/test/clitest"
)

// The fleet once, and then only the nodes to which something happens; a server that is away is asked again.
func TestNodesAreShownAgainWhenSomethingHappens(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	reads := 0
	c := clitest.Cluster(t, interceptor.Funcs{List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
		if _, is := list.(*v1alpha1.NodeValidationList); !is {
			return c.List(ctx, list, opts...)
		}
		switch reads++; reads {
		case 3:
			return clitest.ErrRefused
		case 4:
			failed := &v1alpha1.NodeValidation{}
			if err := c.Get(ctx, client.ObjectKey{Name: "node-2"}, failed); err != nil {
				t.Error(err)
			}
			failed.Verdict = v1alpha1.VerdictError
			if err := c.Update(ctx, failed); err != nil {
				t.Error(err)
			}
		case 5:
			cancel()
		}
		return c.List(ctx, list, opts...)
	}}, clitest.Node("node-1", nil), clitest.Node("node-2", nil), clitest.Validation("node-1", v1alpha1.VerdictPass, time.Hour, "182", "2"),
		clitest.Validation("node-2", v1alpha1.VerdictPass, time.Hour, "182", "2"))
	cmd := Command(clitest.ConnectTo(c))
	cmd.SetContext(ctx)
	var out, notes bytes.Buffer
	cmd.SetOut(&out)
	cmd.SetErr(&notes)
	if err := (nodesFlags{format: output.Table, pause: time.Millisecond}).follow(cmd, c); err != nil {
		t.Fatal(err)
	}
	text := regexp.MustCompile(`[0-9][0-9hdms]* +-`).ReplaceAllString(out.String(), "AGE -")
	text = regexp.MustCompile(`(?m)^\d\d:\d\d:\d\d$`).ReplaceAllString(text, "TIME")
	clitest.Golden(t, "nodes.watch.golden", text)
	if want := "the API server does not answer, and is asked again: listing NodeValidations: connection refused\n"; notes.String() != want {
		t.Errorf("notes %q", notes.String())
	}
}

func TestNodesAreWatchedAsATable(t *testing.T) {
	_, err := runnodes(t, clitest.Cluster(t, interceptor.Funcs{}), "nodes", "-w", "-o", "json")
	clitest.Fails(t, err, "-w shows a table that goes on: leave out -w, or -o json")
}
