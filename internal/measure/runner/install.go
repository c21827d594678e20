package runner

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// install copies the running binary to destination with mode 0755. The copy appears whole or not at all, so that a
// container that is restarted in mid-copy never finds half a binary.
func install(destination string) error {
	from, err := os.Open("/proc/self/exe")
	if err != nil {
		return fmt.Errorf("opening the runner's own binary: %w", err)
	}
	defer func() { _ = from.Close() }() // it was only read
	to, err := os.CreateTemp(filepath.Dir(destination), ".runner-*")
	if err != nil {
		return fmt.Errorf("installing the runner: %w", err)
	}
	err = writeExecutable(to, from)
	if err == nil {
		err = os.Rename(to.Name(), destination)
	}
	if err != nil {
		_ = os.Remove(to.Name())
		return fmt.Errorf("installing the runner as %s: %w", destination, err)
	}
	return nil
}

func writeExecutable(to *os.File, from io.Reader) error {
	_, err := io.Copy(to, from)
	return errors.Join(err, to.Chmod(0o755), to.Close())
}
