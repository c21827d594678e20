package main

import (
	"fmt"
	"html/template"
	"math"
	"os"
	"strings"

	"github.com/assay-dev/assay/hack/bench/corpus"
)

// size of the faults whose recall the curves show.
const curveSize = 0.05

const (
	curveWidth, curveHeight = 720.0, 420.0
	// leastAlarms is where the logarithmic axis begins: nothing below it can be told from none by a corpus of this size.
	leastAlarms = 1e-4
)

// dot of a curve in pixels, and what it is.
type dot struct {
	X, Y  float64
	Title string
}

// curve of a rule over its thresholds, and where it stands as it is shipped.
type curve struct {
	Name, Color, Path string
	At                dot
}

var colors = []string{"#0b6e4f", "#c1121f", "#e36414", "#7b2cbf", "#1d4ed8", "#92400e", "#be185d", "#475569", "#0e7490", "#4d7c0f", "#a16207", "#111827"}

// writeCurve writes a page with recall of faults of 5% against healthy nodes failed, as recorded.
func writeCurve(file string, cases []corpus.Case, rows []row) error {
	var claimed []corpus.Case
	for _, c := range cases {
		if c.Label.World == asClaimed {
			claimed = append(claimed, c)
		}
	}
	var curves []curve
	for i, r := range rows {
		drawn := curve{Name: r.name, Color: colors[i%len(colors)], At: place(r.name, r.score)}
		var path []string
		for _, threshold := range r.thresholds {
			d := place("", scoreOf(claimed, all(claimed, r.at(threshold))))
			path = append(path, fmt.Sprintf("%.1f,%.1f", d.X, d.Y))
		}
		drawn.Path = strings.Join(path, " ")
		curves = append(curves, drawn)
	}
	var out strings.Builder
	if err := curvePage.Execute(&out, map[string]any{"Curves": curves, "Width": curveWidth, "Height": curveHeight, "Ticks": ticks()}); err != nil {
		return err
	}
	return os.WriteFile(file, []byte(out.String()), 0o644)
}

// place of a score on the page.
func place(name string, s score) dot {
	alarms, recall := s.alarms.of(), s.found[curveSize].of()
	return dot{X: across(alarms), Y: curveHeight * (1 - recall), Title: fmt.Sprintf("%s: recall %.2f of 5%%, %.2f%% of healthy nodes failed", name, recall, 100*alarms)}
}

func across(alarms float64) float64 {
	return curveWidth * math.Log10(math.Max(alarms, leastAlarms)/leastAlarms) / math.Log10(1/leastAlarms)
}

func ticks() (all []dot) {
	for _, v := range []float64{1e-4, 1e-3, 1e-2, 1e-1, 1} {
		all = append(all, dot{X: across(v), Title: fmt.Sprintf("%g%%", 100*v)})
	}
	return all
}

var curvePage = template.Must(template.New("").Parse(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Rules that find slow GPUs</title>
<style>body { font: 15px system-ui, sans-serif; margin: 2rem; color: #111 } td { padding: 0 .8rem .2rem 0 }</style></head><body>
<h1>Rules that find slow GPUs</h1>
<p>Recall of faults of 5% (upwards) against the share of healthy nodes that fail (to the right, logarithmic; the left edge is 0.01% or none).
A line is one rule with all of its thresholds; the dot is where it is shipped.</p>
<svg viewBox="-50 -10 {{.Width}} {{.Height}}" width="900" style="overflow: visible" role="img" aria-label="recall against false alarms">
<rect width="{{.Width}}" height="{{.Height}}" fill="none" stroke="#999"/>
{{range .Ticks}}<text x="{{.X}}" y="440" font-size="12" text-anchor="middle">{{.Title}}</text>{{end}}
<text x="-10" y="10" font-size="12" text-anchor="end">1</text><text x="-10" y="420" font-size="12" text-anchor="end">0</text>
{{range .Curves}}{{if .Path}}<polyline points="{{.Path}}" fill="none" stroke="{{.Color}}" stroke-width="1.5"/>{{end}}
<circle cx="{{.At.X}}" cy="{{.At.Y}}" r="6" fill="{{.Color}}"><title>{{.At.Title}}</title></circle>
{{end}}</svg>
<table style="margin-top: 3rem">{{range .Curves}}<tr><td style="color: {{.Color}}">&#9679;</td><td>{{.At.Title}}</td></tr>{{end}}</table>
</body></html>
`))
