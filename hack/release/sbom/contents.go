package main

import (
	"archive/tar"
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
)

// largest is the most that is read of one file of an image: the operator has about 60 MB.
const largest = 512 << 20

// inspect lists what a program, or an image in an OCI archive, is made of, sorted and each once. The license is that of a program: an image has
// many, those of what it contains.
func inspect(path string) (parts []part, license string, err error) {
	found := map[part]bool{}
	info, err := buildinfo.ReadFile(path)
	if err == nil {
		addModules(found, info)
		return sorted(found), "Apache-2.0", nil
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, "", err
	}
	defer file.Close()
	blobs, err := readArchive(file)
	if err != nil {
		return nil, "", fmt.Errorf("it is neither a Go program nor an OCI archive: %w", err)
	}
	if err := blobs.walk("index.json", found); err != nil {
		return nil, "", err
	}
	if len(found) == 0 {
		return nil, "", errors.New("nothing that it could list was found in it")
	}
	return sorted(found), unknown, nil
}

func sorted(found map[part]bool) []part {
	return slices.SortedFunc(maps.Keys(found), func(a, b part) int { return strings.Compare(a.url, b.url) })
}

func addModules(found map[part]bool, info *buildinfo.BuildInfo) {
	found[part{name: "go", version: info.GoVersion, url: "pkg:golang/std@" + strings.TrimPrefix(info.GoVersion, "go")}] = true
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		found[part{name: m.Path, version: m.Version, url: "pkg:golang/" + escaped(m.Path) + "@" + escaped(m.Version)}] = true
	}
}

// escaped for a package URL: what versions have beside letters and digits, such as the + of g++ and of +incompatible, is written as bytes.
func escaped(text string) string {
	return strings.NewReplacer("%", "%25", "+", "%2B", "@", "%40", "?", "%3F", "#", "%23", " ", "%20").Replace(text)
}

// archive is the files of an OCI archive by their names.
type archive map[string][]byte

func readArchive(r io.Reader) (archive, error) {
	out := archive{}
	err := eachFile(r, func(h *tar.Header, content []byte) error {
		out[strings.TrimPrefix(h.Name, "./")] = content
		return nil
	}, func(*tar.Header) bool { return true })
	return out, err
}

func eachFile(r io.Reader, use func(*tar.Header, []byte) error, want func(*tar.Header) bool) error {
	for files := tar.NewReader(r); ; {
		h, err := files.Next()
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if h.Typeflag != tar.TypeReg || !want(h) {
			continue
		}
		content, err := io.ReadAll(io.LimitReader(files, largest))
		if err != nil {
			return err
		}
		if err := use(h, content); err != nil {
			return err
		}
	}
}

// descriptor is as much of an OCI index or manifest as leads to layers.
type descriptor struct {
	MediaType string       `json:"mediaType"`
	Digest    string       `json:"digest"`
	Manifests []descriptor `json:"manifests"`
	Layers    []descriptor `json:"layers"`
}

// walk adds what the layers below an index or a manifest have. The last layer that has the list of installed packages has all of them.
func (a archive) walk(name string, found map[part]bool) error {
	var d descriptor
	if err := json.Unmarshal(a[name], &d); err != nil {
		return fmt.Errorf("%s of the archive: %w", name, err)
	}
	for _, m := range d.Manifests {
		if err := a.walk(blob(m), found); err != nil {
			return err
		}
	}
	var status []byte
	distribution := "debian"
	for _, l := range d.Layers {
		err := eachFile(unpacked(a[blob(l)]), func(h *tar.Header, content []byte) error {
			if isStatus(h) {
				status = content
			} else if isRelease(h) {
				distribution = cmp.Or(distributionOf(content), distribution)
			} else if info, err := buildinfo.Read(bytes.NewReader(content)); err == nil {
				addModules(found, info)
			}
			return nil
		}, func(h *tar.Header) bool { return isStatus(h) || isRelease(h) || h.Mode&0o111 != 0 && h.Size > 1<<20 })
		if err != nil {
			return fmt.Errorf("layer %s: %w", l.Digest, err)
		}
	}
	return addPackages(found, distribution, status)
}

func blob(d descriptor) string { return "blobs/" + strings.Replace(d.Digest, ":", "/", 1) }

func isStatus(h *tar.Header) bool { return strings.TrimPrefix(h.Name, "./") == "var/lib/dpkg/status" }

// isRelease: /etc/os-release is usually a link to this file.
func isRelease(h *tar.Header) bool {
	return slices.Contains([]string{"usr/lib/os-release", "etc/os-release"}, strings.TrimPrefix(h.Name, "./"))
}

// distributionOf an os-release: debian, ubuntu; empty where it does not say.
func distributionOf(release []byte) string {
	for line := range strings.Lines(string(release)) {
		if id, ok := strings.CutPrefix(strings.TrimSpace(line), "ID="); ok {
			return strings.Trim(id, `"'`)
		}
	}
	return ""
}

func unpacked(layer []byte) io.Reader {
	if r, err := gzip.NewReader(bytes.NewReader(layer)); err == nil {
		return r
	}
	return bytes.NewReader(layer)
}

// addPackages reads dpkg's list: paragraphs of "Name: value" lines.
func addPackages(found map[part]bool, distribution string, status []byte) error {
	lines := bufio.NewScanner(bytes.NewReader(status))
	lines.Buffer(nil, 1<<20)
	fields := map[string]string{}
	end := func() {
		if strings.HasSuffix(fields["Status"], " installed") {
			name, version := fields["Package"], fields["Version"]
			found[part{name: name, version: version, url: fmt.Sprintf("pkg:deb/%s/%s@%s?arch=%s", distribution, escaped(name), escaped(version), fields["Architecture"])}] = true
		}
		clear(fields)
	}
	for lines.Scan() {
		if lines.Text() == "" {
			end()
		} else if name, value, ok := strings.Cut(lines.Text(), ": "); ok && !strings.HasPrefix(name, " ") {
			fields[name] = value
		}
	}
	end()
	return lines.Err()
}
