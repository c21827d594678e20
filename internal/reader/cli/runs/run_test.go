package runs

import (
	"context"
	"reflect"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/test/clitest"
)

// pool is a cluster of three nodes and two benchmarks.
func pool() []client.Object {
	stream := &v1alpha1.Benchmark{ObjectMeta: metav1.ObjectMeta{Name: "stream"}, Spec: v1alpha1.BenchmarkSpec{Suites: []string{"cpu", "quick"}, CostSeconds: 15,
		Command:    []string{"stream", "--seconds", "$(seconds)"},
		Parameters: []v1alpha1.ParameterSpec{{Name: "seconds", Type: v1alpha1.ParameterNumber, Default: "10", Minimum: "0.1"}},
		Metrics:    []v1alpha1.Metric{{Name: "triad"}, {Name: "time"}}}}
	hpl := &v1alpha1.Benchmark{ObjectMeta: metav1.ObjectMeta{Name: "hpl"}, Spec: v1alpha1.BenchmarkSpec{Suites: []string{"cpu"}, CostSeconds: 1200, Metrics: []v1alpha1.Metric{{Name: "time"}}}}
	return []client.Object{stream, hpl, clitest.Node("node-1", map[string]string{"pool": "h100"}), clitest.Node("node-2", map[string]string{"pool": "a100"}), clitest.Node("node-3", nil)}
}

func TestADryRunPrintsTheRunThatKubectlWouldApply(t *testing.T) {
	nowhere := func() (client.WithWatch, error) {
		t.Fatal("a dry run on the client asked for the cluster")
		return nil, nil
	}
	for name, args := range map[string][]string{
		"run.least.golden": {"--suite=quick", "--all-nodes", "--name=a"},
		"run.all.golden": {"--benchmark=stream,hpl", "--parameter=stream.seconds=20", "--parameter=hpl.order=1000", "--nodes=node-1,node-2", "--name=b",
			"--taint=example.com/broken=yes:NoExecute", "--max-tainted-nodes=3", "--confirmations=0", "--max-concurrent=50%", "--busy-nodes=Skip", "--deadline=90m"},
		"run.overrides.golden": {"--suite=quick", "--all-nodes", "--name=d", "--parameter=stream.seconds=20", "--expect=stream.triad.min=4.3",
			"--expect=stream.triad.maxFleetDeviation=0.05", "--expect=hpl.time.max=1e3"},
		"run.selector.golden": {"--suite=quick", "-l", "pool=h200,zone notin (b,c)", "--name=c", "--taint"},
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			cmd := clitest.Under(Command(nowhere))
			cmd.SetArgs(append([]string{"run", "--dry-run=client", "-o", "yaml"}, args...))
			cmd.SetOut(&out)
			if err := cmd.ExecuteContext(t.Context()); err != nil {
				t.Fatal(err)
			}
			clitest.Golden(t, name, out.String())
		})
	}
}

func TestRunStartsWhatTheFlagsSay(t *testing.T) {
	c := clitest.Cluster(t, interceptor.Funcs{}, pool()...)
	out, err := runruns(t, c, "run", "--suite=quick", "-l", "pool", "--name=a")
	if err != nil || out != "validationrun.assay.dev/a created\n" {
		t.Errorf("error %v, output %q", err, out)
	}
	var made v1alpha1.ValidationRun
	if err := c.Get(t.Context(), client.ObjectKey{Name: "a"}, &made); err != nil || made.Spec.Suite != "quick" || len(made.Spec.Selector.MatchExpressions) != 1 {
		t.Errorf("error %v, made %+v", err, made.Spec)
	}
	if out, err := runruns(t, c, "run", "--benchmark=hpl", "--nodes=node-1", "--name=b", "-o=name"); err != nil || out != "validationrun.assay.dev/b\n" {
		t.Errorf("-o name: error %v, output %q", err, out)
	}
	out, err = runruns(t, c, "run", "--suite=cpu", "--all-nodes", "--name=c", "--dry-run=server")
	if err != nil || out != "validationrun.assay.dev/c created (server dry run)\n" {
		t.Errorf("dry run: error %v, output %q", err, out)
	}
	if err := c.Get(t.Context(), client.ObjectKey{Name: "c"}, &made); !apierrors.IsNotFound(err) {
		t.Errorf("the dry run left a run behind: %v", err)
	}
}

func TestRunFollowsToTheEnd(t *testing.T) {
	for flag, lines := range map[string]int{"--follow": 8, "--wait": 3} {
		t.Run(flag, func(t *testing.T) {
			// The operator is as quick as can be: the run is over when it is created.
			c := clitest.Cluster(t, interceptor.Funcs{Create: func(ctx context.Context, c client.WithWatch, o client.Object, _ ...client.CreateOption) error {
				made := clitest.Finished(t)
				made.Name, made.ResourceVersion = o.GetName(), ""
				return c.Create(ctx, made)
			}}, pool()...)
			out, err := runruns(t, c, "run", "--suite=quick", "--all-nodes", "--name=a", flag)
			if code(err) != 1 || strings.Count(out, "\n") < lines || !strings.Contains(out, "Run a: Fail (NodesFailed)") {
				t.Errorf("error %v, want exit code 1; output\n%s", err, out)
			}
			if passes := strings.Contains(out, "node-1 passed"); passes != (flag == "--follow") {
				t.Errorf("output of %s:\n%s", flag, out)
			}
		})
	}
}

func TestRunSaysWhatIsWrongBeforeItStartsAnything(t *testing.T) {
	where := []string{"--all-nodes", "--name=a"}
	for want, args := range map[string][]string{
		"say what to measure by: set either --suite or --benchmark (kubectl assay suites and kubectl assay benchmarks list them)": where,
		"say which nodes to measure: set one of --nodes, --selector and --all-nodes":                                              {"--suite=quick"},
		"set either --name or --generate-name":                                                                                                                          append(where, "--suite=cpu", "--generate-name=b"),
		"unknown --dry-run=all: choose none, client or server":                                                                                                          append(where, "--suite=cpu", "--dry-run=all"),
		`unknown output format "table": choose one of yaml, json, name`:                                                                                                 append(where, "--suite=cpu", "-o=table"),
		"a dry run starts nothing that could be followed: leave out --follow and --wait":                                                                                append(where, "--suite=cpu", "--follow", "--dry-run"),
		"-o yaml and -o json show the run as it is created: leave out --follow and --wait, and use kubectl assay report afterwards":                                     append(where, "--suite=cpu", "--follow", "-o=yaml"),
		"--max-tainted-nodes needs --taint: without it no node is tainted":                                                                                              append(where, "--suite=cpu", "--max-tainted-nodes=1"),
		"--deadline is 20ms, expected at least 1s: write it as 90m or 2h":                                                                                               append(where, "--suite=cpu", "--deadline=20ms"),
		`--parameter "seconds=20" cannot be read: write BENCHMARK.PARAMETER=VALUE, for example stream.seconds=20`:                                                       append(where, "--benchmark=stream", "--parameter=seconds=20"),
		"--parameter hpl.order=1 sets a parameter of hpl, which --benchmark does not name: add it there":                                                                append(where, "--benchmark=stream", "--parameter=hpl.order=1"),
		`--expect "triad=1" cannot be read: write METRIC.RULE=NUMBER or BENCHMARK.METRIC.RULE=NUMBER, for example hbmTriad.min=4.3`:                                     append(where, "--suite=cpu", "--expect=triad=1"),
		`--expect "triad.min=much" cannot be read: write METRIC.RULE=NUMBER or BENCHMARK.METRIC.RULE=NUMBER, for example hbmTriad.min=4.3`:                              append(where, "--suite=cpu", "--expect=triad.min=much"),
		`--expect triad.least=1 has the rule "least": choose one of min, max, minFractionOfPeak, minFractionOfReached, maxFleetDeviation, maxRegression, minEfficiency`: append(where, "--suite=cpu", "--expect=triad.least=1"),
		"--expect hpl.time.max=1 is about hpl, which --benchmark does not name: add it there":                                                                           append(where, "--benchmark=stream", "--expect=hpl.time.max=1"),
		"stream and hpl have a metric \"time\": write which of them is meant, for example --expect stream.time.min=1":                                                   append(where, "--suite=cpu", "--expect=time.max=1"),
		`none of the benchmarks to be measured has the metric "triat": kubectl assay benchmarks NAME lists those of one`:                                                append(where, "--suite=cpu", "--expect=triat.min=1"),
		"--dry-run=client asks no cluster whose metric it is: write --expect BENCHMARK.METRIC.RULE=NUMBER":                                                              append(where, "--suite=cpu", "--dry-run", "--expect=triad.min=1"),
		`the suite "quick" has no benchmark "hpl" to be overridden: it has stream`:                                                                                      append(where, "--suite=quick", "--expect=hpl.time.max=1"),
		`benchmark "stream" has no metric "triat": correct the run's expectations`:                                                                                      append(where, "--suite=quick", "--expect=stream.triat.min=1"),
		`--taint "a:Never" cannot be read: write KEY=VALUE:EFFECT, with the effect NoSchedule, PreferNoSchedule or NoExecute`:                                           append(where, "--suite=cpu", "--taint=a:Never"),
		`--taint "" cannot be read: write KEY=VALUE:EFFECT, with the effect NoSchedule, PreferNoSchedule or NoExecute`:                                                  append(where, "--suite=cpu", "--taint="),
		`run takes no argument and got "a=b:NoSchedule": --taint and --dry-run take their value after an equals sign, for example --dry-run=client`:                     append(where, "--suite=cpu", "--taint", "a=b:NoSchedule"),
		"--nodes has an empty name in it: write names with one comma between them":                                                                                      {"--suite=cpu", "--dry-run=client", "--nodes=a,,b"},
		"--nodes names a twice":                  {"--suite=cpu", "--dry-run=client", "--nodes=a,b,a"},
		"--benchmark names hpl twice":            append(where, "--dry-run=client", "--benchmark=hpl,hpl"),
		"--confirmations is -3, expected 0 to 5": append(where, "--suite=cpu", "--dry-run=client", "--confirmations=-3"),
		`--max-concurrent is "abc", expected a number of at least 1, or a percentage from 1% to 100%`:                                                                      append(where, "--suite=cpu", "--dry-run=client", "--max-concurrent=abc"),
		`--max-tainted-nodes is "101%", expected a number of at least 0, or a percentage from 0% to 100%`:                                                                  append(where, "--suite=cpu", "--taint", "--dry-run=client", "--max-tainted-nodes=101%"),
		`--busy-nodes is "never": choose Wait or Skip`:                                                                                                                     append(where, "--suite=cpu", "--dry-run=client", "--busy-nodes=never"),
		`a run cannot have the name "Foo_Bar": use at most 63 small letters, digits, - and ., and begin and end with a letter or digit`:                                    {"--suite=cpu", "--all-nodes", "--dry-run=client", "--name=Foo_Bar"},
		`there is no suite "quikc": choose one of cpu, quick`:                                                                                                              append(where, "--suite=quikc"),
		`there is no benchmark "steam": choose one of hpl, stream`:                                                                                                         append(where, "--benchmark=hpl,steam"),
		`benchmark stream has no parameter "second"; it has seconds`:                                                                                                       append(where, "--benchmark=stream", "--parameter=stream.second=1"),
		"there are no nodes node-8, node-9: kubectl get nodes lists all nodes":                                                                                             {"--suite=cpu", "--nodes=node-8,node-1,node-9"},
		"no node matches pool=h200,rack=7: the cluster has 3 nodes; their values of pool are a100, h100; none has the label rack":                                          {"--suite=cpu", "-l=pool=h200,rack=7"},
		`--selector "pool=(" cannot be read (unable to parse requirement: found '(', expected: identifier): write it as for kubectl get -l, for example pool=h200,zone!=b`: {"--suite=cpu", "-l=pool=("},
		`there is a run "rack-7" already: choose another --name, or delete it first (kubectl delete validationrun rack-7)`:                                                 {"--suite=cpu", "--all-nodes", "--name=rack-7"},
	} {
		t.Run(want, func(t *testing.T) {
			c := clitest.Cluster(t, interceptor.Funcs{}, append(pool(), clitest.Finished(t))...)
			_, err := runruns(t, c, append([]string{"run"}, args...)...)
			clitest.Fails(t, err, want)
			var all v1alpha1.ValidationRunList
			if err := c.List(t.Context(), &all); err != nil || len(all.Items) != 1 {
				t.Errorf("error %v, %d runs: a refused one was created", err, len(all.Items))
			}
		})
	}
}

func TestRunShowsPlainlyWhyItWasRefused(t *testing.T) {
	runs := schema.GroupResource{Group: "assay.dev", Resource: "validationruns"}
	invalid := field.ErrorList{field.Invalid(field.NewPath("spec", "onFailure", "taint", "key"), "object", "taints below node.kubernetes.io/ belong to Kubernetes: choose a\x1b[2J key of your own"),
		field.NotSupported(field.NewPath("spec", "busyNodes"), "Never", []string{"Wait", "Skip"})}
	for want, refusal := range map[string]error{
		"the API server refused the run: spec.onFailure.taint.key: taints below node.kubernetes.io/ belong to Kubernetes: choose a[2J key of your own; " +
			`spec.busyNodes: Unsupported value: "Never": supported values: "Wait", "Skip"`: apierrors.NewInvalid(schema.GroupKind{Group: "assay.dev", Kind: "ValidationRun"}, "a", invalid),
		"you may not create ValidationRuns: ask an administrator to bind you to the ClusterRole assay-editor": apierrors.NewForbidden(runs, "a",
			errNamed(`User "eve" cannot create resource "validationruns" in API group "assay.dev" at the cluster scope`)),
		`creating run a: validationruns.assay.dev "a" is forbidden: ValidatingAdmissionPolicy 'taints' denied request: use our key`: apierrors.NewForbidden(runs, "a",
			errNamed(`ValidatingAdmissionPolicy 'taints' denied request: use our key`)),
		"creating run a: connection refused": clitest.ErrRefused,
	} {
		c := clitest.Cluster(t, interceptor.Funcs{Create: func(context.Context, client.WithWatch, client.Object, ...client.CreateOption) error { return refusal }}, pool()...)
		_, err := runruns(t, c, "run", "--suite=quick", "--all-nodes", "--name=a")
		clitest.Fails(t, err, want)
	}
}

// Who may create runs need not be allowed to read nodes: the operator finds what is wrong then.
func TestRunStartsWithoutTheRightToReadNodes(t *testing.T) {
	c := clitest.Cluster(t, interceptor.Funcs{List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
		if _, nodes := list.(*metav1.PartialObjectMetadataList); nodes {
			return apierrors.NewForbidden(schema.GroupResource{Resource: "nodes"}, "", nil)
		}
		return c.List(ctx, list, opts...)
	}}, pool()...)
	if _, err := runruns(t, c, "run", "--suite=quick", "--nodes=node-9", "--name=a"); err != nil {
		t.Error(err)
	}
}

type errNamed string

func (e errNamed) Error() string { return string(e) }

// A suite, but for one metric.
func TestARunOverridesItsSuite(t *testing.T) {
	c := clitest.Cluster(t, interceptor.Funcs{}, pool()...)
	if _, err := runruns(t, c, "run", "--suite=cpu", "--all-nodes", "--name=a", "--expect=triad.min=4.3", "--parameter=stream.seconds=20"); err != nil {
		t.Fatal(err)
	}
	var made v1alpha1.ValidationRun
	if err := c.Get(t.Context(), client.ObjectKey{Name: "a"}, &made); err != nil {
		t.Fatal(err)
	}
	want := []v1alpha1.BenchmarkRef{{Name: "stream", Parameters: []v1alpha1.ParameterValue{{Name: "seconds", Value: "20"}},
		Expectations: []v1alpha1.ExpectationOverride{{Metric: "triad", Expectation: v1alpha1.Expectation{Min: "4.3"}}}}}
	if made.Spec.Suite != "cpu" || len(made.Spec.Benchmarks) > 0 || !reflect.DeepEqual(made.Spec.Overrides, want) {
		t.Errorf("made %+v", made.Spec)
	}
}
