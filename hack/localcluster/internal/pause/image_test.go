package pause

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"testing"
)

func TestArchiveHoldsEveryBlobThatItNames(t *testing.T) {
	archive, err := build([]byte("program"))
	if err != nil {
		t.Fatal(err)
	}
	files := untar(t, archive)
	for name, content := range files {
		if sum := fmt.Sprintf("blobs/sha256/%x", sha256.Sum256(content)); len(name) == len(sum) && name != sum {
			t.Errorf("blob %s has the content of %s", name, sum)
		}
	}
	var index struct{ Manifests []descriptor }
	if err := json.Unmarshal(files["index.json"], &index); err != nil || len(index.Manifests) != 1 {
		t.Fatalf("index: %v, %v", index, err)
	}
	if got := index.Manifests[0].Annotations["io.containerd.image.name"]; got != Image {
		t.Errorf("named %q", got)
	}
	blob := func(d descriptor) []byte {
		content, ok := files["blobs/sha256/"+d.Digest[len("sha256:"):]]
		if !ok || len(content) != d.Size {
			t.Fatalf("%s is missing or has another size", d.Digest)
		}
		return content
	}
	var manifest struct {
		Config descriptor
		Layers []descriptor
	}
	if err := json.Unmarshal(blob(index.Manifests[0]), &manifest); err != nil {
		t.Fatal(err)
	}
	blob(manifest.Config)
	if got := untar(t, blob(manifest.Layers[0]))["pause"]; string(got) != "program" {
		t.Errorf("the layer's program is %q", got)
	}
}

func untar(t *testing.T, content []byte) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	r := tar.NewReader(bytes.NewReader(content))
	for {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if files[header.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
}
