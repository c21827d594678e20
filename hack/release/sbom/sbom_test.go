package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spdx/tools-golang/json"
)

func TestAProgramIsTheModulesItWasBuiltFrom(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	found, license, err := inspect(self)
	if err != nil {
		t.Fatal(err)
	}
	if license != "Apache-2.0" {
		t.Errorf("its license is %s", license)
	}
	for _, want := range []string{"go", "github.com/spdx/tools-golang"} {
		if !slices.ContainsFunc(found, func(p part) bool { return p.name == want && p.version != "" }) {
			t.Errorf("%s is not among the parts of this test, which uses it: %v", want, found)
		}
	}
}

func TestAnImageIsThePackagesOfItsLastLayer(t *testing.T) {
	first := "Package: gone\nStatus: install ok installed\nVersion: 1\nArchitecture: amd64\n"
	last := "Package: g++\nStatus: install ok installed\nVersion: 4:13.2+b1\nArchitecture: amd64\n\nPackage: libc6\nStatus: install ok installed\nVersion: 2.36-9\nArchitecture: amd64\nDescription: C library\n of GNU\n\n" +
		"Package: left\nStatus: deinstall ok config-files\nVersion: 1\nArchitecture: amd64\n"
	path := filepath.Join(t.TempDir(), "image.tar")
	err := os.WriteFile(path, pack(t, map[string]string{
		"index.json":     `{"manifests": [{"digest": "sha256:1"}]}`,
		"blobs/sha256/1": `{"layers": [{"digest": "sha256:2"}, {"digest": "sha256:3"}]}`,
		"blobs/sha256/2": squeeze(t, pack(t, map[string]string{"var/lib/dpkg/status": first, "usr/lib/os-release": "NAME=\"Ubuntu\"\nVERSION_ID=\"24.04\"\nID=ubuntu\nID_LIKE=debian\n"})),
		"blobs/sha256/3": string(pack(t, map[string]string{"./var/lib/dpkg/status": last})),
	}), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	found, license, err := inspect(path)
	if err != nil {
		t.Fatal(err)
	}
	if license != unknown {
		t.Errorf("the license of an image is %s, and it contains packages with others", license)
	}
	want := []part{{"g++", "4:13.2+b1", "pkg:deb/ubuntu/g%2B%2B@4:13.2%2Bb1?arch=amd64"}, {"libc6", "2.36-9", "pkg:deb/ubuntu/libc6@2.36-9?arch=amd64"}}
	if diff := cmp.Diff(want, found, cmp.AllowUnexported(part{})); diff != "" {
		t.Errorf("parts (-want +got):\n%s", diff)
	}
}

func TestWhatIsNoImageIsRefused(t *testing.T) {
	for sentence, content := range map[string][]byte{
		"text": []byte("hello"), "an archive without an index": pack(t, map[string]string{"a": "b"}),
		"an empty image": pack(t, map[string]string{"index.json": "{}"}),
	} {
		path := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		if found, _, err := inspect(path); err == nil {
			t.Errorf("%s is taken for an image of %v", sentence, found)
		}
	}
}

// TestTheSameContentsGiveTheSameDocument, one that SPDX's own library reads.
func TestTheSameContentsGiveTheSameDocument(t *testing.T) {
	write := func(parts ...part) string {
		var out bytes.Buffer
		if err := json.Write(document("runner", "v1.0.0", "Apache-2.0", time.Unix(1700000000, 0), parts), &out); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	a := part{"a/b", "v1", "pkg:golang/a/b@v1"}
	if first, second := write(a), write(a); first != second {
		t.Error("two documents of the same contents differ")
	}
	got, err := json.Read(strings.NewReader(write(a)))
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Packages) != 2 || got.Packages[1].PackageName != "a/b" || got.CreationInfo.Created != "2023-11-14T22:13:20Z" || len(got.Relationships) != 2 {
		t.Errorf("read back: %+v", got)
	}
	other, err := json.Read(strings.NewReader(write(part{"a/b", "v2", "pkg:golang/a/b@v2"})))
	if err != nil || other.DocumentNamespace == got.DocumentNamespace {
		t.Errorf("documents of different contents share the namespace %s (%v)", got.DocumentNamespace, err)
	}
}

func pack(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for name, content := range files {
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(content)), Typeflag: tar.TypeReg}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func squeeze(t *testing.T, content []byte) string {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}
