package export

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/flate"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/api/earlier"
	"github.com/assay-dev/assay/api/v1alpha1"
)

// limits of a file: what a hostile one may take. An object in a cluster has 1.5 MB at most.
type limits struct {
	lineBytes, fileBytes int64
}

var usual = limits{lineBytes: 8 << 20, fileBytes: 4 << 30}

// Read pours the runs of a file into a sink, line by line; the file may be compressed by gzip, and several may stand one after the other.
// It leaves out runs that keep does not want. The sink is not closed.
func Read(from io.Reader, keep func(cluster, run string) bool, to Sink) error {
	return read(from, keep, to, usual)
}

func read(from io.Reader, keep func(cluster, run string) bool, to Sink, limit limits) error {
	buffered := bufio.NewReaderSize(from, 64<<10)
	if magic, err := buffered.Peek(2); err == nil && magic[0] == 0x1f && magic[1] == 0x8b {
		unzipped, err := gzip.NewReader(buffered)
		if err != nil {
			return errors.New(exportDamaged(1))
		}
		buffered = bufio.NewReaderSize(unzipped, 64<<10)
	}
	r := reader{lines: bufio.NewScanner(buffered), limit: limit, keep: keep, to: to}
	r.lines.Buffer(nil, int(limit.lineBytes)+1)
	for r.lines.Scan() {
		r.number++
		if r.bytes += int64(len(r.lines.Bytes())) + 1; r.bytes > limit.fileBytes {
			return fmt.Errorf("the file has more than %d MiB when it is unpacked: export fewer runs to one file", limit.fileBytes>>20)
		}
		text := bytes.TrimSpace(r.lines.Bytes())
		if len(text) == 0 {
			continue
		}
		if err := r.line(text); err != nil {
			return cmp.Or(r.unread(), err) // half a line is no other file
		}
	}
	return cmp.Or(r.unread(), r.finish())
}

// unread says why a line could not be read; nil at the end of the file.
func (r *reader) unread() error {
	switch err := r.lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return fmt.Errorf("line %d is longer than %d MiB, which no saved run is: this is another file, or a damaged one", r.number+1, r.limit.lineBytes>>20)
	case damaged(err):
		return errors.New(exportDamaged(r.number))
	default:
		return err
	}
}

// damaged says whether a compressed file is cut off or was changed.
func damaged(err error) bool {
	var corrupt flate.CorruptInputError
	return errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, gzip.ErrChecksum) || errors.Is(err, gzip.ErrHeader) || errors.As(err, &corrupt)
}

// reader knows what a line may be by those before it.
type reader struct {
	lines  *bufio.Scanner
	limit  limits
	number int // of the line
	bytes  int64
	keep   func(cluster, run string) bool
	to     Sink

	inside bool // between a header and its end
	found  end
	run    *line // whose lines these are
	// wanted by keep, and begun: a run is begun when it is known whether a catalogue follows.
	wanted, begun bool
}

func (r *reader) line(text []byte) error {
	if !r.inside {
		return r.header(text)
	}
	var l struct {
		line
		Recorded recorded `json:"validation"`
	}
	if err := json.Unmarshal(text, &l); err != nil {
		return r.wrong(text, err)
	}
	l.Validation = l.Recorded.NodeValidation
	switch {
	case l.Run != nil:
		return r.next(&l.line)
	case l.End != nil:
		return r.end(*l.End)
	case l.Catalogue == nil && l.Result == nil && l.Validation == nil && l.History == nil && l.Places == nil:
		return nil // what a later release may add
	case r.run == nil:
		return fmt.Errorf("line %d comes before the run that it belongs to: the file was changed since it was written", r.number)
	case l.Catalogue != nil:
		r.run.Catalogue = l.Catalogue
		return r.begin()
	}
	return r.piece(l.Piece, l.Recorded.past)
}

func (r *reader) piece(p Piece, past *v1alpha1.NodeHistory) error {
	r.found.count(p)
	if v := p.Result; v != nil && v.Run.UID != r.run.Run.UID {
		return fmt.Errorf("line %d is a result of run %s and stands among those of run %s: the file was changed since it was written",
			r.number, strconv.Quote(v.Run.Name), strconv.Quote(r.run.Run.Name))
	}
	if err := r.begin(); err != nil || !r.wanted {
		return err
	}
	if err := r.to.Add(p); err != nil || past == nil {
		return err
	}
	return r.to.Add(Piece{History: past})
}

// recorded is the validation of a node. One that a version before NodeHistory wrote has the history in it.
type recorded struct {
	*v1alpha1.NodeValidation
	past *v1alpha1.NodeHistory
}

// UnmarshalJSON reads what any version wrote.
func (r *recorded) UnmarshalJSON(text []byte) error {
	v, h, err := earlier.Read(text)
	r.NodeValidation, r.past = &v, h
	return err
}

// header line, or what is none.
func (r *reader) header(text []byte) error {
	var h header
	err := json.Unmarshal(text, &h)
	switch {
	case err != nil || h.Schema == "":
		return errors.New("this is no saved run: its first line is not the header that \"kubectl assay export\" writes")
	case strings.HasPrefix(h.Schema, schemaFamily) && h.Schema != Schema:
		return fmt.Errorf("the file has the schema %s, and this program reads %s: use kubectl-assay %s, which wrote it, or a later one",
			strconv.Quote(h.Schema), Schema, strconv.Quote(h.Tool))
	case h.Schema != Schema:
		return fmt.Errorf("this is no saved run but a document with the schema %s: \"kubectl assay export\" saves runs", strconv.Quote(h.Schema))
	}
	r.inside, r.found, r.run = true, end{}, nil
	return nil
}

// schemaFamily begins the names of all versions of the schema.
const schemaFamily = "assay.dev/export/"

// next run.
func (r *reader) next(l *line) error {
	if err := r.begin(); err != nil {
		return err
	}
	if l.Run.Name == "" {
		return fmt.Errorf("the run in line %d has no name: the file was changed since it was written", r.number)
	}
	r.found.Runs++
	r.run, r.begun, r.wanted = l, false, r.keep(l.Cluster, l.Run.Name)
	return nil
}

// begin the run with what is known of it, unless it has begun.
func (r *reader) begin() error {
	if r.run == nil || r.begun {
		return nil
	}
	r.begun = true
	if !r.wanted {
		return nil
	}
	return r.to.Begin(r.run.Cluster, r.run.Run, r.run.Catalogue)
}

// end of what a header began.
func (r *reader) end(said end) error {
	if said != r.found {
		return fmt.Errorf("the file is not whole: it has %d runs, %d results and %d records of nodes, and was written with %d, %d and %d: export the "+
			"run again, or copy the file again",
			r.found.Runs, r.found.Results, r.found.Validations+r.found.Histories, said.Runs, said.Results, said.Validations+said.Histories)
	}
	r.inside = false
	return r.begin()
}

// finish where the file ends.
func (r *reader) finish() error {
	switch {
	case r.inside:
		return errors.New(exportCutOff(r.number))
	case r.bytes == 0:
		return errors.New("the file is empty: save a run to it with \"kubectl assay export RUN\"")
	}
	return nil
}

// wrong says why a line cannot be read: mostly because the file ends in its middle.
func (r *reader) wrong(text []byte, err error) error {
	var syntax *json.SyntaxError
	ends := errors.As(err, &syntax) && syntax.Offset >= int64(len(text)) && !r.lines.Scan()
	switch unread := r.unread(); {
	case ends && unread != nil:
		return unread
	case ends:
		return errors.New(exportCutOff(r.number))
	}
	return fmt.Errorf("reading line %d: %w", r.number, err)
}

func exportDamaged(line int) string {
	return fmt.Sprintf("the compressed file is damaged or cut off at line %d: export the run again, or copy the file again", line)
}

func exportCutOff(line int) string {
	return fmt.Sprintf("the file is cut off: it ends at line %d, without the last line that counts what is in it. Export the run again, or copy "+
		"the file again", line)
}
