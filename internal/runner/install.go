package runner

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Install copies the running binary to destination with mode 0755. The copy appears whole or not at all, so that a
// container that is restarted in mid-copy never finds half a binary.
func Install(destination string) error {
	from, err := os.Open("/proc/self/exe")
	if err != nil {
		return fmt.Errorf("opening the runner's own binary: %w", err)
	}
	defer from.Close()
	to, err := os.CreateTemp(filepath.Dir(destination), ".runner-*")
	if err != nil {
		return fmt.Errorf("installing the runner: %w", err)
	}
	defer os.Remove(to.Name()) // gone already when all went well
	if _, err := io.Copy(to, from); err != nil {
		to.Close()
		return fmt.Errorf("copying the runner to %s: %w", destination, err)
	}
	if err := to.Chmod(0o755); err != nil {
		to.Close()
		return fmt.Errorf("making %s executable: %w", destination, err)
	}
	if err := to.Close(); err != nil {
		return fmt.Errorf("writing %s: %w", destination, err)
	}
	if err := os.Rename(to.Name(), destination); err != nil {
		return fmt.Errorf("installing the runner: %w", err)
	}
	return nil
}
