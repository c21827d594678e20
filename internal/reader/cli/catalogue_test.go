package cli

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/yaml"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/test/clitest"
	"github.com/assay-dev/assay/test/testdata"
)

// shipped are some Benchmarks of the catalogue, as the API server would have them: with its defaults.
func shipped(t *testing.T, names ...string) (all []client.Object) {
	t.Helper()
	for _, name := range names {
		b := testdata.Benchmark(name)
		for i := range b.Spec.Metrics {
			if b.Spec.Metrics[i].Better == "" {
				b.Spec.Metrics[i].Better = v1alpha1.Higher
			}
		}
		all = append(all, b)
	}
	return all
}

func TestTheCatalogueIsShown(t *testing.T) {
	hostile := &v1alpha1.Benchmark{}
	hostile.Name, hostile.Spec.Suites, hostile.Spec.Description = "own", []string{"cpu"}, "clears\x1b[2J the\nscreen"
	hostile.Spec.CostSeconds, hostile.Spec.Command = 7200, []string{"own", "\x07"}
	hostile.Spec.Privileges = v1alpha1.Privileges{Privileged: true, HostNetwork: true, Capabilities: []string{"IPC_LOCK"}}
	c := clitest.Cluster(t, interceptor.Funcs{}, append(shipped(t, "stream", "mpibench", "gpustream", "inventory-host"), hostile)...)
	for name, args := range map[string][]string{
		"suites.golden": {"suites"}, "suites.wide.golden": {"suites", "-o", "wide"}, "suites.json.golden": {"suites", "-o", "json"},
		"suites.yaml.golden": {"suites", "-o", "yaml"}, "suites.name.golden": {"suites", "-o", "name"}, "suites.csv.golden": {"suites", "-o", "csv"},
		"benchmarks.golden": {"benchmarks"}, "benchmarks.wide.golden": {"benchmarks", "--suite", "cpu", "-o", "wide"},
		"benchmarks.name.golden": {"benchmarks", "-o", "name"}, "benchmarks.csv.golden": {"benchmarks", "-o", "csv"},
		"benchmark.golden": {"benchmarks", "stream"}, "benchmark.group.golden": {"benchmarks", "mpibench"}, "benchmark.own.golden": {"benchmarks", "own"},
		"benchmark.facts.golden": {"benchmarks", "inventory-host"},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := run(t, c, args...)
			if err != nil {
				t.Fatal(err)
			}
			clitest.Golden(t, name, out)
		})
	}
}

// What is shown as YAML is what kubectl would apply again.
func TestABenchmarkComesBackFromItsYAML(t *testing.T) {
	c := clitest.Cluster(t, interceptor.Funcs{}, shipped(t, "stream", "gpustream")...)
	out, err := run(t, c, "benchmarks", "stream", "-o", "yaml")
	if err != nil {
		t.Fatal(err)
	}
	var one v1alpha1.Benchmark
	if err := yaml.UnmarshalStrict([]byte(out), &one); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(shipped(t, "stream")[0].(*v1alpha1.Benchmark).Spec, one.Spec); diff != "" || one.Kind != "Benchmark" {
		t.Errorf("kind %q, spec (-want +got):\n%s", one.Kind, diff)
	}
	if out, err = run(t, c, "benchmarks", "-o", "yaml"); err != nil {
		t.Fatal(err)
	}
	var list v1alpha1.BenchmarkList
	if err := yaml.Unmarshal([]byte(out), &list); err != nil || len(list.Items) != 2 || list.Items[0].Name != "gpustream" || list.Items[1].Kind != "Benchmark" {
		t.Errorf("error %v, list\n%s", err, out)
	}
}

func TestTheCatalogueSaysWhatIsNotThere(t *testing.T) {
	for want, args := range map[string][]string{
		`there is no suite "x": choose one of acceptance, cpu, standard`:                 {"benchmarks", "--suite", "x"},
		`there is no benchmark "x": choose one of stream`:                                {"benchmarks", "x"},
		"expected at most one argument and got 2: kubectl assay benchmarks [NAME]":       {"benchmarks", "a", "b"},
		`unknown output format "html": choose one of table, wide, json, yaml, name, csv`: {"suites", "-o", "html"},
		`unknown output format "xml": choose one of table, wide, json, yaml, name, csv`:  {"benchmarks", "-o", "xml"},
	} {
		_, err := run(t, clitest.Cluster(t, interceptor.Funcs{}, shipped(t, "stream")...), args...)
		clitest.Fails(t, err, want)
	}
	out, err := run(t, clitest.Cluster(t, interceptor.Funcs{}), "suites")
	if want := "no Benchmark of this cluster is in a suite: install the catalogue (kubectl apply -k config/catalogue)\n"; err != nil || out != want {
		t.Errorf("error %v, got %q", err, out)
	}
}

func TestCompletionOffersNamesOfTheCluster(t *testing.T) {
	objects := append(clitest.Fleet(), shipped(t, "mpibench")...)
	objects = append(objects, clitest.Finished(t))
	for line, want := range map[string]string{
		"watch ":                      "rack-7",
		"report ":                     "rack-7",
		"report rack-7 ":              "",
		"compare ":                    "rack-7",
		"benchmarks ":                 "mpibench stream",
		"benchmarks stream ":          "",
		"run --benchmark ":            "mpibench stream",
		"run --benchmark stream,":     "stream,mpibench",
		"run --suite ":                "fabric",
		"run --nodes node-1,node-2,":  "node-1,node-2,node-10 node-1,node-2,node-3 node-1,node-2,node-4 node-1,node-2,node-5 node-1,node-2,node-6 node-1,node-2,node-7 node-1,node-2,node-8 node-1,node-2,node-9",
		"run --dry-run=":              "none client server",
		"nodes --policy ":             "gpu",
		"nodes -o ":                   "table wide json yaml name csv",
		"explain ":                    "node-1 node-10 node-2 node-3 node-4 node-5 node-6 node-7 node-8 node-9",
		"explain node-1 ":             "",
		"history ":                    "node-1 node-10 node-2 node-3 node-4 node-5 node-6 node-7 node-8 node-9",
		"history node-1 -o ":          "table json yaml csv",
		"history node-1 --benchmark ": "mpibench stream",
	} {
		out, err := run(t, clitest.Cluster(t, interceptor.Funcs{}, objects...), append([]string{"__complete"}, strings.Split(line, " ")...)...)
		if err != nil {
			t.Fatal(err)
		}
		words := strings.Fields(out)
		if got := strings.Join(words[:len(words)-1], " "); got != want || words[len(words)-1] != ":4" {
			t.Errorf("%q: got %q, want %q and no files", line, strings.Join(words, " "), want)
		}
	}
}

// A shell that completes has no place for errors.
func TestCompletionOffersNothingWithoutACluster(t *testing.T) {
	var out strings.Builder
	cmd := NewCommand("test", func() (client.WithWatch, error) { return nil, errors.New("no cluster") })
	for _, args := range [][]string{{"__complete", "watch", ""}, {"__complete", "run", "--suite", ""}, {"__complete", "run", "--nodes", ""}} {
		out.Reset()
		cmd.SetArgs(args)
		cmd.SetOut(&out)
		if err := cmd.ExecuteContext(t.Context()); err != nil || !strings.HasPrefix(out.String(), ":4\n") {
			t.Errorf("%v: error %v, output %q", args, err, out.String())
		}
	}
}

func TestTheCompletionScriptIsWhatKubectlRuns(t *testing.T) {
	out, err := run(t, nil, "completion")
	if err != nil || !strings.HasPrefix(out, "#!/bin/sh\n") || !strings.HasSuffix(out, "\nexec kubectl assay __complete \"$@\"\n") {
		t.Errorf("error %v, output\n%s", err, out)
	}
}
