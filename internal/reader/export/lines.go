package export

import (
	"encoding/json"
	"io"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/catalogue"
)

// header is the first line of a file.
type header struct {
	Schema string `json:"schema"`
	// Tool that wrote it, with its version.
	Tool string `json:"tool"`
	// Cluster that it was read from. Empty: from files, or not known.
	Cluster string `json:"cluster,omitempty"`
}

// line is any other line: each has one of these fields. A run has its cluster beside it.
type line struct {
	Run       *v1alpha1.ValidationRun `json:"run,omitempty"`
	Cluster   string                  `json:"cluster,omitempty"`
	Catalogue *catalogue.Snapshot     `json:"catalogue,omitempty"`
	Piece
	End *end `json:"end,omitempty"`
}

// end is the last line. It tells a whole file from half of one.
type end struct {
	Runs        int `json:"runs"`
	Results     int `json:"results"`
	Validations int `json:"validations"`
	// Histories: files of earlier versions have none.
	Histories int `json:"histories,omitempty"`
}

func (e *end) count(p Piece) {
	switch {
	case p.Result != nil:
		e.Results++
	case p.Validation != nil:
		e.Validations++
	case p.History != nil:
		e.Histories++
	}
}

// Lines writes runs as JSON Lines, which Read reads.
type Lines struct {
	encoder *json.Encoder
	written end
}

var _ Writer = (*Lines)(nil)

// NewLines begins a file. cluster is where it is read from; empty: from files, or not known.
func NewLines(w io.Writer, tool, cluster string) (*Lines, error) {
	encoder := NewEncoder(w)
	return &Lines{encoder: encoder}, encoder.Encode(header{Schema: Schema, Tool: tool, Cluster: cluster})
}

// Begin writes the run and its catalogue.
func (l *Lines) Begin(cluster string, run *v1alpha1.ValidationRun, started *catalogue.Snapshot) error {
	l.written.Runs++
	if err := l.encoder.Encode(line{Run: run, Cluster: cluster}); err != nil || started == nil {
		return err
	}
	return l.encoder.Encode(line{Catalogue: started})
}

// Add writes one line.
func (l *Lines) Add(p Piece) error {
	l.written.count(p)
	return l.encoder.Encode(line{Piece: p})
}

// Close writes the last line.
func (l *Lines) Close() error { return l.encoder.Encode(line{End: &l.written}) }
