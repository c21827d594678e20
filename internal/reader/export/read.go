package export

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

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

// damaged says whether a compressed file is cut off or was changed.
func damaged(err error) bool {
	var corrupt flate.CorruptInputError
	return errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, gzip.ErrChecksum) || errors.Is(err, gzip.ErrHeader) || errors.As(err, &corrupt)
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

// schemaFamily begins the names of all versions of the schema.
const schemaFamily = "assay.dev/export/"

func exportDamaged(line int) string {
	return fmt.Sprintf("the compressed file is damaged or cut off at line %d: export the run again, or copy the file again", line)
}

func exportCutOff(line int) string {
	return fmt.Sprintf("the file is cut off: it ends at line %d, without the last line that counts what is in it. Export the run again, or copy "+
		"the file again", line)
}
