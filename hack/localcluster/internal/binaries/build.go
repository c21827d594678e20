package binaries

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	localcluster "github.com/assay-dev/assay/hack/localcluster"
	"github.com/assay-dev/assay/hack/localcluster/internal/lock"
	"github.com/assay-dev/assay/hack/localcluster/internal/pause"
)

// Set is a folder with every program of a cluster.
type Set struct{ Dir string }

// Path is a program or file of the set.
func (s Set) Path(name string) string { return filepath.Join(s.Dir, name) }

// PauseArchive is the image of the pause program.
func (s Set) PauseArchive() string { return s.Path("pause.tar") }

// StageDir holds kwok's stage files.
func (s Set) StageDir() string { return s.Path(stages) }

// MPIManifests holds the custom resource definition and the role of the MPI Operator.
func (s Set) MPIManifests() string { return s.Path(mpiManifests) }

// CacheDir is where programs are kept between clones of the repository.
func CacheDir() (string, error) {
	base, err := os.UserCacheDir() // honours XDG_CACHE_HOME
	if err != nil {
		return "", fmt.Errorf("finding the cache folder: %w", err)
	}
	return filepath.Join(base, "assay", "localcluster"), nil
}

// Find returns the set of this version if it is built.
func Find() (Set, bool) {
	cache, err := CacheDir()
	if err != nil {
		return Set{}, false
	}
	set := Set{Dir: filepath.Join(cache, setID(components()))}
	_, err = os.Stat(set.Path("complete"))
	return set, err == nil
}

// Build builds what is missing and tells its progress.
func Build(ctx context.Context, progress io.Writer) (Set, error) {
	if set, ok := Find(); ok {
		return set, nil
	}
	cache, err := CacheDir()
	if err != nil {
		return Set{}, err
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return Set{}, err
	}
	release, err := lock.Acquire(filepath.Join(cache, "build.lock"), func() {
		fmt.Fprintln(progress, "waiting for another build of the same programs")
	})
	if err != nil {
		return Set{}, err
	}
	defer release()
	all := components()
	for i, c := range all {
		if err := c.ensure(ctx, cache, fmt.Sprintf("[%d/%d]", i+1, len(all)), progress); err != nil {
			return Set{}, err
		}
	}
	set := Set{Dir: filepath.Join(cache, setID(all))}
	return set, set.assemble(cache, all)
}

// ensure builds the component unless the cache has it. It appears in the cache
// only as a whole.
func (c component) ensure(ctx context.Context, cache, step string, progress io.Writer) error {
	final := filepath.Join(cache, c.id())
	if _, err := os.Stat(final); err == nil {
		fmt.Fprintf(progress, "%s %s %s: built already\n", step, c.name, c.version)
		return nil
	}
	logPath := filepath.Join(cache, c.id()+".log")
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
	fmt.Fprintf(progress, "%s %s %s: building (about %s when nothing is cached; log %s)\n", step, c.name, c.version, c.rough, logPath)
	stop := tick(progress, step+" "+c.name)
	err = c.build(ctx, partial, log)
	elapsed := stop()
	if err != nil {
		return fmt.Errorf("building %s %s: %w; the end of %s:\n%s", c.name, c.version, err, logPath, lastLines(logPath, 20))
	}
	fmt.Fprintf(progress, "%s %s %s: built in %s\n", step, c.name, c.version, elapsed)
	return os.Rename(partial, final)
}

func (c component) build(ctx context.Context, out string, log io.Writer) error {
	common := []string{"-trimpath", "-ldflags", strings.TrimSpace("-s -w " + c.ldflags)}
	if c.tags != "" {
		common = append(common, "-tags", c.tags)
	}
	if c.asTool != "" {
		if err := c.buildAsTool(ctx, out, log, common); err != nil {
			return err
		}
		return c.copyFiles(ctx, c.asTool, out, log)
	}
	if !strings.HasPrefix(c.packages[0], "./") {
		args := append([]string{"install"}, common...)
		for _, p := range c.packages {
			args = append(args, p+"@"+c.version)
		}
		if err := goCommand(ctx, os.TempDir(), log, []string{"GOBIN=" + out}, args...); err != nil || len(c.files) == 0 {
			return err
		}
		return c.copyFiles(ctx, kwokModule, out, log)
	}
	source, err := os.MkdirTemp("", "assay-localcluster-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(source)
	if err := os.CopyFS(source, localcluster.Sources); err != nil {
		return err
	}
	args := append([]string{"build", "-o", out + "/"}, common...)
	return goCommand(ctx, source, log, nil, append(args, c.packages...)...)
}

func goCommand(ctx context.Context, dir string, log io.Writer, env []string, args ...string) error {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Stdout, cmd.Stderr = log, log
	// A go.work above the folder, or flags of the caller, must not matter.
	cmd.Env = append(os.Environ(), append(env, "CGO_ENABLED=0", "GOFLAGS=-buildvcs=false", "GOWORK=off")...)
	fmt.Fprintf(log, "+ go %s\n", strings.Join(args, " "))
	return cmd.Run()
}

// buildAsTool builds in a module that requires nothing else, so that the versions are those of the component's own go.mod.
func (c component) buildAsTool(ctx context.Context, out string, log io.Writer, common []string) error {
	dir, err := os.MkdirTemp("", "assay-localcluster-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	mod := fmt.Sprintf("module tool\n\ngo 1.26\n\nrequire %s %s\n\ntool %s\n", c.asTool, c.version, c.packages[0])
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(mod), 0o644); err != nil {
		return err
	}
	args := append([]string{"build", "-mod=mod", "-o", out + "/"}, common...)
	return goCommand(ctx, dir, log, nil, append(args, c.packages...)...)
}

// copyFiles takes the component's files out of its module.
func (c component) copyFiles(ctx context.Context, module, out string, log io.Writer) error {
	cmd := exec.CommandContext(ctx, "go", "mod", "download", "-json", module+"@"+c.version)
	cmd.Dir, cmd.Stderr = os.TempDir(), log
	answer, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("finding the files of %s: %w", c.name, err)
	}
	var found struct{ Dir string }
	if err := json.Unmarshal(answer, &found); err != nil {
		return err
	}
	to := filepath.Join(out, c.folder)
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	for _, file := range c.files {
		content, err := os.ReadFile(filepath.Join(found.Dir, filepath.FromSlash(file)))
		if err != nil {
			return fmt.Errorf("copying a file of %s: %w", c.name, err)
		}
		if err := os.WriteFile(filepath.Join(to, filepath.Base(file)), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// assemble makes the folder of links to the components' files.
func (s Set) assemble(cache string, all []component) error {
	if err := os.MkdirAll(s.Dir, 0o755); err != nil {
		return err
	}
	for _, c := range all {
		entries, err := os.ReadDir(filepath.Join(cache, c.id()))
		if err != nil {
			return err
		}
		for _, entry := range entries {
			if err := relink(filepath.Join("..", c.id(), entry.Name()), s.Path(entry.Name())); err != nil {
				return err
			}
		}
	}
	for _, name := range links {
		if err := relink("localcluster", s.Path(name)); err != nil {
			return err
		}
	}
	if err := pause.WriteArchive(s.Path("pause"), s.PauseArchive()); err != nil {
		return err
	}
	return os.WriteFile(s.Path("complete"), []byte(time.Now().Format(time.RFC3339)+"\n"), 0o644)
}

func relink(target, link string) error {
	if err := os.Remove(link); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Symlink(target, link)
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

// tick tells every half minute that something still happens.
func tick(progress io.Writer, what string) (stop func() time.Duration) {
	start := time.Now()
	done := make(chan struct{})
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		ticker := time.NewTicker(30 * time.Second)
		defer ticker.Stop()
		for {
			select {
			case <-done:
				return
			case <-ticker.C:
				fmt.Fprintf(progress, "%s: %s\n", what, time.Since(start).Round(time.Second))
			}
		}
	}()
	return func() time.Duration {
		close(done)
		<-stopped
		return time.Since(start).Round(time.Second)
	}
}
