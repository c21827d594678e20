package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// Nodes of two policies are those of the one and those of the other: what drops the policy first shows the larger alone.
func TestNodesOfPoliciesAreAddedUp(t *testing.T) {
	for _, p := range policies() {
		for _, q := range p.queries {
			if strings.Contains(q.expr, "assay_policy_nodes") && strings.Count(q.expr, "max by (cluster,job,policy,state)") != strings.Count(q.expr, "assay_policy_nodes") {
				t.Errorf("%s: %s", p.title, q.expr)
			}
		}
	}
}

// The dashboard opens with a few metrics, and every headline metric of the catalogue has a unit that Grafana writes.
func TestMetricsOfTheCatalogue(t *testing.T) {
	files, _ := filepath.Glob("../../config/catalogue/benchmarks/[^k]*.yaml")
	headlines := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var b v1alpha1.Benchmark
		if err := yaml.Unmarshal(text, &b); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, m := range b.Spec.Metrics {
			if !m.Headline {
				continue
			}
			headlines[m.Name] = true
			if !slices.ContainsFunc(units, func(u struct{ ours, grafana string }) bool { return u.ours == m.Unit }) {
				t.Errorf("%s of %s is in %s, which no panel knows", m.Name, b.Name, m.Unit)
			}
		}
	}
	if len(headlines) < 40 || len(firstMetrics) > 8 {
		t.Errorf("%d headline metrics, and %d to open with", len(headlines), len(firstMetrics))
	}
	for _, name := range firstMetrics {
		if !headlines[name] {
			t.Errorf("%s is no headline metric of the catalogue", name)
		}
	}
	for _, p := range worst() {
		if !p.ofNodes {
			t.Errorf("%s has no links to nodes", p.title)
		}
	}
}
