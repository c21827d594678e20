package result

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-dev/assay/test/measuretest"
	"github.com/assay-dev/assay/test/testdata"
)

func TestReadReadsACapturedDocument(t *testing.T) {
	d, err := read(testdata.Output("assay-stream.json"))
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Measurements) != 8 {
		t.Fatalf("%d measurements, want 8", len(d.Measurements))
	}
	want := Measurement{Name: "copy", Unit: "GB/s", Better: BetterHigher, Parts: []Part{{At: "node", Value: 10.7113, Samples: 60, Spread: 0.23669}}}
	if diff := cmp.Diff(want, d.Measurements[0]); diff != "" {
		t.Errorf("first measurement (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]any{"arrayBytes": json.Number("134217728"), "threads": json.Number("2"), "stores": "regular"}, d.Parameters); diff != "" {
		t.Errorf("parameters (-want +got):\n%s", diff)
	}
}

// assayJSON is a valid document whose measurements, and what follows them, are given.
func assayJSON(measurements, more string) string {
	return fmt.Sprintf(`{"schema":"assay.dev/result/v1","benchmark":"p2p","measurements":[%s]%s}`, measurements, more)
}

const onePart = `{"name":"bandwidth","unit":"GB/s","better":"higher","parts":[{"at":"gpu0","value":1.5}]}`

func TestReadForgivesWhatLosesNothing(t *testing.T) {
	notes := strings.Repeat(`"again",`, 40)
	for name, test := range map[string]struct {
		more string
		want func(*Document)
	}{
		"a check told part by part, one of them wrong": {
			`,"checks":[{"name":"finiteValues","ok":true},{"name":"finiteValues","ok":false,"message":"a"},{"name":"finiteValues","ok":false,"message":"b"}]`,
			func(d *Document) { d.Checks = []Check{{Name: "finiteValues", Message: "a; b"}} },
		},
		"a check that is wrong first and right later": {
			`,"checks":[{"name":"finiteValues","ok":false,"message":"a"},{"name":"finiteValues","ok":true,"message":"b"},{"name":"finiteValues","ok":false}]`,
			func(d *Document) { d.Checks = []Check{{Name: "finiteValues", Message: "a"}} },
		},
		"as many notes as are kept": {
			`,"notes":[` + strings.TrimSuffix(strings.Repeat(`"again",`, 32), ",") + `]`,
			func(d *Document) { d.Notes = slices.Repeat([]string{"again"}, 32) },
		},
		"a parameter that is no number": {
			`,"parameters":{"clock":null}`,
			func(d *Document) {
				d.Parameters, d.Notes = map[string]any{}, []string{"the program reported no value for parameter clock"}
			},
		},
		"a note with control characters": {
			`,"notes":["red \u001b[31m\n text",""]`,
			func(d *Document) { d.Notes = []string{"red \uFFFD[31m  text"} },
		},
		"a note that is too long": {
			`,"notes":["` + strings.Repeat("é", 600) + `"]`,
			func(d *Document) { d.Notes = []string{strings.Repeat("é", 511) + "…"} },
		},
		"too many notes": {
			`,"notes":[` + strings.TrimSuffix(notes, ",") + `]`,
			func(d *Document) {
				for range 31 {
					d.Notes = append(d.Notes, "again")
				}
				d.Notes = append(d.Notes, "9 more notes were left out")
			},
		},
		"a device with a long name": {
			`,"device":[{"index":0,"uuid":"GPU-1","product":"` + strings.Repeat("x", 100) + `"}]`,
			func(d *Document) { d.Device = []Device{{UUID: "GPU-1", Product: strings.Repeat("x", 95) + "…"}} },
		},
	} {
		t.Run(name, func(t *testing.T) {
			want := Document{Schema: Schema, Benchmark: "p2p", Measurements: []Measurement{
				{Name: "bandwidth", Unit: "GB/s", Better: BetterHigher, Parts: []Part{{At: "gpu0", Value: 1.5}}},
			}}
			test.want(&want)
			got, err := read(assayJSON(onePart, test.more))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("document (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReadReadsASkippedDocument(t *testing.T) {
	d, err := read(`{"schema":"assay.dev/result/v1","benchmark":"p2p","skipped":"fewer than 2 GPUs","elapsedSeconds":0.1}`)
	if err != nil {
		t.Fatal(err)
	}
	want := Document{Schema: Schema, Benchmark: "p2p", Skipped: "fewer than 2 GPUs", ElapsedSeconds: 0.1}
	if diff := cmp.Diff(want, d); diff != "" {
		t.Errorf("document (-want +got):\n%s", diff)
	}
}

func TestReadRefuses(t *testing.T) {
	part := func(value string) string { return strings.Replace(onePart, "1.5", value, 1) }
	valid := assayJSON(onePart, "")
	for name, test := range map[string]struct {
		output string
		says   string
	}{
		"text":                            {"hello", "not JSON at byte 0"},
		"text before the document":        {"NCCL INFO ok\n" + valid, "everything else on stderr"},
		"a truncated document":            {valid[:len(valid)-3], "in the middle of the document"},
		"two documents":                   {valid + "\n" + valid, "something follows the document"},
		"text after the document":         {valid + "done", "something follows the document"},
		"a document in colour":            {"\x1b[1m" + valid, "not JSON"},
		"bytes that are not UTF-8":        {strings.Replace(valid, "gpu0", "gpu\xff", 1), "not UTF-8"},
		"NaN":                             {assayJSON(part("NaN"), ""), "which is not a finite number"},
		"negative infinity":               {assayJSON(part("-Infinity"), ""), "which is not a finite number"},
		"a number out of range":           {assayJSON(part("1e309"), ""), "expected a finite float64"},
		"a number out of range, spread":   {assayJSON(part(`1,"spread":1e309`), ""), "expected a finite float64"},
		"a parameter out of range":        {assayJSON(onePart, `,"parameters":{"n":1e999}`), "not a finite number"},
		"a decimal comma":                 {assayJSON(part("1,5"), ""), "not JSON"},
		"a value that is text":            {assayJSON(part(`"1.5"`), ""), "expected a finite float64"},
		"a value that is null":            {assayJSON(part("null"), ""), "lacks at or value"},
		"a value left out":                {assayJSON(strings.Replace(onePart, `,"value":1.5`, "", 1), ""), "lacks at or value"},
		"a value told twice":              {assayJSON(part(`1.5,"value":9`), ""), "appears twice in one object"},
		"a value told twice, in capitals": {assayJSON(part(`1.5,"VALUE":9`), ""), "appears twice in one object"},
		"a check without ok":              {assayJSON(onePart, `,"checks":[{"name":"a"}]`), "lacks name or ok"},
		"one in a list of another case":   {assayJSON(onePart, `,"CHECKS":[{"name":"a"}]`), "lacks name or ok"},
		"a check that is null":            {assayJSON(onePart, `,"checks":[null]`), "check \"\""},
		"an unknown field":                {assayJSON(onePart, `,"verdict":"Pass"`), "unknown field"},
		"an unknown field of a part":      {assayJSON(part(`1.5,"vaule":1`), ""), "unknown field"},
		"another schema":                  {strings.Replace(valid, "/v1", "/v2", 1), `expected "assay.dev/result/v1"`},
		"no measurement":                  {assayJSON("", ""), "no measurement"},
		"skipped and measured":            {assayJSON(onePart, `,"skipped":"no GPU"`), "skipped"},
		"a measurement twice":             {assayJSON(onePart+","+onePart, ""), "appears twice"},
		"a part twice":                    {assayJSON(part(`1.5},{"at":"gpu0","value":2`), ""), "appears twice"},
		"a measurement without parts":     {assayJSON(strings.Replace(onePart, `{"at":"gpu0","value":1.5}`, "", 1), ""), "no parts"},
		"a name in capitals":              {assayJSON(strings.Replace(onePart, "bandwidth", "Bandwidth", 1), ""), "lowerCamelCase"},
		"a name that is too long":         {assayJSON(strings.Replace(onePart, "bandwidth", strings.Repeat("b", 64), 1), ""), "at most 63"},
		"a unit that is empty":            {assayJSON(strings.Replace(onePart, "GB/s", "", 1), ""), "is empty"},
		"a part with a line break":        {assayJSON(strings.Replace(onePart, "gpu0", `gpu0\n`, 1), ""), "unprintable"},
		"a part that is too long":         {assayJSON(strings.Replace(onePart, "gpu0", strings.Repeat("g", 129), 1), ""), "at most 128"},
		"no direction":                    {assayJSON(strings.Replace(onePart, "higher", "up", 1), ""), `"higher" or "lower"`},
		"negative samples":                {assayJSON(part(`1.5,"samples":-1`), ""), "neither can be negative"},
		"a negative time":                 {assayJSON(onePart, `,"elapsedSeconds":-1`), "a time cannot be negative"},
		"a device twice":                  {assayJSON(onePart, `,"device":[{"index":0},{"index":0}]`), "device 0 appears twice"},
		"a parameter that is a list":      {assayJSON(onePart, `,"parameters":{"n":[1]}`), "not a number, a text or a boolean"},
		"JSON nested without end":         {strings.Repeat("[", 100) + strings.Repeat("]", 100), "nested deeper"},
		"JSON opened without end":         {strings.Repeat("[", 100_000), "exceeded max depth"},
		"too many parts":                  {assayJSON(part("1"+manyParts(1024)), ""), "at most 1024"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := read(test.output)
			measuretest.WantError(t, err, test.says)
			if !errors.Is(err, ErrBadOutput) {
				t.Errorf("%v does not wrap ErrBadOutput", err)
			}
		})
	}
}

// manyParts closes one part and opens n more of them.
func manyParts(n int) string {
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, `},{"at":"p%d","value":1`, i)
	}
	return text.String()
}
