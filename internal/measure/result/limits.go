package result

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"unicode"
	"unicode/utf8"
)

// Limits of a document. Those of lists and texts are the API's, so that what is accepted here can be stored.
const (
	// MaxOutput is the most of a program's output that is read, in bytes.
	MaxOutput = 8 << 20

	maxMeasurements = 64
	maxParts        = 1024
	maxSizes        = 64
	maxChecks       = 64
	maxNotes        = 32
	MaxDevices      = 128
	maxFacts        = 1024
	maxParameters   = 64

	maxName        = 63
	maxUnit        = 32
	maxAt          = 128
	maxVersion     = 64
	MaxNote        = 512
	MaxDeviceText  = 96
	MaxFact        = 128 // and of a parameter
	maxSkipped     = 1024
	maxMessage     = 2048
	maxLogTail     = 8192
	maxReason      = 64
	maxImageID     = 512
	maxDeviceIndex = 1 << 20
)

var (
	namePattern      = regexp.MustCompile(`^[a-z][a-zA-Z0-9]*$`)
	benchmarkPattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)
	parameterPattern = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]*$`)
)

// checkText requires 1 to max printable characters.
func checkText(what, text string, max int) error {
	if text == "" {
		return fmt.Errorf("%s is empty", what)
	}
	return checkOptionalText(what, text, max)
}

// checkOptionalText requires at most max printable characters.
func checkOptionalText(what, text string, max int) error {
	if !utf8.ValidString(text) {
		return fmt.Errorf("%s is not UTF-8", what)
	}
	if n := utf8.RuneCountInString(text); n > max {
		return fmt.Errorf("%s has %d characters, at most %d are allowed", what, n, max)
	}
	for _, r := range text {
		if !unicode.IsPrint(r) {
			return fmt.Errorf("%s holds the unprintable character %U", what, r)
		}
	}
	return nil
}

// checkName requires a lowerCamelCase name.
func checkName(what, name string) error {
	if len(name) > maxName || !namePattern.MatchString(name) {
		return fmt.Errorf("%s %s: a name is lowerCamelCase letters and digits, at most %d", what, Quote(name), maxName)
	}
	return nil
}

func checkFinite(what string, value float64) error {
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return fmt.Errorf("%s is %v, which is not a finite number", what, value)
	}
	return nil
}

// checkValue of a fact or a parameter: a boolean, at most MaxFact printable characters, or a short text that is a finite number.
func checkValue(what string, value any) error {
	switch value := value.(type) {
	case bool:
		return nil
	case string:
		return checkOptionalText(what, value, MaxFact)
	case json.Number:
		if _, err := strconv.ParseFloat(value.String(), 64); err != nil || len(value) > maxUnit {
			return fmt.Errorf("%s is %s, which is not a finite number", what, Quote(value.String()))
		}
		return nil
	}
	return fmt.Errorf("%s is not a number, a text or a boolean", what)
}

// Quote shows a piece of hostile text in a message: short, and with nothing that a terminal would act on.
func Quote(text string) string {
	return fmt.Sprintf("%q", Truncate(text, 60))
}

// Truncate cuts text to max characters, the last of them an ellipsis when anything was cut.
func Truncate(text string, max int) string {
	if utf8.RuneCountInString(text) <= max {
		return text
	}
	return string([]rune(text)[:max-1]) + "…"
}
