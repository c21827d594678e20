package golden

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// fewestLines that are recorded as those of another file: less would hide more than it spares.
const fewestLines = 3

// Base is a text of which others have lines, too.
type Base struct{ Name, Text string }

// File of testdata, as a base.
func File(t *testing.T, name string) Base {
	t.Helper()
	if !*Update {
		return Base{name, Text(t, name)}
	}
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return Base{name, string(text)}
}

// CheckBeside checks that a file of testdata has this text. Lines that a base has, too, stand there only: the file names them by how many they are and by the
// first, so that it shows what is different, and still holds every line. -update wants the bases as they are to be.
func CheckBeside(t *testing.T, name, got string, bases ...Base) {
	t.Helper()
	if *Update {
		Check(t, name, strings.Join(foldedBeside(bases, lines(got)), ""))
		return
	}
	check(t, name, strings.Join(unfoldedBeside(bases, lines(Text(t, name))), ""), got)
}

func lines(text string) []string { return slices.Collect(strings.Lines(text)) }

func foldedBeside(bases []Base, got []string) (all []string) {
	for len(got) > 0 {
		line, most := got[0], 1
		for _, base := range bases {
			if n := linesOf(base, got); n >= fewestLines && n > most {
				line, most = fmt.Sprintf("[%d lines of %s, from here] %s", n, base.Name, got[0]), n
			}
		}
		all, got = append(all, line), got[most:]
	}
	return all
}

// linesOf a base with which a text begins.
func linesOf(base Base, got []string) (n int) {
	there := lines(base.Text)
	at := slices.Index(there, got[0])
	if at < 0 || strings.TrimSpace(got[0]) == "" {
		return 0
	}
	for n < len(got) && at+n < len(there) && got[n] == there[at+n] {
		n++
	}
	return n
}

var reference = regexp.MustCompile(`^\[(\d+) lines of (.*), from here\] (.*\n?)$`)

func unfoldedBeside(bases []Base, folded []string) (all []string) {
	for _, line := range folded {
		m := reference.FindStringSubmatch(line)
		i := slices.IndexFunc(bases, func(b Base) bool { return m != nil && b.Name == m[2] })
		if i < 0 {
			all = append(all, line)
			continue
		}
		there := lines(bases[i].Text)
		at := slices.Index(there, m[3])
		count, err := strconv.Atoi(m[1])
		if at < 0 || err != nil || at+count > len(there) {
			return append(all, "no longer there: "+line)
		}
		all = append(all, there[at:at+count]...)
	}
	return all
}

// widest line of a file that folded JSON has.
const widest = 150

// FoldJSON writes each object and list of indented JSON on one line, if there is room for it. Nothing else is changed: what is not indented as it should be is
// not folded.
func FoldJSON(text string) string { return strings.Join(foldedJSON(strings.Split(text, "\n")), "\n") }

func foldedJSON(lines []string) (all []string) {
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
		if strings.HasSuffix(line, "{") || strings.HasSuffix(line, "[") {
			end := i + 1
			for end < len(lines) && strings.HasPrefix(lines[end], indent+"  ") {
				end++
			}
			if end < len(lines) && closes.MatchString(strings.TrimPrefix(lines[end], indent)) {
				if one := joinedJSON(lines[i : end+1]); len(one) <= widest {
					line, i = one, end
				}
			}
		}
		all = append(all, line)
	}
	return all
}

// closes an object or a list.
var closes = regexp.MustCompile(`^[\]}],?$`)

func joinedJSON(lines []string) string {
	one := lines[0]
	for _, line := range lines[1:] {
		if strings.HasSuffix(one, ",") {
			one += " "
		}
		one += strings.TrimLeft(line, " ")
	}
	return one
}
