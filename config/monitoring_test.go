package config_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

const runbook = "https://github.com/assay-dev/assay/blob/main/docs/"

// rule of Prometheus.
type rule struct {
	Alert, Record, Expr, For string
	Labels, Annotations      map[string]string
}

func rules(t *testing.T) (all []rule) {
	t.Helper()
	var object struct {
		Spec struct{ Groups []struct{ Rules []rule } }
	}
	if err := yaml.Unmarshal([]byte(read(t, filepath.Join("prometheus", "rules.yaml"))), &object); err != nil {
		t.Fatal(err)
	}
	for _, g := range object.Spec.Groups {
		all = append(all, g.Rules...)
	}
	if len(all) < 10 {
		t.Fatalf("found %d rules, want them all", len(all))
	}
	return all
}

// TestAlerts: each says how bad it is, leads to a heading that exists, stands in the table of alerts with what it waits for, and is tested.
func TestAlerts(t *testing.T) {
	onCall := read(t, filepath.Join("..", "docs", "on-call.md"))
	headings := map[string]bool{}
	for _, page := range []string{"on-call.md", "reasons.md"} {
		for _, heading := range regexp.MustCompile(`(?m)^#+ (.+)$`).FindAllStringSubmatch(read(t, filepath.Join("..", "docs", page)), -1) {
			headings[page+"#"+strings.ReplaceAll(strings.ToLower(heading[1]), " ", "-")] = true
		}
	}
	var tests struct {
		Tests []struct {
			Name            string
			PromqlExprTests []struct {
				ExpSamples []struct{ Labels string } `json:"exp_samples"`
			} `json:"promql_expr_test"`
		}
	}
	if err := yaml.Unmarshal([]byte(read(t, filepath.Join("prometheus", "rules_test.yaml"))), &tests); err != nil {
		t.Fatal(err)
	}
	var tested []string
	for _, test := range tests.Tests {
		samples := test.PromqlExprTests
		fires := slices.ContainsFunc(samples, func(s struct {
			ExpSamples []struct{ Labels string } `json:"exp_samples"`
		}) bool {
			return len(s.ExpSamples) == 1 && strings.Contains(s.ExpSamples[0].Labels, `alertname="`+test.Name+`",alertstate="firing"`)
		})
		if n := len(samples); fires && len(samples[0].ExpSamples) == 0 && len(samples[n-1].ExpSamples) == 0 {
			tested = append(tested, test.Name)
		}
	}
	for _, r := range rules(t) {
		if r.Alert == "" {
			continue
		}
		anchor, found := strings.CutPrefix(r.Annotations["runbook_url"], runbook)
		if !found || !headings[anchor] {
			t.Errorf("alert %s has runbook_url %q, and docs has no such heading", r.Alert, r.Annotations["runbook_url"])
		}
		if s := r.Labels["severity"]; s != "warning" && s != "critical" {
			t.Errorf("alert %s has severity %q", r.Alert, s)
		}
		if r.Annotations["summary"] == "" || r.Annotations["description"] == "" {
			t.Errorf("alert %s has no summary or no description", r.Alert)
		}
		row := regexp.MustCompile("(?m)^\\| `" + r.Alert + "` \\| " + r.Labels["severity"] + " \\| .*$").FindString(onCall)
		if wait := strings.Replace(r.For, "m", " minutes", 1); row == "" || !strings.Contains(row, wait) {
			t.Errorf("docs/on-call.md has no row of alert %s with severity %s and %q: %q", r.Alert, r.Labels["severity"], wait, row)
		}
		if !slices.Contains(tested, r.Alert) {
			t.Errorf("prometheus/rules_test.yaml shows not that alert %s is silent, then fires, then is over", r.Alert)
		}
	}
}

// TestTheDashboardIsForPeople: panels are told apart by their titles, say what they show, and do not overlap.
func TestTheDashboardIsForPeople(t *testing.T) {
	var d struct {
		Panels []struct {
			ID                       int
			Type, Title, Description string
			GridPos                  struct{ X, Y, W, H int }
		}
	}
	text, err := os.ReadFile(filepath.Join("grafana", "assay.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	titles, taken := map[string]bool{}, map[[2]int]string{}
	for _, p := range d.Panels {
		if titles[p.Title] || p.Title == "" || p.Type != "row" && p.Description == "" {
			t.Errorf("panel %d, %q: its title is no other's: %v; description %q", p.ID, p.Title, !titles[p.Title], p.Description)
		}
		titles[p.Title] = true
		for x := p.GridPos.X; x < p.GridPos.X+p.GridPos.W; x++ {
			for y := p.GridPos.Y; y < p.GridPos.Y+p.GridPos.H; y++ {
				if other := taken[[2]int{x, y}]; other != "" || x >= 24 {
					t.Fatalf("panel %q lies at %d,%d, outside or over %q", p.Title, x, y, other)
				}
				taken[[2]int{x, y}] = p.Title
			}
		}
	}
}

// TestTheServiceMonitorFindsTheOperator: by the labels and the port of its Service, as docs/monitoring.md does by their names.
func TestTheServiceMonitorFindsTheOperator(t *testing.T) {
	var service struct {
		Metadata struct {
			Name, Namespace string
			Labels          map[string]string
		}
		Spec struct{ Ports []struct{ Name string } }
	}
	var monitor struct {
		Spec struct {
			Selector  struct{ MatchLabels map[string]string }
			Endpoints []struct {
				Port, Scheme, BearerTokenFile string
				TLSConfig                     struct{ InsecureSkipVerify bool }
			}
		}
	}
	for file, into := range map[string]any{"manager/metrics_service.yaml": &service, "prometheus/service_monitor.yaml": &monitor} {
		if err := yaml.Unmarshal([]byte(read(t, file)), into); err != nil {
			t.Fatal(err)
		}
	}
	if len(monitor.Spec.Selector.MatchLabels) == 0 {
		t.Error("the ServiceMonitor selects every Service of the namespace")
	}
	for key, value := range monitor.Spec.Selector.MatchLabels {
		if service.Metadata.Labels[key] != value {
			t.Errorf("the Service has label %s=%q, and the ServiceMonitor looks for %q", key, service.Metadata.Labels[key], value)
		}
	}
	e, port := monitor.Spec.Endpoints[0], service.Spec.Ports[0].Name
	if e.Port != port || e.Scheme != "https" || !e.TLSConfig.InsecureSkipVerify || e.BearerTokenFile == "" {
		t.Errorf("the ServiceMonitor's endpoint is %+v, want port %s by https, with a token", e, port)
	}
	if want := "regex: " + service.Metadata.Name + ";" + port; !strings.Contains(read(t, filepath.Join("..", "docs", "monitoring.md")), want) {
		t.Errorf("the scrape configuration in docs/monitoring.md lacks %q", want)
	}
}
