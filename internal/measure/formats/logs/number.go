package logs

import (
	"errors"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/measure/result"
	"github.com/assay-dev/assay/internal/stat"
)

// ansiColour is what programs and launchers colour their output with. Other control sequences are left in place, where
// they make a line unreadable: a cursor that moves back could show another number than the one read.
var ansiColour = regexp.MustCompile("\x1b\\[[0-9;]*m")

// Lines splits a third-party program's output into lines without colours and line-end spaces.
func Lines(output []byte) []string {
	text := strings.ToValidUTF8(string(output), "\uFFFD")
	if strings.Contains(text, "\x1b") {
		text = ansiColour.ReplaceAllString(text, "")
	}
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' })
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " \t")
	}
	return lines
}

// Trimmed are lines without the spaces around them.
func Trimmed(lines []string) []string { return list.Map(lines, strings.TrimSpace) }

var decimalNumber = regexp.MustCompile(`^[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?$`)

// Number reads a finite decimal number and nothing else: no hexadecimal, no separators, no words.
func Number(text string) (float64, error) {
	text = strings.TrimSpace(text)
	if !decimalNumber.MatchString(text) {
		word := strings.ToLower(strings.TrimLeft(text, "-+"))
		switch {
		case strings.HasPrefix(word, "nan"), strings.HasPrefix(word, "inf"):
			return 0, result.Bad("%s is not a finite number", result.Quote(text))
		case strings.Contains(text, ","):
			return 0, result.Bad("%s is written with a comma: run the program with LC_ALL=C", result.Quote(text))
		default:
			return 0, result.Bad("%s is not a number", result.Quote(text))
		}
	}
	value, err := strconv.ParseFloat(text, 64)
	if errors.Is(err, strconv.ErrRange) {
		return 0, result.Bad("%s is out of range: it is not a finite number", result.Quote(text))
	}
	if err != nil {
		return 0, result.Bad("%s is not a number", result.Quote(text))
	}
	return value, nil
}

// Positive reads a rate or a time, which is greater than zero.
func Positive(text string) (float64, error) {
	value, err := Number(text)
	if err != nil {
		return 0, err
	}
	if value <= 0 {
		return 0, result.Bad("%s is not greater than zero", result.Quote(text))
	}
	return value, nil
}

// Spread is 1.4826 MAD / |median|, for normal noise the relative standard deviation. 0 where it is not known.
func Spread(samples []float64) float64 {
	if len(samples) < 2 {
		return 0
	}
	centre := stat.Median(samples)
	deviations := list.Map(samples, func(sample float64) float64 { return math.Abs(sample - centre) })
	spread := stat.MADToSigma * stat.Median(deviations) / math.Abs(centre)
	if math.IsNaN(spread) || math.IsInf(spread, 0) {
		return 0
	}
	return spread
}

// Sampled is a part by the median of its samples.
func Sampled(at string, values []float64) result.Part {
	return result.Part{At: at, Value: stat.Median(values), Samples: int32(len(values)), Spread: Spread(values)}
}

// Agree says whether two figures that a program derived from each other are equal but for the digits that it did not print. The last printed digit may
// be off by half, which is absolute where it prints so many decimals.
func Agree(a, b, relative, absolute float64) bool {
	return math.Abs(a-b) <= relative*math.Max(math.Abs(a), math.Abs(b))+absolute
}

// NumberOrNaN takes what a simulation that blew up prints as what it is: wrong data.
func NumberOrNaN(text string) (float64, error) {
	switch strings.ToLower(strings.TrimLeft(text, "+-")) {
	case "nan", "inf":
		return math.NaN(), nil
	}
	return Number(text)
}
