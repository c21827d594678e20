package runner

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/result"
)

func TestMainRefusesWrongUse(t *testing.T) {
	for name, test := range map[string]struct {
		args []string
		says string
	}{
		"nothing":                     {nil, "usage:"},
		"an unknown command":          {[]string{"run"}, "usage:"},
		"install without destination": {[]string{"install"}, "usage:"},
		"no format":                   {[]string{"exec", "--timeout", "1s", "--", "true"}, "--format"},
		"an unknown format":           {[]string{"exec", "--format", "XML", "--timeout", "1s", "--", "true"}, `"XML" is not one of`},
		"no time limit":               {[]string{"exec", "--format", "Assay", "--timeout", "0s", "--", "true"}, "must be greater than zero"},
		"no program":                  {[]string{"exec", "--format", "Assay", "--timeout", "1s"}, "no program given"},
		"patterns without Regex":      {[]string{"exec", "--format", "HPL", "--timeout", "1s", "--pattern", "a=b", "--", "true"}, "--pattern belongs to"},
		"Regex without patterns":      {[]string{"exec", "--format", "Regex", "--timeout", "1s", "--", "true"}, "--pattern belongs to"},
		"a metric without unit":       {[]string{"exec", "--metric", "rate", "--", "true"}, "expected name=unit"},
		"a pattern without metric":    {[]string{"exec", "--pattern", "rate", "--", "true"}, "expected metric=regexp"},
		"an unknown flag":             {[]string{"exec", "--shell", "--", "true"}, "flag provided but not defined"},
	} {
		t.Run(name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			if code := Main(test.args, &stdout, &stderr); code != 2 {
				t.Errorf("exit code %d, want 2", code)
			}
			if !strings.Contains(stderr.String(), test.says) || stdout.Len() > 0 {
				t.Errorf("stderr %q does not say %q, or stdout %q is not empty", stderr.String(), test.says, stdout.String())
			}
		})
	}
}

func TestParseMetric(t *testing.T) {
	for text, want := range map[string]v1alpha1.Metric{
		"rate=GB/s":        {Name: "rate", Unit: "GB/s", Better: v1alpha1.Higher},
		"rate=GB/s:higher": {Name: "rate", Unit: "GB/s", Better: v1alpha1.Higher},
		"latency=us:lower": {Name: "latency", Unit: "us", Better: v1alpha1.Lower},
		"odd=a=b:c":        {Name: "odd", Unit: "a=b:c", Better: v1alpha1.Higher},
	} {
		got, err := parseMetric(text)
		if err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

func TestExecPrintsWithoutATerminationLog(t *testing.T) {
	if _, err := os.Stat(kubeletTerminationLog); err == nil {
		t.Skip("this is a container of Kubernetes")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	output, err := exec.Command(self, "exec", "--format", "Assay", "--timeout", "60s", "--", self, "program", "print", "0", document).Output()
	if err != nil {
		t.Fatal(err)
	}
	var e result.Envelope
	if err := json.Unmarshal(output, &e); err != nil {
		t.Fatal(err)
	}
	if e.Outcome != result.OutcomeMeasured || e.Document.Benchmark != "test" {
		t.Errorf("printed %s", output)
	}
}

func TestExecFailsWhenItCannotLeaveTheResult(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(t.TempDir(), "no", "such", "folder")
	output, err := exec.Command(self, "exec", "--format", "Assay", "--timeout", "60s", "--termination-log", log, "--", self, "program", "print", "0", document).CombinedOutput()
	if err == nil || !strings.Contains(string(output), "writing the termination message") {
		t.Errorf("error %v, output %s", err, output)
	}
}

func TestInstallCopiesARunnerThatRuns(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	destination := filepath.Join(t.TempDir(), "runner")
	for range 2 { // the second over the first
		if output, err := exec.Command(self, "install", destination).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, output)
		}
	}
	info, err := os.Stat(destination)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o755 {
		t.Errorf("mode %v, want 0755", info.Mode())
	}
	if output, err := exec.Command(destination, "program", "print", "0", "it runs").Output(); err != nil || string(output) != "it runs" {
		t.Errorf("the copy says %q: %v", output, err)
	}
	entries, err := os.ReadDir(filepath.Dir(destination))
	if err != nil || len(entries) != 1 {
		t.Errorf("the folder holds %v: %v", entries, err)
	}
	if output, err := exec.Command(self, "install", filepath.Join(destination, "x")).CombinedOutput(); err == nil {
		t.Errorf("installing below a file went well: %s", output)
	}
}
