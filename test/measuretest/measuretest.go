// Package measuretest is what the tests of reading outputs share.
package measuretest

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// WantError fails unless the error says each of the fragments.
func WantError(t testing.TB, err error, fragments ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one that says %q", fragments)
	}
	for _, fragment := range fragments {
		if !strings.Contains(err.Error(), fragment) {
			t.Errorf("the error %q does not say %q", err, fragment)
		}
	}
}

var (
	namePattern = regexp.MustCompile(`^[a-z][a-zA-Z0-9]*$`)
	apiDecimal  = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)
)

// CheckAttempt requires what the CRD requires.
func CheckAttempt(t testing.TB, attempt v1alpha1.Attempt) {
	t.Helper()
	text(t, "reason", attempt.Reason, 64)
	text(t, "message", attempt.Message, 2048)
	text(t, "version", attempt.Version, 64)
	for _, m := range append(attempt.Measurements, attempt.Telemetry...) {
		checkMeasurement(t, m)
	}
	if len(attempt.Measurements) > 64 || len(attempt.Checks) > 64 || len(attempt.Notes) > 32 || len(attempt.Devices) > 128 {
		t.Fatal("a list is over the API's limit")
	}
	for _, check := range attempt.Checks {
		text(t, "check", check.Name, 63)
		text(t, "message", check.Message, 512)
	}
	for _, note := range attempt.Notes {
		text(t, "note", note, 512)
	}
	if len(attempt.Facts) > 1024 {
		t.Fatalf("%d facts", len(attempt.Facts))
	}
	for _, fact := range attempt.Facts {
		text(t, "fact", fact.Name, 63)
		text(t, "at", fact.At, 128)
		if text(t, "value", fact.Value, 128); fact.Value == "" {
			t.Fatalf("fact %s has no value", fact.Name)
		}
	}
}

func checkMeasurement(t testing.TB, m v1alpha1.Measurement) {
	t.Helper()
	if !namePattern.MatchString(m.Name) || len(m.Parts) == 0 || len(m.Parts) > 1024 {
		t.Fatalf("measurement %q with %d parts", m.Name, len(m.Parts))
	}
	text(t, "name", m.Name, 63)
	text(t, "unit", m.Unit, 32)
	for _, part := range m.Parts {
		text(t, "at", part.At, 128)
		decimal(t, part.Value)
		if part.Spread != "" {
			decimal(t, part.Spread)
		}
	}
}

func text(t testing.TB, what, value string, limit int) {
	t.Helper()
	if !utf8.ValidString(value) || utf8.RuneCountInString(value) > limit || strings.ContainsRune(value, 0x1b) {
		t.Fatalf("%s is not fit for the API: %q", what, value)
	}
}

func decimal(t testing.TB, value v1alpha1.Decimal) {
	t.Helper()
	if !apiDecimal.MatchString(string(value)) || len(value) > 32 {
		t.Fatalf("%q is not a Decimal", value)
	}
}
