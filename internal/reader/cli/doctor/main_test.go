package doctor

import (
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/test/clitest"
)

// run executes a command line against a cluster and returns what was printed.
func rundoctor(t *testing.T, c client.WithWatch, args ...string) (string, error) {
	t.Helper()
	return clitest.Execute(t, clitest.Under(Command("test", clitest.ConnectTo(c))), args...)
}
