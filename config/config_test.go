// Package config_test checks the manifests that no API server checks: that what they refer to exists, and that the chart
// ships the same files.
package config_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestARunWithoutProofIsAlerted: what ends neither as Pass nor as Fail told nobody anything about the nodes.
func TestARunWithoutProofIsAlerted(t *testing.T) {
	rules := read(t, filepath.Join("prometheus", "rules.yaml"))
	expr := regexp.MustCompile(`assay_runs_finished_total\{verdict=~"([^"]+)"\}`).FindStringSubmatch(rules)
	if expr == nil || expr[1] != "Inconclusive|Error" {
		t.Errorf("the alert is for %q, want the verdicts Inconclusive and Error", expr)
	}
}

// TestWhoMayAskAboutOthers: reviewing tokens and rights is for secure metrics only, so it is no part of the role that every operator has.
func TestWhoMayAskAboutOthers(t *testing.T) {
	for _, resource := range []string{"tokenreviews", "subjectaccessreviews"} {
		if strings.Contains(read(t, filepath.Join("rbac", "role.yaml")), resource) {
			t.Errorf("the operator's role allows %s, which only secure metrics need", resource)
		}
		if strings.Count(read(t, filepath.Join("rbac", "metrics_roles.yaml")), "resources: ["+resource+"]\n  verbs: [create]\n") != 1 {
			t.Errorf("the role for secure metrics does not allow just to create %s", resource)
		}
	}
}

// TestTheOperatorsRights: it changes no policy and no spec of a run (assay-runs says which runs it deletes), and what it reads through its cache
// it need not get.
func TestTheOperatorsRights(t *testing.T) {
	role := read(t, filepath.Join("rbac", "role.yaml"))
	for resources, verbs := range map[string]string{
		"  - validationruns\n": "  - create\n  - delete\n  - list\n  - patch\n  - watch\n",
		"  - validationpolicies/status\n  - validationruns/status\n":     "  - patch\n",
		"  - benchmarks\n  - hardwareprofiles\n  - validationpolicies\n": "  - list\n  - watch\n",
		"- apiGroups:\n  - kubeflow.org\n  resources:\n  - mpijobs\n":    "  - create\n  - delete\n  - list\n",
	} {
		if _, after, found := strings.Cut(role, resources+"  verbs:\n"); !found || !regexp.MustCompile(`^`+verbs+`(- |---|$)`).MatchString(after) {
			t.Errorf("the role allows something else than\n%s of\n%s", verbs, resources)
		}
	}
}

func TestEveryReasonIsDocumented(t *testing.T) {
	reasons := read(t, filepath.Join("..", "docs", "reasons.md"))
	constants := read(t, filepath.Join("..", "api", "v1alpha1", "conditions.go"))
	for _, reason := range regexp.MustCompile(`Reason\w+\s+= "(\w+)"`).FindAllStringSubmatch(constants, -1) {
		if !strings.Contains(reasons, "| `"+reason[1]+"` |") {
			t.Errorf("docs/reasons.md does not explain reason %s", reason[1])
		}
	}
}

func TestTheChartShipsTheSameManifests(t *testing.T) {
	chart := filepath.Join("..", "charts", "assay", "files")
	for from, to := range map[string]string{
		"crd/bases": "crds", "catalogue/benchmarks": "benchmarks", "catalogue/profiles": "profiles", "admission": "admission",
		"rbac/role.yaml": "", "rbac/metrics_roles.yaml": "", "rbac/user_roles.yaml": "", "prometheus/rules.yaml": "", "grafana/assay.json": "",
		"admission/gate/taint_new_nodes.yaml": "",
	} {
		files := []string{from}
		if to != "" {
			var err error
			if files, err = filepath.Glob(filepath.Join(from, "*.yaml")); err != nil || len(files) == 0 {
				t.Fatalf("no files in %s: %v", from, err)
			}
		}
		for _, file := range files {
			if filepath.Base(file) == "kustomization.yaml" {
				continue
			}
			copied, err := os.ReadFile(filepath.Join(chart, to, filepath.Base(file)))
			if err != nil || !bytes.Equal(copied, []byte(read(t, file))) {
				t.Errorf("the chart's copy of %s differs (%v): run `make manifests`", file, err)
			}
		}
	}
}

// read returns all files that match, one after the other.
func read(t *testing.T, pattern string) string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no file matches %s: %v", pattern, err)
	}
	var all strings.Builder
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(content)
	}
	return all.String()
}

// CONTRIBUTING.md shows the example of an application as it is.
func TestTheExampleOfAnApplicationIsShown(t *testing.T) {
	sample, err := os.ReadFile("samples/application/sorting.yaml")
	if err != nil {
		t.Fatal(err)
	}
	guide, err := os.ReadFile("../CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	if _, shown, _ := strings.Cut(string(sample), "\n"); !strings.Contains(string(guide), "```yaml\n"+shown+"```\n") {
		t.Error("CONTRIBUTING.md shows another Benchmark than config/samples/application/sorting.yaml has")
	}
}
