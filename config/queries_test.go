package config_test

import (
	"encoding/json"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	_ "sigs.k8s.io/controller-runtime" // registers the metrics of controllers and their queues
	ctrlmetrics "sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/term"
	"github.com/assay-dev/assay/internal/operate/metrics"
)

// TestWhatIsAskedOfPrometheusExists: rules and dashboard name no metric and no label that the operator does not expose.
func TestWhatIsAskedOfPrometheusExists(t *testing.T) {
	exposed := labelsOfMetrics(t)
	asked := map[string]query{}
	for _, r := range rules(t) {
		text := r.Annotations["summary"] + r.Annotations["description"]
		asked[r.Alert+r.Record] = query{r.Expr, strings.ReplaceAll(text, "$labels.", "")}
		for _, q := range regexp.MustCompile(`query \(printf ("(?:[^"\\]|\\.)*")`).FindAllStringSubmatch(text, -1) {
			expr, err := strconv.Unquote(q[1])
			if err != nil {
				t.Fatal(err)
			}
			asked[r.Alert+": "+expr] = query{expr: strings.ReplaceAll(expr, "%q", `""`)}
		}
	}
	for title, q := range queriesOfDashboard(t) {
		asked["dashboard: "+title] = q
	}
	selector := regexp.MustCompile(`([a-z][a-z0-9_]*_[a-z0-9_]+)(?:\{([^}]*)\})?`)
	for where, q := range asked {
		plain := regexp.MustCompile(`"[^"]*"|\[[^\]]*\]`).ReplaceAllString(q.expr, `""`)
		plain = groups.ReplaceAllString(plain, "")
		var known []string // labels of any metric that is asked for
		for _, s := range selector.FindAllStringSubmatch(plain, -1) {
			name, matchers := s[1], s[2]
			if slices.Contains([]string{"histogram_quantile", "label_values", "last_over_time"}, name) {
				continue
			}
			labels, ok := exposed[name]
			if !ok {
				t.Errorf("%s: there is no metric %s", where, name)
				continue
			}
			labels = append(slices.Clone(labels), scraped...)
			known = append(known, labels...)
			for _, m := range regexp.MustCompile(`(\w+)(=~|!=|=|!~)`).FindAllStringSubmatch(matchers, -1) {
				if !slices.Contains(labels, m[1]) {
					t.Errorf("%s: metric %s has no label %s, but %v", where, name, m[1], labels)
				}
			}
		}
		if known == nil {
			t.Errorf("%s asks for no metric: %s", where, q.expr)
		}
		checkGroups(t, where, q, known)
		checkValues(t, where, q.expr)
	}
}

// query of a rule or a panel, and the text with {{labels}} that is shown of its answer.
type query struct{ expr, text string }

// scraped: labels that Prometheus adds.
var scraped = []string{"cluster", "job", "pod", "instance"}

var groups = regexp.MustCompile(`\b(?:by|on|without) \(([^)]*)\)`)

// checkGroups: what a query groups by, its metrics have; and what is shown, it has not summed up.
func checkGroups(t *testing.T, where string, q query, known []string) {
	t.Helper()
	left := known
	for i, g := range groups.FindAllStringSubmatch(q.expr, -1) {
		by := regexp.MustCompile(`\s*,\s*`).Split(g[1], -1)
		for _, label := range by {
			if label != "" && !slices.Contains(known, label) {
				t.Errorf("%s groups by label %s, which none of its metrics has", where, label)
			}
		}
		if i == 0 { // the outermost comes first
			left = by
		}
	}
	for _, label := range regexp.MustCompile(`\{\{ ?(\w+) ?\}\}`).FindAllStringSubmatch(q.text, -1) {
		if !slices.Contains(left, label[1]) {
			t.Errorf("%s shows label %s, of which its answer has only %v", where, label[1], left)
		}
	}
}

// checkValues: the verdicts, states and rules that a query chooses are some that the operator exposes.
func checkValues(t *testing.T, where, expr string) {
	t.Helper()
	words := map[string][]string{"rule": {term.Drift, term.Unstable}}
	for _, v := range []v1alpha1.Verdict{v1alpha1.VerdictPass, v1alpha1.VerdictFail, v1alpha1.VerdictError, v1alpha1.VerdictMissing, v1alpha1.VerdictSkipped,
		v1alpha1.VerdictInconclusive, v1alpha1.VerdictPending, v1alpha1.VerdictWarning} {
		words["verdict"] = append(words["verdict"], string(v))
	}
	states := reflect.TypeFor[v1alpha1.PolicyNodes]()
	for i := range states.NumField() {
		name, _, _ := strings.Cut(states.Field(i).Tag.Get("json"), ",")
		words["state"] = append(words["state"], name)
	}
	for _, m := range regexp.MustCompile(`\b(verdict|state|rule)(?:=~|=)"([^"]*)"`).FindAllStringSubmatch(expr, -1) {
		for value := range strings.SplitSeq(m[2], "|") {
			if !slices.Contains(words[m[1]], value) {
				t.Errorf("%s asks for %s %q, want one of %v", where, m[1], value, words[m[1]])
			}
		}
	}
}

// queriesOfDashboard by panel or variable.
func queriesOfDashboard(t *testing.T) map[string]query {
	t.Helper()
	var d struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr, LegendFormat string }
		}
		Templating struct {
			List []struct{ Name, Definition string }
		}
	}
	if err := json.Unmarshal([]byte(read(t, filepath.Join("grafana", "assay.json"))), &d); err != nil {
		t.Fatal(err)
	}
	all := map[string]query{}
	for _, p := range d.Panels {
		for _, q := range p.Targets {
			all[p.Title+" "+q.Expr] = query{q.Expr, q.LegendFormat}
		}
	}
	for _, v := range d.Templating.List {
		if v.Definition != "" {
			all["variable "+v.Name] = query{expr: v.Definition}
		}
	}
	if len(all) < 30 {
		t.Fatalf("found %d queries, want them all", len(all))
	}
	return all
}

// labelsOfMetrics that the operator exposes, as they are named in queries.
func labelsOfMetrics(t *testing.T) map[string][]string {
	t.Helper()
	registry := prometheus.NewRegistry()
	metrics.New(registry)
	registry.MustRegister(&metrics.State{PerNode: true})
	ch := make(chan *prometheus.Desc, 1024)
	registry.Describe(ch)
	ctrlmetrics.Registry.(*prometheus.Registry).Describe(ch)
	close(ch)
	all := map[string][]string{"go_memstats_heap_inuse_bytes": nil} // Go's collector describes only what it adds to that
	for d := range ch {
		parts := regexp.MustCompile(`fqName: "([^"]+)".*variableLabels: \{(.*)\}\}$`).FindStringSubmatch(d.String())
		labels := strings.Split(parts[2], ",")
		all[parts[1]] = append(labels, "quantile")
		all[parts[1]+"_bucket"], all[parts[1]+"_count"], all[parts[1]+"_sum"] = append(labels, "le"), labels, labels
	}
	return all
}
