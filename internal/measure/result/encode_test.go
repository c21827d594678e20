package result

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/test/measuretest"
	"github.com/assay-dev/assay/test/testdata"
)

func failed(reason string) Envelope {
	return Envelope{
		Version: EnvelopeVersion, Outcome: OutcomeFailed, Reason: reason, Message: "the program exited with code 3",
		ExitCode: 3, Start: testStart, End: testStart.Add(time.Second), LogTail: "one\ntwo",
	}
}

func TestEncodeAndDecodeGiveBackTheSame(t *testing.T) {
	stream, err := read(testdata.Output("assay-stream.json"))
	if err != nil {
		t.Fatal(err)
	}
	killed := failed(v1alpha1.ReasonOOMKilled)
	killed.ExitCode, killed.Signal = NoExitCode, "SIGKILL"
	withTelemetry := measured(stream)
	withTelemetry.Telemetry = []Measurement{{Name: "cpuFrequency", Unit: "MHz", Better: BetterHigher, Parts: []Part{{At: "node", Value: 2900.5}}}}
	for name, e := range map[string]Envelope{
		"a measurement":              measured(smallDocument()),
		"a captured document":        withTelemetry,
		"a failure with its log":     failed(v1alpha1.ReasonProgramFailed),
		"a program killed":           killed,
		"skipped by its document":    {Version: 1, Outcome: OutcomeSkipped, Reason: v1alpha1.ReasonCannotRunHere, ExitCode: 77, Start: testStart, End: testStart, Document: &Document{Schema: Schema, Benchmark: "p2p", Skipped: "no GPU"}},
		"skipped without a document": {Version: 1, Outcome: OutcomeSkipped, Reason: v1alpha1.ReasonCannotRunHere, ExitCode: 77, Start: testStart, End: testStart},
	} {
		t.Run(name, func(t *testing.T) {
			text, err := Encode(e)
			if err != nil {
				t.Fatal(err)
			}
			if len(text) > MaxEncoded || !strings.HasPrefix(text, Prefix) {
				t.Errorf("%d bytes starting with %.10s", len(text), text)
			}
			got, err := Decode(text + "\n")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(e, got); diff != "" {
				t.Errorf("envelope (-want +got):\n%s", diff)
			}
		})
	}
}

// linkDocument holds n links with noisy values, which compress as badly as real ones.
func linkDocument(n int) Document {
	random := rand.New(rand.NewPCG(1, uint64(n)))
	d := smallDocument()
	d.Measurements[0].Parts = nil
	for i := range n {
		d.Measurements[0].Parts = append(d.Measurements[0].Parts, Part{
			At: fmt.Sprintf("gpu%d->gpu%d", i/16, i%16), Value: math.Round(random.Float64()*1e6) / 1e3, Samples: 12, Spread: math.Round(random.Float64()*1e5) / 1e5,
		})
	}
	return d
}

func TestEncodeRefusesWhatDoesNotFit(t *testing.T) {
	for name, test := range map[string]struct {
		parts int
		says  string
	}{
		"too much for a termination message": {400, "a termination message holds 4096"},
		"too much before compression":        {1024, "bytes of JSON, the limit is 65536"},
	} {
		t.Run(name, func(t *testing.T) {
			text, err := Encode(measured(linkDocument(test.parts)))
			measuretest.WantError(t, err, test.says)
			if text != "" {
				t.Errorf("%d bytes came back beside the error", len(text))
			}
			if !errors.Is(err, ErrTooLarge) {
				t.Errorf("%v does not wrap ErrTooLarge", err)
			}
		})
	}
}

func TestEncodeRefusesAnInvalidEnvelope(t *testing.T) {
	d := smallDocument()
	d.Measurements[0].Parts[0].Value = math.NaN()
	_, err := Encode(measured(d))
	measuretest.WantError(t, err, "not a finite number")
	if !errors.Is(err, ErrBadOutput) {
		t.Errorf("%v does not wrap ErrBadOutput", err)
	}
}

func TestEncodeToFitRefusesAnInvalidEnvelope(t *testing.T) {
	d := smallDocument()
	d.Measurements[0].Parts[0].Value = math.Inf(1)
	text, _, err := EncodeToFit(measured(d))
	measuretest.WantError(t, err, "not a finite number")
	if text != "" {
		t.Errorf("%q was packed beside the error", text)
	}
}

// noise is text that does not compress.
func noise(n int) string {
	random := rand.New(rand.NewPCG(3, 4))
	var text strings.Builder
	for range n {
		text.WriteRune(rune(0x4e00 + random.IntN(20000)))
	}
	return text.String()
}

func TestEncodeToFit(t *testing.T) {
	telemetry := linkDocument(170).Measurements
	longLog := failed(v1alpha1.ReasonProgramFailed)
	longLog.LogTail = noise(2600)
	muchTelemetry := measured(linkDocument(180))
	muchTelemetry.Telemetry = telemetry
	someTelemetry := measured(smallDocument())
	someTelemetry.Telemetry = linkDocument(2).Measurements
	others := Measurement{Name: cpuOthers, Unit: "fraction", Better: BetterLower, Parts: []Part{{At: NodePart, Value: 0.12}}}
	crowded := measured(linkDocument(170))
	crowded.Telemetry = append(linkDocument(400).Measurements, others)
	failedTelemetry := failed(v1alpha1.ReasonTimedOut)
	failedTelemetry.Telemetry = linkDocument(400).Measurements
	for name, test := range map[string]struct {
		envelope Envelope
		check    func(*testing.T, Envelope)
	}{
		"what fits is left alone": {measured(smallDocument()), func(t *testing.T, got Envelope) {
			if diff := cmp.Diff(measured(smallDocument()), got); diff != "" {
				t.Errorf("envelope (-want +got):\n%s", diff)
			}
		}},
		"telemetry that fits stays": {someTelemetry, func(t *testing.T, got Envelope) {
			if diff := cmp.Diff(someTelemetry, got); diff != "" {
				t.Errorf("envelope (-want +got):\n%s", diff)
			}
		}},
		"a long log loses its older half, with a mark": {longLog, func(t *testing.T, got Envelope) {
			tail, marked := strings.CutPrefix(got.LogTail, "... ")
			if got.Reason != v1alpha1.ReasonProgramFailed || !marked || tail == "" || !strings.HasSuffix(longLog.LogTail, tail) || !utf8.ValidString(tail) {
				t.Errorf("reason %s, log of %d bytes, marked %v", got.Reason, len(got.LogTail), marked)
			}
		}},
		"telemetry goes before any measurement does, with a note": {muchTelemetry, func(t *testing.T, got Envelope) {
			want := linkDocument(180)
			want.Notes = []string{"telemetry was left out: it did not fit into the termination message beside the measurements"}
			if diff := cmp.Diff(measured(want), got); diff != "" {
				t.Errorf("envelope (-want +got):\n%s", diff)
			}
		}},
		"what others took stays, as a slow measurement is judged by it": {crowded, func(t *testing.T, got Envelope) {
			if diff := cmp.Diff([]Measurement{others}, got.Telemetry); diff != "" || len(got.Document.Measurements[0].Parts) != 170 {
				t.Errorf("telemetry (-want +got):\n%s", diff)
			}
		}},
		"telemetry of a failure goes, with a word in the message": {failedTelemetry, func(t *testing.T, got Envelope) {
			if got.Reason != v1alpha1.ReasonTimedOut || len(got.Telemetry) != 0 || !strings.Contains(got.Message, "; telemetry was left out") {
				t.Errorf("got %+v", got)
			}
		}},
		"measurements that do not fit are an error": {measured(linkDocument(400)), func(t *testing.T, got Envelope) {
			if got.Outcome != OutcomeFailed || got.Reason != v1alpha1.ReasonOutputTooLarge || got.Document != nil ||
				!strings.Contains(got.Message, "a termination message holds 4096: have the program report fewer parts") {
				t.Errorf("got %+v", got)
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			text, packed, err := EncodeToFit(test.envelope)
			if err != nil {
				t.Fatal(err)
			}
			got, err := Decode(text)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(packed, got); diff != "" {
				t.Errorf("what was packed and what was read differ (-packed +read):\n%s", diff)
			}
			test.check(t, got)
		})
	}
}

// pack is Encode without its checks, as a hostile pod would write it.
func pack(t testing.TB, plain []byte) string {
	t.Helper()
	return Prefix + base64.RawStdEncoding.EncodeToString(zip(t, plain))
}

func zip(t testing.TB, plain []byte) []byte {
	t.Helper()
	var packed bytes.Buffer
	writer, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := writer.Write(plain); err != nil {
		t.Fatal(err)
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

func TestDecodeRefusesHostileMessages(t *testing.T) {
	valid, err := Encode(measured(smallDocument()))
	if err != nil {
		t.Fatal(err)
	}
	encode := base64.RawStdEncoding.EncodeToString
	bomb := zip(t, make([]byte, 2_000_000))
	for name, test := range map[string]struct {
		text string
		says string
	}{
		"another message":     {"Error: no space left", "the runner did not write it"},
		"a truncated message": {valid[:len(valid)-40], ""},
		"a message too long":  {valid + strings.Repeat("A", MaxEncoded), "at most 4096"},
		"broken base64":       {Prefix + "!!!!", "illegal base64"},
		"no gzip":             {Prefix + encode([]byte("hello world")), "decompressing"},
		"a gzip bomb":         {Prefix + encode(bomb), "unpacks to more than 65536 bytes"},
		"two streams":         {Prefix + encode(append(zip(t, []byte("{}")), zip(t, []byte("{}"))...)), "bytes follow"},
		"no JSON":             {pack(t, []byte("hello")), "not JSON"},
		"an empty object":     {pack(t, []byte("{}")), "version 0, this build reads 1"},
		"two envelopes":       {pack(t, []byte(`{"version":1}{"version":1}`)), "something follows"},
		"an unknown field":    {pack(t, []byte(`{"version":1,"verdict":"Fail"}`)), "unknown field"},
		"a later version":     {pack(t, []byte(`{"version":2}`)), "must be of one release"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Decode(test.text)
			measuretest.WantError(t, err, test.says)
			if !errors.Is(err, errBadEnvelope) {
				t.Errorf("%v does not wrap ErrBadEnvelope", err)
			}
		})
	}
	if _, err := Decode(" \n"); !errors.Is(err, ErrNoOutput) {
		t.Errorf("an empty message gives %v, want one that wraps ErrNoOutput", err)
	}
}

func TestDecodeRefusesForgedFields(t *testing.T) {
	for name, test := range map[string]struct {
		forge func(*Envelope)
		says  string
	}{
		"measured without a document":     {func(e *Envelope) { e.Document = nil }, "needs reason Measured and a document"},
		"measured for another reason":     {func(e *Envelope) { e.Reason = "WrongData" }, "needs reason Measured"},
		"measured but skipped":            {func(e *Envelope) { e.Document = &Document{Schema: Schema, Benchmark: "p", Skipped: "no"} }, "needs reason Measured"},
		"skipped with measurements":       {func(e *Envelope) { e.Outcome, e.Reason = OutcomeSkipped, "CannotRunHere" }, "no measurements"},
		"failed with a document":          {func(e *Envelope) { e.Outcome, e.Reason = OutcomeFailed, "TimedOut" }, "no document"},
		"failed for a reason of verdicts": {func(e *Envelope) { e.Outcome, e.Reason, e.Document = OutcomeFailed, "WrongData", nil }, "needs one of the reasons"},
		"an outcome that is unknown":      {func(e *Envelope) { e.Outcome = "Pass" }, `outcome "Pass" is unknown`},
		"an exit code out of range":       {func(e *Envelope) { e.ExitCode = 256 }, "exit code 256"},
		"an end before its start":         {func(e *Envelope) { e.End = e.Start.Add(-time.Second) }, "not a span of time"},
		"no start":                        {func(e *Envelope) { e.Start = time.Time{} }, "not a span of time"},
		"a message with an escape":        {func(e *Envelope) { e.Message = "\x1b[2J" }, "unprintable"},
		"a message without end":           {func(e *Envelope) { e.Message = strings.Repeat("m", 2049) }, "at most 2048"},
		"a log without end":               {func(e *Envelope) { e.LogTail = strings.Repeat("m", 8193) }, "at most 8192"},
		"a signal without end":            {func(e *Envelope) { e.Signal = strings.Repeat("S", 65) }, "at most 64"},
		"telemetry with a bad name":       {func(e *Envelope) { e.Telemetry = []Measurement{{Name: "GPU"}} }, "reading telemetry"},
		"more devices than are kept":      {func(e *Envelope) { e.Document.Device = make([]Device, 129) }, "129 devices, at most 128"},
		"a device before the first":       {func(e *Envelope) { e.Document.Device = []Device{{Index: -1}} }, "device index -1"},
		"a device beyond the last":        {func(e *Envelope) { e.Document.Device = []Device{{Index: 1<<20 + 1}} }, "device index 1048577"},
		"a document with a bad name":      {func(e *Envelope) { e.Document.Measurements[0].Name = "x y" }, "reading the document"},
	} {
		t.Run(name, func(t *testing.T) {
			e := measured(smallDocument())
			test.forge(&e)
			plain, err := json.Marshal(e)
			if err != nil {
				t.Fatal(err)
			}
			_, err = Decode(pack(t, plain))
			measuretest.WantError(t, err, test.says)
		})
	}
}

func base64Decode(text string) ([]byte, error) {
	return base64.RawStdEncoding.DecodeString(strings.TrimPrefix(text, Prefix))
}
