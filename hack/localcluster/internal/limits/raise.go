package limits

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Raise makes the kernel's limits wide enough for what is going to be started, and tells each that it changes. What they were is written to
// the file, for Restore. The error names everything that is missing.
func Raise(n Need, disk, file string, tell func(format string, args ...any)) error {
	raiseOpenFiles()
	m := look(disk)
	short := missing(m, n, disk)
	for _, l := range kernel(m, n) {
		if !l.tight() {
			continue
		}
		if err := set(l, file); err != nil {
			if l.short() {
				short = append(short, l.String())
			}
			continue
		}
		tell("raised %s from %d to %d: %d are in use, and %d more are needed", l.name, l.allowed, l.raised(), l.used, l.needed)
	}
	if len(short) > 0 {
		return errors.New(strings.Join(short, "; "))
	}
	return nil
}

// raiseOpenFiles is for this process and the daemons that it starts.
func raiseOpenFiles() {
	if openFiles() < minFiles {
		_ = unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 4 * minFiles, Max: 4 * minFiles}) // what came of it is looked at
	}
}

// set writes down what the limit was before it changes it: first, or when a person had changed it meanwhile.
func set(l limit, file string) error {
	before, err := load(file)
	if err != nil {
		return err
	}
	if c, known := before[l.name]; !known || c.Now != l.allowed {
		before[l.name] = change{Before: l.allowed}
	}
	before[l.name] = change{Before: before[l.name].Before, Now: l.raised()}
	if err := save(file, before); err != nil {
		return err
	}
	return os.WriteFile(l.path(), []byte(strconv.Itoa(l.raised())), 0o644)
}

// change is one limit that a cluster raised.
type change struct {
	Before int `json:"before"`
	Now    int `json:"now"`
}

// Restore gives the limits back what they were, except what somebody else has changed since. It is for the last cluster of the machine.
func Restore(file string) error {
	changed, err := load(file)
	if err != nil {
		return err
	}
	for name, c := range changed {
		l := limit{name: name}
		if number(l.path()) != c.Now {
			continue
		}
		if err := os.WriteFile(l.path(), []byte(strconv.Itoa(c.Before)), 0o644); err != nil {
			return fmt.Errorf("setting %s back to %d: %w", name, c.Before, err)
		}
	}
	if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func load(file string) (map[string]change, error) {
	changed := map[string]change{}
	content, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return changed, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(content, &changed); err != nil {
		return nil, fmt.Errorf("reading %s: %w", file, err)
	}
	return changed, nil
}

func save(file string, changed map[string]change) error {
	content, err := json.Marshal(changed)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(file+".new", content, 0o644); err != nil {
		return err
	}
	return os.Rename(file+".new", file)
}
