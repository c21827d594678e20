package policy

import (
	"embed"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

//go:embed testdata
var tables embed.FS

var update = flag.Bool("update", false, "write the tables of testdata anew")

// mark ends the script of a table; what happens follows.
const mark = "----"

// TestTimeTravel plays what the head of each file of testdata tells, and compares what happens with the rest of it. A new table is a file that
// ends after its script: `go test ./internal/operate/policy -update` writes the rest.
// A status is told where it says something new: said_test.go.
func TestTimeTravel(t *testing.T) {
	files, err := fs.Glob(tables, "testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("there are no tables", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			text, err := tables.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			head, want, _ := strings.Cut(string(text), mark+"\n")
			w := newWorld(t)
			w.play(w.script(strings.Split(head, "\n")))
			got := w.said.String()
			if *update {
				if err := os.WriteFile(file, []byte(strings.TrimRight(head, "\n")+"\n"+mark+"\n"+got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
