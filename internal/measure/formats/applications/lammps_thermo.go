package applications

import (
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/measure/formats/logs"
	"github.com/assay-dev/assay/internal/measure/result"
)

// lammpsThermo is the table that a run of LAMMPS prints while it runs: a head of names, then a row for every so many steps. Other commands
// may print between its rows.
type lammpsThermo struct {
	reading     bool
	names       []string
	first, last int64
	values      map[string]float64
}

func (t *lammpsThermo) read(line string) error {
	fields := strings.Fields(line)
	if t.names == nil {
		if len(fields) > 0 && fields[0] == "Step" {
			t.names = fields
		}
		return nil // another style of table, which tells no more than that it ran
	}
	if len(fields) == 0 {
		return nil
	}
	step, err := strconv.ParseInt(fields[0], 10, 64)
	if err != nil {
		return nil
	}
	if len(fields) != len(t.names) {
		return result.Bad("the row %s has %d columns, its head %d: it is cut off or garbled", result.Quote(line), len(fields), len(t.names))
	}
	if t.values == nil {
		t.first = step
	}
	t.last, t.values = step, map[string]float64{}
	for i, name := range t.names {
		value, err := logs.NumberOrNaN(fields[i])
		if err != nil {
			return err
		}
		t.values[name] = value
	}
	return nil
}

// end returns the last row. LAMMPS prints the first and the last step of a run: one that is missing was lost.
func (t *lammpsThermo) end(steps int64) (map[string]float64, error) {
	if t.values != nil && t.last-t.first != steps {
		return nil, result.Bad("the rows of a run of %d steps go from step %d to %d: rows are missing, or two outputs are mixed", steps, t.first, t.last)
	}
	return t.values, nil
}
