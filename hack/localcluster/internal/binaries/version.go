package binaries

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Version of Kubernetes whose programs a set has; empty: that of go.mod.
type Version string

var released = regexp.MustCompile(`^v1\.[0-9]+\.[0-9]+$`)

// ParseVersion reads a version with or without its v.
func ParseVersion(text string) (Version, error) {
	version := "v" + strings.TrimPrefix(text, "v")
	switch {
	case text == "" || version == KubernetesVersion:
		return "", nil
	case !released.MatchString(version):
		return "", fmt.Errorf("Kubernetes %q: want a release, such as %s", text, KubernetesVersion)
	}
	return Version(version), nil
}

// components of the version's set. What is in a later one replaces what an earlier one has by the same name.
func (v Version) components() []component {
	all := []component{programs(), containerd()}
	if v != "" {
		all = append(all, kubernetes(string(v)))
	}
	return all
}

// id names the version's set in the cache.
func (v Version) id() string {
	if v == "" {
		return programs().id()
	}
	return programs().id() + "-" + kubernetes(string(v)).id()
}

// useGraph gives the sources the graph of modules that a version of Kubernetes is released with, so that it is what others run.
func useGraph(ctx context.Context, source, version string, log io.Writer) error {
	dir, err := download(ctx, source, kubernetesModule+"@"+version, log)
	if err != nil {
		return err
	}
	for name, edit := range map[string]func(string) string{
		"go.mod": func(text string) string { return graph(text, version) },
		"go.sum": func(text string) string { return text },
	} {
		content, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return fmt.Errorf("reading the modules of Kubernetes %s: %w", version, err)
		}
		if err := os.WriteFile(filepath.Join(source, name), []byte(edit(string(content))), 0o644); err != nil {
			return err
		}
	}
	return nil
}

var (
	itsName = regexp.MustCompile(`(?m)^module .*$`)
	staged  = regexp.MustCompile(`(?m) => \./staging/src/(\S+)$`)
)

// graph is Kubernetes's own go.mod for a module that requires Kubernetes: the folders by which it replaces some modules are not in what it
// publishes, but they are published as modules, v1.2.3 as v0.2.3.
func graph(mod, version string) string {
	mod = itsName.ReplaceAllString(mod, "module localcluster")
	mod = staged.ReplaceAllString(mod, " => $1 v0"+strings.TrimPrefix(version, "v1"))
	return mod + "\nrequire " + kubernetesModule + " " + version + "\n"
}
