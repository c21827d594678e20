package binaries

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	localcluster "github.com/assay-dev/assay/hack/localcluster"
	"github.com/assay-dev/assay/hack/localcluster/internal/lock"
)

// Build builds what is missing of the set for a version of Kubernetes, with the extras that are asked for, and tells its progress.
func Build(ctx context.Context, version Version, progress io.Writer, extras ...Extra) (Set, error) {
	if set, ok := Find(version); ok && !slices.ContainsFunc(extras, func(e Extra) bool { return !set.Has(e) }) {
		return set, nil
	}
	cache, err := CacheDir()
	if err != nil {
		return Set{}, err
	}
	all := version.components()
	for _, e := range extras {
		all = append(all, e.component())
	}
	for _, c := range all {
		if err := c.ensure(ctx, cache, progress); err != nil {
			return Set{}, err
		}
	}
	release, err := lock.Acquire(filepath.Join(cache, "build.lock"), func() {})
	if err != nil {
		return Set{}, err
	}
	defer release()
	set, complete := Find(version)
	if !complete {
		set = setOf(cache, version)
		if err := set.assemble(cache, version); err != nil {
			return Set{}, err
		}
	}
	for _, e := range extras {
		if err := set.add(cache, e.component()); err != nil {
			return set, err
		}
	}
	return set, nil
}

// ensure builds the component unless the cache has it. It appears in the cache only as a whole; what an interrupted build compiled is in
// Go's own cache. Nobody waits for the build of another component.
func (c component) ensure(ctx context.Context, cache string, progress io.Writer) error {
	final := filepath.Join(cache, c.id())
	release, err := lock.Acquire(final+".lock", func() { fmt.Fprintf(progress, "waiting for another build of %s\n", c.id()) })
	if err != nil {
		return err
	}
	defer release()
	if _, err := os.Stat(final); err == nil {
		fmt.Fprintf(progress, "%s: built already\n", c.id())
		return nil
	}
	logPath := final + ".log"
	log, err := os.Create(logPath)
	if err != nil {
		return err
	}
	defer log.Close()
	partial := final + ".partial"
	if err := os.RemoveAll(partial); err != nil {
		return err
	}
	if err := os.MkdirAll(partial, 0o755); err != nil {
		return err
	}
	started := time.Now()
	if err := c.build(ctx, partial, log, progress); err != nil {
		return fmt.Errorf("building %s: %w; the end of %s:\n%s", c.id(), err, logPath, lastLines(logPath, 20))
	}
	fmt.Fprintf(progress, "%s: built in %s\n", c.id(), time.Since(started).Round(time.Second))
	return os.Rename(partial, final)
}

func (c component) build(ctx context.Context, out string, log, progress io.Writer) error {
	counter := &counter{log: log, progress: progress}
	if c.at != "" {
		return c.install(ctx, out, counter)
	}
	source, err := os.MkdirTemp("", "assay-localcluster-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(source)
	if err := os.CopyFS(source, localcluster.Sources); err != nil {
		return err
	}
	if c.kubernetes != "" {
		if err := useGraph(ctx, source, c.kubernetes, log); err != nil {
			return err
		}
	}
	if err := c.copyFiles(ctx, source, out, log); err != nil {
		return err
	}
	counter.todo = c.toCompile(ctx, source, log)
	args := append([]string{"build", "-v", "-o", out + "/"}, c.flags()...)
	cmd := goCommand(ctx, source, append(args, c.packages...)...)
	cmd.Stdout, cmd.Stderr = counter, counter
	fmt.Fprintf(log, "+ %s\n", strings.Join(cmd.Args, " "))
	return cmd.Run()
}

// install takes the versions from the module's own go.mod. How many packages that are is not known before.
func (c component) install(ctx context.Context, out string, counter *counter) error {
	args := append([]string{"install", "-v"}, c.flags()...)
	for _, p := range c.packages {
		args = append(args, p+"@"+c.at)
	}
	cmd := goCommand(ctx, os.TempDir(), args...)
	cmd.Env = append(cmd.Env, "GOBIN="+out)
	cmd.Stdout, cmd.Stderr = counter, counter
	return cmd.Run()
}

// toCompile is how many packages are not in Go's cache; 0 where that is unknown, because the build will say what is wrong.
func (c component) toCompile(ctx context.Context, source string, log io.Writer) int {
	const cached = "not installed but available in build cache"
	args := append([]string{"list", "-deps", "-f", "{{if .Stale}}{{.StaleReason}}{{end}}"}, c.flags()...)
	cmd := goCommand(ctx, source, append(args, c.packages...)...)
	cmd.Stderr = log
	answer, err := cmd.Output()
	if err != nil {
		return 0
	}
	todo := 0
	for reason := range strings.Lines(string(answer)) {
		if reason = strings.TrimSpace(reason); reason != "" && reason != cached {
			todo++
		}
	}
	return todo
}

func goCommand(ctx context.Context, dir string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	// A go.work above the folder, or flags of the caller, must not matter.
	// With rarer garbage collections Go's compiler takes a fourth less time.
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-buildvcs=false", "GOWORK=off", "GOGC=400", "GOMEMLIMIT=2GiB")
	return cmd
}

// copyFiles takes the component's files out of its module.
func (c component) copyFiles(ctx context.Context, source, out string, log io.Writer) error {
	if len(c.files) == 0 {
		return nil
	}
	dir, err := download(ctx, source, c.module, log)
	if err != nil {
		return err
	}
	to := filepath.Join(out, c.folder)
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	for _, file := range c.files {
		content, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(file)))
		if err != nil {
			return fmt.Errorf("copying a file of %s: %w", c.module, err)
		}
		if err := os.WriteFile(filepath.Join(to, filepath.Base(file)), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// download returns the folder of a module, of the version that go.mod in source names or that comes with it: module@version.
func download(ctx context.Context, source, module string, log io.Writer) (string, error) {
	cmd := goCommand(ctx, source, "mod", "download", "-json", module)
	cmd.Stderr = log
	answer, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("finding the files of %s: %w: %s", module, err, answer)
	}
	return moduleDir(answer)
}

// lastLines is the end of a file, or nothing where it cannot be read.
func lastLines(path string, most int) string {
	content, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	lines := strings.Split(strings.TrimSpace(string(content)), "\n")
	return strings.Join(lines[max(0, len(lines)-most):], "\n")
}
