package runner

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/assay-dev/assay/internal/measure/formats"
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

// capture keeps a stream up to result.MaxOutput. Past that it says so once and goes on reading into nothing, so that the
// program can still end in order.
type capture struct {
	overflow, done chan struct{}
	kept           []byte
}

func newCapture(from io.ReadCloser, log io.Writer) *capture {
	c := &capture{overflow: make(chan struct{})}
	c.done = copyLines(from, log, func(piece []byte) bool {
		room := result.MaxOutput + 1 - len(c.kept)
		c.kept = append(c.kept, piece[:min(len(piece), room)]...)
		if room > 0 && len(piece) >= room {
			close(c.overflow)
		}
		return room > 0
	})
	return c
}

// bytes waits for the stream's end.
func (c *capture) bytes() []byte {
	<-c.done
	return c.kept
}

// lineLog remembers the last lines of a stream.
type lineLog struct {
	done chan struct{}
	// last lines, and transports, may be read once the stream has ended.
	last       []string
	transports formats.Transports
}

func newLineLog(from io.ReadCloser, log io.Writer) *lineLog {
	l := &lineLog{}
	l.done = copyLines(from, log, func(piece []byte) bool {
		l.transports.Read(string(piece))
		if line := strings.TrimSpace(string(piece[:min(len(piece), tailLineBytes)])); line != "" {
			l.last = append(l.last[max(0, len(l.last)+1-tailLines):], line)
		}
		return true
	})
	return l
}

// tail waits for the stream's end and returns its last lines.
func (l *lineLog) tail() string {
	<-l.done
	return strings.Join(l.last, "\n")
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
