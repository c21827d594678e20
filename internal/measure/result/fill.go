package result

// AddNode adds a figure of the node, or of all ranks together.
func (d *Document) AddNode(name, unit string, better Better, part Part) {
	part.At = NodePart
	d.Measurements = append(d.Measurements, Measurement{Name: name, Unit: unit, Better: better, Parts: []Part{part}})
}

// AddCount keeps a setting that the log tells: ranks, atoms, steps. Zero: it does not.
func (d *Document) AddCount(name string, n int64) {
	if n <= 0 {
		return
	}
	if d.Parameters == nil {
		d.Parameters = map[string]any{}
	}
	d.Parameters[name] = Number(float64(n))
}

// AddPart adds a part to the measurement of that name.
func (d *Document) AddPart(name, unit string, better Better, part Part) {
	for i := range d.Measurements {
		if d.Measurements[i].Name == name {
			d.Measurements[i].Parts = append(d.Measurements[i].Parts, part)
			return
		}
	}
	d.Measurements = append(d.Measurements, Measurement{Name: name, Unit: unit, Better: better, Parts: []Part{part}})
}
