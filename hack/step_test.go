// Package hack has the scripts of this repository; the tests are of those that others build on.
package hack

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// step runs step.sh in a repository of its own and returns what it left on stderr and in its log.
func step(t *testing.T, script string) (stderr, log string, code int) {
	t.Helper()
	root := t.TempDir()
	content, err := os.ReadFile("step.sh")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(root, "hack"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "hack/step.sh"), content, 0o755); err != nil {
		t.Fatal(err)
	}
	var out, complaints bytes.Buffer
	cmd := exec.Command("bash", "hack/step.sh", "probe", "probing", "bash", "-c", script)
	cmd.Dir, cmd.Stdout, cmd.Stderr = root, &out, &complaints
	var exit *exec.ExitError
	if err := cmd.Run(); errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	if out.Len() > 0 {
		t.Errorf("stdout is for the caller's own output, got %q", out.String())
	}
	written, err := os.ReadFile(filepath.Join(root, "build/logs/probe.log"))
	if err != nil {
		t.Fatal(err)
	}
	return complaints.String(), string(written), code
}

func TestStepThatSucceedsIsOneLineWhenItStartsAndOneWhenItEnds(t *testing.T) {
	stderr, log, code := step(t, "seq 500; echo warning >&2; sleep 2.5")
	if code != 0 {
		t.Errorf("exit status %d", code)
	}
	lines := strings.Split(strings.TrimSpace(stderr), "\n")
	if len(lines) != 2 || lines[0] != "probing (log: build/logs/probe.log)" || !strings.HasPrefix(lines[1], "probing: ") {
		t.Errorf("got %q", lines)
	}
	if !strings.Contains(log, "\n500\nwarning\n") {
		t.Errorf("the log lacks output: %q", log)
	}
}

func TestStepThatFailsShowsTheEndOfItsLogAndKeepsTheExitStatus(t *testing.T) {
	stderr, log, code := step(t, "seq 500; exit 77")
	if code != 77 {
		t.Errorf("exit status %d, want 77", code)
	}
	if !strings.Contains(stderr, "probing: failed with exit status 77 after ") || !strings.Contains(stderr, "build/logs/probe.log") {
		t.Errorf("stderr does not say what failed: %q", stderr)
	}
	if !strings.HasSuffix(stderr, "  499\n  500\n") || strings.Contains(stderr, "  400\n") {
		t.Errorf("stderr does not show the end of the log: %q", stderr)
	}
	if !strings.HasPrefix(log, "1\n2\n") {
		t.Errorf("the log lacks its beginning: %q", log)
	}
}

func TestQuickStepIsNotMentioned(t *testing.T) {
	if stderr, _, code := step(t, "echo done"); code != 0 || stderr != "" {
		t.Errorf("exit status %d, stderr %q", code, stderr)
	}
}

// Two lines over each other said neither what was done nor for how long.
func TestStepsThatRunAtOnceHaveALineEachOnATerminal(t *testing.T) {
	if _, err := exec.LookPath("script"); err != nil {
		t.Skip("no program script, which makes a terminal")
	}
	root := t.TempDir()
	content, err := os.ReadFile("step.sh")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(root, "hack"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "hack/step.sh"), content, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("script", "-qefc", `
		wait_for() { until [ -e "$1" ]; do sleep 0.1; done; }; export -f wait_for
		hack/step.sh one "first step" bash -c 'echo a; wait_for end-one' & hack/step.sh two "second step" bash -c 'echo b; wait_for end-two' & wait`, "/dev/null")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "SHELL=/bin/bash") // script starts it, and sh exports no functions
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer time.AfterFunc(2*time.Minute, func() { _ = cmd.Process.Kill() }).Stop()
	end := func(step string) {
		if err := os.WriteFile(filepath.Join(root, "end-"+step), nil, 0o644); err != nil {
			t.Error(err)
		}
	}
	defer func() { // whatever was seen
		end("one")
		end("two")
		_, _ = io.Copy(io.Discard, out)
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}()
	// Each step ends once the lines before it were seen.
	text, buffer := "", make([]byte, 4096)
	see := func(pattern string) {
		for is := regexp.MustCompile(pattern); !is.MatchString(text); {
			n, err := out.Read(buffer)
			if text += string(buffer[:n]); err != nil {
				t.Fatalf("%q does not match %q: %v", text, pattern, err)
			}
		}
	}
	see("\r\x1b\\[J(first|second) step, \\d+ s: [ab]\r\n(first|second) step, \\d+ s: [ab]\x1b\\[1A\r\x1b\\[J") // a line each
	end("two")
	see("second step: \\d+ s\r\nfirst step, ") // what ended is above what runs
	end("one")
	see("\r\x1b\\[Jfirst step: ")
}

// README's commands are what CI runs, in README's order.
func TestCIRunsWhatREADMETellsANewcomer(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile("../.ci/run")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(readme), "\n## Two commands\n")
	section, _, _ = strings.Cut(section, "\n## ")
	told := regexp.MustCompile(`(?m)^    (make .*)$`).FindAllString(section, -1)
	run := regexp.MustCompile(`(?m)^make .*$`).FindAllString(string(script), -1)
	for i := range told {
		told[i] = strings.TrimSpace(told[i])
	}
	if len(told) < 2 || strings.Join(told, "\n") != strings.Join(run, "\n") {
		t.Errorf("README tells %q, CI runs %q", told, run)
	}
}
