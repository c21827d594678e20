package runs

import "strings"

// terminal is one as most are today: it folds what is too wide, and folds anew when its width changes. It knows the sequences that
// screen writes and panics at all others.
type terminal struct {
	width, height int
	rows          []string // of all that was ever written, the last ones are visible
	folded        []bool   // the row goes on in the next one
	row, column   int
	cut           bool
}

func newTerminal(width, height int) *terminal {
	return &terminal{width: width, height: height, rows: []string{""}, folded: []bool{false}}
}

func (t *terminal) size() (int, int) { return t.width, t.height }

func (t *terminal) Write(p []byte) (int, error) {
	for text := string(p); text != ""; {
		switch {
		case strings.HasPrefix(text, lineUp):
			t.row, text = max(len(t.rows)-t.height, t.row-1, 0), text[len(lineUp):]
		case strings.HasPrefix(text, toEnd):
			t.rows, t.folded = append(t.rows[:t.row:t.row], ""), append(t.folded[:t.row:t.row], false)
			t.column, text = 0, text[len(toEnd):]
		case strings.HasPrefix(text, cutLines):
			t.cut, text = true, text[len(cutLines):]
		case strings.HasPrefix(text, foldThem):
			t.cut, text = false, text[len(foldThem):]
		default:
			r := []rune(text)[0]
			text = text[len(string(r)):]
			t.put(r)
		}
	}
	return len(p), nil
}

func (t *terminal) put(r rune) {
	switch {
	case r == '\n':
		t.next()
		return
	case r < ' ' || r == 0x7f:
		panic("a control character reached the terminal")
	case t.column == t.width && t.cut:
		return
	case t.column == t.width:
		t.folded[t.row] = true
		t.next()
	}
	line := []rune(t.rows[t.row])
	t.rows[t.row] = string(append(line[:t.column:t.column], r))
	t.column++
}

func (t *terminal) next() {
	t.row, t.column = t.row+1, 0
	if t.row == len(t.rows) {
		t.rows, t.folded = append(t.rows, ""), append(t.folded, false)
	}
}

// resize folds all rows anew. The cursor stays at the end, where screen leaves it.
func (t *terminal) resize(width, height int) {
	var lines []string
	line := ""
	for i, row := range t.rows {
		line += row
		if !t.folded[i] {
			lines, line = append(lines, line), ""
		}
	}
	t.width, t.height, t.rows, t.folded = width, height, nil, nil
	for _, line := range lines {
		for runes := []rune(line); ; runes = runes[width:] {
			if len(runes) <= width {
				t.rows, t.folded, t.column = append(t.rows, string(runes)), append(t.folded, false), len(runes)
				break
			}
			t.rows, t.folded = append(t.rows, string(runes[:width])), append(t.folded, true)
		}
	}
	t.row = len(t.rows) - 1
}

// text is all that can be read, by scrolling up as well.
func (t *terminal) text() string { return strings.Join(t.rows, "\n") }
