package page

import (
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/internal/stat"
)

// grid is a table of numbers.
type grid struct {
	Caption string
	Head    []string
	Rows    []gridRow
}

type gridRow struct {
	Name  string
	Cells []string
}

// wide tables have more columns than a phone can show.
const wide = 12

// grids of what was measured: metrics of the same parts share a table, and pairs of GPUs get one that is as wide as high.
func grids(all []v1alpha1.Measurement) []grid {
	var tables []grid
	at := map[string]int{}
	for m := range list.Each(all) {
		scale := scaleOf(m)
		if g, ok := pairGrid(m, scale); ok {
			tables = append(tables, g)
			continue
		}
		names := list.Map(m.Parts, func(p v1alpha1.PartValue) string { return p.At })
		row := gridRow{message.With(m.Name, ", ", scale.Unit()), list.Map(m.Parts, func(p v1alpha1.PartValue) string { return number(scale, p.Value) })}
		key := strings.Join(names, "\x00")
		if k, known := at[key]; known {
			tables[k].Rows = append(tables[k].Rows, row)
			continue
		}
		at[key] = len(tables)
		tables = append(tables, grid{Head: names, Rows: []gridRow{row}})
	}
	for i := range tables {
		if len(tables[i].Head) > wide && tables[i].Caption == "" {
			tables[i] = tables[i].turned()
		}
	}
	return tables
}

// turned has a row for each part, and a column for each metric.
func (g grid) turned() grid {
	t := grid{Head: list.Map(g.Rows, func(row gridRow) string { return row.Name })}
	for i, name := range g.Head {
		t.Rows = append(t.Rows, gridRow{name, list.Map(g.Rows, func(row gridRow) string { return row.Cells[i] })})
	}
	return t
}

// scaleOf a measurement: that of its median, so that its numbers share a unit.
func scaleOf(m *v1alpha1.Measurement) quantity.Scale {
	var values []float64
	for _, p := range m.Parts {
		if v, ok := quantity.ParseDecimal(p.Value); ok {
			values = append(values, v)
		}
	}
	return quantity.NewScale(m.Unit, stat.Median(values))
}

func number(scale quantity.Scale, d v1alpha1.Decimal) string {
	v, ok := quantity.ParseDecimal(d)
	if !ok {
		return string(d)
	}
	return scale.Number(v)
}

// pairGrid has the sender at the left and the receiver above; ok is false for other parts.
func pairGrid(m *v1alpha1.Measurement, scale quantity.Scale) (grid, bool) {
	s := series{partAt: map[string]int32{}}
	for i := range m.Parts {
		if !gpuPair.MatchString(m.Parts[i].At) {
			return grid{}, false
		}
		if v, ok := quantity.ParseDecimal(m.Parts[i].Value); ok {
			s.parts = append(s.parts, m.Parts[i].At)
			s.values = append(s.values, value{at: int32(len(s.parts) - 1), value: v})
		}
	}
	names, pairs := s.gpuPairs(anyNode)
	if len(pairs) == 0 {
		return grid{}, false
	}
	g := grid{Caption: message.With(m.Name, ", ", scale.Unit()), Head: names}
	for _, n := range names {
		g.Rows = append(g.Rows, gridRow{n, make([]string, len(names))})
	}
	both := strings.Contains(s.parts[0], "<->") // then half of the table says all
	for _, p := range pairs {
		if !both || p.from < p.to {
			g.Rows[p.from].Cells[p.to] = scale.Number(p.value)
		}
	}
	return g, true
}
