// Package api_test holds the API to its promises on a real API server: what the CRDs default, what they refuse and with
// which words, what may change. Nothing of the operator runs here.
package api_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/assay-dev/assay/test/integration/apiserver"
)

var (
	crdFolder = filepath.Join("..", "..", "..", "config", "crd", "bases")
	config    *rest.Config
	api       client.Client
)

func TestMain(m *testing.M) { os.Exit(runWithAPIServer(m)) }

func runWithAPIServer(m *testing.M) int {
	if os.Getenv("KUBEBUILDER_ASSETS") == "" {
		fmt.Fprintln(os.Stderr, "not run: KUBEBUILDER_ASSETS names no etcd and kube-apiserver; use `make test-integration`")
		return 0
	}
	var stop func()
	var err error
	config, stop, err = apiserver.Start(crdFolder)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer stop()
	if api, err = client.New(config, client.Options{}); err != nil {
		fmt.Fprintln(os.Stderr, "making a client:", err)
		return 1
	}
	return m.Run()
}

// rule is one thing the API enforces, with a merge patch of a valid object that keeps it and one that breaks it.
type rule struct {
	accepted string
	rejected string
	message  string
}

// checkRules asks the API server, by dry run, to create the object in both states of each rule.
func checkRules(t *testing.T, valid string, rules map[string]rule) {
	t.Helper()
	for sentence, r := range rules {
		t.Run(sentence, func(t *testing.T) {
			if err := dryRun(t, object(t, valid, r.accepted)); err != nil {
				t.Errorf("patch %s\nwas refused: %v", r.accepted, err)
			}
			err := dryRun(t, object(t, valid, r.rejected))
			if err == nil {
				t.Fatalf("patch %s\nwas accepted, want an error with %q", r.rejected, r.message)
			}
			if !strings.Contains(err.Error(), r.message) {
				t.Errorf("patch %s\nwas refused with %q\nwant %q in it", r.rejected, err, r.message)
			}
		})
	}
}

func dryRun(t *testing.T, o *unstructured.Unstructured) error {
	t.Helper()
	return api.Create(t.Context(), o, client.DryRunAll)
}

// object is the valid object with a merge patch applied; both are YAML.
func object(t *testing.T, valid, patch string) *unstructured.Unstructured {
	t.Helper()
	merged := merge(t, toJSON(t, valid), patch)
	o := &unstructured.Unstructured{}
	if err := o.UnmarshalJSON(merged); err != nil {
		t.Fatalf("reading the patched object: %v", err)
	}
	return o
}

func merge(t *testing.T, document []byte, patch string) []byte {
	t.Helper()
	if patch == "" {
		return document
	}
	merged, err := jsonpatch.MergePatch(document, toJSON(t, patch))
	if err != nil {
		t.Fatalf("merging %s: %v", patch, err)
	}
	return merged
}

func toJSON(t *testing.T, text string) []byte {
	t.Helper()
	document, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatalf("reading YAML %s: %v", text, err)
	}
	return document
}
