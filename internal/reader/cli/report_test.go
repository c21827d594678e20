package cli

import (
	"bytes"
	"context"
	"errors"
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
	"github.com/assay-dev/assay/internal/reader/cli/cluster"
	"github.com/assay-dev/assay/internal/reader/cli/output"
	"github.com/assay-dev/assay/internal/reader/cli/reports"
	"github.com/assay-dev/assay/internal/reader/export"
	"github.com/assay-dev/assay/internal/reader/report"
	"github.com/assay-dev/assay/test/clitest"
	"github.com/assay-dev/assay/test/golden"
)

// reported is the report of the objects in a format.
func reported(t *testing.T, format string, objects ...client.Object) string {
	t.Helper()
	out, err := run(t, clitest.Cluster(t, interceptor.Funcs{}, objects...), "report", "rack-7", "-o", format)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// reportedEarly is the report of a run that is not over: the command says so.
func reportedEarly(t *testing.T, want string, objects ...client.Object) string {
	t.Helper()
	out, err := run(t, clitest.Cluster(t, interceptor.Funcs{}, objects...), "report", "rack-7")
	clitest.Fails(t, err, want)
	return out
}

func TestReportForPeople(t *testing.T) {
	for _, format := range []string{output.Table, output.Markdown} {
		t.Run(format, func(t *testing.T) {
			clitest.Golden(t, "report."+format+".golden", reported(t, format, clitest.Rack7(t)...))
		})
	}
	golden.CheckBeside(t, "report.wide.golden", reported(t, output.Wide, clitest.Rack7(t)...), golden.File(t, "report.table.golden"))
}

func TestReportAsJSONIsTheDocumentItself(t *testing.T) {
	in := report.Input{Cluster: "dc1", Before: map[string]*report.Before{}}
	for _, o := range clitest.Rack7(t) {
		switch o := o.(type) {
		case *v1alpha1.ValidationRun:
			in.Run = o
		case *v1alpha1.ValidationResult:
			in.Results = append(in.Results, *o)
		case *v1alpha1.NodeValidation:
			in.Validations = append(in.Validations, *o)
		case *v1alpha1.NodeHistory:
			in.Before[o.Name] = report.BeforeRun(in.Run.UID, o)
		}
	}
	var want bytes.Buffer
	document := report.New(in)
	if err := document.WriteJSON(&want); err != nil {
		t.Fatal(err)
	}
	got, err := run(t, cluster.Named{WithWatch: clitest.Cluster(t, interceptor.Funcs{}, clitest.Rack7(t)...), Name: "dc1"}, "report", "rack-7", "-o", output.JSON)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want.String(), got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestATableIsTheDefault(t *testing.T) {
	out, err := run(t, clitest.Cluster(t, interceptor.Funcs{}, clitest.Rack7(t)...), "report", "rack-7")
	if err != nil || out != reported(t, output.Table, clitest.Rack7(t)...) {
		t.Errorf("error %v, got\n%s", err, out)
	}
}

func notOver(done string) string {
	return "run rack-7 is not over" + done + ", so this report will still change: kubectl assay watch rack-7 follows it"
}

func TestReportOfARunThatHasNotBegun(t *testing.T) {
	begun := &v1alpha1.ValidationRun{}
	begun.Name = "rack-7"
	want := "NODE   BENCHMARK   METRIC   VALUE   OF PEAK   VS TYPICAL   VERDICT   REASON\n\nRun rack-7: Pending, 0 nodes\n"
	if diff := cmp.Diff(want, reportedEarly(t, notOver(""), begun)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestReportOfARunInItsMiddle(t *testing.T) {
	clitest.Golden(t, "report.running.golden", reportedEarly(t, notOver(" (2/5 nodes done)"), clitest.InProgress(t, 2)))
}

func TestReportSaysWhyARunProvedNothing(t *testing.T) {
	inconclusive := clitest.Finished(t)
	inconclusive.Status.Verdict = v1alpha1.VerdictInconclusive
	inconclusive.Status.Conditions[0].Message = "the breaker is open:\n3 of 4 nodes failed"
	out := reported(t, output.Table, inconclusive)
	if want := "\nthe breaker is open: 3 of 4 nodes failed\n"; !strings.HasSuffix(out, want) {
		t.Errorf("got %s\nwant at its end %q", out, want)
	}
}

// A pass may have something to it that a user must know.
func TestReportShowsTheNoteOfANodeThatPassed(t *testing.T) {
	run := clitest.Finished(t)
	run.Status.Nodes[4].Note = "gpu3 passed its second measurement only" // node-1
	want := "\nnode-1: Pass\n  1 of 1 benchmarks passed\n  gpu3 passed its second measurement only\n"
	if out := reported(t, output.Table, run); !strings.Contains(out, want) {
		t.Errorf("got\n%s\nwant in it\n%s", out, want)
	}
}

// A run lists 100 nodes at most, and counts all.
func TestReportCountsTaintedNodesThatTheRunDoesNotList(t *testing.T) {
	large := clitest.Finished(t)
	large.Status.Summary.Tainted = 120
	if out := reported(t, output.Table, large); !strings.Contains(out, "\nTainted: node-4, node-6 and 118 more\n") {
		t.Errorf("got\n%s", out)
	}
}

func TestReportNamesTheTaintAsFarAsItIsKnown(t *testing.T) {
	objects := clitest.Rack7(t)
	without := slices.DeleteFunc(clitest.Rack7(t), func(o client.Object) bool { _, is := o.(*v1alpha1.NodeValidation); return is })
	bare := slices.Clone(without)
	bare[0] = clitest.Finished(t)
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
			for line := range strings.Lines(reported(t, output.Table, c.objects...)) {
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
	for _, format := range []string{output.Table, output.Markdown} {
		objects := clitest.Rack7(t)
		b := &objects[3].(*v1alpha1.ValidationResult).Benchmarks[0]
		b.Findings[0] = v1alpha1.Finding{Metric: "hbm\x1b[2J", At: "gpu3\x1b]0;x\x07", Verdict: v1alpha1.VerdictFail,
			Message: "slow\x1b]0;owned\x07 and \x1b[2Jcleared\n\nRun rack-7: Pass"}
		objects[0].(*v1alpha1.ValidationRun).Status.Findings[0].Message = "\x1b[2J|a|\\|b|`c`*d*<e>[f](g)"
		golden.CheckBeside(t, "report.hostile."+format+".golden", reported(t, format, objects...), golden.File(t, "report."+format+".golden"))
	}
}

func TestReportSaysWhatCouldNotBeRead(t *testing.T) {
	listing := interceptor.Funcs{List: func(context.Context, client.WithWatch, client.ObjectList, ...client.ListOption) error {
		return clitest.ErrRefused
	}}
	for name, c := range map[string]struct {
		instead interceptor.Funcs
		want    string
	}{
		"no such run": {clitest.Getting[*v1alpha1.ValidationRun](apierrors.NewNotFound(clitest.Runs, "rack-7")),
			`there is no run "rack-7": kubectl get validationruns lists all runs`},
		"no Assay": {clitest.Getting[*v1alpha1.ValidationRun](&meta.NoKindMatchError{}),
			"this cluster does not know ValidationRuns: install Assay, or choose another cluster with --context"},
		"the run":          {clitest.Getting[*v1alpha1.ValidationRun](clitest.ErrRefused), "reading run rack-7: connection refused"},
		"the results":      {listing, "reading the results of run rack-7: connection refused"},
		"a NodeValidation": {clitest.Getting[*v1alpha1.NodeValidation](clitest.ErrRefused), "reading NodeValidation node-4: connection refused"},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := run(t, clitest.Cluster(t, c.instead, clitest.Rack7(t)...), "report", "rack-7")
			clitest.Fails(t, err, c.want)
			if out != "" {
				t.Errorf("printed %q", out)
			}
		})
	}
}

func TestReportGoesWithoutNodeValidationsThatMayNotBeRead(t *testing.T) {
	forbidden := apierrors.NewForbidden(schema.GroupResource{Resource: "nodevalidations"}, "node-4", nil)
	out, err := run(t, clitest.Cluster(t, clitest.Getting[*v1alpha1.NodeValidation](forbidden), clitest.Rack7(t)...), "report", "rack-7")
	if err != nil || !strings.Contains(out, "node-4: Fail, tainted assay.dev/unfit=failed:NoSchedule\n") {
		t.Errorf("error %v, got\n%s", err, out)
	}
}

func TestReportOfSeveralRuns(t *testing.T) {
	second := clitest.Finished(t)
	second.Name, second.UID, second.Status.Findings, second.Status.Nodes = "rack-8", "uid-8", nil, second.Status.Nodes[:1]
	c := clitest.Cluster(t, interceptor.Funcs{}, append(clitest.Rack7(t), second)...)
	for _, format := range slices.DeleteFunc(slices.Clone(reports.Formats), func(f string) bool { return f == output.HTML }) {
		out, err := run(t, c, "report", "rack-7", "rack-8", "--failed", "-o", format)
		if err != nil {
			t.Fatal(err)
		}
		name := "report.several." + format + ".golden"
		switch format {
		case output.JSON:
			clitest.Golden(t, name, golden.FoldJSON(out))
		case output.Table, output.Wide: // which differ in their tables
			golden.CheckBeside(t, name, out, golden.File(t, "report.table.golden"))
		case output.Markdown:
			golden.CheckBeside(t, name, out, golden.File(t, "report.markdown.golden"))
		default:
			clitest.Golden(t, name, out)
		}
	}
}

// A saved file may have any name in it.
func TestNamesOfASavedFileCannotSteerTheTerminal(t *testing.T) {
	hostile := clitest.Finished(t)
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
	for _, format := range []string{output.Table, output.Wide, output.Markdown} {
		out, err := run(t, noCluster(t), "report", "-f", file, "-o", format)
		if err != nil {
			t.Fatal(err)
		}
		if strings.ContainsAny(out, "\x1b\x07\u202e") || strings.Contains(out, "\nRun a: Pass") {
			t.Errorf("%s: %q", format, out)
		}
	}
}

// --to writes the report, or leaves what was there.
func TestAReportIsWrittenAsAWhole(t *testing.T) {
	c := clitest.Cluster(t, interceptor.Funcs{}, clitest.Rack7(t)...)
	for _, format := range []string{"table", "html"} {
		folder := t.TempDir()
		file := filepath.Join(folder, "rack-7")
		for _, name := range []string{"rack-7", "rack-8"} { // the second is not there
			out, err := run(t, c, "report", name, "-o", format, "--to", file)
			if (err == nil) != (name == "rack-7") || out != "" {
				t.Errorf("%s: error %v, output %q", name, err, out)
			}
		}
		shown, err := run(t, c, "report", "rack-7", "-o", format)
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(file)
		if entries, _ := os.ReadDir(folder); err != nil || string(text) != shown || len(entries) != 1 {
			t.Errorf("%s: the file has %d bytes of %d, the folder %d files, error %v", format, len(text), len(shown), len(entries), err)
		}
	}
}

// Of a run that goes on, the report is written all the same.
func TestAReportOfARunInProgressIsWritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "report")
	_, err := run(t, clitest.Cluster(t, interceptor.Funcs{}, clitest.InProgress(t, 1)), "report", "rack-7", "--to", file)
	if err == nil || !strings.Contains(err.Error(), "is not over") {
		t.Errorf("got %v", err)
	}
	if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), "Run rack-7") {
		t.Errorf("%q, %v", text, err)
	}
}
