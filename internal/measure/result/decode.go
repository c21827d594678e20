package result

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"io"
	"strings"
)

// Decode reads a termination message. Any pod may have written it, so every field is checked, and what it unpacks to is
// bounded. Errors wrap ErrNoOutput when there is no message, else ErrBadEnvelope.
func Decode(text string) (Envelope, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return Envelope{}, fmt.Errorf("reading the termination message: %w: it is empty", ErrNoOutput)
	}
	e, err := decode(text)
	if err != nil {
		return Envelope{}, fmt.Errorf("reading the termination message: %w: %w", errBadEnvelope, err)
	}
	return e, nil
}

func decode(text string) (Envelope, error) {
	if len(text) > MaxEncoded {
		return Envelope{}, fmt.Errorf("%d bytes, at most %d are allowed", len(text), MaxEncoded)
	}
	encoded, ok := strings.CutPrefix(text, Prefix)
	if !ok {
		return Envelope{}, fmt.Errorf("it does not start with %q but with %s: the runner did not write it", Prefix, Quote(text))
	}
	packed, err := base64.RawStdEncoding.Strict().DecodeString(encoded)
	if err != nil {
		return Envelope{}, err
	}
	plain, err := unpack(packed)
	if err != nil {
		return Envelope{}, err
	}
	var e Envelope
	if err := decodeStrict(plain, &e); err != nil {
		return Envelope{}, err
	}
	if err := e.validate(); err != nil {
		return Envelope{}, err
	}
	return e, nil
}

// unpack decompresses one gzip stream to at most maxDecoded bytes.
func unpack(packed []byte) ([]byte, error) {
	rest := bytes.NewReader(packed)
	zip, err := gzip.NewReader(rest)
	if err != nil {
		return nil, fmt.Errorf("decompressing: %w", err)
	}
	zip.Multistream(false)
	plain, err := io.ReadAll(io.LimitReader(zip, maxDecoded+1))
	if err != nil {
		return nil, fmt.Errorf("decompressing: %w", err)
	}
	if len(plain) > maxDecoded {
		return nil, fmt.Errorf("it unpacks to more than %d bytes", maxDecoded)
	}
	if rest.Len() > 0 {
		return nil, fmt.Errorf("%d bytes follow the compressed document", rest.Len())
	}
	return plain, nil
}
