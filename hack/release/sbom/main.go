// Command sbom writes what is in a program or an image as an SPDX document: the Go modules that a program was built from, as its build
// information has them, and the Debian packages of an image. It knows nothing of what C++ programs were linked with statically.
package main

import (
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/spdx/tools-golang/json"
)

func main() {
	var o options
	flag.StringVar(&o.name, "name", "", "Name of the program or image.")
	flag.StringVar(&o.version, "version", "", "Its version.")
	flag.Int64Var(&o.created, "created", 0, "When it was made, in seconds since 1970.")
	flag.StringVar(&o.out, "o", "", "File to write.")
	flag.Parse()
	if o.name == "" || o.version == "" || o.out == "" || flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: sbom -name NAME -version VERSION -created SECONDS -o FILE PROGRAM|OCI-ARCHIVE")
		os.Exit(2)
	}
	if err := write(o, flag.Arg(0)); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

type options struct {
	name, version, out string
	created            int64
}

func write(o options, path string) error {
	found, license, err := inspect(path)
	if err != nil {
		return fmt.Errorf("reading %s: %w", path, err)
	}
	out, err := os.Create(o.out)
	if err != nil {
		return err
	}
	defer out.Close()
	if err := json.Write(document(o.name, o.version, license, time.Unix(o.created, 0), found), out, json.Indent(" ")); err != nil {
		return fmt.Errorf("writing %s: %w", o.out, err)
	}
	return out.Close()
}
