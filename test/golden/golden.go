// Package golden holds what programs write against the files that tests keep of it.
package golden

import (
	"embed"
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Update says whether the files are to be written anew.
var Update = flag.Bool("update", false, "write the golden files anew")

var kept embed.FS

// Keep makes the files of a test program's own testdata known. As part of the program their content tells go test whether a result
// still holds, in a fresh clone, too, where every file is new.
func Keep(files embed.FS) bool {
	kept = files
	return true
}

// Check that a file of testdata has this text.
func Check(t *testing.T, name, got string) {
	t.Helper()
	if *Update {
		if err := os.WriteFile("testdata/"+name, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	check(t, name, Text(t, name), got)
}

func check(t *testing.T, name, want, got string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("testdata/%s (-want +got):\n%s", name, diff)
	}
}

// Text of a file of testdata.
func Text(t testing.TB, name string) string {
	t.Helper()
	text, err := kept.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
