package cli

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/reader/cli/output"
	"github.com/assay-dev/assay/internal/reader/export"
	"github.com/assay-dev/assay/test/clitest"
)

// savedRack7 is a file that export wrote.
func savedRack7(t *testing.T, name string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if out, err := run(t, clitest.Cluster(t, interceptor.Funcs{}, clitest.Rack7(t)...), "export", "rack-7", "--to", file); err != nil || out != "" {
		t.Fatalf("error %v, printed %q", err, out)
	}
	return file
}

func noCluster(t *testing.T) client.WithWatch {
	t.Helper()
	return clitest.Cluster(t, clitest.Getting[*v1alpha1.ValidationRun](clitest.ErrRefused))
}

func TestASavedRunStandsWhereverARunDoes(t *testing.T) {
	for _, name := range []string{"rack-7.jsonl", "rack-7.jsonl.gz"} {
		file := savedRack7(t, name)
		for _, format := range []string{output.Table, output.Wide, output.JSON, output.Markdown} {
			for _, args := range [][]string{{"-f", file}, {"rack-7", "-f", file}} {
				got, err := run(t, noCluster(t), append([]string{"report", "-o", format}, args...)...)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(reported(t, format, clitest.Rack7(t)...), got); diff != "" {
					t.Errorf("%s as %s (-cluster +file):\n%s", name, format, diff)
				}
			}
		}
	}
}

// Exported again, a file is as it was but for the cluster it was read from.
func TestAFileIsExportedAgainAsItWas(t *testing.T) {
	file := savedRack7(t, "rack-7.jsonl")
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	got, err := run(t, noCluster(t), "export", "-f", file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestExportChoosesRuns(t *testing.T) {
	var objects []client.Object
	for i, name := range []string{"old", "new", "nightly"} {
		r := &v1alpha1.ValidationRun{}
		r.Name, r.CreationTimestamp = name, metav1.NewTime(time.Now().Add(-100*24*time.Hour+time.Duration(i)*49*24*time.Hour))
		if name == "nightly" {
			r.Labels = map[string]string{v1alpha1.LabelPolicy: "nightly"}
		}
		objects = append(objects, r)
	}
	c := clitest.Cluster(t, interceptor.Funcs{}, objects...)
	file := filepath.Join(t.TempDir(), "all.jsonl")
	if _, err := run(t, c, "export", "--all", "--to", file); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"all":                {[]string{"--all"}, "new nightly old"},
		"by age":             {[]string{"--since", "60d"}, "new nightly"},
		"by label":           {[]string{"--selector", "assay.dev/policy=nightly"}, "nightly"},
		"by both":            {[]string{"--selector", "assay.dev/policy!=nightly", "--since", "60d"}, "new"},
		"by name":            {[]string{"old", "new"}, "old new"},
		"of a file":          {[]string{"-f", file}, "new nightly old"},
		"of a file by age":   {[]string{"-f", file, "--since", "1w2d"}, "nightly"},
		"of a file by name":  {[]string{"-f", file, "new"}, "new"},
		"of file and server": {[]string{"-f", savedRack7(t, "x.jsonl"), "rack-7", "old"}, "rack-7 old"},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := run(t, c, append([]string{"export"}, test.args...)...)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for line := range strings.Lines(out) {
				if rest, is := strings.CutPrefix(line, `{"run":{"metadata":{"name":"`); is {
					got = append(got, rest[:strings.IndexByte(rest, '"')])
				}
			}
			if got := strings.Join(got, " "); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestExportAsATableAndAsSamples(t *testing.T) {
	c := clitest.Cluster(t, interceptor.Funcs{}, clitest.Rack7(t)...)
	for format, want := range map[string]string{output.CSV: "cluster,run,runUID,", output.OpenMetrics: "# HELP assay_measured_value "} {
		if out, err := run(t, c, "export", "rack-7", "-o", format); err != nil || !strings.HasPrefix(out, want) {
			t.Errorf("%s: error %v, got\n%s", format, err, out)
		}
	}
}

func TestExportRefuses(t *testing.T) {
	file := savedRack7(t, "rack-7.jsonl")
	half := filepath.Join(t.TempDir(), "half.jsonl")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(half, text[:len(text)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"nothing chosen":      {[]string{"export"}, "no run is named: kubectl assay export RUN..., or choose with --all, --selector or --since"},
		"names and flags":     {[]string{"export", "a", "--all"}, "runs are named and chosen by flags: give either names, or --all, --selector and --since"},
		"an unknown format":   {[]string{"export", "a", "-o", "xml"}, `unknown output format "xml": choose one of jsonl, csv, openmetrics`},
		"no duration":         {[]string{"export", "--since", "soon"}, `--since "soon" is no duration: write it as 12h, 30d or 2w`},
		"none is so":          {[]string{"export", "--selector", "a=b"}, "no run matches the flags: kubectl get validationruns --show-labels lists all runs"},
		"an unknown run":      {[]string{"export", "rack-8"}, `there is no run "rack-8": kubectl get validationruns lists all runs`},
		"no file":             {[]string{"report", "-f", "none.jsonl"}, "reading none.jsonl: open none.jsonl: no such file or directory"},
		"half a file":         {[]string{"report", "-f", half}, "the file is cut off: "},
		"half a file, again":  {[]string{"export", "-f", half}, "the file is cut off: "},
		"a file of something": {[]string{"report", "-f", "testdata/help.golden"}, "reading testdata/help.golden: this is no saved run: "},
		"no folder":           {[]string{"export", "rack-7", "--to", "none/a.jsonl"}, "writing none/a.jsonl: "},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := run(t, clitest.Cluster(t, interceptor.Funcs{}, clitest.Rack7(t)...), c.args...)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
}

// What fails half way leaves the file that was there.
func TestAnExportThatFailsLeavesTheFileAsItWas(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "runs.jsonl")
	if err := os.WriteFile(file, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := run(t, clitest.Cluster(t, interceptor.Funcs{}, clitest.Rack7(t)...), "export", "rack-7", "rack-8", "--to", file); err == nil {
		t.Fatal("a run that is not there was exported")
	}
	text, err := os.ReadFile(file)
	if entries, _ := os.ReadDir(folder); err != nil || string(text) != "precious" || len(entries) != 1 {
		t.Errorf("the file has %q now, the folder %d files, error %v", text, len(entries), err)
	}
}

func TestExportSaysWhatItLacks(t *testing.T) {
	r := clitest.InProgress(t, 2)
	r.Status.Catalogue = &v1alpha1.PinnedCatalogue{Revision: "validationrun-gone", Hash: "abc"}
	c := clitest.Cluster(t, interceptor.Funcs{}, r)
	var notes bytes.Buffer
	cmd := NewCommand("test", func() (client.WithWatch, error) { return c, nil })
	cmd.SetArgs([]string{"export", "rack-7"})
	cmd.SetOut(io.Discard)
	cmd.SetErr(&notes)
	if err := cmd.ExecuteContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := "note: run rack-7 is exported without its catalogue: what the operator kept of it is gone or may not be read, and the Benchmarks have changed since\n" +
		"note: run rack-7 is not over, and is exported as it stands: export it again when it is\n"
	if diff := cmp.Diff(want, notes.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A run that is deleted while runs are exported does not cost the others.
func TestExportPassesOverARunThatIsDeletedMeanwhile(t *testing.T) {
	gone := clitest.Finished(t)
	gone.Name, gone.UID = "a-gone", "gone"
	c := clitest.Cluster(t, interceptor.Funcs{Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
		if key.Name == "a-gone" {
			return apierrors.NewNotFound(schema.GroupResource{Resource: "validationruns"}, key.Name)
		}
		return c.Get(ctx, key, o, opts...)
	}}, append(clitest.Rack7(t), gone)...)
	var out, notes bytes.Buffer
	cmd := NewCommand("test", clitest.ConnectTo(c))
	cmd.SetArgs([]string{"export", "--all"})
	cmd.SetOut(&out)
	cmd.SetErr(&notes)
	if err := cmd.ExecuteContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(notes.String(), "note: run a-gone was deleted meanwhile and is not exported\n") {
		t.Errorf("notes %q", notes.String())
	}
	var saved export.Collected
	if err := export.Read(&out, func(string, string) bool { return true }, &saved); err != nil || len(saved.Runs) != 1 || saved.Runs[0].Run.Name != "rack-7" {
		t.Errorf("error %v, saved %d runs", err, len(saved.Runs))
	}
	_, err := run(t, c, "export", "a-gone")
	clitest.Fails(t, err, `there is no run "a-gone": kubectl get validationruns lists all runs`)
}
