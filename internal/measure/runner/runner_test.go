package runner

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/clock"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/result"
)

// wrongNCCL is what nccl-tests prints before it ends with a code of its own.
const wrongNCCL = `# nThread 1 nGpus 2 minBytes 1048576 maxBytes 1048576 step: 1048576(bytes) warmup iters: 1 iters: 20 agg iters: 1 validation: 1 graph: 0
#       size         count      type   redop    root     time   algbw   busbw  #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)
     1048576        262144     float     sum      -1   477.32    2.20    2.20      96
# Out of bounds values : 1 FAILED
# Avg bus bandwidth    : 2.2
`

func TestExecOutcomes(t *testing.T) {
	wrong := strings.TrimSuffix(document, "}") + `,"checks":[{"name":"dataIntegrity","ok":false,"message":"3 words differ"}]}`
	skipped := `{"schema":"assay.dev/result/v1","benchmark":"test","skipped":"fewer than 2 GPUs"}`
	broken := `{"schema":"assay.dev/result/v1","benchmark":"test","measurements":[],"checks":[{"name":"completed","ok":false,"message":"no space left"}]}`
	for name, test := range map[string]struct {
		flags   []string
		program []string
		outcome result.Outcome
		reason  string
		message string
		exit    int
		code    int
	}{
		"a document":                        {nil, []string{"print", "0", document}, result.OutcomeMeasured, v1alpha1.ReasonMeasured, "", 0, 0},
		"a failed check, status 1":          {nil, []string{"print", "1", wrong}, result.OutcomeMeasured, v1alpha1.ReasonMeasured, "", 1, 0},
		"a failed check, status 0":          {nil, []string{"print", "0", wrong}, result.OutcomeMeasured, v1alpha1.ReasonMeasured, "", 0, 0},
		"a failed check, status 2":          {nil, []string{"print", "2", wrong}, result.OutcomeFailed, v1alpha1.ReasonProgramFailed, "code 2 after it had printed a result", 2, 1},
		"another tool's wrong data":         {[]string{"--format", "NCCLTests"}, []string{"print", "3", wrongNCCL}, result.OutcomeMeasured, v1alpha1.ReasonMeasured, "", 3, 0},
		"another tool's right data, and 3":  {[]string{"--format", "NCCLTests"}, []string{"print", "3", strings.Replace(strings.Replace(wrongNCCL, "1 FAILED", "0 OK", 1), "96", " 0", 1)}, result.OutcomeFailed, v1alpha1.ReasonProgramFailed, "the result is not trusted", 3, 1},
		"right data, status 1":              {nil, []string{"print", "1", document}, result.OutcomeFailed, v1alpha1.ReasonProgramFailed, "the result is not trusted", 1, 1},
		"skipped by its document":           {nil, []string{"print", "77", skipped}, result.OutcomeSkipped, v1alpha1.ReasonCannotRunHere, "fewer than 2 GPUs", 77, 0},
		"skipped in another format":         {[]string{"--format", "PerfTest"}, []string{"print", "77", skipped}, result.OutcomeSkipped, v1alpha1.ReasonCannotRunHere, "fewer than 2 GPUs", 77, 0},
		"skipped, and the launcher's code":  {[]string{"--format", "HPL"}, []string{"print", "1", skipped}, result.OutcomeSkipped, v1alpha1.ReasonCannotRunHere, "fewer than 2 GPUs", 1, 0},
		"no report, and it says why":        {[]string{"--format", "FIO"}, []string{"print", "1", broken}, result.OutcomeMeasured, v1alpha1.ReasonMeasured, "", 1, 0},
		"no report, status 77":              {[]string{"--format", "FIO"}, []string{"print", "77", broken}, result.OutcomeMeasured, v1alpha1.ReasonMeasured, "", 77, 0},
		"a report with such a line":         {[]string{"--format", "HPL"}, []string{"print", "1", "T/V\n" + broken}, result.OutcomeFailed, v1alpha1.ReasonProgramFailed, "exited with code 1", 1, 1},
		"measurements of another format":    {[]string{"--format", "HPL"}, []string{"print", "0", document}, result.OutcomeFailed, v1alpha1.ReasonBadOutput, "HPL", 0, 1},
		"skipped by its last line":          {nil, []string{"complain", "77", "3"}, result.OutcomeSkipped, v1alpha1.ReasonCannotRunHere, "line 3", 77, 0},
		"skipped without a word":            {nil, []string{"print", "77", ""}, result.OutcomeSkipped, v1alpha1.ReasonCannotRunHere, "gave no reason", 77, 0},
		"skipped and measured":              {nil, []string{"print", "77", document}, result.OutcomeFailed, v1alpha1.ReasonBadOutput, "but it printed measurements", 77, 1},
		"too old a driver, in a document":   {nil, []string{"print", "78", skipped}, result.OutcomeFailed, v1alpha1.ReasonDriverTooOld, "fewer than 2 GPUs", 78, 1},
		"too old a driver, another format":  {[]string{"--format", "GROMACS"}, []string{"print", "78", skipped}, result.OutcomeFailed, v1alpha1.ReasonDriverTooOld, "fewer than 2 GPUs", 78, 1},
		"too old a driver, in a line":       {nil, []string{"complain", "78", "3"}, result.OutcomeFailed, v1alpha1.ReasonDriverTooOld, "update it, or use an image that was built for it; the program says: line 3", 78, 1},
		"too old a driver, without a word":  {nil, []string{"print", "78", ""}, result.OutcomeFailed, v1alpha1.ReasonDriverTooOld, "the driver of this node is too old", 78, 1},
		"too old a driver, and measured":    {nil, []string{"print", "78", document}, result.OutcomeFailed, v1alpha1.ReasonBadOutput, "but it printed measurements", 78, 1},
		"no output":                         {nil, []string{"print", "0", ""}, result.OutcomeFailed, v1alpha1.ReasonNoOutput, "printed nothing on stdout", 0, 1},
		"garbled output":                    {nil, []string{"print", "0", "hello"}, result.OutcomeFailed, v1alpha1.ReasonBadOutput, "not JSON", 0, 1},
		"a failure without output":          {nil, []string{"complain", "3", "2"}, result.OutcomeFailed, v1alpha1.ReasonProgramFailed, "exited with code 3", 3, 1},
		"a failure in mid-document":         {nil, []string{"print", "3", document[:40]}, result.OutcomeFailed, v1alpha1.ReasonProgramFailed, "exited with code 3: reading the output", 3, 1},
		"killed":                            {nil, []string{"die", "9"}, result.OutcomeFailed, v1alpha1.ReasonProgramFailed, "killed by SIGKILL", -1, 1},
		"another signal":                    {nil, []string{"die", "15"}, result.OutcomeFailed, v1alpha1.ReasonProgramFailed, "killed by SIGTERM", -1, 1},
		"the time is over, and it is deaf":  {[]string{"--timeout", "8s", "--grace", "100ms"}, []string{"hang"}, result.OutcomeFailed, v1alpha1.ReasonTimedOut, "within 8s", -1, 1},
		"the time is over, and it obeys":    {[]string{"--timeout", "8s"}, []string{"obey"}, result.OutcomeFailed, v1alpha1.ReasonTimedOut, "within 8s", 0, 1},
		"output without end":                {nil, []string{"flood"}, result.OutcomeFailed, v1alpha1.ReasonOutputTooLarge, "more than 8388608 bytes", -1, 1},
		"a pattern":                         {[]string{"--format", "Regex", "--metric", "rate=MB/s", "--pattern", `rate=rate: (?P<value>\S+)`}, []string{"print", "0", "rate: 2.5\n"}, result.OutcomeMeasured, v1alpha1.ReasonMeasured, "", 0, 0},
		"a unit other than the Benchmark's": {[]string{"--metric", "rate=MB/s"}, []string{"print", "0", document}, result.OutcomeFailed, v1alpha1.ReasonBadOutput, "declares it in", 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := runProgram(t, test.flags, test.program, nil)
			e := got.envelope
			if e.Outcome != test.outcome || e.Reason != test.reason || !strings.Contains(e.Message, test.message) {
				t.Errorf("%s/%s %q, want %s/%s %q", e.Outcome, e.Reason, e.Message, test.outcome, test.reason, test.message)
			}
			if e.ExitCode != test.exit || got.code != test.code {
				t.Errorf("program's status %d, runner's %d, want %d and %d", e.ExitCode, got.code, test.exit, test.code)
			}
			if e.Reason == v1alpha1.ReasonTimedOut && e.LogTail != "ready" {
				t.Errorf("log %q: the time was over before the program was ready", e.LogTail)
			}
			if (e.Document != nil) != (e.Outcome == result.OutcomeMeasured || e.Outcome == result.OutcomeSkipped && slices.Contains(test.program, skipped)) {
				t.Errorf("document %v beside outcome %s", e.Document, e.Outcome)
			}
		})
	}
}

func TestExecThatCannotStart(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for name, test := range map[string]struct {
		program string
		says    string
	}{
		"a name that is not in PATH":      {"no-such-program", "the image has no program"},
		"a file that does not exist":      {filepath.Join(dir, "gone"), "the image has no program"},
		"a file without its mode":         {write("data", "x", 0o644), "is not executable"},
		"a script without its first line": {write("script", "echo hello", 0o755), "is not a program for this machine"},
		"a script whose shell is gone":    {write("shell", "#!/no/such/shell\n", 0o755), "lacks the loader"},
		"a directory":                     {dir, "is not executable"},
	} {
		t.Run(name, func(t *testing.T) {
			got := runCommand(t, nil, []string{test.program}, nil)
			if got.envelope.Reason != v1alpha1.ReasonPodStartFailed || !strings.Contains(got.envelope.Message, test.says) {
				t.Errorf("%s %q, want %s %q", got.envelope.Reason, got.envelope.Message, v1alpha1.ReasonPodStartFailed, test.says)
			}
			if got.envelope.ExitCode != result.NoExitCode || got.code != 1 {
				t.Errorf("program's status %d, runner's %d", got.envelope.ExitCode, got.code)
			}
		})
	}
}

func TestExecForwardsSignals(t *testing.T) {
	for name, test := range map[string]struct {
		program string
		grace   string
		signal  os.Signal
		killed  string
	}{
		"SIGTERM to a program that obeys":   {"obey", "60s", syscall.SIGTERM, ""},
		"SIGINT to a program that obeys":    {"obey", "60s", syscall.SIGINT, ""},
		"SIGTERM to a program that is deaf": {"hang", "100ms", syscall.SIGTERM, "SIGKILL"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := runProgram(t, []string{"--grace", test.grace}, []string{test.program}, func(runner *os.Process) {
				if err := runner.Signal(test.signal); err != nil {
					t.Error(err)
				}
			})
			e := got.envelope
			if e.Reason != v1alpha1.ReasonEvicted || !strings.Contains(e.Message, "the runner received "+signalName(test.signal)) || e.Signal != test.killed {
				t.Errorf("%s %q killed by %q, want %s, killed by %q", e.Reason, e.Message, e.Signal, v1alpha1.ReasonEvicted, test.killed)
			}
			if e.LogTail != "ready" || got.code != 1 {
				t.Errorf("log %q, runner's status %d", e.LogTail, got.code)
			}
		})
	}
}

func TestExecUsesNoShell(t *testing.T) {
	arguments := []string{"$(id)", "a;b", "* ?", "`x`", "$HOME", "--format"}
	got := runProgram(t, nil, append([]string{"arguments"}, arguments...), nil)
	if diff := cmp.Diff(arguments, got.envelope.Document.Notes); diff != "" {
		t.Errorf("arguments of the program (-want +got):\n%s", diff)
	}
}

func TestExecLeavesNoProcessBehind(t *testing.T) {
	got := runProgram(t, nil, []string{"daemon"}, nil)
	if got.envelope.Outcome != result.OutcomeMeasured {
		t.Fatalf("outcome %s: %s", got.envelope.Outcome, got.envelope.Message)
	}
	match := regexp.MustCompile(`child ([0-9]+)`).FindStringSubmatch(got.log)
	if match == nil {
		t.Fatalf("no child in the log %q", got.log)
	}
	pid, err := strconv.Atoi(match[1])
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, 0); err != syscall.ESRCH {
		t.Errorf("the daemon %d is still there: %v", pid, err)
	}
}

func TestExecReapsOrphansInMidRun(t *testing.T) {
	got := runProgram(t, nil, []string{"orphan"}, nil)
	if got.envelope.Outcome != result.OutcomeMeasured {
		t.Errorf("outcome %s: %s\n%s", got.envelope.Outcome, got.envelope.Message, got.log)
	}
}

func TestExecKeepsTheEndOfTheLog(t *testing.T) {
	got := runProgram(t, nil, []string{"complain", "3", "100"}, nil)
	lines := strings.Split(got.envelope.LogTail, "\n")
	if len(lines) != 20 || lines[0] != "line 81" || lines[19] != "line 100" {
		t.Errorf("the tail is %q", lines)
	}
	for i := range 100 {
		if !strings.Contains(got.log, fmt.Sprintf("line %d\n", i+1)) {
			t.Errorf("line %d did not reach the log", i+1)
		}
	}
}

func TestExecTellsAKillForLackOfMemory(t *testing.T) {
	for name, test := range map[string]struct {
		cgroup, file  string
		before, after string
		program       []string
		want          string
	}{
		"version 2, the container's own mount": {
			"0::/\n", "sys/fs/cgroup/memory.events", "oom 0\noom_kill 1\n", "oom 1\noom_kill 2\n",
			[]string{"die", "9"}, v1alpha1.ReasonOOMKilled,
		},
		"version 2, the host's mount": {
			"0::/kubepods/pod1\n", "sys/fs/cgroup/kubepods/pod1/memory.events", "oom_kill 0\n", "oom_kill 1\n",
			[]string{"die", "9"}, v1alpha1.ReasonOOMKilled,
		},
		"version 1": {
			"4:cpu,memory:/pod1\n0::/x\n", "sys/fs/cgroup/memory/pod1/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 0\n", "oom_kill 3\n",
			[]string{"die", "9"}, v1alpha1.ReasonOOMKilled,
		},
		"killed while the counter stood still": {
			"0::/\n", "sys/fs/cgroup/memory.events", "oom_kill 2\n", "oom_kill 2\n",
			[]string{"die", "9"}, v1alpha1.ReasonProgramFailed,
		},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			writeTree(t, root, map[string]string{"proc/self/cgroup": test.cgroup, test.file: test.before})
			got := runProgram(t, []string{"--root", root}, append(test.program, filepath.Join(root, test.file), test.after), nil)
			if got.envelope.Reason != test.want {
				t.Errorf("%s: %s, want %s", got.envelope.Reason, got.envelope.Message, test.want)
			}
		})
	}
}

func TestExecShowsAnOutputThatCannotBeRead(t *testing.T) {
	got := runProgram(t, nil, []string{"print", "0", "the secret of life"}, nil)
	if !strings.Contains(got.log, "of 18 bytes on stdout, the first 18 are:\nthe secret of life\n") {
		t.Errorf("the log is %q", got.log)
	}
}

func TestExecShowsAResultThatDoesNotFit(t *testing.T) {
	var parts strings.Builder
	for i := range 900 {
		fmt.Fprintf(&parts, `{"at":"p%d","value":%d.%d},`, i, i*7919%1000, i*104729%9973)
	}
	huge := strings.Replace(document, `{"at":"node","value":1.5}`, strings.TrimSuffix(parts.String(), ","), 1)
	got := runProgram(t, nil, []string{"print", "0", huge}, nil)
	if got.envelope.Reason != v1alpha1.ReasonOutputTooLarge || got.code != 1 {
		t.Errorf("%s %q, runner's status %d", got.envelope.Reason, got.envelope.Message, got.code)
	}
	if !strings.Contains(got.log, `"at": "p899"`) {
		t.Error("the log does not hold the result")
	}
}

func TestExecShowsTheOutputOfOtherPrograms(t *testing.T) {
	got := runProgram(t, []string{"--format", "STREAM"}, []string{"print", "0", "no STREAM\nat all"}, nil)
	if !strings.Contains(got.log, "no STREAM\nat all\n") {
		t.Errorf("the log is %q", got.log)
	}
}

// writeTree writes files below a directory.
func writeTree(t *testing.T, root string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// setClock is the clock of a node that somebody has set back by an hour.
type setClock struct{ clock.RealClock }

func (setClock) Now() time.Time { return time.Now().Add(-time.Hour) }

// TestNothingEndsBeforeItBegan, or what a program measured would be refused.
func TestNothingEndsBeforeItBegan(t *testing.T) {
	began := time.Now()
	if end := later(setClock{}, began); end.Before(told(began)) || end.After(told(began).Add(time.Minute)) {
		t.Errorf("it began at %s and ended at %s", told(began), end)
	}
}
