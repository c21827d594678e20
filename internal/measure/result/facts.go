package result

import (
	"cmp"
	"encoding/json"
	"fmt"
	"sort"
	"strconv"

	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
)

// factsLeftOut is the fact that counts those which did not fit into a termination message.
const factsLeftOut = "factsLeftOut"

// Fact is something that does not change while a program runs: a version, a setting, a count.
type Fact struct {
	Name string `json:"name"`
	// At is the part. Empty: the whole node.
	At string `json:"at,omitempty"`
	// Value is a bool, a string or a json.Number.
	Value any `json:"value"`
}

func (d *Document) validateFacts() error {
	return checkEach("facts", d.Facts, maxFacts, func(f *Fact) (key, title string, wrong error) {
		return f.Name + "\x00" + f.At, f.title(), f.validate()
	})
}

// title of a fact in an error.
func (f *Fact) title() string {
	return "fact " + Quote(message.With(f.Name, " at ", f.At))
}

func (f *Fact) validate() error {
	if err := cmp.Or(checkName("fact", f.Name), checkOptionalText("the part of fact "+f.Name, f.At, maxAt)); err != nil {
		return err
	}
	if f.Value == "" {
		return checkText(f.title(), "", MaxFact)
	}
	return checkValue(f.title(), f.Value)
}

// text of a fact's value, as expectations are written: one number has one text, however the program wrote it.
func (f *Fact) text() string {
	number, ok := f.Value.(json.Number)
	if !ok {
		return fmt.Sprint(f.Value)
	}
	if whole, err := strconv.ParseInt(number.String(), 10, 64); err == nil {
		return strconv.FormatInt(whole, 10)
	}
	value, _ := number.Float64() // a number: it was validated
	return string(quantity.Decimal(value, quantity.Exact))
}

// withFacts is the envelope with only so many of its facts, and one more that says how many it lacks.
func withFacts(e Envelope, kept int) Envelope {
	document := *e.Document
	document.Facts = capFacts(document.Facts, kept)
	e.Document = &document
	return e
}

// capFacts keeps so many facts, and counts in one more those that it leaves out, with those that were left out before.
func capFacts(facts []Fact, kept int) []Fact {
	left := int64(len(facts) - kept)
	last := facts[len(facts)-1]
	if before, ok := last.Value.(json.Number); ok && last.Name == factsLeftOut {
		if n, err := before.Int64(); err == nil {
			left += n - 1
		}
	}
	return append(facts[:kept:kept], Fact{Name: factsLeftOut, Value: json.Number(strconv.FormatInt(left, 10))})
}

// fewerFacts is the envelope with as many of its facts as fit; with all of them where it does not fit without any either.
func fewerFacts(e Envelope) Envelope {
	tooMany := sort.Search(len(e.Document.Facts), func(kept int) bool {
		_, err := Encode(withFacts(e, kept))
		return err != nil
	})
	if tooMany == 0 {
		return e
	}
	return withFacts(e, tooMany-1)
}
