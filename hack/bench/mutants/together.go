package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assay-dev/assay/test/overlay"
)

// switches is a file in each package with mutants. What MUTANT numbers is switched on; MUTANTS_REACHED is a file that gets the numbers of those that are asked for.
const switches = `package %s

import (
	"fmt"
	"os"
	"strconv"
	"sync/atomic"
)

var (
	mutantNumber, _ = strconv.Atoi(os.Getenv("MUTANT"))
	mutantsReached  = os.Getenv("MUTANTS_REACHED")
	mutantsSeen     [1 << 16]atomic.Bool
)

func mutantOn(number int) bool {
	if mutantsReached != "" && !mutantsSeen[number].Load() && !mutantsSeen[number].Swap(true) {
		f, err := os.OpenFile(mutantsReached, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			panic(err)
		}
		defer f.Close()
		fmt.Fprintln(f, number)
	}
	return number == mutantNumber
}

func mutantOr[T any](on bool, with, without T) T {
	if on {
		return with
	}
	return without
}

func mutantFloat[T ~float32 | ~float64](on bool, with, without T) T { return mutantOr(on, with, without) }
`

const module = "github.com/assay-dev/assay/"

// together are mutants of which all are compiled into the same programs, and switched on one at a time: most of the time goes into linking.
type together struct {
	trial
	dir     string
	mutants []mutant // of which those whose both is empty are not among them
	tests   []testProgram
}

// testProgram is what the tests of one package are.
type testProgram struct {
	name, dir, file string
	took            time.Duration
	reached         map[int]bool // of the mutants' numbers
}

// build the programs, and run each without any mutant.
func (t *together) build() error {
	for {
		replaced, err := t.write()
		if err != nil {
			return err
		}
		var args []string
		for _, part := range judging {
			args = append(args, "./"+part+"/...")
		}
		out, err := t.command(append([]string{"build", "-overlay", replaced}, args...)...)
		if err == nil {
			return t.link(replaced)
		}
		if !t.leaveOut(out) {
			return fmt.Errorf("%w: %s", err, out)
		}
	}
}

// numbered is the text with which a mutant is compiled beside others.
func (m mutant) numbered(i int) string {
	return strings.ReplaceAll(m.both, on, fmt.Sprintf("mutantOn(%d)", i+1))
}

// write the files with all mutants, and leave out those within others.
func (t *together) write() (string, error) {
	of := map[string][]int{}
	for i, m := range t.mutants {
		if m.both != "" {
			of[m.file] = append(of[m.file], i)
		}
	}
	texts := map[string]string{}
	for file, numbers := range of {
		text, err := os.ReadFile(filepath.Join(t.root, file))
		if err != nil {
			return "", err
		}
		source := string(text)
		slices.SortFunc(numbers, func(i, j int) int { return cmp.Compare(t.mutants[j].at, t.mutants[i].at) })
		before := len(source)
		for _, i := range numbers {
			m := &t.mutants[i]
			if m.at+len(m.old) > before {
				m.both = ""
				continue
			}
			before = m.at
			source = source[:m.at] + m.numbered(i) + source[m.at+len(m.old):]
		}
		texts[filepath.Join(t.root, file)] = "//line " + filepath.Join(t.root, file) + ":1\n" + source // so that the compiler names that
		clause := regexp.MustCompile(`(?m)^package (\w+)`).FindStringSubmatch(source)
		texts[filepath.Join(t.root, path.Dir(file), "mutants_switched.go")] = fmt.Sprintf(switches, clause[1])
	}
	return overlay.WriteAll(t.dir, texts)
}

var compilerSays = regexp.MustCompile(`(?m)^(?:\./)?([^\s:]+\.go):(\d+):`)

// leaveOut the mutants that do not compile with the others: what they make of a constant, for example.
func (t *together) leaveOut(out string) bool {
	some := false
	for _, at := range compilerSays.FindAllStringSubmatch(out, -1) {
		line, _ := strconv.Atoi(at[2])
		for i := range t.mutants {
			m := &t.mutants[i]
			if m.both != "" && m.file == at[1] && m.line+t.longer(i) <= line && line <= m.line+t.longer(i)+strings.Count(m.both, "\n") {
				m.both, some = "", true
			}
		}
	}
	return some
}

// longer is how many lines the mutants before one have added to its file.
func (t *together) longer(i int) int {
	lines := 0
	for _, m := range t.mutants {
		if m.file == t.mutants[i].file && m.both != "" && m.at < t.mutants[i].at {
			lines += strings.Count(m.both, "\n") - strings.Count(m.old, "\n")
		}
	}
	return lines
}

func (t *together) link(replaced string) error {
	out, err := t.command(append([]string{"list", "-f", "{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}} {{.Dir}}{{end}}"}, stories...)...)
	if err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	for i, line := range strings.Split(strings.TrimSpace(out), "\n") {
		name, dir, _ := strings.Cut(line, " ")
		p := testProgram{name: name, dir: dir, file: filepath.Join(t.dir, strconv.Itoa(i)+".test"), reached: map[int]bool{}}
		if out, err := t.command("test", "-c", "-overlay", replaced, "-vet=off", "-ldflags=-w", "-o", p.file, name); err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
		numbers, start := filepath.Join(t.dir, strconv.Itoa(i)+".reached"), time.Now()
		if out, err := p.run("MUTANTS_REACHED=" + numbers); err != nil {
			return fmt.Errorf("%s without a mutant: %w: %s", name, err, out)
		}
		p.took = time.Since(start)
		reached, err := os.ReadFile(numbers)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		for _, number := range strings.Fields(string(reached)) {
			n, _ := strconv.Atoi(number)
			p.reached[n] = true
		}
		t.tests = append(t.tests, p)
	}
	slices.SortStableFunc(t.tests, func(a, b testProgram) int { return cmp.Compare(a.took, b.took) })
	return nil
}

// run takes no longer than five times what it took without a mutant, and some seconds: a mutant may go on without end.
func (p *testProgram) run(env string) (string, error) {
	limited := limits
	if p.took > 0 {
		limited += fmt.Sprintf("; ulimit -t %.0f", min(180, 10+5*p.took.Seconds()))
	}
	c := exec.Command("sh", "-c", limited+`; exec "$@"`, "test", p.file, "-test.failfast", "-test.timeout", "1h")
	c.Dir, c.Env = p.dir, append(os.Environ(), env)
	out, err := c.CombinedOutput()
	return string(out), err
}

// try one mutant, first on its own package, then on those near it, the quick ones first, and say what found it.
func (t *together) try(m mutant) (outcome, string, error) {
	i := slices.IndexFunc(t.mutants, func(other mutant) bool { return other.file == m.file && other.at == m.at && other.new == m.new })
	if t.mutants[i].both == "" {
		return t.trial.try(m)
	}
	tests, in := slices.Clone(t.tests), module+path.Dir(m.file)
	slices.SortStableFunc(tests, func(a, b testProgram) int { return cmp.Compare(shared(b.name, in), shared(a.name, in)) })
	for _, p := range tests {
		if !p.reached[i+1] {
			continue
		}
		if out, err := p.run("MUTANT=" + strconv.Itoa(i+1)); err != nil {
			o, by := told(out + "\n" + err.Error() + "\nFAIL\t" + p.name + "\n")
			return o, by, nil
		}
	}
	return survived, "", nil
}

// shared folders that two packages are in.
func shared(a, b string) (n int) {
	other := strings.Split(b, "/")
	for i, folder := range strings.Split(a, "/") {
		if i >= len(other) || folder != other[i] {
			break
		}
		n++
	}
	return n
}
