// Package logs reads what programs of others print: hostile text, line by line.
package logs

import (
	"regexp"
	"strconv"

	"github.com/assay-dev/assay/internal/measure/result"
)

// Tool is what was read of a program's output so far.
type Tool interface {
	// Read takes the next line, and refuses one that is garbled.
	Read(line string) error
	// Complete refuses an output that lacks something at its end.
	Complete() error
	Document() result.Document
}

// Read reads an output line by line.
func Read(log Tool, lines []string) (result.Document, error) {
	for _, line := range lines {
		if err := log.Read(line); err != nil {
			return result.Document{}, err
		}
	}
	if err := log.Complete(); err != nil {
		return result.Document{}, err
	}
	return log.Document(), nil
}

// Count keeps the whole number that the pattern's group has in the line, if it matches.
func Count(pattern *regexp.Regexp, line string, to *int64) {
	if match := pattern.FindStringSubmatch(line); match != nil {
		if n, err := strconv.ParseInt(match[1], 10, 64); err == nil {
			*to = n
		}
	}
}

// Text keeps the text that the pattern's group has in the line, if it matches.
func Text(pattern *regexp.Regexp, line string, to *string) {
	if match := pattern.FindStringSubmatch(line); match != nil {
		*to = match[1]
	}
}
