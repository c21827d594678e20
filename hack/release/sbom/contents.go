package main

import (
	"archive/tar"
	"bufio"
	"bytes"
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

// inspect lists what a program, or an image in an OCI archive, is made of, sorted and each once.
func inspect(path string) ([]part, error) {
	found := map[part]bool{}
	info, err := buildinfo.ReadFile(path)
	if err == nil {
		addModules(found, info)
		return sorted(found), nil
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	blobs, err := readArchive(file)
	if err != nil {
		return nil, fmt.Errorf("it is neither a Go program nor an OCI archive: %w", err)
	}
	if err := blobs.walk("index.json", found); err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, errors.New("nothing that it could list was found in it")
	}
	return sorted(found), nil
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
		found[part{name: m.Path, version: m.Version, url: "pkg:golang/" + m.Path + "@" + m.Version}] = true
	}
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

// walk adds what the layers below an index or a manifest have. The last layer that has the list of Debian's packages has all of them.
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
	for _, l := range d.Layers {
		err := eachFile(unpacked(a[blob(l)]), func(h *tar.Header, content []byte) error {
			if isStatus(h) {
				status = content
			} else if info, err := buildinfo.Read(bytes.NewReader(content)); err == nil {
				addModules(found, info)
			}
			return nil
		}, func(h *tar.Header) bool { return isStatus(h) || h.Mode&0o111 != 0 && h.Size > 1<<20 })
		if err != nil {
			return fmt.Errorf("layer %s: %w", l.Digest, err)
		}
	}
	return addPackages(found, status)
}

func blob(d descriptor) string { return "blobs/" + strings.Replace(d.Digest, ":", "/", 1) }

func isStatus(h *tar.Header) bool { return strings.TrimPrefix(h.Name, "./") == "var/lib/dpkg/status" }

func unpacked(layer []byte) io.Reader {
	if r, err := gzip.NewReader(bytes.NewReader(layer)); err == nil {
		return r
	}
	return bytes.NewReader(layer)
}

// addPackages reads dpkg's list: paragraphs of "Name: value" lines.
func addPackages(found map[part]bool, status []byte) error {
	lines := bufio.NewScanner(bytes.NewReader(status))
	lines.Buffer(nil, 1<<20)
	fields := map[string]string{}
	end := func() {
		if strings.HasSuffix(fields["Status"], " installed") {
			name, version := fields["Package"], fields["Version"]
			found[part{name: name, version: version, url: fmt.Sprintf("pkg:deb/debian/%s@%s?arch=%s", name, version, fields["Architecture"])}] = true
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
