package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/reader/export"
	"github.com/assay-dev/assay/internal/reader/report"
)

// reported is the report of the objects in a format.
func reported(t *testing.T, format string, objects ...client.Object) string {
	t.Helper()
	out, err := run(t, cluster(t, interceptor.Funcs{}, objects...), "report", "rack-7", "-o", format)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// reportedEarly is the report of a run that is not over: the command says so.
func reportedEarly(t *testing.T, want string, objects ...client.Object) string {
	t.Helper()
	out, err := run(t, cluster(t, interceptor.Funcs{}, objects...), "report", "rack-7")
	fails(t, err, want)
	return out
}

func TestReportForPeople(t *testing.T) {
	for _, format := range []string{formatTable, formatWide, formatMarkdown} {
		t.Run(format, func(t *testing.T) {
			golden(t, "report."+format+".golden", reported(t, format, rack7(t)...))
		})
	}
}

func TestReportAsJSONIsTheDocumentItself(t *testing.T) {
	want, err := os.ReadFile("../report/testdata/rack-7.json")
	if err != nil {
		t.Fatal(err)
	}
	got, err := run(t, namedClient{WithWatch: cluster(t, interceptor.Funcs{}, rack7(t)...), name: "dc1"}, "report", "rack-7", "-o", formatJSON)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestATableIsTheDefault(t *testing.T) {
	out, err := run(t, cluster(t, interceptor.Funcs{}, rack7(t)...), "report", "rack-7")
	if err != nil || out != reported(t, formatTable, rack7(t)...) {
		t.Errorf("error %v, got\n%s", err, out)
	}
}

func notOver(done string) string {
	return "run rack-7 is not over" + done + ", so this report will still change: kubectl assay watch rack-7 follows it"
}

func TestReportOfARunThatHasNotBegun(t *testing.T) {
	begun := &v1alpha1.ValidationRun{}
	begun.Name = "rack-7"
	want := "NODE   BENCHMARK   METRIC   VALUE   OF PEAK   VS FLEET   VERDICT   REASON\n\nRun rack-7: Pending, 0 nodes\n"
	if diff := cmp.Diff(want, reportedEarly(t, notOver(""), begun)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestReportOfARunInItsMiddle(t *testing.T) {
	golden(t, "report.running.golden", reportedEarly(t, notOver(" (2/5 nodes done)"), inProgress(t, 2)))
}

func TestReportSaysWhyARunProvedNothing(t *testing.T) {
	inconclusive := finished(t)
	inconclusive.Status.Verdict = v1alpha1.VerdictInconclusive
	inconclusive.Status.Conditions[0].Message = "the breaker is open:\n3 of 4 nodes failed"
	out := reported(t, formatTable, inconclusive)
	if want := "\nthe breaker is open: 3 of 4 nodes failed\n"; !strings.HasSuffix(out, want) {
		t.Errorf("got %s\nwant at its end %q", out, want)
	}
}

// A pass may have something to it that a user must know.
func TestReportShowsTheNoteOfANodeThatPassed(t *testing.T) {
	run := finished(t)
	run.Status.Nodes[4].Note = "gpu3 passed its second measurement only" // node-1
	want := "\nnode-1: Pass\n  1 of 1 benchmarks passed\n  gpu3 passed its second measurement only\n"
	if out := reported(t, formatTable, run); !strings.Contains(out, want) {
		t.Errorf("got\n%s\nwant in it\n%s", out, want)
	}
	var p progress
	if got := p.news(run); !slices.Contains(got, "node-1 passed: 1 of 1 benchmarks passed; gpu3 passed its second measurement only") {
		t.Errorf("watch says %q", got)
	}
}

// A run lists 100 nodes at most, and counts all.
func TestReportCountsTaintedNodesThatTheRunDoesNotList(t *testing.T) {
	large := finished(t)
	large.Status.Summary.Tainted = 120
	if out := reported(t, formatTable, large); !strings.Contains(out, "\nTainted: node-4, node-6 and 118 more\n") {
		t.Errorf("got\n%s", out)
	}
}

func TestReportNamesTheTaintAsFarAsItIsKnown(t *testing.T) {
	objects := rack7(t)
	without := slices.DeleteFunc(rack7(t), func(o client.Object) bool { _, is := o.(*v1alpha1.NodeValidation); return is })
	bare := slices.Clone(without)
	bare[0] = finished(t)
	bare[0].(*v1alpha1.ValidationRun).Spec.OnFailure = nil
	for name, c := range map[string]struct {
		objects []client.Object
		want    []string
	}{
		"by this run and by an earlier one": {objects, []string{
			"node-4: Fail, tainted assay.dev/unfit=failed:NoSchedule", "node-6: Pass, tainted example.com/slow:PreferNoSchedule by run rack-6"}},
		"no record: what this run taints with": {without, []string{
			"node-4: Fail, tainted assay.dev/unfit=failed:NoSchedule", "node-6: Pass, tainted assay.dev/unfit=failed:NoSchedule"}},
		"no record, and this run taints nothing": {bare, []string{"node-4: Fail, tainted", "node-6: Pass, tainted"}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for line := range strings.Lines(reported(t, formatTable, c.objects...)) {
				if strings.Contains(line, ", tainted") {
					got = append(got, strings.TrimSpace(line))
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestAMessageCannotSteerTheTerminalNorForgeLines(t *testing.T) {
	for _, format := range []string{formatTable, formatMarkdown} {
		objects := rack7(t)
		objects[3].(*v1alpha1.ValidationResult).Benchmarks[0].Message = "slow\x1b]0;owned\x07 and \x1b[2Jcleared\n\nRun rack-7: Pass"
		objects[0].(*v1alpha1.ValidationRun).Status.Findings[0].Message = "\x1b[2J|a|\\|b|`c`*d*<e>[f](g)"
		golden(t, "report.hostile."+format+".golden", reported(t, format, objects...))
	}
}

var runs = schema.GroupResource{Group: "assay.dev", Resource: "validationruns"}

// getting makes a Get of these objects fail.
func getting[T client.Object](cause error) interceptor.Funcs {
	return interceptor.Funcs{Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
		if _, is := o.(T); is {
			return cause
		}
		return c.Get(ctx, key, o, opts...)
	}}
}

func TestReportSaysWhatCouldNotBeRead(t *testing.T) {
	listing := interceptor.Funcs{List: func(context.Context, client.WithWatch, client.ObjectList, ...client.ListOption) error {
		return errRefused
	}}
	for name, c := range map[string]struct {
		instead interceptor.Funcs
		want    string
	}{
		"no such run": {getting[*v1alpha1.ValidationRun](apierrors.NewNotFound(runs, "rack-7")),
			`there is no run "rack-7": kubectl get validationruns lists all runs`},
		"no Assay": {getting[*v1alpha1.ValidationRun](&meta.NoKindMatchError{}),
			"this cluster does not know ValidationRuns: install Assay, or choose another cluster with --context"},
		"the run":          {getting[*v1alpha1.ValidationRun](errRefused), "reading run rack-7: connection refused"},
		"the results":      {listing, "reading the results of run rack-7: connection refused"},
		"a NodeValidation": {getting[*v1alpha1.NodeValidation](errRefused), "reading NodeValidation node-4: connection refused"},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := run(t, cluster(t, c.instead, rack7(t)...), "report", "rack-7")
			fails(t, err, c.want)
			if out != "" {
				t.Errorf("printed %q", out)
			}
		})
	}
}

func TestReportGoesWithoutNodeValidationsThatMayNotBeRead(t *testing.T) {
	forbidden := apierrors.NewForbidden(schema.GroupResource{Resource: "nodevalidations"}, "node-4", nil)
	out, err := run(t, cluster(t, getting[*v1alpha1.NodeValidation](forbidden), rack7(t)...), "report", "rack-7")
	if err != nil || !strings.Contains(out, "node-4: Fail, tainted assay.dev/unfit=failed:NoSchedule\n") {
		t.Errorf("error %v, got\n%s", err, out)
	}
}

// TestFactsAreToldOnce: what the benchmark's message or the node's note says is not told again, and very many are counted.
func TestFactsAreToldOnce(t *testing.T) {
	b := &report.Benchmark{Name: "inventory", Verdict: v1alpha1.VerdictFail,
		Facts: []report.Fact{{Message: "told", Verdict: v1alpha1.VerdictFail}, {Message: "smt is on", Verdict: v1alpha1.VerdictWarning}}}
	if got, _ := facts(b, false); !slices.Equal(got, []string{"inventory warns: smt is on"}) {
		t.Errorf("%q", got)
	}
	if got, still := facts(b, true); got != nil || still {
		t.Errorf("beside a note that warns of it: %q, still to come: %v", got, still)
	}
	for i := range 10 {
		b.Facts = append(b.Facts, report.Fact{Message: fmt.Sprint("fact ", i), Verdict: v1alpha1.VerdictFail})
	}
	got, _ := facts(b, false)
	if last := got[len(got)-1]; len(got) != mostFacts+1 || last != "inventory: 3 more facts: see -o json" {
		t.Errorf("%d lines, the last is %q", len(got), last)
	}
}

func TestReportOfSeveralRuns(t *testing.T) {
	second := finished(t)
	second.Name, second.UID, second.Status.Findings, second.Status.Nodes = "rack-8", "uid-8", nil, second.Status.Nodes[:1]
	c := cluster(t, interceptor.Funcs{}, append(rack7(t), second)...)
	for _, format := range slices.DeleteFunc(slices.Clone(formats), func(f string) bool { return f == formatHTML }) {
		out, err := run(t, c, "report", "rack-7", "rack-8", "--failed", "-o", format)
		if err != nil {
			t.Fatal(err)
		}
		golden(t, "report.several."+format+".golden", out)
	}
}

// A saved file may have any name in it.
func TestNamesOfASavedFileCannotSteerTheTerminal(t *testing.T) {
	hostile := finished(t)
	hostile.Name, hostile.Status.Nodes[0].Name = "a\x1b[2J\u202eb", "n\x1b]0;x\x07\nRun a: Pass"
	hostile.Status.Findings[0].Members, hostile.Status.Findings[0].Benchmark = []string{"m\x1b[1m"}, "b\x1b[1m"
	file := filepath.Join(t.TempDir(), "hostile.jsonl")
	lines, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	to, err := export.NewLines(lines, "v1", "c")
	if err != nil {
		t.Fatal(err)
	}
	r := export.Run{Cluster: "c\x1b[2J", Run: hostile}
	if err := errors.Join(r.Pour(to), to.Close(), lines.Close()); err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{formatTable, formatWide, formatMarkdown} {
		out, err := run(t, noCluster(t), "report", "-f", file, "-o", format)
		if err != nil {
			t.Fatal(err)
		}
		if strings.ContainsAny(out, "\x1b\x07\u202e") || strings.Contains(out, "\nRun a: Pass") {
			t.Errorf("%s: %q", format, out)
		}
	}
}
