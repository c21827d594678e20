package pack

import (
	"compress/flate"
	"crypto/sha256"
	"encoding/json"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
)

const (
	// maxShared bounds how many shapes, and how many lists of findings, a Packer shares: what pods report may be anything.
	maxShared = 1 << 10
	// end of a text, and what stands for one that is the same as in the attempt that the shape was made of.
	end, same = "\x00", "\x01"
)

// body is what an attempt measured, sampled, found and checked: its shape, and its texts, compressed. Shape nil: the head has it all.
type body struct {
	*shape
	texts string
}

// shape of attempts that differ in their texts only, and the texts of the first of them: most nodes share most of their facts.
type shape struct {
	attempt v1alpha1.Attempt
	texts   []string
}

// Packer packs results; what they have in common it keeps once.
type Packer struct {
	shapes map[[sha256.Size]byte]*shape
	// findings, mostly of rules that nowhere had enough data.
	findings   map[[sha256.Size]byte][]v1alpha1.Finding
	compressor *flate.Writer
}

// New packer has seen no result yet.
func New() *Packer {
	compressor, err := flate.NewWriter(io.Discard, flate.BestSpeed)
	if err != nil {
		panic(err) // only of a level that there is not
	}
	return &Packer{map[[sha256.Size]byte]*shape{}, map[[sha256.Size]byte][]v1alpha1.Finding{}, compressor}
}

// takeFrom an attempt what it measured, sampled, found and checked.
func (p *Packer) takeFrom(a *v1alpha1.Attempt) body {
	bare := (&v1alpha1.Attempt{Measurements: a.Measurements, Telemetry: a.Telemetry, Facts: a.Facts, Checks: a.Checks}).DeepCopy()
	var texts []string
	eachText(bare, func(text *string) {
		texts, *text = append(texts, *text), ""
	})
	if slices.ContainsFunc(texts, func(text string) bool { return text == same || strings.Contains(text, end) }) {
		return body{} // no program means that
	}
	s := p.shape(bare, texts)
	var plain []byte
	for i, text := range texts {
		if text == s.texts[i] {
			text = same
		}
		plain = append(append(plain, text...), end...)
	}
	var packed strings.Builder // which never fails
	p.compressor.Reset(&packed)
	_, _ = p.compressor.Write(plain)
	_ = p.compressor.Close()
	a.Measurements, a.Telemetry, a.Facts, a.Checks = nil, nil, nil, nil
	return body{s, strings.Clone(packed.String())}
}

// giveTo an attempt what was taken from it.
func (b body) giveTo(a *v1alpha1.Attempt) {
	if b.shape == nil {
		return
	}
	packed, err := io.ReadAll(flate.NewReader(strings.NewReader(b.texts)))
	if err != nil {
		panic(err) // it was never written anywhere
	}
	whole, texts, i := b.attempt.DeepCopy(), string(packed), 0
	eachText(whole, func(text *string) {
		*text, texts, _ = strings.Cut(texts, end)
		if *text == same {
			*text = b.shape.texts[i]
		}
		i++
	})
	a.Measurements, a.Telemetry, a.Facts, a.Checks = whole.Measurements, whole.Telemetry, whole.Facts, whole.Checks
}

// eachText of what an attempt measured, sampled, found and checked, but names: to be read and changed.
func eachText(a *v1alpha1.Attempt, visit func(*string)) {
	for _, measurements := range [][]v1alpha1.Measurement{a.Measurements, a.Telemetry} {
		for m := range measurements {
			for i := range measurements[m].Parts {
				part := &measurements[m].Parts[i]
				visit((*string)(&part.Value))
				visit((*string)(&part.Spread))
				samples := strconv.Itoa(int(part.Samples))
				visit(&samples)
				n, _ := strconv.ParseInt(samples, 10, 32) // a shape has none
				part.Samples = int32(n)
			}
		}
	}
	for i := range a.Facts {
		visit(&a.Facts[i].Value)
	}
	for i := range a.Checks {
		visit(&a.Checks[i].Message)
	}
}

// shape of an attempt: one that is known already, if possible.
func (p *Packer) shape(bare *v1alpha1.Attempt, texts []string) *shape {
	key := keyOf(bare)
	s := p.shapes[key]
	if s == nil {
		s = &shape{*bare, texts}
		if len(p.shapes) < maxShared {
			p.shapes[key] = s
		}
	}
	return s
}

// shared is the one copy of some findings. There may be any number of different ones, so that the table starts anew when it is full. Those
// of a failure have numbers of their own: no other node has the same, and the table would keep them for longer than their run.
func (p *Packer) shared(findings []v1alpha1.Finding) []v1alpha1.Finding {
	if len(findings) == 0 || slices.ContainsFunc(findings, func(f v1alpha1.Finding) bool { return f.Verdict == v1alpha1.VerdictFail }) {
		return findings
	}
	key := keyOf(findings)
	if known := p.findings[key]; known != nil {
		return known
	}
	if len(p.findings) == maxShared {
		clear(p.findings)
	}
	p.findings[key] = findings
	return findings
}

// keyOf what came from the API server, or goes there: no two that differ have the same.
func keyOf(o any) [sha256.Size]byte {
	text, err := json.Marshal(o)
	if err != nil {
		panic(err) // of texts and numbers
	}
	return sha256.Sum256(text)
}
