package binaries

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestParseVersion(t *testing.T) {
	for text, want := range map[string]Version{
		"": "", KubernetesVersion: "", strings.TrimPrefix(KubernetesVersion, "v"): "", "1.35.4": "v1.35.4", "v1.36.3": "v1.36.3",
	} {
		if got, err := ParseVersion(text); err != nil || got != want {
			t.Errorf("%q: got %q, %v, want %q", text, got, err, want)
		}
	}
	for _, text := range []string{"1.35", "latest", "v2.0.0", "1.35.4/../x"} {
		if got, err := ParseVersion(text); err == nil {
			t.Errorf("%q is read as %q", text, got)
		}
	}
}

// The set of another version has its programs in the place of the usual ones, and changes nothing about the usual set.
func TestTheSetOfAnotherVersionHasItsPrograms(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	cache, err := CacheDir()
	if err != nil {
		t.Fatal(err)
	}
	const other = Version("v1.35.4")
	for file, c := range map[string]component{"localcluster": programs(), "pause": programs(), "containerd": containerd()} {
		write(t, filepath.Join(cache, c.id(), file), c.id())
	}
	write(t, filepath.Join(cache, kubernetes(string(other)).id(), "localcluster"), kubernetes(string(other)).id())
	for version, want := range map[Version]string{"": programs().id(), other: kubernetes(string(other)).id()} {
		set, err := Build(context.Background(), version, io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range links {
			if got, err := os.ReadFile(set.Path(name)); err != nil || string(got) != want {
				t.Errorf("%q: %s is of %q, want %q; %v", version, name, got, want, err)
			}
		}
		if found, ok := Find(version); !ok || found != set {
			t.Errorf("%q: built %v, found %v", version, set, found)
		}
	}
}

func TestAnExtraOfOtherSourcesIsBuiltAgain(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	cache, err := CacheDir()
	if err != nil {
		t.Fatal(err)
	}
	for file, c := range map[string]component{"localcluster": programs(), "pause": programs(), "containerd": containerd(), "dra-driver": DRADriver.component()} {
		write(t, filepath.Join(cache, c.id(), file), "")
	}
	set, err := Build(context.Background(), "", io.Discard)
	if err != nil || set.Has(DRADriver) {
		t.Fatalf("a set without extras: %v, has the DRA driver: %v", err, set.Has(DRADriver))
	}
	write(t, filepath.Join(cache, "dra-driver-of-yesterday", "dra-driver"), "")
	if err := os.Symlink("../dra-driver-of-yesterday/dra-driver", set.Path("dra-driver")); err != nil || set.Has(DRADriver) {
		t.Errorf("a program of other sources passes for that of these: %v", err)
	}
	if set, err = Build(context.Background(), "", io.Discard, DRADriver); err != nil || !set.Has(DRADriver) {
		t.Errorf("got %v, has the DRA driver: %v", err, set.Has(DRADriver))
	}
}

func TestNobodyWaitsForTheBuildOfAnotherVersion(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	cache, err := CacheDir()
	if err != nil {
		t.Fatal(err)
	}
	for file, c := range map[string]component{"localcluster": programs(), "pause": programs(), "containerd": containerd()} {
		write(t, filepath.Join(cache, c.id(), file), "")
	}
	started, stop := filepath.Join(t.TempDir(), "started"), filepath.Join(t.TempDir(), "stop")
	t.Setenv("PATH", fakeGo(t, "touch "+started+"; while [ ! -e "+stop+" ]; do sleep 0.05; done; exit 1")+":"+os.Getenv("PATH"))
	ended := make(chan error)
	go func() {
		_, err := Build(context.Background(), "v1.35.4", io.Discard)
		ended <- err
	}()
	for err := os.ErrNotExist; err != nil; _, err = os.Stat(started) {
		runtime.Gosched()
	}
	if _, err := Build(context.Background(), "", io.Discard); err != nil {
		t.Error(err)
	}
	write(t, stop, "")
	if err := <-ended; err == nil {
		t.Error("a build that fails is none")
	}
}

func write(t *testing.T, file, content string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(content), 0o755)); err != nil {
		t.Fatal(err)
	}
}

func TestTheGraphOfAnotherVersion(t *testing.T) {
	got := graph(`// This is a generated file.
module k8s.io/kubernetes

require (
	github.com/google/cel-go v0.26.0
	k8s.io/api v0.0.0
)

replace (
	k8s.io/api => ./staging/src/k8s.io/api
)
`, "v1.35.4")
	for _, want := range []string{"\nmodule localcluster\n", "\tgithub.com/google/cel-go v0.26.0\n", "\tk8s.io/api => k8s.io/api v0.35.4\n", "\nrequire k8s.io/kubernetes v1.35.4\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in:\n%s", want, got)
		}
	}
}

func TestAnotherVersionSaysWhatItIs(t *testing.T) {
	flags := strings.Join(kubernetes("v1.35.4").flags(), " ")
	for _, want := range []string{"version.gitVersion=v1.35.4 ", "version.gitMajor=1 ", "version.gitMinor=35 ", "-mod=mod"} {
		if !strings.Contains(flags, want) {
			t.Errorf("%q is not in %q", want, flags)
		}
	}
	if usual := strings.Join(programs().flags(), " "); strings.Contains(usual, "-mod") {
		t.Errorf("the usual programs are built with %q", usual)
	}
}
