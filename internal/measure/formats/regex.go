package formats

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/measure/formats/logs"
	"github.com/assay-dev/assay/internal/measure/result"
)

const (
	maxPatterns     = 32
	maxPatternChars = 512
	maxMatches      = 100_000
)

// readRegex reads each metric by its regular expression (RE2). Each match is one sample of the part that group "at"
// names, or of the node; a part's value is the median of its samples.
func readRegex(o output) (result.Document, error) {
	if len(o.patterns) == 0 || len(o.patterns) > maxPatterns {
		return result.Document{}, fmt.Errorf("%w: %d patterns, expected 1 to %d", result.ErrBadRequest, len(o.patterns), maxPatterns)
	}
	text := strings.Join(logs.Lines(o.text), "\n")
	d := result.Document{Schema: result.Schema, Benchmark: "regex"}
	for _, pattern := range o.patterns {
		m, err := matchMetric(pattern, o.metrics, text)
		if err != nil {
			return result.Document{}, fmt.Errorf("reading metric %s: %w", result.Quote(pattern.Metric), err)
		}
		if len(m.Parts) == 0 {
			d.Notes = append(d.Notes, fmt.Sprintf("metric %s: its pattern matches nothing in the output", m.Name))
			continue
		}
		d.Measurements = append(d.Measurements, m)
	}
	if len(d.Measurements) == 0 {
		return result.Document{}, result.Bad("none of the %d patterns matches: the program printed something else, or the patterns are wrong", len(o.patterns))
	}
	return d, nil
}

func matchMetric(pattern v1alpha1.OutputPattern, metrics []v1alpha1.Metric, text string) (result.Measurement, error) {
	i := slices.IndexFunc(metrics, func(m v1alpha1.Metric) bool { return m.Name == pattern.Metric })
	if i < 0 {
		return result.Measurement{}, fmt.Errorf("%w: it is not one of the metrics", result.ErrBadRequest)
	}
	m := result.Measurement{Name: metrics[i].Name, Unit: metrics[i].Unit, Better: result.BetterHigher}
	if metrics[i].Better == v1alpha1.Lower {
		m.Better = result.BetterLower
	}
	if len(pattern.Regexp) > maxPatternChars {
		return result.Measurement{}, fmt.Errorf("%w: its pattern has %d bytes, at most %d are allowed", result.ErrBadRequest, len(pattern.Regexp), maxPatternChars)
	}
	re, err := regexp.Compile(pattern.Regexp)
	if err != nil {
		return result.Measurement{}, fmt.Errorf("%w: %s", result.ErrBadRequest, result.Clean(err.Error(), result.MaxNote))
	}
	if re.SubexpIndex("value") < 0 {
		return result.Measurement{}, fmt.Errorf("%w: its pattern has no group (?P<value>...)", result.ErrBadRequest)
	}
	m.Parts, err = matchParts(re, text)
	return m, err
}

// matchParts returns the parts in the order they first appear.
func matchParts(re *regexp.Regexp, text string) ([]result.Part, error) {
	matches := re.FindAllStringSubmatch(text, maxMatches+1)
	if len(matches) > maxMatches {
		return nil, fmt.Errorf("%w: its pattern matches more than %d times", result.ErrTooLarge, maxMatches)
	}
	var samples []result.Part
	for _, match := range matches {
		at := result.NodePart
		if group := re.SubexpIndex("at"); group >= 0 {
			at = match[group]
		}
		value, err := logs.Number(match[re.SubexpIndex("value")])
		if err != nil {
			return nil, err
		}
		samples = append(samples, result.Part{At: at, Value: value})
	}
	return list.Map(list.Groups(samples, func(p result.Part) string { return p.At }), func(same []result.Part) result.Part {
		return logs.Sampled(same[0].At, list.Map(same, func(p result.Part) float64 { return p.Value }))
	}), nil
}
