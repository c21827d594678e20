// Command defects puts defects into the code, one at a time, and says which case of the campaign finds each. A campaign that finds none
// of them proves nothing.
//
//	make campaign-defects CASES=300 ONLY=forced
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/assay-dev/assay/test/overlay"
)

// defect is what is wrong in a copy of one file: old stands there once, and new in its place.
type defect struct{ name, promise, what, file, old, new string }

// broken is what a file is with the defect.
func (d defect) broken(root string) (string, error) {
	text, err := os.ReadFile(filepath.Join(root, d.file))
	if err != nil {
		return "", fmt.Errorf("defect %s: %w", d.name, err)
	}
	if n := strings.Count(string(text), d.old); n != 1 {
		return "", fmt.Errorf("defect %s does not apply any more: what it replaces stands %d times in %s, and has to stand there once", d.name, n, d.file)
	}
	return strings.Replace(string(text), d.old, d.new, 1), nil
}

// build the campaign with the defect, and nothing in the tree: the compiler is given another text for one file.
func (d defect) build(root, dir string) (string, error) {
	text, err := d.broken(root)
	if err != nil {
		return "", err
	}
	program := filepath.Join(dir, "campaign.test")
	replaced, err := overlay.Write(dir, filepath.Join(root, d.file), text)
	if err != nil {
		return "", err
	}
	build := exec.Command("go", "test", "-overlay", replaced, "-ldflags=-w", "-c", "-o", program, "./test/campaign")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("defect %s does not compile: %w\n%s", d.name, err, out)
	}
	return program, nil
}

var (
	broke     = regexp.MustCompile(`case (\d+) breaks (P\d+) after \S+: (.*)`)
	brokeKept = regexp.MustCompile(`(?s)FAIL: TestKeptCases/(\S+)\.json.*?\*\*\* (P\d+): ([^\n]*)`)
)

// seeds of the cases that are played.
type seeds struct {
	first, step uint64
	cases       int
}

// find plays cases until one breaks a promise, and then those that are kept, and says which does; empty: none did.
func (d defect) find(root string, from seeds) (string, error) {
	dir, err := os.MkdirTemp("", "defect-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	program, err := d.build(root, dir)
	if err != nil {
		return "", err
	}
	for _, play := range []struct {
		args []string
		says *regexp.Regexp
	}{
		{[]string{"-test.run", "TestCampaign$", "-first", "-seed", fmt.Sprint(from.first), "-step", fmt.Sprint(from.step), "-cases", fmt.Sprint(from.cases)}, broke},
		{[]string{"-test.run", "TestKeptCases"}, brokeKept},
	} {
		out, err := exec.Command(program, append(play.args, "-test.timeout", "2h")...).CombinedOutput()
		found := play.says.FindStringSubmatch(string(out))
		switch {
		case found != nil:
			return fmt.Sprintf("| %s | %s | %s |", found[1], found[2], found[3]), nil
		case err != nil:
			return "", fmt.Errorf("defect %s: %w\n%s", d.name, err, out)
		}
	}
	return "", nil
}

func main() {
	var from seeds
	flag.Uint64Var(&from.first, "seed", 1, "the seed of the first case")
	flag.Uint64Var(&from.step, "step", 1, "how far apart the seeds are")
	flag.IntVar(&from.cases, "cases", 300, "how many cases are played at most")
	only := flag.String("only", "", "names of defects, separated by commas; none: all")
	flag.Parse()
	root, err := os.Getwd()
	if err != nil {
		panic(err)
	}
	missed, failed := 0, false
	fmt.Println("| defect | promise | found by case | by promise | which says |\n|---|---|---|---|---|")
	for _, d := range table {
		if *only != "" && !slices.Contains(strings.Split(*only, ","), d.name) {
			continue
		}
		found, err := d.find(root, from)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			failed = true
			continue
		}
		if found == "" {
			missed++
			found = "| - | - | |"
		}
		fmt.Printf("| %s: %s | %s %s\n", d.name, d.what, d.promise, found)
	}
	fmt.Printf("\n%d defects were not found within %d cases from seed %d on.\n", missed, from.cases, from.first)
	if failed {
		os.Exit(1)
	}
}
