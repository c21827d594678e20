package binaries

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestBuildThatFailsShowsTheEndOfItsLog(t *testing.T) {
	t.Setenv("PATH", fakeGo(t, "seq 500; exit 1")+":"+os.Getenv("PATH"))
	c := component{name: "probe", version: "v1", packages: []string{"example.com/probe"}}
	err := c.ensure(context.Background(), t.TempDir(), "[1/1]", io.Discard)
	if err == nil {
		t.Fatal("no error")
	}
	text := err.Error()
	if !strings.HasPrefix(text, "building probe v1: exit status 1; the end of ") || !strings.HasSuffix(text, "\n499\n500") || strings.Contains(text, "\n400\n") {
		t.Errorf("got %q", text)
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
