package result

import (
	"math"
	"regexp"
	"strconv"
)

// What the readers of applications' logs share.

// addNode adds a figure of the node, or of all ranks together.
func (d *Document) addNode(name, unit string, better Better, part Part) {
	part.At = NodePart
	d.Measurements = append(d.Measurements, Measurement{Name: name, Unit: unit, Better: better, Parts: []Part{part}})
}

// addCount keeps a setting that the log tells: ranks, atoms, steps. Zero: it does not.
func (d *Document) addCount(name string, n int64) {
	if n <= 0 {
		return
	}
	if d.Parameters == nil {
		d.Parameters = map[string]any{}
	}
	d.Parameters[name] = number(float64(n))
}

// readCount keeps the whole number that the pattern's group has in the line, if it matches.
func readCount(pattern *regexp.Regexp, line string, to *int64) {
	if match := pattern.FindStringSubmatch(line); match != nil {
		if n, err := strconv.ParseInt(match[1], 10, 64); err == nil {
			*to = n
		}
	}
}

// readText keeps the text that the pattern's group has in the line, if it matches.
func readText(pattern *regexp.Regexp, line string, to *string) {
	if match := pattern.FindStringSubmatch(line); match != nil {
		*to = match[1]
	}
}

// agree: two figures that a program derived from each other are equal but for the digits that it did not print. The last printed digit may
// be off by half, which is absolute where it prints so many decimals.
func agree(a, b, relative, absolute float64) bool {
	return math.Abs(a-b) <= relative*math.Max(math.Abs(a), math.Abs(b))+absolute
}

// addPart adds a part to the measurement of that name.
func (d *Document) addPart(name, unit string, better Better, part Part) {
	for i := range d.Measurements {
		if d.Measurements[i].Name == name {
			d.Measurements[i].Parts = append(d.Measurements[i].Parts, part)
			return
		}
	}
	d.Measurements = append(d.Measurements, Measurement{Name: name, Unit: unit, Better: better, Parts: []Part{part}})
}
