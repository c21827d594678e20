package golden

import (
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var only = flag.Int("case", -1, "show what this drawn case comes to, and compare nothing (with -v)")

// Sums checks that each of so many drawn cases comes to what it came to before. Code is made smaller again and again, and what it decides is to stay what
// it is, in corners, too, of which nobody thought: chance goes there. Whether an outcome is right, other tests say; nobody would read thousands of lines
// of outcomes, so that testdata/NAME.sums has 8 hexadecimal digits of each. What was meant to change an outcome is kept by -update, and its commit says
// which outcomes, and why.
//
// The text of a case is what people would notice: verdicts, rules, bounds, and who is named. It has no sentences (Figures), and 6 digits of each number: where a
// processor multiplies and adds in one, the last are others.
func Sums(t *testing.T, name string, cases int, text func(*rand.Rand) string) {
	t.Helper()
	if *only >= 0 {
		t.Logf("case %d:\n%s", *only, rounded(text(seeded(*only))))
		return
	}
	texts, now := make([]string, cases), make([]string, cases)
	for i := range cases {
		texts[i] = rounded(text(seeded(i)))
		now[i] = fmt.Sprintf("%x", sha256.Sum256([]byte(texts[i])))[:8]
	}
	file := name + ".sums"
	if *Update {
		var out strings.Builder
		for line := range slices.Chunk(now, 16) {
			fmt.Fprintln(&out, strings.Join(line, " "))
		}
		if err := os.WriteFile("testdata/"+file, []byte(out.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	before := strings.Fields(Text(t, file))
	if len(before) != cases {
		t.Fatalf("testdata/%s has %d cases, not %d: -update writes it anew", file, len(before), cases)
	}
	var differ []int
	for i := range cases {
		if now[i] != before[i] {
			differ = append(differ, i)
		}
	}
	for _, i := range differ[:min(2, len(differ))] {
		t.Errorf("case %d comes to something else than before. Now:\n%s\n", i, texts[i])
	}
	if len(differ) > 0 {
		t.Errorf("%d of %d cases of testdata/%s differ: %v. What one was before, this says in the same folder on the commit before:\n\tgo test -run '^%s$' -v . -case %d\n"+
			"If it was meant to change, -update keeps what is now; say in the commit which outcomes changed, and why", len(differ), cases, file, differ[:min(20, len(differ))], t.Name(), differ[0])
	}
}

func seeded(i int) *rand.Rand { return rand.New(rand.NewPCG(uint64(i), 1)) }

// One of several values.
func One[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

var (
	sentence = regexp.MustCompile(`"[mM]essage":"((?:[^"\\]|\\.)*)"`)
	fraction = regexp.MustCompile(`-?\b\d+\.\d+(e[-+]\d+)?\b`)
)

// rounded is a text with at most 6 digits of each number.
func rounded(text string) string {
	return fraction.ReplaceAllStringFunc(text, func(number string) string {
		v, err := strconv.ParseFloat(number, 64)
		if err != nil {
			return number
		}
		return strconv.FormatFloat(v, 'g', 6, 64)
	})
}

// Told is a value as JSON, with figures in place of its messages.
func Told(v any) string {
	var out strings.Builder
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	return strings.TrimSpace(sentence.ReplaceAllStringFunc(out.String(), func(m string) string { return `"figures":"` + Figures(sentence.FindStringSubmatch(m)[1]) + `"` }))
}

// Figures are the words of a sentence that have a digit: numbers, and names of nodes and parts. How they are put in words, other tests hold.
func Figures(sentence string) string {
	return strings.Join(slices.DeleteFunc(strings.Fields(sentence), func(word string) bool { return !strings.ContainsAny(word, "0123456789") }), " ")
}
