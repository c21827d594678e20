package result

import (
	"errors"
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/test/measuretest"
)

// FuzzDecode packs what the fuzzer invents, because nothing it invents would get past gzip's checksum.
func FuzzDecode(f *testing.F) {
	for _, e := range []Envelope{measured(smallDocument()), measured(bigNode(1)), failed(v1alpha1.ReasonTimedOut)} {
		text, err := Encode(e)
		if err != nil {
			f.Fatal(err)
		}
		packed, err := base64Decode(text)
		if err != nil {
			f.Fatal(err)
		}
		plain, err := unpack(packed)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text, plain)
	}
	f.Fuzz(func(t *testing.T, text string, plain []byte) {
		for _, message := range []string{text, pack(t, plain)} {
			e, err := Decode(message)
			if err != nil {
				if !errors.Is(err, errBadEnvelope) && !errors.Is(err, ErrNoOutput) {
					t.Fatalf("the error %v is of no known kind", err)
				}
				continue
			}
			measuretest.CheckAttempt(t, e.Attempt(1))
			if _, _, err := EncodeToFit(e); err != nil {
				t.Fatalf("what was decoded cannot be encoded: %v", err)
			}
		}
	})
}
