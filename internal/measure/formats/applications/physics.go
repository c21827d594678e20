package applications

import (
	"fmt"
	"math"

	"github.com/assay-dev/assay/internal/measure/result"
)

// physics is a quantity of a simulation, and the column of the log that it stands in.
type physics struct{ column, name, unit string }

// addPhysics adds the quantities that the last row has, of which those count as not finite whose value is as large as greatest. One without
// a unit is checked, and not kept. wrong is what else is, if anything.
func addPhysics(d *result.Document, wrong string, last map[string]float64, greatest float64, quantities []physics) {
	for _, q := range quantities {
		value, ok := last[q.column]
		switch {
		case !ok:
		case math.IsNaN(value) || math.Abs(value) >= greatest:
			wrong = notFinite(q.column)
		case q.unit != "":
			d.AddNode(q.name, q.unit, result.BetterLower, result.Part{Value: value})
		}
	}
	d.AddCheck("physics", wrong)
}

func notFinite(column string) string {
	return fmt.Sprintf("the last %s is not a finite number: the simulation is unstable, or the arithmetic is wrong", column)
}
