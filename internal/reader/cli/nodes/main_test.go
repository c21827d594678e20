package nodes

import (
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/test/clitest"
)

// run executes a command line against a cluster and returns what was printed.
func runnodes(t *testing.T, c client.WithWatch, args ...string) (string, error) {
	t.Helper()
	return clitest.Execute(t, clitest.Under(Command(clitest.ConnectTo(c))), args...)
}
