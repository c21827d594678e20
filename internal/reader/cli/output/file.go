package output

import (
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Into writes the file of a flag --to, or else what is given.
func Into(file string, otherwise io.Writer, write func(io.Writer) error) error {
	if file == "" || file == "-" {
		return write(otherwise)
	}
	if err := IntoFile(file, write); err != nil {
		return fmt.Errorf("writing %s: %w", file, err)
	}
	return nil
}

// IntoFile writes a file that is there as a whole or not at all, compressed where its name asks for it.
func IntoFile(name string, write func(io.Writer) error) (err error) {
	if there, err := os.Stat(name); err == nil && !there.Mode().IsRegular() {
		return intoDevice(name, write)
	}
	file, err := os.CreateTemp(filepath.Dir(name), ".assay-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = file.Close()
			_ = os.Remove(file.Name())
		}
	}()
	if err := compressed(name, file, write); err != nil {
		return err
	}
	if err := file.Chmod(0o644); err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	return os.Rename(file.Name(), name)
}

// intoDevice writes what is no file of its own, such as a pipe.
func intoDevice(name string, write func(io.Writer) error) error {
	device, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer device.Close()
	return compressed(name, device, write)
}

func compressed(name string, w io.Writer, write func(io.Writer) error) error {
	if !strings.HasSuffix(name, ".gz") {
		return write(w)
	}
	zipped := gzip.NewWriter(w)
	if err := write(zipped); err != nil {
		return err
	}
	return zipped.Close()
}
