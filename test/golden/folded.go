package golden

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// fewestLines that are recorded as those of another file: less would hide more than it spares.
const fewestLines = 3

// CheckBeside checks that a file of testdata has this text. Lines that stand in the file base, too, are recorded there only: the file names them by how many
// they are and by the first, so that it shows what is different, and still holds every line. -update wants base as it is to be.
func CheckBeside(t *testing.T, name, base, got string) {
	t.Helper()
	if *Update {
		text, err := os.ReadFile("testdata/" + base)
		if err != nil {
			t.Fatal(err)
		}
		folded := foldedBeside(base, lines(string(text)), lines(got))
		Check(t, name, strings.Join(folded, ""))
		return
	}
	check(t, name, strings.Join(unfoldedBeside(base, lines(Text(t, base)), lines(Text(t, name))), ""), got)
}

func lines(text string) []string { return slices.Collect(strings.Lines(text)) }

func foldedBeside(base string, there, got []string) (all []string) {
	for len(got) > 0 {
		same := 0
		if at := slices.Index(there, got[0]); at >= 0 && strings.TrimSpace(got[0]) != "" {
			for same < len(got) && at+same < len(there) && got[same] == there[at+same] {
				same++
			}
		}
		if same < fewestLines {
			same = 1
			all = append(all, got[0])
		} else {
			all = append(all, fmt.Sprintf(reference, same, base, got[0]))
		}
		got = got[same:]
	}
	return all
}

// reference to lines of another file.
const reference = "[%d lines of %s, from here] %s"

func unfoldedBeside(base string, there, folded []string) (all []string) {
	for _, line := range folded {
		count := 0
		if _, err := fmt.Sscanf(line, "[%d lines of "+base+", from here]", &count); err != nil {
			all = append(all, line)
			continue
		}
		_, first, _ := strings.Cut(line, "from here] ")
		at := slices.Index(there, first)
		if at < 0 || at+count > len(there) {
			return append(all, fmt.Sprintf("%s has no such %d lines: %s", base, count, first))
		}
		all = append(all, there[at:at+count]...)
	}
	return all
}

// widest line of a file that folded JSON has.
const widest = 150

// CheckJSON checks that a file of testdata has these documents, each object and list of them on one line if there is room for it. Nothing else is changed: what
// is not indented as it should be is not folded.
func CheckJSON(t *testing.T, name, got string) {
	t.Helper()
	Check(t, name, strings.Join(foldedJSON(strings.Split(got, "\n")), "\n"))
}

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
