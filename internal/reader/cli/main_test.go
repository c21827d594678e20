package cli

import (
	"bytes"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/test/clitest"
)

// run executes a command line against a cluster and returns what was printed.
func run(t *testing.T, c client.WithWatch, args ...string) (string, error) {
	t.Helper()
	return clitest.Execute(t, NewCommand("test", clitest.ConnectTo(c)), args...)
}

// notedRun returns what was printed beside it, too.
func notedRun(t *testing.T, c client.WithWatch, args ...string) (out, notes string, err error) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	root := NewCommand("test", clitest.ConnectTo(c))
	root.SetArgs(args)
	root.SetOut(&stdout)
	root.SetErr(&stderr)
	err = root.ExecuteContext(t.Context())
	return stdout.String(), stderr.String(), err
}
