package v1alpha1

import (
	"encoding/json"
	"math"
	"testing"
)

func TestPartValueText(t *testing.T) {
	for text, want := range map[string]PartValue{
		"gpu0->gpu1 390.01 samples=12 spread=0.004": {At: "gpu0->gpu1", Value: "390.01", Samples: 12, Spread: "0.004"},
		"socket0 -1e-9":                  {At: "socket0", Value: "-1e-9"},
		"node 5 samples=3":               {At: "node", Value: "5", Samples: 3},
		"node 5 spread=1e-3":             {At: "node", Value: "5", Spread: "1e-3"},
		"5":                              {Value: "5"},
		"message size 8 B 0.5 samples=1": {At: "message size 8 B", Value: "0.5", Samples: 1},
		"a 1 samples=2 5":                {At: "a 1 samples=2", Value: "5"},
		"spread=1 samples=2 5 samples=9": {At: "spread=1 samples=2", Value: "5", Samples: 9},
		"a 1 samples=2147483647":         {At: "a", Value: "1", Samples: math.MaxInt32},
	} {
		data, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var line string
		if err := json.Unmarshal(data, &line); err != nil || line != text {
			t.Errorf("%+v is written as %s (%v), want the text %q", want, data, err, text)
		}
		var got PartValue
		if err := json.Unmarshal(data, &got); err != nil || got != want {
			t.Errorf("%q is read as %+v (%v), want %+v", text, got, err, want)
		}
	}
}

func TestPartValueTextOfOthers(t *testing.T) {
	var got PartValue
	if err := json.Unmarshal([]byte(`"a 1 samples=9999999999"`), &got); err != nil || got.Samples != math.MaxInt32 {
		t.Errorf("too many samples are read as %d (%v), want the largest number", got.Samples, err)
	}
	for _, bad := range []string{`{"at":"a","value":"1"}`, `"a 1 samples=x"`, `1`} {
		if err := json.Unmarshal([]byte(bad), &got); err == nil {
			t.Errorf("%s is read as %+v, want an error", bad, got)
		}
	}
}
