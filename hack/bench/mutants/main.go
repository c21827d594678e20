// Command mutants says how much of the code that judges and taints the tests hold: it draws conditions, operators, statements and returned
// values by a seed, and negates, flips, drops or zeroes one at a time. Which of the survivors change nothing is for a person to judge.
//
//	make bench-mutants MUTANTS=100 SEED=1
package main

import (
	"flag"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// judging is what is mutated.
var judging = []string{"internal/judge", "internal/operate/assess", "internal/operate/nodevalidation", "internal/operate/taint", "internal/operate/tournament",
	"controllers/quarantine"}

func main() {
	n := flag.Int("n", 100, "how many mutants are drawn")
	from := flag.Int("from", 0, "how many of those are passed over")
	seed := flag.Uint64("seed", 1, "the seed")
	list := flag.Bool("list", false, "only list them")
	flag.Parse()
	err := func() error {
		root, err := os.Getwd()
		if err != nil {
			return err
		}
		all, err := sites(root)
		if err != nil {
			return err
		}
		drawn := draw(all, *n, *seed)[min(*from, *n):]
		if *list {
			for _, m := range drawn {
				fmt.Fprintln(os.Stdout, m)
			}
			return nil
		}
		dir, err := os.MkdirTemp("", "mutants-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		t := &together{trial: trial{root}, dir: dir, mutants: slices.Clone(drawn)}
		if err := t.build(); err != nil {
			return err
		}
		return run(os.Stdout, drawn, t.try)
	}()
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

// sites of all mutants, in the order of their files.
func sites(root string) ([]mutant, error) {
	var all []mutant
	for _, part := range judging {
		err := filepath.WalkDir(filepath.Join(root, part), func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
				return err
			}
			text, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			file, err := filepath.Rel(root, name)
			if err != nil {
				return err
			}
			of, err := mutantsOf(filepath.ToSlash(file), string(text))
			all = append(all, of...)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// draw n of them. More of one seed begin with fewer of it.
func draw(all []mutant, n int, seed uint64) []mutant {
	var drawn []mutant
	for _, i := range rand.New(rand.NewPCG(seed, 0)).Perm(len(all))[:min(n, len(all))] {
		drawn = append(drawn, all[i])
	}
	return drawn
}

// run tries each, and prints what came of it.
func run(out io.Writer, drawn []mutant, try func(mutant) (outcome, string, error)) error {
	var count [3]int
	for _, m := range drawn {
		o, by, err := try(m)
		if err != nil {
			return fmt.Errorf("%s: %w", m, err)
		}
		count[o]++
		fmt.Fprintf(out, "%s: %s %s\n", m, [...]string{"SURVIVED", "found by", "did not compile:"}[o], by)
	}
	fmt.Fprintf(out, "%d drawn, %d did not compile, %d found, %d survived\n", len(drawn), count[uncompiled], count[found], count[survived])
	return nil
}
