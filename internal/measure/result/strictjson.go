package result

import (
	"bytes"
	"cmp"
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
	keys, fields := keyWalk{Decoder: numberDecoder(whole)}, numberDecoder(whole)
	if knowsAllFields {
		keys.required = required
		fields.DisallowUnknownFields()
	}
	if _, err := keys.value("", 0); err != nil {
		return err
	}
	if err := fields.Decode(target); err != nil {
		return explain(data, err)
	}
	if rest := bytes.TrimSpace(data[dec.InputOffset():]); len(rest) > 0 {
		return fmt.Errorf("something follows the document: %s", Quote(string(rest[:min(len(rest), 200)])))
	}
	return keys.lacks
}

// numberDecoder keeps numbers of unknown type as they are written.
func numberDecoder(data []byte) *json.Decoder {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	return dec
}

// required fields of the objects in our lists, so that a value left out is not taken for 0.
var required = map[string][]string{"parts": {"at", "value"}, "checks": {"name", "ok"}, "facts": {"name", "value"}}

// keyWalk refuses an object that has the same key twice, or lacks one that those of its list need.
type keyWalk struct {
	*json.Decoder

	required map[string][]string
	lacks    error // of the first object that lacks one
}

// value walks one value below a key, and says whether it is null. Keys are compared without regard to case, as encoding/json matches
// them to fields.
func (w *keyWalk) value(key string, depth int) (null bool, err error) {
	if depth > maxDepth {
		return false, fmt.Errorf("nested deeper than %d levels", maxDepth)
	}
	token, err := w.Token()
	delim, nested := token.(json.Delim)
	if err != nil || !nested {
		return token == nil, err
	}
	seen, given := map[string]bool{}, map[string]bool{}
	for w.More() {
		name, folded := "", key // of an array, each element is below its key
		if delim == '{' {
			token, err := w.Token()
			if err != nil {
				return false, err
			}
			name, _ = token.(string)
			folded = strings.ToLower(strings.ToUpper(name))
			if seen[folded] {
				return false, fmt.Errorf("the key %s appears twice in one object", Quote(name))
			}
			seen[folded] = true
		}
		null, err := w.value(folded, depth+1)
		if err != nil {
			return false, err
		}
		given[name] = !null
	}
	if needs := w.required[key]; delim == '{' && slices.ContainsFunc(needs, func(name string) bool { return !given[name] }) {
		w.lacks = cmp.Or(w.lacks, fmt.Errorf("a %s lacks %s", strings.TrimSuffix(key, "s"), strings.Join(needs, " or ")))
	}
	_, err = w.Token()
	return false, err
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

// UnmarshalJSON reads a part, and what is said of its samples.
func (p *Part) UnmarshalJSON(data []byte) error {
	type plain Part
	var wire struct {
		plain
		sampleStatistics
	}
	dec := numberDecoder(data)
	dec.DisallowUnknownFields()
	if err := dec.Decode(&wire); err != nil {
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
