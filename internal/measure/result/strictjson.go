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
	whole, rest := data, []byte(nil)
	if !json.Valid(data) { // syntax first: only here does an error know where in data it is
		dec, one := json.NewDecoder(bytes.NewReader(data)), json.RawMessage(nil)
		if err := dec.Decode(&one); err != nil {
			return explain(data, err)
		}
		whole, rest = one, bytes.TrimSpace(data[dec.InputOffset():])
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
	if len(rest) > 0 {
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
	if delim == '{' {
		err = w.object(key, depth)
	}
	for delim == '[' && w.More() && err == nil {
		_, err = w.value(key, depth+1) // each element is below the array's key
	}
	if err != nil {
		return false, err
	}
	_, err = w.Token()
	return false, err
}

// object walks what is in one object.
func (w *keyWalk) object(key string, depth int) error {
	needs, given, seen := w.required[key], make([]string, 0, 2), map[string]bool{}
	for w.More() {
		token, err := w.Token()
		if err != nil {
			return err
		}
		name, _ := token.(string)
		folded := strings.ToLower(strings.ToUpper(name))
		if seen[folded] {
			return fmt.Errorf("the key %s appears twice in one object", Quote(name))
		}
		seen[folded] = true
		null, err := w.value(folded, depth+1)
		if err != nil {
			return err
		}
		if !null && slices.Contains(needs, name) {
			given = append(given, name)
		}
	}
	if len(given) < len(needs) {
		w.lacks = cmp.Or(w.lacks, fmt.Errorf("a %s lacks %s", strings.TrimSuffix(key, "s"), strings.Join(needs, " or ")))
	}
	return nil
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

// SampleStatistics are what a program says of a part's samples, for readers of its log.
type SampleStatistics struct {
	Min      *float64 `json:"min,omitempty"`
	Mean     *float64 `json:"mean,omitempty"`
	P95      *float64 `json:"p95,omitempty"`
	Outliers int32    `json:"outliers,omitempty"`
}

// of a part: nil where its samples can have them.
func (s SampleStatistics) of(p *Part) error {
	if err := s.validate(p.Samples); err != nil {
		return fmt.Errorf("the part %s: %w", Quote(p.At), err)
	}
	return nil
}

// validate refuses what no samples can have: a program that miscounts them may have miscounted more.
func (s SampleStatistics) validate(samples int32) error {
	if s.Outliers < 0 || s.Outliers > max(samples, 0) {
		return fmt.Errorf("%d of its %d samples are outliers", s.Outliers, samples)
	}
	if s.Min != nil && s.P95 != nil && *s.Min > *s.P95 {
		return fmt.Errorf("min %v is above p95 %v", *s.Min, *s.P95)
	}
	return nil
}
