//go:build e2e

package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	discoveryv1 "k8s.io/api/discovery/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

// server is the real Prometheus beside the cluster; it is started before what it is to see.
type server struct {
	url   string
	since time.Time
}

// start Prometheus until the test whole ends, with the scrape configuration of docs/monitoring.md and the rules of config/prometheus.
func (s *server) start(t, whole *testing.T) {
	programs := os.Getenv("ASSAY_PROMETHEUS")
	if programs == "" {
		t.Fatal("ASSAY_PROMETHEUS is not set: these tests are run by `make test-e2e`, which fetches Prometheus")
	}
	folder := whole.TempDir()
	write := func(name string, content any) {
		text, err := yaml.Marshal(content)
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, name), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(folder, "token"), []byte(readerToken(t)), 0o600); err != nil {
		t.Fatal(err)
	}
	found := httptest.NewServer(http.HandlerFunc(discover))
	whole.Cleanup(found.Close)
	var rules struct{ Spec any }
	readYAML(t, fileText(t, "config", "prometheus", "rules.yaml"), &rules)
	write("rules.yaml", rules.Spec)
	write("prometheus.yml", map[string]any{
		"global":         map[string]any{"scrape_interval": "2s", "evaluation_interval": "2s"},
		"rule_files":     []string{"rules.yaml"},
		"scrape_configs": scrapeConfigs(t, filepath.Join(folder, "token"), found.URL),
	})
	if out, err := exec.CommandContext(t.Context(), filepath.Join(programs, "promtool"), "check", "config", filepath.Join(folder, "prometheus.yml")).CombinedOutput(); err != nil {
		t.Fatalf("promtool check config: %v\n%s", err, out)
	}
	address := freeAddress(t)
	background(whole, filepath.Join(programs, "prometheus"), nil, "--config.file="+filepath.Join(folder, "prometheus.yml"),
		"--storage.tsdb.path="+filepath.Join(folder, "data"), "--web.listen-address="+address, "--log.level=warn")
	eventually(t, "Prometheus to answer", func(ctx context.Context) (bool, string) {
		return answers(ctx, "http://"+address+"/-/ready")
	})
	s.url, s.since = "http://"+address, time.Now()
	eventually(t, "Prometheus to scrape the operator", func(ctx context.Context) (bool, string) {
		up := s.query(t, "up")
		return len(up) == 1 && up[0].last() == "1", fmt.Sprintf("targets: %v", up)
	})
}

// scrapeConfigs of docs/monitoring.md, for a Prometheus that is no pod.
func scrapeConfigs(t *testing.T, token, discovery string) []map[string]any {
	t.Helper()
	block := regexp.MustCompile("(?s)```yaml\n(- job_name: .*?)```").FindStringSubmatch(fileText(t, "docs", "monitoring.md"))
	if block == nil {
		t.Fatal("docs/monitoring.md shows no scrape configuration")
	}
	var configs []map[string]any
	readYAML(t, block[1], &configs)
	for _, c := range configs {
		if c["kubernetes_sd_configs"] == nil {
			t.Fatal("docs/monitoring.md does not let Prometheus find the operator")
		}
		delete(c, "kubernetes_sd_configs") // Debian's Prometheus is built without it
		c["http_sd_configs"] = []map[string]string{{"url": discovery, "refresh_interval": "1s"}}
		c["authorization"] = map[string]string{"credentials_file": token}
	}
	return configs
}

// discover serves what Prometheus would find itself in the namespace: every address of every port, with what is known of it.
func discover(w http.ResponseWriter, r *http.Request) {
	var slices discoveryv1.EndpointSliceList
	if err := api.List(r.Context(), &slices, client.InNamespace("assay-system")); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	type target struct {
		Targets []string          `json:"targets"`
		Labels  map[string]string `json:"labels"`
	}
	all := []target{}
	for _, s := range slices.Items {
		for _, e := range s.Endpoints {
			for _, p := range s.Ports {
				all = append(all, target{[]string{net.JoinHostPort(e.Addresses[0], fmt.Sprint(*p.Port))}, map[string]string{
					"__meta_kubernetes_service_name":            s.Labels[discoveryv1.LabelServiceName],
					"__meta_kubernetes_endpointslice_port_name": *p.Name,
					"__meta_kubernetes_pod_name":                e.TargetRef.Name,
				}})
			}
		}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(all)
}

// check at the end of all: the targets, the rules, and that whoever opens the dashboard sees something in every panel.
func (s *server) check(t *testing.T) {
	if s.url == "" {
		t.Skip("Prometheus was not started: run the test prometheus, too")
	}
	t.Run("the operator is a target", func(t *testing.T) {
		var targets struct {
			ActiveTargets []struct{ Health, LastError, ScrapeURL string }
		}
		s.get(t, "targets", nil, &targets)
		if len(targets.ActiveTargets) != 1 || targets.ActiveTargets[0].Health != "up" {
			t.Errorf("want one target that is up: %+v", targets.ActiveTargets)
		}
	})
	t.Run("the rules are evaluated", s.checkRules)
	t.Run("every panel of the dashboard has data", s.checkDashboard)
}

func (s *server) checkRules(t *testing.T) {
	var rules struct {
		Groups []struct {
			Rules []struct{ Name, Health, LastError string }
		}
	}
	s.get(t, "rules", nil, &rules)
	healthy := 0
	for _, g := range rules.Groups {
		for _, r := range g.Rules {
			if healthy++; r.Health != "ok" {
				t.Errorf("rule %s is %s: %s", r.Name, r.Health, r.LastError)
			}
		}
	}
	if !s.hasData(t, `ALERTS{alertname="AssayRunInconclusive",alertstate="firing"}`) {
		t.Error("runs ended as Inconclusive, and no alert fired")
	}
	if want := strings.Count(fileText(t, "config", "prometheus", "rules.yaml"), "\n      expr: "); healthy != want {
		t.Errorf("Prometheus has %d rules, want %d", healthy, want)
	}
}

func (s *server) checkDashboard(t *testing.T) {
	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
		Templating struct {
			List []struct{ Name, AllValue, Definition string }
		}
	}
	if err := json.Unmarshal([]byte(fileText(t, "config", "grafana", "assay.json")), &dashboard); err != nil {
		t.Fatal(err)
	}
	// As Grafana fills them in: All, and one of the values.
	all, one := map[string]string{"$__rate_interval": "1m"}, map[string]string{"$__rate_interval": "1m"}
	for _, v := range dashboard.Templating.List {
		values := regexp.MustCompile(`^label_values\((.*), (\w+)\)$`).FindStringSubmatch(v.Definition)
		if values == nil {
			continue
		}
		found := s.values(t, fill(values[1], all), values[2])
		if len(found) == 0 && v.Name != "cluster" {
			t.Errorf("variable %s has no values: %s", v.Name, fill(v.Definition, all))
			continue
		}
		all["$"+v.Name], one["$"+v.Name] = v.AllValue, v.AllValue
		if v.AllValue == "" {
			all["$"+v.Name] = "(" + strings.Join(found, "|") + ")"
		}
	}
	one["$job"], one["$policy"], one["$node"] = "assay-metrics", "gate", "node-1"
	one["$benchmark"], one["$metric"] = s.compared(t, one["$node"])
	for _, p := range dashboard.Panels {
		for _, q := range p.Targets {
			for what, variables := range map[string]map[string]string{"all": all, "one": one} {
				expr := strings.ReplaceAll(fill(q.Expr, variables), " or vector(0)", "") // or it would have data whatever it asks for
				if !s.hasData(t, expr) {
					t.Errorf("panel %q shows nothing where the variables are %s: %s", p.Title, what, expr)
				}
			}
		}
	}
}

// compared is a benchmark and a metric that a node was measured by, and by which enough nodes were measured alike to name the worst.
func (s *server) compared(t *testing.T, node string) (benchmark, metric string) {
	t.Helper()
	for _, benchmark := range s.values(t, "assay_worst_node_ratio", "benchmark") {
		for _, metric := range s.values(t, fmt.Sprintf("assay_worst_node_ratio{benchmark=%q}", benchmark), "metric") {
			both := fmt.Sprintf("{benchmark=%q,metric=%q", benchmark, metric)
			if s.hasData(t, "assay_worst_node_ratio"+both+"}") && s.hasData(t, fmt.Sprintf("assay_node_benchmark_value%s,node=%q}", both, node)) {
				return benchmark, metric
			}
		}
	}
	t.Fatalf("no benchmark measured %s and three nodes alike", node)
	return "", ""
}

// fill in variables, longer names first where one begins like another.
func fill(expr string, variables map[string]string) string {
	return regexp.MustCompile(`\$\w+`).ReplaceAllStringFunc(expr, func(name string) string {
		if value, ok := variables[name]; ok {
			return value
		}
		return name
	})
}

func fileText(t *testing.T, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(append([]string{root}, path...)...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func readYAML(t *testing.T, text string, into any) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(text), into); err != nil {
		t.Fatal(err)
	}
}
