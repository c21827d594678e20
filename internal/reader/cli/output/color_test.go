package output

import (
	"bytes"
	"os"
	"testing"
)

// Only verdicts have colours, and they take no room.
func TestOnlyVerdictsHaveColours(t *testing.T) {
	var plain, out bytes.Buffer
	header, rows := []string{"NODE", "STATE", "MESSAGE"}, [][]string{{"Failed", "Failed", "Failed"}, {"node-2", "Passed", "x\x1b[1m"}, {"node-3", "", ""}}
	w, err := Colored(&out, ColorAlways)
	if err != nil {
		t.Fatal(err)
	}
	if err := Grid(w, header, rows); err != nil {
		t.Fatal(err)
	}
	const want = "NODE     STATE    MESSAGE\n" +
		"Failed   \x1b[31mFailed\x1b[0m   Failed\n" +
		"node-2   \x1b[32mPassed\x1b[0m   x[1m\n" +
		"node-3   -        -\n"
	if out.String() != want {
		t.Errorf("got\n%q\nwant\n%q", out.String(), want)
	}
	if got := PaintVerdict(w, "node-4: Fail, for: Fail"); got != "node-4: \x1b[31mFail\x1b[0m, for: Fail" {
		t.Errorf("got %q", got)
	}
	if got := PaintVerdict(&plain, "node-4: Fail"); got != "node-4: Fail" {
		t.Errorf("got %q", got)
	}
}

// A file has no colours unless they are asked for, nor has whoever sets NO_COLOR.
func TestWhereColoursAre(t *testing.T) {
	var file bytes.Buffer
	for when, want := range map[string]bool{ColorAuto: false, ColorNever: false, ColorAlways: true} {
		w, err := Colored(&file, when)
		if _, is := w.(colored); err != nil || is != want {
			t.Errorf("%s: %T, %v", when, w, err)
		}
	}
	if _, err := Colored(&file, "yes"); err == nil || err.Error() != "unknown --color=yes: choose one of auto, always, never" {
		t.Errorf("got %v", err)
	}
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("no terminals here: ", err)
	}
	defer terminal.Close()
	t.Setenv("TERM", "xterm")
	for noColor, want := range map[string]bool{"": true, "1": false} {
		t.Setenv("NO_COLOR", noColor)
		w, err := Colored(terminal, ColorAuto)
		if _, is := w.(colored); err != nil || is != want {
			t.Errorf("NO_COLOR=%q: %T, %v", noColor, w, err)
		}
	}
}
