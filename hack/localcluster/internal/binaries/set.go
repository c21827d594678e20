package binaries

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

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

// Has says whether the program was built into the set, of the sources that this program has.
func (s Set) Has(e Extra) bool {
	target, err := os.Readlink(s.Path(string(e)))
	return err == nil && filepath.Base(filepath.Dir(target)) == e.component().id()
}

// CacheDir is where programs are kept between clones of the repository.
func CacheDir() (string, error) {
	base, err := os.UserCacheDir() // honours XDG_CACHE_HOME
	if err != nil {
		return "", fmt.Errorf("finding the cache folder: %w", err)
	}
	return filepath.Join(base, "assay", "localcluster"), nil
}

// Find returns the set of a version if it is built.
func Find(version Version) (Set, bool) {
	cache, err := CacheDir()
	if err != nil {
		return Set{}, false
	}
	set := setOf(cache, version)
	_, err = os.Stat(set.Path("complete"))
	return set, err == nil
}

func setOf(cache string, version Version) Set {
	return Set{Dir: filepath.Join(cache, "set-"+version.id())}
}

// assemble makes the folder of links to the components' files. It counts once the file "complete" is there.
func (s Set) assemble(cache string, version Version) error {
	for _, c := range version.components() {
		if err := s.add(cache, c); err != nil {
			return err
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

// add links what a component consists of.
func (s Set) add(cache string, c component) error {
	if err := os.MkdirAll(s.Dir, 0o755); err != nil {
		return err
	}
	entries, err := os.ReadDir(filepath.Join(cache, c.id()))
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if err := relink(filepath.Join("..", c.id(), entry.Name()), s.Path(entry.Name())); err != nil {
			return err
		}
	}
	return nil
}

// relink leaves a link alone that is right: somebody may be using it.
func relink(target, link string) error {
	if now, err := os.Readlink(link); err == nil && now == target {
		return nil
	}
	if err := os.Remove(link); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Symlink(target, link)
}
