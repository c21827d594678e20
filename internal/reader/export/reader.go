package export

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
)

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
