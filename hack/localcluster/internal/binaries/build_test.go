package binaries

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestBuildThatFailsShowsTheEndOfItsLog(t *testing.T) {
	t.Setenv("PATH", fakeGo(t, `case "$1" in mod) echo '{"Dir": "/"}';; list) ;; *) seq 500; exit 1;; esac`)+":"+os.Getenv("PATH"))
	c := component{name: "probe", packages: []string{"example.com/probe"}}
	cache := t.TempDir()
	err := c.ensure(context.Background(), cache, io.Discard)
	if err == nil {
		t.Fatal("no error")
	}
	text := err.Error()
	if !strings.HasPrefix(text, "building probe-"+KubernetesVersion) || !strings.Contains(text, "exit status 1; the end of ") ||
		!strings.HasSuffix(text, "\n499\n500") || strings.Contains(text, "\n400\n") {
		t.Errorf("got %q", text)
	}
	if _, err := os.Stat(filepath.Join(cache, c.id())); err == nil {
		t.Error("a build that failed is in the cache")
	}
}

func TestBuildTellsPackagesDoneOfPackagesToDo(t *testing.T) {
	t.Setenv("PATH", fakeGo(t, `case "$1" in
mod) echo '{"Dir": "/"}';;
list) echo 'not installed but available in build cache'; for i in 1 2 3; do echo 'stale dependency: x'; done; echo;;
*) echo 'go: downloading example.com/x v1' >&2; sleep 0.1; echo example.com/x >&2;; esac`)+":"+os.Getenv("PATH"))
	var progress bytes.Buffer
	c := component{name: "probe", packages: []string{"example.com/probe"}}
	if err := c.ensure(context.Background(), t.TempDir(), &progress); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(progress.String(), "1 of 3 packages\n") {
		t.Errorf("got %q", progress.String())
	}
}

func TestProgressCountsPackagesInPiecesOfOutput(t *testing.T) {
	var progress bytes.Buffer
	c := &counter{log: io.Discard, progress: &progress, todo: 2}
	for _, piece := range []string{"a/", "b\nc", "/d\n# e\n"} {
		fmt.Fprint(c, piece)
	}
	if c.done != 2 {
		t.Errorf("%d packages in two lines", c.done)
	}
}

// fakeGo is a folder with a program `go` that does what the script says.
func fakeGo(t *testing.T, script string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "go"), []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}
