package runner

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/assay-dev/assay/internal/measure/result"
)

const (
	// tailLines and tailLineBytes bound what is kept of stderr for the envelope.
	tailLines     = 20
	tailLineBytes = 400
	// lineBytes is the longest piece of a line that is written to the log at once.
	lineBytes = 64 << 10
)

// pipe is one of the program's output streams.
type pipe struct{ read, write *os.File }

func newPipes() (out, errs pipe, err error) {
	for _, p := range []*pipe{&out, &errs} {
		if p.read, p.write, err = os.Pipe(); err != nil {
			closeAll(out.read, out.write)
			return pipe{}, pipe{}, fmt.Errorf("making a pipe: %w", err)
		}
	}
	return out, errs, nil
}

// closeAll closes ends of pipes, which loses nothing whatever comes of it.
func closeAll(ends ...io.Closer) {
	for _, end := range ends {
		_ = end.Close()
	}
}

// copyLines hands a stream on line by line, so that two streams in one log do not mix within a line: to keep, and to the log while keep says
// so. It closes done at the stream's end.
func copyLines(from io.ReadCloser, log io.Writer, keep func(piece []byte) bool) (done chan struct{}) {
	done = make(chan struct{})
	go func() {
		defer close(done)
		defer closeAll(from)
		reader := bufio.NewReaderSize(from, lineBytes)
		for {
			piece, err := reader.ReadSlice('\n')
			ended := err != nil && !errors.Is(err, bufio.ErrBufferFull)
			if len(piece) > 0 && keep(piece) {
				_, _ = log.Write(piece) // a log that is gone is no reason to stop measuring
				if ended {
					_, _ = log.Write([]byte("\n")) // the stream ended within a line
				}
			}
			if ended {
				return
			}
		}
	}()
	return done
}

// readStdout keeps up to result.MaxOutput. Past that it says so once and goes on reading into nothing, so that the program can still
// end in order.
func (e *ending) readStdout(piece []byte) bool {
	room := result.MaxOutput + 1 - len(e.stdout)
	e.stdout = append(e.stdout, piece[:min(len(piece), room)]...)
	if room > 0 && len(piece) >= room {
		close(e.overflow)
	}
	return room > 0
}

// readStderr remembers the last lines.
func (e *ending) readStderr(piece []byte) bool {
	e.transports.Read(string(piece))
	if line := strings.TrimSpace(string(piece[:min(len(piece), tailLineBytes)])); line != "" {
		e.lastLines = append(e.lastLines[max(0, len(e.lastLines)+1-tailLines):], line)
	}
	return true
}

// lockedWriter lets several streams share one log.
type lockedWriter struct {
	mu sync.Mutex
	to io.Writer
}

func (w *lockedWriter) Write(data []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.to.Write(data)
}
