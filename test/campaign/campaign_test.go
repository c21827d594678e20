package campaign

import (
	"embed"
	"encoding/json"
	"flag"
	"os"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/assay-dev/assay/test/campaign/cases"
	"github.com/assay-dev/assay/test/campaign/sim"
)

var (
	count = flag.Int("cases", 200, "how many cases are played")
	seed  = flag.Uint64("seed", 1, "the seed of the first case")
	step  = flag.Uint64("step", 1, "how far apart the seeds are: every fourth case, from seed 1 on, takes single devices out of service")
	first = flag.Bool("first", false, "stop at the first case that breaks a promise, and do not shrink it")
	story = flag.Bool("story", false, "tell the first case, whether it breaks a promise or not")
)

// TestMain: a case needs little memory, and most of the time of collecting it is the price of collecting it often.
func TestMain(m *testing.M) {
	debug.SetGCPercent(2000)
	os.Exit(m.Run())
}

// TestCampaign plays cases from a seed on. Each that breaks a promise is shrunk and told.
func TestCampaign(t *testing.T) {
	if *story {
		c := cases.Generate(*seed)
		o := Play(c, true)
		t.Logf("%s\n%s", c, strings.Join(o.Story, "\n"))
	}
	told := 0
	figures := Run(*seed, *step, *count, func(c cases.Case, o sim.Outcome) bool {
		t.Errorf("case %d breaks %s after %s: %s", c.Seed, o.Violations[0].Promise, o.Violations[0].At, o.Violations[0].Text)
		if *first {
			return false
		}
		if told++; told <= 3 {
			smaller, o := Shrink(c)
			kept, _ := json.Marshal(smaller)
			t.Errorf("%s\n\n%s\n\nto be kept in testdata: %s", smaller, strings.Join(o.Story, "\n"), kept)
		}
		return true
	})
	t.Logf("%s\n%s", figures, figures.Table())
}

//go:embed testdata
var kept embed.FS

// TestKeptCases broke a promise once. Each file has the case as it was cut down, and is named after what was wrong.
func TestKeptCases(t *testing.T) {
	files, err := kept.ReadDir("testdata")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d cases are kept, error %v", len(files), err)
	}
	for _, file := range files {
		t.Run(file.Name(), func(t *testing.T) {
			text, err := kept.ReadFile("testdata/" + file.Name())
			if err != nil {
				t.Fatal(err)
			}
			var c cases.Case
			if err := json.Unmarshal(text, &c); err != nil {
				t.Fatal(err)
			}
			if o := Play(c, true); len(o.Violations) > 0 {
				t.Errorf("%s\n%s", c, strings.Join(o.Story, "\n"))
			}
		})
	}
}

// TestOneSeedIsOneHistory: a case played twice is the same, byte for byte. In some of the last clocks jump, nodes are measured together, or writers work in parallel.
func TestOneSeedIsOneHistory(t *testing.T) {
	for _, seed := range []uint64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 13, 34, 81, 102} {
		a, b := Play(cases.Generate(seed), true), Play(cases.Generate(seed), true)
		if a.Digest == b.Digest {
			continue
		}
		t.Errorf("seed %d is another history the second time", seed)
		for _, of := range [][2][]string{{a.Story, b.Story}, {a.Texts, b.Texts}} {
			for i := range min(len(of[0]), len(of[1])) {
				if of[0][i] != of[1][i] {
					t.Fatalf("line %d: %q is %q", i, of[0][i], of[1][i])
				}
			}
		}
	}
}
