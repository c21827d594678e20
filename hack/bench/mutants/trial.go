package main

import (
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/assay-dev/assay/test/overlay"
)

// stories are the packages whose tests hold what nodes and runs come to, and what people read of that. They run after those of the package itself.
var stories = strings.Fields("./internal/judge/... ./internal/operate/taint ./internal/operate/nodevalidation ./internal/operate/tournament " +
	"./internal/operate/assess/... ./internal/operate/policy/... ./controllers/policy ./controllers/run ./controllers/quarantine ./internal/reader/... ./test/campaign")

// outcome of the trial of one mutant.
type outcome int

const (
	survived outcome = iota
	found
	uncompiled
)

// limits of each process, in KiB and in seconds of processor time: what a mutant takes that grows or goes on without end. No test takes half a minute.
const limits = "ulimit -v 12000000; ulimit -t 180"

// trial of mutants in one tree, which stays as it is.
type trial struct{ root string }

// try one mutant, and say what found it.
func (t trial) try(m mutant) (outcome, string, error) {
	text, err := os.ReadFile(filepath.Join(t.root, m.file))
	if err != nil {
		return survived, "", err
	}
	dir, err := os.MkdirTemp("", "mutant-")
	if err != nil {
		return survived, "", err
	}
	defer os.RemoveAll(dir)
	replaced, err := overlay.Write(dir, filepath.Join(t.root, m.file), m.in(string(text)))
	if err != nil {
		return survived, "", err
	}
	own := "./" + path.Dir(m.file)
	if out, err := t.command("build", "-overlay", replaced, own); err != nil {
		return uncompiled, lastLine(out), nil
	}
	for _, packages := range [][]string{{own}, stories} {
		out, err := t.command(append([]string{"test", "-overlay", replaced, "-failfast", "-vet=off", "-ldflags=-w", "-timeout", "1h"}, packages...)...)
		if err != nil {
			o, by := told(out)
			return o, by, nil
		}
	}
	return survived, "", nil
}

// command is go's.
func (t trial) command(args ...string) (string, error) {
	c := exec.Command("sh", append([]string{"-c", limits + `; exec go "$@"`, "go"}, args...)...)
	c.Dir = t.root
	out, err := c.CombinedOutput()
	return string(out), err
}

var (
	failed   = regexp.MustCompile(`(?m)^FAIL\t(\S+)`)
	broken   = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)`)
	unended  = regexp.MustCompile(`(?m)^(signal: killed|panic: test timed out)[^\n]*`)
	panicked = regexp.MustCompile(`(?m)^(panic|fatal error): [^\n]*`)
)

// told is what a failed go test says: the package, and the test or how else it ended. A timeout is for a person to judge.
func told(out string) (outcome, string) {
	if strings.Contains(out, "[build failed]") || strings.Contains(out, "[setup failed]") {
		return uncompiled, lastLine(out)
	}
	by := "?"
	if m := failed.FindStringSubmatch(out); m != nil {
		by = m[1]
	}
	for _, how := range []*regexp.Regexp{unended, broken, panicked} {
		if m := how.FindStringSubmatch(out); m != nil {
			return found, fmt.Sprintf("%s (%s)", by, strings.TrimPrefix(strings.TrimSpace(m[0]), "--- FAIL: "))
		}
	}
	return found, by
}

func lastLine(out string) string {
	out = strings.TrimSpace(out)
	return out[strings.LastIndex(out, "\n")+1:]
}
