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

// capture keeps a stream up to result.MaxOutput. Past that it says so once and goes on reading into nothing, so that the
// program can still end in order.
type capture struct {
	overflow chan struct{}
	done     chan struct{}
	kept     []byte
}

func newCapture(from io.ReadCloser, log io.Writer) *capture {
	c := &capture{overflow: make(chan struct{}), done: make(chan struct{})}
	lines := &lineWriter{to: log}
	go func() {
		defer close(c.done)
		defer closeAll(from)
		buffer := make([]byte, 32<<10)
		over := false
		for {
			n, err := from.Read(buffer)
			if !over {
				c.kept = append(c.kept, buffer[:min(n, result.MaxOutput+1-len(c.kept))]...)
				lines.write(buffer[:n])
				if len(c.kept) > result.MaxOutput {
					over = true
					close(c.overflow)
				}
			}
			if err != nil {
				lines.flush()
				return
			}
		}
	}()
	return c
}

// bytes waits for the stream's end.
func (c *capture) bytes() []byte {
	<-c.done
	return c.kept
}

// lineLog copies a stream to the log, line by line, and remembers the last lines.
type lineLog struct {
	done chan struct{}
	// last lines, and transports, may be read once the stream has ended.
	last       []string
	transports formats.Transports
}

func newLineLog(from io.ReadCloser, to io.Writer) *lineLog {
	l := &lineLog{done: make(chan struct{})}
	go func() {
		defer close(l.done)
		defer closeAll(from)
		reader := bufio.NewReaderSize(from, lineBytes)
		for {
			piece, err := reader.ReadSlice('\n')
			if len(piece) > 0 {
				l.keep(piece)
				l.transports.Read(string(piece))
				_, _ = to.Write(piece) // a log that is gone is no reason to stop measuring
			}
			if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
				if len(piece) > 0 {
					_, _ = to.Write([]byte("\n")) // the stream ended within a line
				}
				return
			}
		}
	}()
	return l
}

func (l *lineLog) keep(piece []byte) {
	line := strings.TrimSpace(string(piece[:min(len(piece), tailLineBytes)]))
	if line == "" {
		return
	}
	l.last = append(l.last, line)
	if len(l.last) > tailLines {
		l.last = l.last[1:]
	}
}

// tail waits for the stream's end and returns its last lines.
func (l *lineLog) tail() string {
	<-l.done
	return strings.Join(l.last, "\n")
}

// lineWriter passes on whole lines, so that two streams in one log do not mix within a line.
type lineWriter struct {
	to      io.Writer
	pending []byte
}

func (w *lineWriter) write(data []byte) {
	if w.to == io.Discard {
		return
	}
	w.pending = append(w.pending, data...)
	end := strings.LastIndexByte(string(w.pending), '\n') + 1
	if end == 0 && len(w.pending) > lineBytes {
		end = len(w.pending)
	}
	_, _ = w.to.Write(w.pending[:end])
	w.pending = append(w.pending[:0], w.pending[end:]...)
}

func (w *lineWriter) flush() {
	if len(w.pending) > 0 {
		_, _ = w.to.Write(append(w.pending, '\n'))
		w.pending = nil
	}
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
