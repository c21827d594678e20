package formats

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/result"
	"github.com/assay-dev/assay/test/measuretest"
)

var regexMetrics = []v1alpha1.Metric{
	{Name: "rate", Unit: "ns/day"},
	{Name: "latency", Unit: "us", Better: v1alpha1.Lower},
}

func pattern(metric, regexp string) []v1alpha1.OutputPattern {
	return []v1alpha1.OutputPattern{{Metric: metric, Regexp: regexp}}
}

func TestParseRegexReads(t *testing.T) {
	for name, test := range map[string]struct {
		patterns []v1alpha1.OutputPattern
		output   string
		want     []result.Measurement
		notes    []string
	}{
		"one number": {
			pattern("rate", `Performance:\s+(?P<value>\S+)`), "Performance:   12.5   1.9\n",
			[]result.Measurement{{Name: "rate", Unit: "ns/day", Better: result.BetterHigher, Parts: []result.Part{{At: "node", Value: 12.5, Samples: 1}}}}, nil,
		},
		"several samples of two parts, their median": {
			pattern("latency", `(?m)^(?P<at>\S+) (?P<value>\S+) us$`), "b 4 us\na 1 us\na 30 us\na 2.0 us\nb 2 us\n",
			[]result.Measurement{{Name: "latency", Unit: "us", Better: result.BetterLower, Parts: []result.Part{
				{At: "b", Value: 3, Samples: 2, Spread: 0.4942}, {At: "a", Value: 2, Samples: 3, Spread: 0.7413},
			}}}, nil,
		},
		"a pattern that matches nothing beside one that does": {
			append(pattern("rate", `rate=(?P<value>\S+)`), pattern("latency", `lat=(?P<value>\S+)`)...), "rate=1e3",
			[]result.Measurement{{Name: "rate", Unit: "ns/day", Better: result.BetterHigher, Parts: []result.Part{{At: "node", Value: 1000, Samples: 1}}}},
			[]string{"metric latency: its pattern matches nothing in the output"},
		},
		"samples that are all 0 have no spread": {
			pattern("rate", `rate=(?P<value>\S+)`), "rate=0\nrate=0\nrate=0\n",
			[]result.Measurement{{Name: "rate", Unit: "ns/day", Better: result.BetterHigher, Parts: []result.Part{{At: "node", Value: 0, Samples: 3}}}}, nil,
		},
		"numbers in colour": {
			pattern("rate", `rate=(?P<value>\S+)`), "rate=\x1b[1;32m7.5\x1b[0m\r\n",
			[]result.Measurement{{Name: "rate", Unit: "ns/day", Better: result.BetterHigher, Parts: []result.Part{{At: "node", Value: 7.5, Samples: 1}}}}, nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Parse(v1alpha1.FormatRegex, test.patterns, regexMetrics, []byte(test.output))
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range got.Measurements {
				for i := range m.Parts {
					m.Parts[i].Spread = round6(m.Parts[i].Spread)
				}
			}
			want := result.Document{Schema: result.Schema, Benchmark: "regex", Measurements: test.want, Notes: test.notes}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("document (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseRegexRefuses(t *testing.T) {
	number := `rate=(?P<value>\S+)`
	for name, test := range map[string]struct {
		patterns []v1alpha1.OutputPattern
		output   string
		want     error
		says     string
	}{
		"no pattern":               {nil, "x", result.ErrBadRequest, "0 patterns"},
		"a metric that is unknown": {pattern("speed", number), "rate=1", result.ErrBadRequest, "not one of the metrics"},
		"a pattern without value":  {pattern("rate", `rate=(\S+)`), "rate=1", result.ErrBadRequest, "no group"},
		"a pattern that is broken": {pattern("rate", `rate=(?P<value>`), "rate=1", result.ErrBadRequest, "missing closing"},
		"a pattern that is huge":   {pattern("rate", strings.Repeat("a", 513)), "rate=1", result.ErrBadRequest, "at most 512"},
		"no match":                 {pattern("rate", number), "speed=1", result.ErrBadOutput, "none of the 1 patterns matches"},
		"NaN":                      {pattern("rate", number), "rate=nan", result.ErrBadOutput, "not a finite number"},
		"a number out of range":    {pattern("rate", number), "rate=1e309", result.ErrBadOutput, "out of range"},
		"a decimal comma":          {pattern("rate", number), "rate=12,5", result.ErrBadOutput, "LC_ALL=C"},
		"a unit after the number":  {pattern("rate", number), "rate=12GB", result.ErrBadOutput, "not a number"},
		"one bad sample of three":  {pattern("rate", number), "rate=1 rate=inf rate=2", result.ErrBadOutput, "not a finite number"},
		"a part that is empty":     {pattern("rate", `(?P<at>\w*)=(?P<value>\S+)`), "=1", result.ErrBadOutput, "is empty"},
		"one metric twice":         {append(pattern("rate", number), pattern("rate", number)...), "rate=1", result.ErrBadOutput, "appears twice"},
		"too many matches":         {pattern("rate", `(?P<value>1)`), strings.Repeat("1", 100_001), result.ErrTooLarge, "more than 100000"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse(v1alpha1.FormatRegex, test.patterns, regexMetrics, []byte(test.output))
			measuretest.WantError(t, err, test.says)
			if !errors.Is(err, test.want) {
				t.Errorf("%v does not wrap %v", err, test.want)
			}
		})
	}
}
