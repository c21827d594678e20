package cli

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/reader/cli/cluster"
	"github.com/assay-dev/assay/internal/reader/export"
	"github.com/assay-dev/assay/internal/reader/history"
	"github.com/assay-dev/assay/test/clitest"
	"github.com/assay-dev/assay/test/testdata"
)

// node4 is what is known of a node that passed for weeks and then failed.
func node4(t *testing.T) []export.Run {
	t.Helper()
	var all []export.Run
	testdata.Node4(&all)
	return all
}

// objects of a cluster in which these runs were.
func objects(all []export.Run) []client.Object {
	var out []client.Object
	for i := range all {
		r := &all[i]
		out = append(out, r.Run)
		for j := range r.Results {
			v := &r.Results[j]
			if v.Group == nil {
				v.Name = v1alpha1.ResultName(r.Run, v.Node.Name)
			}
			v.Labels = map[string]string{"assay.dev/run-uid": string(r.Run.UID)}
			out = append(out, v)
		}
		for j := range r.Validations {
			out = append(out, &r.Validations[j])
		}
		for j := range r.Histories {
			out = append(out, &r.Histories[j])
		}
	}
	return out
}

// file of these runs.
func fileOf(t *testing.T, all []export.Run) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "runs.jsonl")
	file, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := export.NewLines(file, "v1", "dc1")
	for i := range all {
		err = errors.Join(err, all[i].Pour(lines))
	}
	if err := errors.Join(err, lines.Close(), file.Close()); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestHistory(t *testing.T) {
	for name, args := range map[string][]string{
		"history.golden":        {"history", "node-4"},
		"history.metric.golden": {"history", "node-4", "hbmTriad"},
		"history.part.golden":   {"history", "node-4", "hbmTriad", "--at", "gpu0"},
		"history.csv.golden":    {"history", "node-4", "-o", "csv"},
	} {
		t.Run(name, func(t *testing.T) {
			live := cluster.Named{WithWatch: clitest.Cluster(t, interceptor.Funcs{}, objects(node4(t))...), Name: "dc1"}
			out, err := run(t, live, args...)
			if err != nil {
				t.Fatal(err)
			}
			clitest.Golden(t, name, out)
			saved, err := run(t, noCluster(t), append(args, "-f", fileOf(t, node4(t)))...)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(out, saved); diff != "" {
				t.Errorf("(-cluster +file):\n%s", diff)
			}
		})
	}
}

func TestHistoryAsCSVHasEveryValue(t *testing.T) {
	out, err := run(t, noCluster(t), "history", "node-4", "-o", "csv", "-f", fileOf(t, node4(t)))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
	if err != nil || len(rows) != 1+13 {
		t.Errorf("%d rows, error %v", len(rows), err)
	}
}

func TestHistoryAsJSON(t *testing.T) {
	out, err := run(t, noCluster(t), "history", "node-4", "-o", "json", "-f", fileOf(t, node4(t)))
	want, failed := json.MarshalIndent(history.New("node-4", node4(t)), "", "  ")
	if err := errors.Join(err, failed); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want)+"\n", out); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A node whose runs are all deleted still has what its NodeHistory keeps.
func TestHistoryWithoutRuns(t *testing.T) {
	last := node4(t)[1]
	only := []client.Object{&last.Validations[0], &last.Histories[0]}
	out, err := run(t, clitest.Cluster(t, interceptor.Funcs{}, only...), "history", "node-4")
	if err != nil || !strings.Contains(out, "worst part") || !strings.Contains(out, "gpu0") {
		t.Errorf("error %v, got\n%s", err, out)
	}
}

func TestHistoryRefuses(t *testing.T) {
	file := fileOf(t, node4(t))
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"no node":           {[]string{"history"}, "no node is named: kubectl assay history NODE"},
		"too much":          {[]string{"history", "a", "b", "c"}, "too many arguments: 3 were given, see kubectl assay history --help"},
		"an unknown format": {[]string{"history", "a", "-o", "xml"}, `unknown output format "xml": choose one of table, json, yaml, csv`},
		"an unknown node":   {[]string{"history", "node-9"}, `nothing is stored about node "node-9": check the name, or measure it with "kubectl assay run --nodes" and its name`},
		"not in the file":   {[]string{"history", "node-9", "-f", file}, "no run in " + file + ` measured a node "node-9": check the name`},
		"an unknown metric": {[]string{"history", "node-4", "hbmTriade", "-f", file}, "no value is stored for node-4, metric hbmTriade: its metrics are hbmTriad"},
		"an unknown part":   {[]string{"history", "node-4", "--at", "gpu9", "-f", file}, "no value is stored for node-4, part gpu9: its metrics are hbmTriad"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := run(t, clitest.Cluster(t, interceptor.Funcs{}, objects(node4(t))...), c.args...)
			clitest.Fails(t, err, c.want)
		})
	}
}
