package result

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxDepth of nested JSON; a document has 5 levels.
const maxDepth = 16

// decodeStrict reads exactly one JSON value into target: UTF-8, no unknown field, no key twice in one object, no second
// value behind it. encoding/json alone lets the last of two equal keys win, which would let a forged value pass.
func decodeStrict(data []byte, target any) error { return decodeOne(data, target, true) }

// DecodeOthers reads the JSON of another program, as strictly as our own but for fields that we do not know.
func DecodeOthers(data []byte, target any) error { return decodeOne(data, target, false) }

func decodeOne(data []byte, target any, knowsAllFields bool) error {
	if !utf8.Valid(data) {
		return errors.New("not UTF-8")
	}
	var whole json.RawMessage // syntax first: only here does an error know where in data it is
	dec := json.NewDecoder(bytes.NewReader(data))
	if err := dec.Decode(&whole); err != nil {
		return explain(data, err)
	}
	if err := checkKeys(numberDecoder(whole), 0); err != nil {
		return err
	}
	fields := numberDecoder(whole)
	if knowsAllFields {
		fields.DisallowUnknownFields()
	}
	if err := fields.Decode(target); err != nil {
		return explain(data, err)
	}
	if rest := bytes.TrimSpace(data[dec.InputOffset():]); len(rest) > 0 {
		return fmt.Errorf("something follows the document: %s", Quote(string(rest[:min(len(rest), 200)])))
	}
	return nil
}

// numberDecoder keeps numbers of unknown type as they are written.
func numberDecoder(data []byte) *json.Decoder {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	return dec
}

// checkKeys walks one value and refuses an object that has the same key twice. Keys are compared without regard to case,
// as encoding/json matches them to fields.
func checkKeys(dec *json.Decoder, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("nested deeper than %d levels", maxDepth)
	}
	token, err := dec.Token()
	if err != nil {
		return err
	}
	delim, ok := token.(json.Delim)
	if !ok {
		return nil
	}
	seen := map[string]bool{}
	for dec.More() {
		if delim == '{' {
			token, err := dec.Token()
			if err != nil {
				return err
			}
			key, _ := token.(string)
			folded := strings.ToLower(strings.ToUpper(key))
			if seen[folded] {
				return fmt.Errorf("the key %s appears twice in one object", Quote(key))
			}
			seen[folded] = true
		}
		if err := checkKeys(dec, depth+1); err != nil {
			return err
		}
	}
	_, err = dec.Token()
	return err
}

// explain says what stands where a JSON error happened, and what usually causes it.
func explain(data []byte, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("it ends in the middle of the document, after %d bytes", len(data))
	}
	var typeErr *json.UnmarshalTypeError
	if errors.As(err, &typeErr) {
		return fmt.Errorf("field %s is a %s, expected a finite %s", Quote(typeErr.Field), Truncate(typeErr.Value, 60), typeErr.Type)
	}
	var syntaxErr *json.SyntaxError
	if !errors.As(err, &syntaxErr) {
		return err
	}
	at := min(max(int(syntaxErr.Offset)-1, 0), len(data))
	found := string(data[at:min(at+60, len(data))])
	lower := strings.ToLower(strings.TrimLeft(found, "-+"))
	if strings.HasPrefix(lower, "nan") || strings.HasPrefix(lower, "inf") {
		return fmt.Errorf("found %s at byte %d, which is not a finite number", Quote(found), at)
	}
	return fmt.Errorf("not JSON at byte %d, at %s (%w)", at, Quote(found), err)
}

// UnmarshalJSON requires at and value, so that a value left out is not taken for 0.
func (p *Part) UnmarshalJSON(data []byte) error {
	type plain Part
	var wire struct {
		plain
		sampleStatistics
	}
	if err := decodeFields(data, &wire, "part", "at", "value"); err != nil {
		return err
	}
	if err := wire.validate(wire.Samples); err != nil {
		return fmt.Errorf("the part %s: %w", Quote(wire.At), err)
	}
	*p = Part(wire.plain)
	return nil
}

// sampleStatistics are what a program says of a part's samples, for readers of its log.
type sampleStatistics struct {
	Min      *float64 `json:"min"`
	Mean     *float64 `json:"mean"`
	P95      *float64 `json:"p95"`
	Outliers int32    `json:"outliers"`
}

// validate refuses what no samples can have: a program that miscounts them may have miscounted more.
func (s sampleStatistics) validate(samples int32) error {
	if s.Outliers < 0 || s.Outliers > max(samples, 0) {
		return fmt.Errorf("%d of its %d samples are outliers", s.Outliers, samples)
	}
	if s.Min != nil && s.P95 != nil && *s.Min > *s.P95 {
		return fmt.Errorf("min %v is above p95 %v", *s.Min, *s.P95)
	}
	return nil
}

// UnmarshalJSON requires name and ok.
func (c *Check) UnmarshalJSON(data []byte) error {
	type plain Check
	return decodeFields(data, (*plain)(c), "check", "name", "ok")
}

// UnmarshalJSON requires name and value.
func (f *Fact) UnmarshalJSON(data []byte) error {
	type plain Fact
	return decodeFields(data, (*plain)(f), "fact", "name", "value")
}

// decodeFields of an object, of which some must be there.
func decodeFields(data []byte, target any, what string, required ...string) error {
	dec := numberDecoder(data)
	dec.DisallowUnknownFields()
	if err := dec.Decode(target); err != nil {
		return err
	}
	var there map[string]*json.RawMessage
	_ = json.Unmarshal(data, &there) // it is an object, or null
	if slices.ContainsFunc(required, func(name string) bool { return there[name] == nil }) {
		return fmt.Errorf("a %s lacks %s", what, strings.Join(required, " or "))
	}
	return nil
}
