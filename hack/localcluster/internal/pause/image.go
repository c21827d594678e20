// Package pause wraps the pause program into an image, so that pods start
// without a registry.
package pause

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
)

// Image is the name under which the archive's image is imported.
const Image = "localhost/assay-pause:1"

type descriptor struct {
	MediaType   string            `json:"mediaType"`
	Digest      string            `json:"digest"`
	Size        int               `json:"size"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

// WriteArchive writes an OCI archive of an image whose only file is the program.
func WriteArchive(program, archive string) error {
	binary, err := os.ReadFile(program)
	if err != nil {
		return fmt.Errorf("making the pause image: %w", err)
	}
	content, err := build(binary)
	if err != nil {
		return fmt.Errorf("making the pause image: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(archive), 0o755); err != nil {
		return err
	}
	return os.WriteFile(archive, content, 0o644)
}

func build(binary []byte) ([]byte, error) {
	layer, err := tarball([]file{{name: "pause", mode: 0o755, content: binary}})
	if err != nil {
		return nil, err
	}
	var blobs []file
	add := func(mediaType string, content []byte) descriptor {
		sum := fmt.Sprintf("%x", sha256.Sum256(content))
		blobs = append(blobs, file{name: "blobs/sha256/" + sum, mode: 0o644, content: content})
		return descriptor{MediaType: mediaType, Digest: "sha256:" + sum, Size: len(content)}
	}
	layerDescriptor := add("application/vnd.oci.image.layer.v1.tar", layer)
	config, err := json.Marshal(map[string]any{
		"architecture": runtime.GOARCH,
		"os":           "linux",
		"config":       map[string]any{"Entrypoint": []string{"/pause"}, "User": "65535:65535"},
		"rootfs":       map[string]any{"type": "layers", "diff_ids": []string{layerDescriptor.Digest}},
	})
	if err != nil {
		return nil, err
	}
	manifest, err := json.Marshal(map[string]any{
		"schemaVersion": 2,
		"mediaType":     "application/vnd.oci.image.manifest.v1+json",
		"config":        add("application/vnd.oci.image.config.v1+json", config),
		"layers":        []descriptor{layerDescriptor},
	})
	if err != nil {
		return nil, err
	}
	top := add("application/vnd.oci.image.manifest.v1+json", manifest)
	top.Annotations = map[string]string{
		"io.containerd.image.name":          Image,
		"org.opencontainers.image.ref.name": Image,
	}
	index, err := json.Marshal(map[string]any{"schemaVersion": 2, "manifests": []descriptor{top}})
	if err != nil {
		return nil, err
	}
	return tarball(append(blobs,
		file{name: "index.json", mode: 0o644, content: index},
		file{name: "oci-layout", mode: 0o644, content: []byte(`{"imageLayoutVersion":"1.0.0"}`)}))
}

type file struct {
	name    string
	mode    int64
	content []byte
}

func tarball(files []file) ([]byte, error) {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, f := range files {
		header := &tar.Header{Typeflag: tar.TypeReg, Name: f.name, Mode: f.mode, Size: int64(len(f.content))}
		if err := w.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := io.Copy(w, bytes.NewReader(f.content)); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
