package result

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
)

// cpuOthers is the runner's sample of the processors' time that neither it nor the program took.
const cpuOthers = "cpuOthers"

const (
	// Prefix of an encoded envelope, which no other termination message begins with.
	Prefix = "assay1:"
	// MaxEncoded is the kubelet's limit for a termination message, in bytes.
	MaxEncoded = 4096
	// maxDecoded bounds what a termination message may unpack to, in bytes.
	maxDecoded = 64 << 10
)

// Encode packs an envelope into a termination message: JSON, gzip, base64. An error wraps ErrTooLarge when the result
// would not fit, and says by how much; nothing is ever cut.
func Encode(e Envelope) (string, error) {
	if err := e.validate(); err != nil {
		return "", fmt.Errorf("encoding the result: %w: %w", ErrBadOutput, err)
	}
	plain, err := json.Marshal(e)
	if err != nil {
		return "", fmt.Errorf("encoding the result: %w", err)
	}
	if len(plain) > maxDecoded {
		return "", fmt.Errorf("encoding the result: %w: %d bytes of JSON, the limit is %d", ErrTooLarge, len(plain), maxDecoded)
	}
	var packed bytes.Buffer // which never fails
	zip, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return "", fmt.Errorf("encoding the result: %w", err)
	}
	_, _ = zip.Write(plain)
	_ = zip.Close()
	text := Prefix + base64.RawStdEncoding.EncodeToString(packed.Bytes())
	if len(text) > MaxEncoded {
		return "", fmt.Errorf("encoding the result: %w: %d bytes compressed, a termination message holds %d", ErrTooLarge, len(text), MaxEncoded)
	}
	return text, nil
}

// EncodeToFit packs an envelope and makes room where that loses no measurement: first the log's tail is shortened, then
// telemetry is left out, then facts from the last on, each with a mark that says so. When the measurements alone do not fit, the envelope becomes a
// failure with reason OutputTooLarge. Message and log, which may hold anything a program said, are made printable. It
// returns the envelope that was packed.
func EncodeToFit(e Envelope) (string, Envelope, error) {
	e.Message = Clean(e.Message, maxMessage)
	e.LogTail = strings.ToValidUTF8(e.LogTail, "\uFFFD")
	for len(e.LogTail) > maxLogTail {
		e.LogTail = shortenTail(e.LogTail)
	}
	text, err := Encode(e)
	for errors.Is(err, ErrTooLarge) && e.LogTail != "" {
		e.LogTail = shortenTail(e.LogTail)
		text, err = Encode(e)
	}
	if errors.Is(err, ErrTooLarge) && len(e.Telemetry) > 0 {
		e = withoutTelemetry(e)
		text, err = Encode(e)
	}
	if errors.Is(err, ErrTooLarge) && len(e.Telemetry) > 0 {
		e.Telemetry = nil
		text, err = Encode(e)
	}
	if errors.Is(err, ErrTooLarge) && e.Document != nil {
		e = fewerFacts(e)
		text, err = Encode(e)
	}
	if errors.Is(err, ErrTooLarge) {
		e = Envelope{
			Version: e.Version, Outcome: OutcomeFailed, Reason: v1alpha1.ReasonOutputTooLarge,
			Message:  Truncate(err.Error()+": have the program report fewer parts", maxMessage),
			ExitCode: e.ExitCode, Signal: e.Signal, Start: e.Start, End: e.End,
		}
		text, err = Encode(e)
	}
	return text, e, err
}

const tailMark = "... "

// shortenTail drops the older half of the tail, whole characters only.
func shortenTail(tail string) string {
	tail = strings.TrimPrefix(tail, tailMark)
	tail = tail[(len(tail)+1)/2:]
	for tail != "" && !utf8.RuneStart(tail[0]) {
		tail = tail[1:]
	}
	if tail == "" {
		return ""
	}
	return tailMark + tail
}

// withoutTelemetry leaves what decides whether a slow measurement counts: without it a node would be to blame for its neighbours.
func withoutTelemetry(e Envelope) Envelope {
	note := "telemetry was left out: it did not fit into the termination message beside the measurements"
	e.Telemetry = list.Where(e.Telemetry, func(m Measurement) bool { return m.Name == cpuOthers })
	if e.Document == nil {
		e.Message = Truncate(strings.TrimPrefix(e.Message+"; "+note, "; "), maxMessage)
		return e
	}
	document := *e.Document
	document.Notes = capNotes(append([]string{note}, document.Notes...))
	e.Document = &document
	return e
}
