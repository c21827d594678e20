package v1alpha1

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

const (
	samplesPrefix = "samples="
	spreadPrefix  = "spread="
)

// String is the line that stands for the part in JSON.
func (p PartValue) String() string {
	words := make([]string, 0, 4)
	if p.At != "" {
		words = append(words, p.At)
	}
	words = append(words, string(p.Value))
	if p.Samples > 0 {
		words = append(words, samplesPrefix+strconv.Itoa(int(p.Samples)))
	}
	if p.Spread != "" {
		words = append(words, spreadPrefix+string(p.Spread))
	}
	return strings.Join(words, " ")
}

// MarshalJSON writes the part as a line of text: as an object, the parts of a result would cost the API server more than all else in
// it, for every object is a map there that each of its many copies allocates anew.
func (p PartValue) MarshalJSON() ([]byte, error) { return json.Marshal(p.String()) }

// UnmarshalJSON reads the line from its end, because the part's name may have spaces.
func (p *PartValue) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return fmt.Errorf("reading a part: %w", err)
	}
	*p = PartValue{}
	rest, last := cutLastWord(text)
	if spread, ok := strings.CutPrefix(last, spreadPrefix); ok {
		p.Spread = Decimal(spread)
		rest, last = cutLastWord(rest)
	}
	if samples, ok := strings.CutPrefix(last, samplesPrefix); ok {
		n, err := strconv.ParseInt(samples, 10, 32)
		if err != nil && !errors.Is(err, strconv.ErrRange) { // the schema lets larger numbers through: n is the largest then
			return fmt.Errorf("reading the samples of part %q: %w", text, err)
		}
		p.Samples = int32(n)
		rest, last = cutLastWord(rest)
	}
	p.At, p.Value = rest, Decimal(last)
	return nil
}

func cutLastWord(s string) (before, last string) {
	if i := strings.LastIndexByte(s, ' '); i >= 0 {
		return s[:i], s[i+1:]
	}
	return "", s
}
