package cli

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/docs"
	"github.com/assay-dev/assay/internal/reader/cli/output"
	"github.com/assay-dev/assay/internal/reader/compare"
	"github.com/assay-dev/assay/test/clitest"
	"github.com/assay-dev/assay/test/golden"
)

func TestCompareForPeople(t *testing.T) {
	clitest.Golden(t, "compare.json.golden", golden.FoldJSON(compared2(t, "rack-7-old", "rack-7-new", "-o", "json")))
	for _, format := range []string{output.Table, output.Wide, output.CSV, output.Markdown} {
		t.Run(format, func(t *testing.T) {
			clitest.Golden(t, "compare."+format+".golden", compared2(t, "rack-7-old", "rack-7-new", "-o", format))
		})
	}
}

func TestCompareListsPartsOnDemand(t *testing.T) {
	clitest.Golden(t, "compare.parts.golden", compared2(t, "rack-7-old", "rack-7-new", "--parts"))
	rows, err := csv.NewReader(strings.NewReader(compared2(t, "rack-7-old", "rack-7-new", "--parts", "-o", "csv"))).ReadAll()
	if err != nil || len(rows) != 1+8*4*2+8 {
		t.Errorf("%d rows, error %v", len(rows), err)
	}
	if c := decoded(t, "rack-7-old", "rack-7-new", "-o", "json", "--parts"); len(c.Rows[0].Parts) != 32 || c.Rows[0].Parts[0].B == nil {
		t.Errorf("%d parts", len(c.Rows[0].Parts))
	}
}

func decoded(t *testing.T, args ...string) compare.Comparison {
	t.Helper()
	var c compare.Comparison
	if err := json.Unmarshal([]byte(compared2(t, args...)), &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// outcomesOf the rows, as "benchmark metric: outcome".
func outcomesOf(c compare.Comparison) string {
	var all []string
	for _, r := range c.Rows {
		all = append(all, r.Benchmark+" "+r.Metric+": "+string(r.Outcome))
	}
	return strings.Join(all, ", ")
}

const (
	betterAndWorse = "gpustream hbmTriad: Better, gpustream smClock: Same, mpi latency: Worse"
)

func TestCompareRunsOfTwoClustersFromFiles(t *testing.T) {
	elsewhere := newer
	elsewhere.nodes = someNodes(101, 8)
	a, b := older.save(t, "lab"), elsewhere.save(t, "site")
	for name, args := range map[string][]string{
		"two files":               {"-f", a, "-f", b},
		"two names, two files":    {"rack-7-old", "rack-7-new", "-f", a, "-f", b},
		"with cluster":            {"lab/rack-7-old", "site/rack-7-new", "-f", a, "-f", b},
		"the cluster beside file": {"rack-7-old", "rack-7-new", "-f", b},
	} {
		t.Run(name, func(t *testing.T) {
			c := decoded(t, append(args, "-o", "json")...)
			if got := outcomesOf(c); got != betterAndWorse || c.Rows[0].Estimate.Paired {
				t.Errorf("%s; paired %v", got, c.Rows[0].Estimate.Paired)
			}
		})
	}
}

func TestCompareTwoGroupsOfNodes(t *testing.T) {
	mixed := older // nodes 1 to 4 as they were, 5 to 8 faster
	mixed.nodes = someNodes(1, 4)
	faster := newer
	faster.name, faster.driver, faster.nodes = mixed.name, mixed.driver, someNodes(5, 4)
	var objects []client.Object
	for i, o := range append(mixed.objects(), faster.objects()[1:]...) {
		objects = append(objects, o)
		if i > 0 {
			node := &corev1.Node{}
			node.Name, node.Labels = o.(*v1alpha1.ValidationResult).Node.Name, map[string]string{"chassis": map[bool]string{true: "k", false: "m"}[i <= 4]}
			objects = append(objects, node)
		}
	}
	c := clitest.Cluster(t, interceptor.Funcs{}, objects...)
	for name, flags := range map[string][]string{
		"by pattern":          {"--nodes-a", "node-[1-4]", "--nodes-b", "node-[5-8]"},
		"by name, and others": {"--nodes-a", "node-1,node-2,node-3,node-4"},
		"by label":            {"--selector-a", "chassis=k", "--selector-b", "chassis=m"},
		"by label and name":   {"--selector-a", "chassis=k", "--nodes-b", "node-5,node-6,node-7,node-8"},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := run(t, c, append([]string{"compare", "rack-7-old", "-o", "json"}, flags...)...)
			var found compare.Comparison
			if err := errors.Join(err, json.Unmarshal([]byte(out), &found)); err != nil {
				t.Fatal(err)
			}
			if got := outcomesOf(found); got != betterAndWorse || found.A.Nodes != 4 || found.B.Nodes != 4 {
				t.Errorf("%s; %d and %d nodes", got, found.A.Nodes, found.B.Nodes)
			}
		})
	}
}

// middle is a time between those of the fixtures.
const middle = "2026-03-05"

func TestCompareTwoTimesOfRuns(t *testing.T) {
	c := decoded(t, "rack-7-old,rack-7-new", "--before", middle, "-o", "json")
	if got := outcomesOf(c); got != betterAndWorse || !c.Rows[0].Estimate.Paired || c.A.Name != "before 2026-03-05" {
		t.Errorf("%s; %+v", got, c.A)
	}
}

// remembering is what a node remembers of two passing runs, on either side of that time.
func remembering(node string, latency ...string) *v1alpha1.NodeHistory {
	h := &v1alpha1.NodeHistory{NodeUID: types.UID("uid-" + node)}
	h.Name = node
	part := v1alpha1.PartHistory{At: "node"}
	for _, value := range latency {
		part.Recent = append(part.Recent, v1alpha1.PassingValue(value))
	}
	passes := v1alpha1.PassHistory{Configuration: "one", Metrics: []v1alpha1.MetricHistory{{Metric: "latency", Unit: "us", Parts: []v1alpha1.PartHistory{part}}}}
	for i, at := range []string{"2026-03-01T12:00:00Z", "2026-03-08T12:00:00Z"} {
		when, _ := time.Parse(time.RFC3339, at)
		passes.Runs = append(passes.Runs, v1alpha1.PassingRun{RunUID: types.UID(at), Time: metav1.Time{Time: when}, Driver: []string{"535", "550"}[i]})
	}
	h.Benchmarks = []v1alpha1.BenchmarkHistory{{Name: "mpi", Passes: []v1alpha1.PassHistory{passes}}}
	return h
}

func TestCompareWhatNodesRemember(t *testing.T) {
	mpi := &v1alpha1.Benchmark{}
	mpi.Name = "mpi"
	mpi.Spec.Metrics = []v1alpha1.Metric{{Name: "latency", Unit: "us", Better: v1alpha1.Lower, Headline: true}}
	c := clitest.Cluster(t, interceptor.Funcs{}, mpi, remembering("node-1", "2", "2.4"), remembering("node-2", "2.01", "2.41"), remembering("node-3", "1.99", "2.38"),
		remembering("node-4", "2", "2.39"), remembering("node-5", "2.4")) // the last one was not measured before
	out, err := run(t, c, "compare", "--after", middle)
	if err != nil {
		t.Fatal(err)
	}
	clitest.Golden(t, "compare.past.golden", out)
}

func TestCompareOtherImagesOnlyOnDemand(t *testing.T) {
	other := newer
	other.image = ":v2"
	c := clitest.Cluster(t, interceptor.Funcs{}, append(older.objects(), other.objects()...)...)
	out, err := run(t, c, "compare", "rack-7-old", "rack-7-new")
	if err != nil {
		t.Fatal(err)
	}
	clitest.Golden(t, "compare.images.golden", out)
	out, err = run(t, c, "compare", "rack-7-old", "rack-7-new", "--across-configurations", "-o", "json")
	var found compare.Comparison
	if err := errors.Join(err, json.Unmarshal([]byte(out), &found)); err != nil || outcomesOf(found) != betterAndWorse {
		t.Errorf("error %v, %s", err, outcomesOf(found))
	}
	if _, err := run(t, c, "compare", "rack-7-old", "rack-7-new", "--fail-on-regression"); err == nil || err.Error() !=
		"no metric can be compared: the reasons are above, or in the field why of -o json" {
		t.Errorf("a gate with nothing to judge ends with %v", err)
	}
}

func TestCompareSaysWhatIsWrongWithTheSides(t *testing.T) {
	alone := measured{name: "other", nodes: someNodes(1, 2), hbm: 1, latency: 1}
	results := alone.results()
	for i := range results {
		results[i].Benchmarks = results[i].Benchmarks[:1]
		results[i].Benchmarks[0].Name = "dgemm"
	}
	empty := measured{name: "empty"}
	objects := append(append(older.objects(), newer.objects()...), alone.run(), &results[0], &results[1], empty.run())
	half := filepath.Join(t.TempDir(), "half.jsonl")
	whole, err := os.ReadFile(older.save(t, "lab"))
	if err == nil {
		err = os.WriteFile(half, whole[:len(whole)/2], 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	c := clitest.Cluster(t, interceptor.Funcs{}, objects...)
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"one run":       {[]string{"rack-7-old"}, "expected two sides, and got 1 name and 0 files: name two runs or two files, or split runs by --nodes-a and --nodes-b or by --before and --after"},
		"the same run":  {[]string{"rack-7-old", "rack-7-old"}, "run rack-7-old is on both sides: name another one, or split it by --nodes-a and --nodes-b"},
		"in a list too": {[]string{"rack-7-old", "rack-7-new,rack-7-old"}, "run rack-7-old is on both sides: name another one, or split it by --nodes-a and --nodes-b"},
		"no such run":   {[]string{"rack-7-old", "rack-8"}, `there is no run "rack-8": kubectl get validationruns lists all runs`},
		"no measurement": {[]string{"rack-7-old", "empty"},
			`side "empty" has no measurement that counts: choose runs, nodes or times with measurements, which kubectl assay report shows`},
		"nothing in common": {[]string{"rack-7-old", "other"},
			"rack-7-old and other have no metric in common: rack-7-old measured gpustream, mpi, and other measured dgemm"},
		"a node twice":     {[]string{"rack-7-old", "--nodes-a", "node-1", "--nodes-b", "node-*"}, "node node-1 is on both sides: choose nodes for A and B that do not overlap"},
		"no such node":     {[]string{"rack-7-old", "--nodes-a", "node-1,node-99"}, "no measured node is called node-99: kubectl assay report shows the nodes of a run"},
		"a broken pattern": {[]string{"rack-7-old", "--nodes-a", "node-["}, `"node-[" is no pattern of node names: write names, with * for any text and ? for one character`},
		"no node selected": {[]string{"rack-7-old", "--selector-b", "chassis=m"}, `no node of the cluster has labels that fit --selector-b "chassis=m"`},
		"nodes and times":  {[]string{"rack-7-old", "--nodes-a", "node-1", "--after", middle}, "nodes and times cannot be compared at once: leave out --before and --after, or the flags for nodes"},
		"no time":          {[]string{"--after", "yesterday"}, `"yesterday" is no time: write a day in UTC, 2026-03-01, or a time, 2026-03-01T12:00:00Z`},
		"times that overlap": {[]string{"--before", "2026-03-06", "--after", middle},
			"--before 2026-03-06T00:00:00Z is later than --after 2026-03-05T00:00:00Z, so that some measurements would be on both sides: exchange them"},
		"all before":    {[]string{"rack-7-old", "--after", middle}, `side "after 2026-03-05" has no measurement that counts: choose runs, nodes or times with measurements, which kubectl assay report shows`},
		"threshold":     {[]string{"rack-7-old", "rack-7-new", "--threshold", "much"}, `--threshold "much" is no percentage from 0% to 100%: write 2%`},
		"format":        {[]string{"rack-7-old", "rack-7-new", "-o", "yaml"}, `unknown output format "yaml": choose one of table, wide, json, csv, markdown, html`},
		"half a file":   {[]string{"-f", half, "-f", half}, ""},
		"file is a dir": {[]string{"-f", os.TempDir(), "-f", half}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := run(t, c, append([]string{"compare"}, tc.args...)...)
			if tc.want != "" {
				clitest.Fails(t, err, tc.want)
			} else if err == nil {
				t.Error("no error")
			}
			if out != "" {
				t.Errorf("printed %q", out)
			}
		})
	}
}

func TestWhatProgramsSayCannotSteerTheTerminalInAComparison(t *testing.T) {
	evil := newer
	evil.driver = "\x1b]0;owned\x07550|`x`"
	c := clitest.Cluster(t, interceptor.Funcs{}, append(older.objects(), evil.objects()...)...)
	for _, format := range []string{output.Table, output.Markdown, output.CSV} {
		out, err := run(t, c, "compare", "rack-7-old", "rack-7-new", "-o", format)
		if err != nil || strings.ContainsAny(out, "\x1b\x07") || format == output.Markdown && !strings.Contains(out, "550\\|\\`x\\`") {
			t.Errorf("%s: error %v, got\n%s", format, err, out)
		}
	}
}

func TestTheGuideShowsAComparison(t *testing.T) {
	guide, err := docs.Pages.ReadFile("compare.md")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(compared2(t, "rack-7-old", "rack-7-new")) {
		if shown := strings.TrimRight("    "+line, " \n") + "\n"; !strings.Contains(string(guide), shown) {
			t.Errorf("docs/compare.md lacks: %s", shown)
		}
	}
}
