// Package hostile makes what a program of the catalogue never leaves in its termination message: output that is garbled, forged, or huge.
package hostile

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/assay-dev/assay/internal/measure/result"
)

// Output that is made of what an honest program would have left.
type Output struct {
	Kind string
	// Readable: it has the form of a measurement, and only the truth tells that it is none. All else has to end as an error.
	Readable bool
	make     func(honest result.Envelope, others []string) string
}

// Outputs of all kinds.
var Outputs = []Output{
	{"nothing but spaces", false, func(result.Envelope, []string) string { return strings.Repeat(" \n", 2000) }},
	{"bytes that are no text", false, func(result.Envelope, []string) string { return result.Prefix + "\x00\ufffd\x1b[2J\u202e" }},
	{"a message that was cut", false, func(e result.Envelope, _ []string) string { return half(pack(text(e))) }},
	{"a message with other bytes", false, func(e result.Envelope, _ []string) string {
		return result.Prefix + strings.ToUpper(strings.TrimPrefix(pack(text(e)), result.Prefix))
	}},
	{"a message that is not packed", false, func(e result.Envelope, _ []string) string { return text(e) }},
	{"a packed message that was cut", false, func(e result.Envelope, _ []string) string { return pack(half(text(e))) }},
	{"a bomb", false, func(result.Envelope, []string) string { return bomb() }},
	{"a deep one", false, func(result.Envelope, []string) string { return pack(strings.Repeat(`{"document":`, 5000)) }},
	{"a huge one", false, func(result.Envelope, []string) string { return result.Prefix + strings.Repeat("A", 200_000) }},
	{"one of another version", false, edited(func(e *result.Envelope, _ []string) { e.Version = 2 })},
	{"one that ended before it began", false, edited(func(e *result.Envelope, _ []string) { e.End = e.Start.Add(-time.Hour) })},
	{"one of no known outcome", false, edited(func(e *result.Envelope, _ []string) { e.Outcome = "Passed" })},
	{"a number that is none", false, replaced(`"value":`, `"value":1e999,"was":`)},
	{"a field twice", false, replaced(`"outcome":`, `"outcome":"Failed","outcome":`)},
	{"a field that nobody knows", false, replaced(`"outcome":`, `"verdict":"Fail","outcome":`)},
	{"a name that is a path", false, measured(func(m *result.Measurement, _ []string) { m.Name = "../../" + m.Name })},
	{"a part of two lines", false, measured(func(m *result.Measurement, _ []string) { m.Parts[0].At = "gpu0\nassay.dev/verdict: passed" })},
	{"too many measurements", false, edited(func(e *result.Envelope, _ []string) {
		e.Document.Measurements = slices.Repeat(e.Document.Measurements[:1], 65)
	})},
	{"a program that cannot run here", false, edited(func(e *result.Envelope, _ []string) {
		*e = result.Envelope{Version: e.Version, Outcome: result.OutcomeSkipped, Reason: "CannotRunHere", Message: "not here", Start: e.Start, End: e.End}
	})},

	{"half of what it measured", true, scaled(0.5)},
	{"twice what it measured", true, scaled(2)},
	{"what cannot be", true, scaled(1e30)},
	{"less than nothing", true, scaled(-1)},
	{"parts of other nodes", true, measured(func(m *result.Measurement, others []string) {
		for i, other := range others {
			m.Parts = append(m.Parts, result.Part{At: other, Value: 1}, result.Part{At: other + "->" + others[(i+1)%len(others)], Value: 1})
		}
	})},
	{"nothing but parts of other nodes", true, measured(func(m *result.Measurement, others []string) {
		m.Parts = nil
		for _, other := range append(others, "nobody") {
			m.Parts = append(m.Parts, result.Part{At: other, Value: 1})
		}
	})},
	{"devices of other nodes", true, edited(func(e *result.Envelope, others []string) {
		for i, other := range others {
			e.Document.Device = append(e.Document.Device, result.Device{Index: int32(100 + i), UUID: "GPU-" + other + "-0"})
		}
	})},
	{"another benchmark", true, edited(func(e *result.Envelope, _ []string) { e.Document.Benchmark = "another" })},
	{"another metric", true, measured(func(m *result.Measurement, _ []string) { m.Name = "zeal" })},
	{"wrong data", true, edited(func(e *result.Envelope, _ []string) {
		e.Document.Checks = []result.Check{{Name: "data", Message: "wrong" + strings.Repeat("!", 500)}}
	})},
	{"as much as fits", true, edited(func(e *result.Envelope, _ []string) {
		for i := range 60 {
			e.Document.Checks = append(e.Document.Checks, result.Check{Name: fmt.Sprintf("check%d", i), OK: i%2 == 0, Message: strings.Repeat("x", 400)})
		}
		for i := len(e.Document.Measurements[0].Parts); i < 600; i++ {
			e.Document.Measurements[0].Parts = append(e.Document.Measurements[0].Parts, result.Part{At: fmt.Sprintf("gpu%d", i), Value: 50})
		}
	})},
}

// Make the output of what an honest program would have left, on a machine beside others.
func (o Output) Make(honest result.Envelope, others []string) string { return o.make(honest, others) }

// edited is the packed text of an envelope with something else in it.
func edited(edit func(*result.Envelope, []string)) func(result.Envelope, []string) string {
	return func(e result.Envelope, others []string) string {
		d := *e.Document
		d.Measurements = slices.Clone(d.Measurements)
		for i := range d.Measurements {
			d.Measurements[i].Parts = slices.Clone(d.Measurements[i].Parts)
		}
		e.Document = &d
		edit(&e, others)
		return pack(text(e))
	}
}

func measured(edit func(*result.Measurement, []string)) func(result.Envelope, []string) string {
	return edited(func(e *result.Envelope, others []string) { edit(&e.Document.Measurements[0], others) })
}

func scaled(by float64) func(result.Envelope, []string) string {
	return measured(func(m *result.Measurement, _ []string) {
		for i := range m.Parts {
			m.Parts[i].Value *= by
		}
	})
}

func replaced(old, by string) func(result.Envelope, []string) string {
	return func(e result.Envelope, _ []string) string { return pack(strings.Replace(text(e), old, by, 1)) }
}

func text(e result.Envelope) string {
	plain, err := json.Marshal(e)
	if err != nil {
		panic(err)
	}
	return string(plain)
}

func half(text string) string { return text[:len(text)/2] }

// pack a text as a runner does, whatever it says.
func pack(text string) string {
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	_, _ = zip.Write([]byte(text))
	_ = zip.Close()
	return result.Prefix + base64.RawStdEncoding.EncodeToString(packed.Bytes())
}

// bomb is small, and 2 MiB once it is unpacked.
var bomb = sync.OnceValue(func() string { return pack(strings.Repeat(" ", 2<<20)) })
