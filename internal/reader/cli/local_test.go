package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/reader/local"
)

// speeds is a folder with programs that reach what a file beside them says.
func speeds(t *testing.T) (folder string, set func(value string)) {
	t.Helper()
	if !local.Supported {
		t.Skip("programs are measured on Linux only")
	}
	folder = t.TempDir()
	set = func(value string) {
		if err := os.WriteFile(filepath.Join(folder, "speed"), []byte(value), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	script := `#!/bin/sh
printf 'measuring \033[31mred\n' >&2
echo '{"schema":"assay.dev/result/v1","benchmark":"stream","measurements":[{"name":"triad","unit":"GB/s","better":"higher","parts":[{"at":"node","value":'$(cat ` + folder + `/speed)'}]}]}'
`
	if err := os.WriteFile(filepath.Join(folder, "stream"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return folder, set
}

// A host is measured, saved, shown again, and compared with itself.
func TestLocalFromTheFirstRunToTheFault(t *testing.T) {
	folder, set := speeds(t)
	set("150")
	saved := filepath.Join(folder, "saved.jsonl")
	measure := []string{"local", "--benchmark", "stream", "--programs", folder, "-v"}
	code, out, errOut := mainAs(t, "", append(measure, "--min", "stream.triad=100", "--name", "one", "--to", saved)...)
	if code != 0 || !strings.Contains(out, "Run one: Pass (Passed), 1 node") {
		t.Fatalf("exit code %d\n%s%s", code, out, errOut)
	}
	if !strings.Contains(errOut, "\n  | measuring [31mred\nstream: triad 150 GB/s in ") || !strings.Contains(errOut, "saved to "+saved) {
		t.Errorf("said:\n%s", errOut)
	}
	code, out, errOut = mainAs(t, "", "report", "-f", saved)
	if code != 0 || !strings.Contains(out, "150 GB/s") {
		t.Errorf("shown again: exit code %d\n%s%s", code, out, errOut)
	}
	second := time.Now().Truncate(time.Second)
	<-time.After(time.Until(second.Add(time.Second))) // the past is what is older, by whole seconds
	code, out, errOut = mainAs(t, "", append(measure, "--past", saved)...)
	if code != 2 || !strings.Contains(out, "it has 1 earlier passing result") {
		t.Errorf("with too short a past: exit code %d\n%s%s", code, out, errOut)
	}
	set("90")
	code, out, _ = mainAs(t, "", append(measure, "--min", "stream.triad=100")...)
	if code != 1 || !strings.Contains(out, "stream triad: 90 GB/s, bound 100 GB/s, worse than the minimum that is expected") || strings.Contains(out, "Tainted") {
		t.Errorf("the fault: exit code %d\n%s", code, out)
	}
}

// What cannot be saved is shown all the same, and a file of the user's stays as it was until there is a run to put there.
func TestLocalShowsWhatItCannotSave(t *testing.T) {
	folder, set := speeds(t)
	set("150")
	measure := []string{"local", "--programs", folder, "--benchmark", "stream", "--min", "stream.triad=100"}
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("there is no /dev/full here")
	}
	code, out, errOut := mainAs(t, "", append(measure, "--to", "/dev/full")...)
	if code != 2 || !strings.Contains(out, "Pass (Passed), 1 node") || !strings.Contains(errOut, "error: writing /dev/full: ") {
		t.Errorf("exit code %d\n%s%s", code, out, errOut)
	}
	mine := filepath.Join(folder, "mine.jsonl.gz")
	if err := os.WriteFile(mine, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, _ := mainAs(t, "", append(measure, "--to", mine, "--parameter", "stream.second=1")...); code != 2 {
		t.Errorf("exit code %d", code)
	}
	if _, err := os.Stat(mine); err != nil {
		t.Errorf("it took the user's file: %v", err)
	}
	if code, _, errOut := mainAs(t, "", append(measure, "--to", mine)...); code != 0 {
		t.Errorf("exit code %d\n%s", code, errOut)
	}
	if data, err := os.ReadFile(mine); err != nil || !bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
		t.Errorf("%v, or not compressed: %q", err, data[:min(10, len(data))])
	}
	if code, out, _ := mainAs(t, "", "report", "-f", mine); code != 0 || !strings.Contains(out, "150 GB/s") {
		t.Errorf("shown again: exit code %d\n%s", code, out)
	}
	if left, _ := filepath.Glob(filepath.Join(folder, ".assay-*")); left != nil {
		t.Errorf("left %v", left)
	}
}

// It lists what a folder has that a single host can run.
func TestLocalListsWhatItCanMeasure(t *testing.T) {
	folder := t.TempDir()
	entry := func(name, rest string) string {
		return "apiVersion: assay.dev/v1alpha1\nkind: Benchmark\nmetadata: {name: " + name + "}\nspec:\n  suites: [lab, cpu]\n  image: a/b:1\n  command: [prog]\n  output: {format: Assay}\n  metrics: [{name: speed, unit: GB/s}]\n" + rest
	}
	text := entry("mine", "  costSeconds: 1200\n") + "---\n" + entry("pair", "  scope: Group\n")
	if err := os.WriteFile(filepath.Join(folder, "mine.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, errOut := mainAs(t, "", "local", "--list", "--catalogue", folder)
	want := "BENCHMARK   SUITES    TIME   PROGRAM   DEVICES\nmine        lab,cpu   20m    prog      -\n"
	if code != 0 || errOut != "" || out != want {
		t.Errorf("exit code %d, errors %q, got\n%swant\n%s", code, errOut, out, want)
	}
	if code, out, _ := mainAs(t, "", "local", "--list", "--suite", "quick"); code != 0 || !strings.Contains(out, "\ngpuquick ") || strings.Contains(out, "\nhpl ") {
		t.Errorf("exit code %d, got, of one suite,\n%s", code, out)
	}
}

func TestMistakesInMeasuringAHost(t *testing.T) {
	empty := t.TempDir()
	two := filepath.Join(empty, "two.txt")
	profile := "apiVersion: assay.dev/v1alpha1\nkind: HardwareProfile\nmetadata: {name: a}\nspec: {allNodes: true, devices: [{resource: a/b, count: 1}]}\n"
	if err := os.WriteFile(two, []byte(profile+"---\n"+profile), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(empty, "stream"), []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"no programs":       {[]string{"--suite", "cpu"}, "nothing was measured, because this host lacks 4 programs: inventory, dgemm, stream, hpl. Name the folder"},
		"no program":        {[]string{"--benchmark", "stream,hpl", "--programs", empty}, "lacks 1 program: hpl. Name the folder that has them with --programs: a checkout has them in build/kernels/bin after make kernels-cpu or, for GPUs, make kernels, and Assay's images in /usr/local/bin. Or measure without them: --benchmark stream"},
		"unknown suite":     {[]string{"--suite", "quik", "--to", empty + "/a.jsonl"}, `no benchmark belongs to suite "quik": choose one of acceptance, `},
		"unknown benchmark": {[]string{"--benchmark", "streem"}, `the catalogue has no benchmark "streem"`},
		"unknown profile":   {[]string{"--profile", "h2000"}, `the catalogue has no HardwareProfile "h2000": choose one of a10, `},
		"two profiles":      {[]string{"--profile", two}, two + " has 2 HardwareProfiles, expected 1"},
		"empty catalogue":   {[]string{"--catalogue", empty}, "has no Benchmark: name a folder"},
		"no catalogue":      {[]string{"--catalogue", empty + "/no"}, "no such file"},
		"bad setting":       {[]string{"--parameter", "seconds=5"}, `cannot read --parameter "seconds=5": expected BENCHMARK.PARAMETER=VALUE`},
		"bad bound":         {[]string{"--min", "stream.triad"}, `cannot read --min "stream.triad": expected BENCHMARK.METRIC=VALUE`},
		"set of another":    {[]string{"--benchmark", "stream", "--parameter", "dgemm.seconds=5"}, `--parameter names benchmark "dgemm", which is not among those to be measured`},
		"unknown parameter": {[]string{"--benchmark", "stream", "--parameter", "stream.second=5"}, "second"},
		"value too large":   {[]string{"--benchmark", "stream", "--parameter", "stream.seconds=5000"}, "500"},
		"suite and names":   {[]string{"--benchmark", "stream", "--suite", "cpu"}, "suite"},
		"unknown format":    {[]string{"-o", "xml"}, `unknown output format "xml"`},
		"no past":           {[]string{"--past", empty + "/no"}, "no such file"},
		"no time":           {[]string{"--deadline", "0"}, "--deadline is 0s, expected at least 1s"},
		"save to a folder":  {[]string{"--benchmark", "stream", "--to", empty}, "is a directory"},
		"cannot save":       {[]string{"--benchmark", "stream", "--to", empty + "/no/file"}, "writing " + empty + "/no/file: "},
	} {
		t.Run(name, func(t *testing.T) {
			code, out, errOut := mainAs(t, "", append([]string{"local"}, c.args...)...)
			if left, _ := filepath.Glob(empty + "/*.jsonl"); left != nil {
				t.Errorf("left %v", left)
			}
			if code != 2 || out != "" || !strings.HasPrefix(errOut, "error: ") || !strings.Contains(errOut, c.want) {
				t.Errorf("exit code %d, output %q, error\n%swant\n%s", code, out, errOut, c.want)
			}
		})
	}
}

// The real program, where it is built: make kernels-test does.
func TestLocalWithTheRealStream(t *testing.T) {
	bin := filepath.Join("..", "..", "..", "build", "kernels", "bin")
	if _, err := os.Stat(filepath.Join(bin, "stream")); err != nil {
		t.Skip("stream is not built here: make kernels-test builds it")
	}
	code, out, errOut := mainAs(t, "", "local", "--benchmark", "stream", "--programs", bin, "--parameter", "stream.seconds=0.1", "--parameter", "stream.bytes=1048576", "--min", "stream.triad=0.001")
	if code != 0 || !strings.Contains(out, "Pass") {
		t.Errorf("exit code %d\n%s%s", code, out, errOut)
	}
}
