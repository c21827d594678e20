package result

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/test/measuretest"
	"github.com/assay-dev/assay/test/testdata"
)

func parseFacts(facts string) (Document, error) {
	return read(assayJSON(onePart, `,"facts":[`+facts+`]`))
}

func TestFactsReachTheAttemptAsText(t *testing.T) {
	d, err := parseFacts(`{"name":"smt","value":true},{"name":"turbo","value":false},{"name":"driver","value":"570.172.08"},
		{"name":"cores","value":112},{"name":"cores","at":"socket0","value":1.12e2},{"name":"nvlinkGBps","at":"gpu0","value":26.5620},
		{"name":"offset","value":-0},{"name":"serial","at":"gpu0","value":1650000000000123}`)
	if err != nil {
		t.Fatal(err)
	}
	want := []v1alpha1.Fact{{Name: "smt", Value: "true"}, {Name: "turbo", Value: "false"}, {Name: "driver", Value: "570.172.08"},
		{Name: "cores", Value: "112"}, {Name: "cores", At: "socket0", Value: "112"}, {Name: "nvlinkGBps", At: "gpu0", Value: "26.562"},
		{Name: "offset", Value: "0"}, {Name: "serial", At: "gpu0", Value: "1650000000000123"}}
	if diff := cmp.Diff(want, measured(d).Attempt(1).Facts); diff != "" {
		t.Errorf("facts (-want +got):\n%s", diff)
	}
}

// TestInventoryOfTwoH200s: what a real machine reports comes whole through a termination message.
func TestInventoryOfTwoH200s(t *testing.T) {
	d, err := read(testdata.Output("assay-inventory.json"))
	if err != nil {
		t.Fatal(err)
	}
	text, _, err := EncodeToFit(measured(d))
	if err != nil {
		t.Fatal(err)
	}
	e, err := Decode(text)
	if err != nil {
		t.Fatal(err)
	}
	facts := e.Attempt(1).Facts
	if len(facts) != 95 {
		t.Errorf("%d facts, want 95", len(facts))
	}
	for _, want := range []v1alpha1.Fact{{Name: "driver", Value: "580.159.04"}, {Name: "vbios", At: "gpu1", Value: "96.00.A5.00.1A"},
		{Name: "pcieWidthReduced", At: "gpu0", Value: "false"}, {Name: "nvlinkGBps", At: "gpu0", Value: "26.562"}, {Name: "memoryGiB", Value: "256"}} {
		if !slices.Contains(facts, want) {
			t.Errorf("fact %+v is missing", want)
		}
	}
}

func TestALongFactIsCut(t *testing.T) {
	d, err := parseFacts(`{"name":"bootParameters","value":"` + strings.Repeat("a", 130) + `\n"}`)
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.Repeat("a", 127) + "…"; d.Facts[0].Value != want {
		t.Errorf("value %q, want %q", d.Facts[0].Value, want)
	}
}

func TestDecodeRefusesMoreFactsThanAreKept(t *testing.T) {
	d := noisyNode(0)
	d.Facts = make([]Fact, 1025)
	e := measured(d)
	measuretest.WantError(t, e.validate(), "1025 facts, at most 1024 are allowed")
}

func TestParseRefusesFacts(t *testing.T) {
	for name, test := range map[string]struct{ facts, says string }{
		"without a name":         {`{"value":1}`, "lacks name or value"},
		"without a value":        {`{"name":"smt"}`, "lacks name or value"},
		"whose value is null":    {`{"name":"smt","value":null}`, "lacks name or value"},
		"whose value is a list":  {`{"name":"smt","value":[1]}`, "not a number, a text or a boolean"},
		"whose value is empty":   {`{"name":"vbios","at":"gpu0","value":" "}`, `fact "vbios at gpu0" is empty`},
		"that are not finite":    {`{"name":"cores","value":1e999}`, "not a finite number"},
		"with a name in words":   {`{"name":"VBIOS version","value":1}`, "lowerCamelCase"},
		"with a part too long":   {`{"name":"smt","at":"` + strings.Repeat("g", 129) + `","value":1}`, "at most 128"},
		"told twice":             {`{"name":"smt","at":"gpu0","value":1},{"name":"smt","at":"gpu0","value":2}`, `fact "smt at gpu0" appears twice`},
		"with an unknown field":  {`{"name":"smt","value":1,"unit":"s"}`, "unknown field"},
		"with an escape in them": {`{"name":"smt","at":"\u001b[2J","value":1}`, "unprintable"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := parseFacts(test.facts)
			measuretest.WantError(t, err, test.says)
			if !errors.Is(err, ErrBadOutput) {
				t.Errorf("%v does not wrap ErrBadOutput", err)
			}
		})
	}
}

func TestStatisticsOfSamplesAreReadAndNotKept(t *testing.T) {
	with := func(statistics string) (Document, error) {
		return read(assayJSON(strings.Replace(onePart, "1.5", `1.5,"samples":9,`+statistics, 1), ""))
	}
	d, err := with(`"min":1.2,"mean":1.48,"p95":1.6,"outliers":2`)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Part{At: "gpu0", Value: 1.5, Samples: 9}, d.Measurements[0].Parts[0]); diff != "" {
		t.Errorf("part (-want +got):\n%s", diff)
	}
	for statistics, says := range map[string]string{
		`"outliers":10`:         `the part "gpu0": 10 of its 9 samples are outliers`,
		`"outliers":-1`:         "-1 of its 9 samples",
		`"min":2,"p95":1.5`:     "min 2 is above p95 1.5",
		`"mean":1e999`:          "expected a finite float64",
		`"min":"1"`:             "expected a finite float64",
		`"p95":1,"p95":2`:       "appears twice",
		`"max":2`:               "unknown field",
		`"outliers":0.5`:        "outliers",
		`"outliers":1e10,"a":1`: "outliers",
	} {
		_, err := with(statistics)
		measuretest.WantError(t, err, says)
	}
}

// TestAllFactsOfABigNodeFit: a node of 8 GPUs and 8 network cards loses none of them.
func TestAllFactsOfABigNodeFit(t *testing.T) {
	want := measured(bigNode(1))
	text, packed, err := EncodeToFit(want)
	if err != nil {
		t.Fatal(err)
	}
	if len(text) > MaxEncoded*9/10 {
		t.Errorf("%d facts take %d bytes, want a tenth of %d to spare", len(packed.Document.Facts), len(text), MaxEncoded)
	}
	got, err := Decode(text)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("envelope (-want +got):\n%s", diff)
	}
}

// noisyNode has n facts that compress badly.
func noisyNode(n int) Document {
	d := smallDocument()
	for i := range n {
		d.Facts = append(d.Facts, Fact{Name: "serial", At: fmt.Sprintf("dimm%d", i), Value: fmt.Sprintf("%016x", uint64(i+1)*0x9e3779b97f4a7c15)})
	}
	return d
}

// TestFactsBeyondTheLimitAreCounted: by the parser, and once more where the rest does not fit into a termination message.
func TestFactsBeyondTheLimitAreCounted(t *testing.T) {
	var facts []string
	for i := range 1500 {
		facts = append(facts, fmt.Sprintf(`{"name":"serial","at":"dimm%d","value":"%016x"}`, i, uint64(i+1)*0x9e3779b97f4a7c15))
	}
	d, err := parseFacts(strings.Join(facts, ","))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Fact{Name: "factsLeftOut", Value: json.Number("477")}, d.Facts[1023]); diff != "" {
		t.Errorf("last fact (-want +got):\n%s", diff)
	}
	_, packed, err := EncodeToFit(measured(d))
	if err != nil {
		t.Fatal(err)
	}
	n := len(packed.Document.Facts)
	if last := packed.Document.Facts[n-1]; last.Value != json.Number(fmt.Sprint(1500-(n-1))) {
		t.Errorf("of 1500 facts, %d were kept, and the last says %v", n-1, last.Value)
	}
}

func TestFactsThatDoNotFitAreCounted(t *testing.T) {
	for name, d := range map[string]Document{
		"a little too many": noisyNode(300), "as many as are kept": noisyNode(1024),
	} {
		t.Run(name, func(t *testing.T) {
			text, packed, err := EncodeToFit(measured(d))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := Decode(text); err != nil {
				t.Fatal(err)
			}
			kept := len(packed.Document.Facts) - 1
			want := d
			want.Facts = append(append([]Fact{}, d.Facts[:max(kept, 0)]...), Fact{Name: "factsLeftOut", Value: json.Number(fmt.Sprint(len(d.Facts) - kept))})
			if diff := cmp.Diff(measured(want), packed); diff != "" {
				t.Errorf("envelope (-want +got):\n%s", diff)
			}
			if _, err := Encode(withFacts(measured(d), kept+1)); err == nil || kept < 150 {
				t.Errorf("%d facts were kept, and one more would have fit", kept)
			}
		})
	}
}

func TestMeasurementsThatDoNotFitAreAnErrorWithFactsToo(t *testing.T) {
	d := linkDocument(400)
	d.Facts = noisyNode(3).Facts
	_, packed, err := EncodeToFit(measured(d))
	if err != nil || packed.Reason != v1alpha1.ReasonOutputTooLarge {
		t.Errorf("reason %s, error %v", packed.Reason, err)
	}
}
