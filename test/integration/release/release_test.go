// Package release_test builds the cheap parts of a release twice, and looks at what a user would download: that it is what its version
// and checksums say, that a real API server takes it, and that one switch moves all images.
package release_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/util/yaml"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	sigsyaml "sigs.k8s.io/yaml"

	"github.com/assay-dev/assay/test/integration/apiserver"
)

const (
	version  = "v9.8.7-test.1"
	registry = "ghcr.io/assay-dev/assay"
	patience = 3 * time.Minute
)

var (
	root    = filepath.Join("..", "..", "..")
	helm    = os.Getenv("ASSAY_HELM")
	kubectl = os.Getenv("ASSAY_KUBECTL")
)

// parts builds what needs neither images nor the other platforms, as hack/release/build.sh does.
const parts = `set -euo pipefail
source hack/release/parts.sh
version="$1" registry="$2" out="$3" work="$4"
for name in manager runner bench-cpu bench-cuda bench-gromacs bench-gromacs-gpu bench-host bench-lammps bench-lammps-gpu bench-openfoam bench-openmm bench-train; do
  echo "$registry/$name:$version sha256:$(sha256sum <<<"$name" | cut -d' ' -f1) $name.tar" >>"$out/images.txt"
done
cli linux/amd64
krew >"$out/assay.yaml"
crds >"$out/crds.yaml"
install_manifest >"$out/install.yaml"
chart
checksums
sign`

func build(t *testing.T) (folder string) {
	t.Helper()
	folder = t.TempDir()
	cmd := exec.CommandContext(t.Context(), "bash", "-c", parts, "bash", version, registry, folder, t.TempDir())
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "SOURCE_DATE_EPOCH=1700000000", "CGO_ENABLED=0", "COSIGN_KEY=")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("building the parts: %v\n%s", err, out)
	}
	return folder
}

func TestRelease(t *testing.T) {
	if os.Getenv("KUBEBUILDER_ASSETS") == "" || helm == "" || kubectl == "" {
		t.Skip("KUBEBUILDER_ASSETS names no etcd and kube-apiserver, ASSAY_HELM no helm, or ASSAY_KUBECTL no kubectl; use `make test-integration`")
	}
	folder := build(t)
	t.Run("it is built to the same bytes again", func(t *testing.T) {
		if first, second := read(t, folder, "SHA256SUMS"), read(t, build(t), "SHA256SUMS"); first != second {
			t.Errorf("checksums differ:\n%s\n%s", first, second)
		}
	})
	t.Run("the checksums are those of the files", func(t *testing.T) {
		out := run(t, folder, "sha256sum", "--check", "SHA256SUMS")
		if files := strings.Count(out, ": OK"); files != 7 {
			t.Errorf("%d files, want the plugin, its SBOM and manifest, the images' list, two manifests and the chart:\n%s", files, out)
		}
	})
	t.Run("the plugin is the one that krew's manifest names", func(t *testing.T) { checkPlugin(t, folder) })
	t.Run("an API server takes the manifests", func(t *testing.T) { checkManifests(t, folder) })
	t.Run("one switch moves all images", func(t *testing.T) { checkRegistry(t, folder) })
}

func checkPlugin(t *testing.T, folder string) {
	var plugin struct {
		Spec struct {
			Version   string
			Platforms []struct{ URI, Sha256, Bin string }
		}
	}
	if err := sigsyaml.Unmarshal([]byte(read(t, folder, "assay.yaml")), &plugin); err != nil || plugin.Spec.Version != version || len(plugin.Spec.Platforms) != 1 {
		t.Fatalf("krew's manifest: %+v, %v", plugin, err)
	}
	platform := plugin.Spec.Platforms[0]
	archive := filepath.Base(platform.URI)
	if sum := run(t, folder, "sha256sum", archive); !strings.HasPrefix(sum, platform.Sha256+" ") || len(platform.Sha256) != 64 {
		t.Errorf("%s has the checksum %s, and krew expects %s", archive, sum, platform.Sha256)
	}
	run(t, folder, "tar", "-xzf", archive, "-C", folder, platform.Bin)
	if said := run(t, folder, filepath.Join(folder, platform.Bin), "--version"); !strings.Contains(said, version) {
		t.Errorf("the plugin says %q, want its version %s", said, version)
	}
}

var imageReference = regexp.MustCompile(`(?:image: |--runner-image=)(\S+)`)

// images of a manifest, which must be in one registry, all by digest.
func images(t *testing.T, manifest, host string) {
	t.Helper()
	all := imageReference.FindAllStringSubmatch(manifest, -1)
	if len(all) < 20 {
		t.Errorf("%d images, want those of the operator, the runner and the catalogue", len(all))
	}
	for _, image := range all {
		if !regexp.MustCompile(`^` + regexp.QuoteMeta(host) + `/assay-dev/assay/[a-z-]+(:v9\.8\.7-test\.1)?@sha256:[0-9a-f]{64}$`).MatchString(image[1]) {
			t.Errorf("image %s, want it from %s by digest", image[1], host)
		}
	}
}

func checkRegistry(t *testing.T, folder string) {
	chart := filepath.Join(folder, "assay-"+strings.TrimPrefix(version, "v")+".tgz")
	rendered := run(t, folder, helm, "template", "assay", chart)
	images(t, rendered, "ghcr.io")
	if !strings.Contains(rendered, "app.kubernetes.io/version: "+version) {
		t.Errorf("the chart does not install version %s", version)
	}
	images(t, run(t, folder, helm, "template", "assay", chart, "--set", "global.imageRegistry=registry.example.com"), "registry.example.com")

	images(t, read(t, folder, "install.yaml"), "ghcr.io")
	sample := read(t, root, filepath.Join("config", "samples", "registry", "kustomization.yaml"))
	if err := os.WriteFile(filepath.Join(folder, "kustomization.yaml"), []byte(sample), 0o600); err != nil {
		t.Fatal(err)
	}
	images(t, run(t, folder, kubectl, "kustomize", folder), "registry.example.com")
}

// checkManifests applies the CRDs and the namespaces for real, and of everything else asks the API server whether it would.
func checkManifests(t *testing.T, folder string) {
	ctrl.SetLogger(logr.Discard())
	config, stop, err := apiserver.Start(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	config.QPS = -1
	api, err := client.New(config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	crds := objects(t, read(t, folder, "crds.yaml"))
	if len(crds) != 7 {
		t.Errorf("crds.yaml has %d CRDs, want 7", len(crds))
	}
	all := objects(t, read(t, folder, "install.yaml"))
	for _, o := range all {
		if o.GetKind() == "Namespace" {
			crds = append(crds, o)
		}
	}
	for _, o := range crds {
		apply(t, api, o)
	}
	for _, o := range all {
		apply(t, api, o, client.DryRunAll)
	}
}

// apply waits for kinds that the server does not serve yet.
func apply(t *testing.T, api client.Client, o *unstructured.Unstructured, opts ...client.ApplyOption) {
	t.Helper()
	var last error
	err := wait.PollUntilContextTimeout(t.Context(), 50*time.Millisecond, patience, true, func(ctx context.Context) (bool, error) {
		last = api.Apply(ctx, client.ApplyConfigurationFromUnstructured(o.DeepCopy()), append(opts, client.FieldOwner("release"), client.ForceOwnership)...)
		return !meta.IsNoMatchError(last), nil
	})
	if err = errors.Join(err, last); err != nil {
		t.Errorf("the API server does not take %s %s: %v", o.GetKind(), o.GetName(), err)
	}
}

func objects(t *testing.T, text string) (out []*unstructured.Unstructured) {
	t.Helper()
	for decoder := yaml.NewYAMLOrJSONDecoder(strings.NewReader(text), 4096); ; {
		o := &unstructured.Unstructured{}
		if err := decoder.Decode(&o.Object); errors.Is(err, io.EOF) {
			return out
		} else if err != nil {
			t.Fatal(err)
		}
		if o.Object != nil {
			out = append(out, o)
		}
	}
}

func read(t *testing.T, folder, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func run(t *testing.T, folder, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = folder
	var complaint strings.Builder
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, complaint.String()))
	}
	return string(out)
}
