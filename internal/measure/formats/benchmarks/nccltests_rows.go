package benchmarks

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/measure/formats/logs"
	"github.com/assay-dev/assay/internal/measure/result"
)

// ncclPlaces are the two groups of columns.
var ncclPlaces = []string{"out of place", "in place"}

func (r *ncclReport) readUnits(line string) error {
	if !strings.Contains(line, "(us)") || strings.Count(line, "(GB/s)") != 2*len(r.table.groups) {
		return result.Bad("the units %s are not nccl-tests' us and GB/s", result.Quote(line))
	}
	return nil
}

func (r *ncclReport) readAverage(match []string) error {
	if r.table.average != nil || r.table.columns == 0 {
		return result.Bad("\"Avg bus bandwidth\" stands twice, or before its table: the output of several processes is mixed")
	}
	r.table.average = new(r.Figure(logs.Number, match[1], "reading the average bus bandwidth: %w"))
	return nil
}

// readHead finds the columns of the figures: time, algbw, busbw and the comparison, out of place and then in place.
func (r *ncclReport) readHead(line string) error {
	t := r.table
	if t.columns > 0 {
		return result.Bad("%s has two heads of a table: the output of several processes is mixed", t.title())
	}
	columns := strings.Fields(strings.TrimPrefix(line, "#"))
	end := 0
	for i, column := range columns {
		if column == "cputime" {
			return result.Bad("the times are those of the processor: leave out -C")
		}
		if column != "time" {
			continue
		}
		if len(columns) < i+4 || columns[i+1] != "algbw" || columns[i+2] != "busbw" || (columns[i+3] != "#wrong" && columns[i+3] != "error") {
			return result.Bad("the table's head %s is not that of nccl-tests", result.Quote(line))
		}
		t.groups = append(t.groups, i)
		t.elements = columns[i+3] == "#wrong"
		end = i + 4
	}
	if len(t.groups) == 0 || len(t.groups) > 2 {
		return result.Bad("the table's head %s is not that of nccl-tests: expected one or two times", result.Quote(line))
	}
	t.columns, t.more = len(columns), end < len(columns)
	return nil
}

func (r *ncclReport) readRow(line string) error {
	t := r.table
	fields := strings.Fields(line)
	if t.columns == 0 || t.average != nil || t.bounds != "" {
		return result.Bad("the row %s stands outside of the table: lines are missing, or two outputs are mixed", result.Quote(line))
	}
	if len(fields) < t.columns || (len(fields) > t.columns && !t.more) {
		return result.Bad("the row %s has %d columns, its head %d: it is cut off or garbled", result.Quote(line), len(fields), t.columns)
	}
	kind := strings.Join(fields[2:t.groups[0]], " ")
	if t.kind != "" && kind != t.kind {
		return result.Bad("rows of %s and of %s in one table: measure one type, operation and root at a time", result.Quote(t.kind), result.Quote(kind))
	}
	t.kind = kind
	var row ncclRow
	row.size, _ = strconv.ParseInt(fields[0], 10, 64) // 18 digits fit
	for group, column := range t.groups {
		for i := range row.values[group] {
			row.values[group][i] = r.Figure(notNegative, fields[column+i], "reading the row of %s bytes: %w", fields[0])
		}
		t.sum += row.values[group][2]
		if err := t.compare(group, fields[0], fields[column+3]); err != nil {
			return err
		}
	}
	t.rows = append(t.rows, row)
	return nil
}

func notNegative(text string) (float64, error) {
	value, err := logs.Number(text)
	if err == nil && value < 0 {
		err = result.Bad("%s is negative", result.Quote(text))
	}
	return value, err
}

// compare reads the last column of a group: N/A where nothing was compared.
func (t *ncclTable) compare(group int, size, text string) error {
	if text == "N/A" {
		return nil
	}
	wrong, err := logs.Number(text)
	if err != nil || wrong < 0 {
		return result.Bad("the row of %s bytes has %s wrong elements, which is not a number of them", size, result.Quote(text))
	}
	t.verified = true
	if t.elements && wrong > 0 {
		t.wrong = append(t.wrong, fmt.Sprintf("%s %s of %s bytes: %s elements are wrong", t.title(), ncclPlaces[group], size, text))
	}
	return nil
}

func (r *ncclReport) readBounds(match []string) error {
	t := r.table
	if t.bounds != "" || t.columns == 0 {
		return result.Bad("\"Out of bounds values\" stands twice, or before its table: the output of several processes is mixed")
	}
	if (match[1] == "0") != (match[2] == "OK") {
		return result.Bad("%s values out of bounds, and yet %s: the line is garbled", match[1], match[2])
	}
	t.bounds = match[1]
	return nil
}
