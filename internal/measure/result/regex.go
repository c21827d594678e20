package result

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/stat"
)

const (
	maxPatterns     = 32
	maxPatternChars = 512
	maxMatches      = 100_000
)

// parseRegex reads each metric by its regular expression (RE2). Each match is one sample of the part that group "at"
// names, or of the node; a part's value is the median of its samples.
func parseRegex(patterns []v1alpha1.OutputPattern, metrics []v1alpha1.Metric, output string) (Document, error) {
	if len(patterns) == 0 || len(patterns) > maxPatterns {
		return Document{}, fmt.Errorf("%w: %d patterns, expected 1 to %d", ErrBadRequest, len(patterns), maxPatterns)
	}
	d := Document{Schema: Schema, Benchmark: "regex"}
	for _, pattern := range patterns {
		m, err := matchMetric(pattern, metrics, output)
		if err != nil {
			return Document{}, fmt.Errorf("reading metric %s: %w", quote(pattern.Metric), err)
		}
		if len(m.Parts) == 0 {
			d.Notes = append(d.Notes, message.WithoutMatch(m.Name))
			continue
		}
		d.Measurements = append(d.Measurements, m)
	}
	if len(d.Measurements) == 0 {
		return Document{}, bad("none of the %d patterns matches: the program printed something else, or the patterns are wrong", len(patterns))
	}
	return d, nil
}

func matchMetric(pattern v1alpha1.OutputPattern, metrics []v1alpha1.Metric, output string) (Measurement, error) {
	i := slices.IndexFunc(metrics, func(m v1alpha1.Metric) bool { return m.Name == pattern.Metric })
	if i < 0 {
		return Measurement{}, fmt.Errorf("%w: it is not one of the metrics", ErrBadRequest)
	}
	m := Measurement{Name: metrics[i].Name, Unit: metrics[i].Unit, Better: BetterHigher}
	if metrics[i].Better == v1alpha1.Lower {
		m.Better = BetterLower
	}
	if len(pattern.Regexp) > maxPatternChars {
		return Measurement{}, fmt.Errorf("%w: its pattern has %d bytes, at most %d are allowed", ErrBadRequest, len(pattern.Regexp), maxPatternChars)
	}
	re, err := regexp.Compile(pattern.Regexp)
	if err != nil {
		return Measurement{}, fmt.Errorf("%w: %s", ErrBadRequest, clean(err.Error(), maxNote))
	}
	if re.SubexpIndex("value") < 0 {
		return Measurement{}, fmt.Errorf("%w: its pattern has no group (?P<value>...)", ErrBadRequest)
	}
	m.Parts, err = matchParts(re, output)
	return m, err
}

// matchParts returns the parts in the order they first appear.
func matchParts(re *regexp.Regexp, output string) ([]Part, error) {
	matches := re.FindAllStringSubmatch(output, maxMatches+1)
	if len(matches) > maxMatches {
		return nil, fmt.Errorf("%w: its pattern matches more than %d times", ErrTooLarge, maxMatches)
	}
	samples := map[string][]float64{}
	var order []string
	for _, match := range matches {
		at := NodePart
		if group := re.SubexpIndex("at"); group >= 0 {
			at = match[group]
		}
		value, err := parseNumber(match[re.SubexpIndex("value")])
		if err != nil {
			return nil, err
		}
		if _, known := samples[at]; !known {
			order = append(order, at)
		}
		samples[at] = append(samples[at], value)
	}
	var parts []Part
	for _, at := range order {
		values := samples[at]
		parts = append(parts, Part{At: at, Value: stat.Median(values), Samples: int32(len(values)), Spread: relativeSpread(values)})
	}
	return parts, nil
}
