// Package prometheus_test lets promtool check and run the rules of config/prometheus.
package prometheus_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"sigs.k8s.io/yaml"
)

var rules = filepath.Join("..", "..", "..", "config", "prometheus")

// TestRules: every alert fires when it should, stays silent before, and is over when its cause is; every record has the right value.
func TestRules(t *testing.T) {
	t.Parallel()
	folder := os.Getenv("ASSAY_PROMETHEUS")
	if folder == "" {
		t.Skip("ASSAY_PROMETHEUS names no folder with promtool; use `make test-integration`")
	}
	promtool, err := filepath.Abs(filepath.Join(folder, "promtool"))
	if err != nil {
		t.Fatal(err)
	}
	work := t.TempDir()
	// What the Prometheus Operator gives Prometheus of the PrometheusRule.
	text := read(t, "rules.yaml")
	var object struct{ Spec any }
	if err := yaml.Unmarshal(text, &object); err != nil {
		t.Fatal(err)
	}
	groups, err := yaml.Marshal(object.Spec)
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{"rules.yaml": groups, "rules_test.yaml": read(t, "rules_test.yaml")} {
		if err := os.WriteFile(filepath.Join(work, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"check", "rules", "--lint-fatal", "rules.yaml"}, {"test", "rules", "rules_test.yaml"}} {
		cmd := exec.CommandContext(t.Context(), promtool, args...)
		cmd.Dir = work
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("promtool %v: %v\n%s", args, err, out)
		}
	}
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(rules, name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}
