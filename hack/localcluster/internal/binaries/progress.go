package binaries

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
)

// counter passes the output of `go build -v`, which names each package that it compiles, to the log, and tells how many these are of how many.
type counter struct {
	log, progress io.Writer
	todo, done    int
	rest          []byte
	said          time.Time
}

const sayEvery = 2 * time.Second

func (c *counter) Write(output []byte) (int, error) {
	c.rest = append(c.rest, output...)
	for {
		line, rest, whole := bytes.Cut(c.rest, []byte("\n"))
		if !whole {
			break
		}
		c.rest = rest
		// Everything else that Go says has a space: "go: downloading ...", "# package", errors.
		if text := string(line); text != "" && !strings.ContainsAny(text, " \t") {
			c.done++
		}
	}
	if time.Since(c.said) > sayEvery && c.done > 0 {
		c.said = time.Now()
		if c.todo == 0 {
			fmt.Fprintf(c.progress, "%d packages\n", c.done)
		} else {
			fmt.Fprintf(c.progress, "%d of %d packages\n", c.done, max(c.done, c.todo))
		}
	}
	return c.log.Write(output)
}

// moduleDir is where `go mod download -json` says that a module is.
func moduleDir(answer []byte) (string, error) {
	var found struct{ Dir string }
	if err := json.Unmarshal(answer, &found); err != nil {
		return "", err
	}
	return found.Dir, nil
}
