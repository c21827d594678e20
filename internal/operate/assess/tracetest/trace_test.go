package tracetest

import (
	"embed"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

//go:embed testdata
var told embed.FS

var update = flag.Bool("update", false, "write the traces of the stories")

// end of a story's script, after which its trace comes.
const end = "---\n"

func TestMain(m *testing.M) {
	time.Local = time.UTC // what is read from JSON is in the local time
	os.Exit(m.Run())
}

// TestStories tells every story of testdata/traces, and compares what happened with its trace. Run it with -update to see a change.
func TestStories(t *testing.T) {
	stories, err := fs.Glob(told, "testdata/traces/*.txt")
	if err != nil || len(stories) == 0 {
		t.Fatalf("there are no stories: %v", err)
	}
	for _, path := range stories {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			t.Parallel()
			data, err := told.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			head, want, _ := strings.Cut(string(data), end)
			_, script, found := strings.Cut(head, "\n\n")
			if !found {
				t.Fatal("a story begins with what it is about, then comes an empty line, then its script")
			}
			got := tell(t, script).play()
			if *update {
				if err := os.WriteFile(path, []byte(strings.TrimRight(head, "\n")+"\n"+end+got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")); diff != "" {
				t.Errorf("the story went otherwise (-want +got):\n%s", diff)
			}
		})
	}
}
