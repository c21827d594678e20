package binaries

import (
	"slices"
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

func TestExtrasAreNotBuiltForEveryCluster(t *testing.T) {
	seen := map[string]bool{programs().id(): true}
	for _, e := range []Extra{Kwok, DRADriver} {
		for _, p := range e.component().packages {
			if slices.Contains(programs().packages, p) {
				t.Errorf("%s is built before every cluster", p)
			}
		}
		if id := e.component().id(); seen[id] {
			t.Errorf("the folder of %s is that of others: %s", e, id)
		} else {
			seen[id] = true
		}
	}
}

// Who works on the DRA driver does not wait for Kubernetes to be linked again.
func TestAProgramIsBuiltAgainForItsOwnSources(t *testing.T) {
	const file = "cmd/dra-driver/main.go"
	if !programs().without(file) || DRADriver.component().without(file) || DRADriver.component().without("go.mod") {
		t.Error("the sources of the DRA driver are those of the other programs")
	}
	if programs().without("cmd/localcluster/main.go") || programs().without("go.sum") {
		t.Error("the sources of the programs are not theirs")
	}
}
