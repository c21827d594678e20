package binaries

import (
	"strings"
	"testing"

	localcluster "github.com/assay-dev/assay/hack/localcluster"
)

// What the programs say of themselves is what they are.
func TestVersionsAreThoseOfGoMod(t *testing.T) {
	content, err := localcluster.Sources.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if want := "k8s.io/kubernetes " + KubernetesVersion + "\n"; !strings.Contains(string(content), want) {
		t.Errorf("go.mod does not require %s", want)
	}
}

func TestKwokIsNotBuiltForEveryCluster(t *testing.T) {
	for _, p := range programs().packages {
		if strings.HasPrefix(p, kwokModule) {
			t.Errorf("%s is built before a cluster that has no pretended nodes", p)
		}
	}
	if programs().id() == kwok().id() {
		t.Error("kwok's folder is that of the others")
	}
}
