package main

import "regexp"

// The JSON of a dashboard, as Grafana 10 and later read it.

// schemaVersion of Grafana 10.4; later ones convert it when they load it.
const schemaVersion = 39

// columns of a dashboard.
const columns = 24

type dashboard struct {
	UID           string     `json:"uid"`
	Title         string     `json:"title"`
	Description   string     `json:"description"`
	Tags          []string   `json:"tags"`
	SchemaVersion int        `json:"schemaVersion"`
	Editable      bool       `json:"editable"`
	GraphTooltip  int        `json:"graphTooltip"`
	Refresh       string     `json:"refresh"`
	Time          timeRange  `json:"time"`
	Templating    templating `json:"templating"`
	Panels        []object   `json:"panels"`
}

type timeRange struct {
	From string `json:"from"`
	To   string `json:"to"`
}

type templating struct {
	List []object `json:"list"`
}

// object is a part of the dashboard that Grafana's plugins read, and no one here.
type object = map[string]any

var source = object{"type": "prometheus", "uid": "${datasource}"}

func newDashboard(rows []row, variables []object) dashboard {
	return dashboard{
		UID: "assay", Title: "Assay", Tags: []string{"assay", "gpu", "kubernetes"}, SchemaVersion: schemaVersion, Editable: true, GraphTooltip: 1,
		Description: "Which nodes are proved fit for work, how old the proofs are, what nodes reach, and how the operator fares.",
		Refresh:     "1m", Time: timeRange{"now-24h", "now"}, Templating: templating{variables}, Panels: layOut(rows),
	}
}

// layOut the panels of each row from left to right, below a heading.
func layOut(rows []row) []object {
	var all []object
	y := 0
	for _, r := range rows {
		all = append(all, object{"id": len(all) + 1, "type": "row", "title": r.title, "collapsed": false, "panels": []object{},
			"gridPos": object{"x": 0, "y": y, "w": columns, "h": 1}})
		y++
		x, height := 0, 0
		for _, p := range r.panels {
			if x+p.width > columns {
				x, y, height = 0, y+height, 0
			}
			all = append(all, p.json(len(all)+1, x, y))
			x, height = x+p.width, max(height, p.height)
		}
		y += height
	}
	return all
}

func (p panel) json(id, x, y int) object {
	defaults := object{"unit": p.unit, "noValue": "none", "color": object{"mode": "palette-classic"}, "min": 0}
	if p.warnAt > 0 {
		defaults["color"] = object{"mode": "thresholds"}
		defaults["thresholds"] = object{"mode": "absolute", "steps": []object{ // told apart by the colour-blind, too
			{"color": "semi-dark-blue", "value": nil}, {"color": "semi-dark-orange", "value": p.warnAt}}}
	}
	out := object{"id": id, "type": p.kind, "title": p.title, "description": p.description, "datasource": source,
		"gridPos": object{"x": x, "y": y, "w": p.width, "h": p.height}, "fieldConfig": object{"defaults": defaults, "overrides": p.overrides()},
		"targets": p.targets(), "options": p.options()}
	if p.kind == timeSeries && p.stacked {
		defaults["custom"] = object{"fillOpacity": 40, "stacking": object{"mode": "normal", "group": "A"}}
	}
	if p.repeat != "" {
		out["repeat"], out["repeatDirection"], out["maxPerRow"] = p.repeat, "h", columns/p.width
	}
	if p.kind == table {
		delete(defaults, "min")
		out["transformations"] = []object{{"id": "organize", "options": object{"excludeByName": object{"Time": true}}}}
	}
	return out
}

// overrides are what holds of some series or columns only.
func (p panel) overrides() []object {
	all := []object{}
	add := func(matcher object, id string, value any) {
		all = append(all, object{"matcher": matcher, "properties": []object{{"id": id, "value": value}}})
	}
	if p.unitInLegend {
		for _, u := range units {
			add(object{"id": "byRegexp", "options": `/.*\(` + regexp.QuoteMeta(u.ours) + `\).*/`}, "unit", u.grafana)
		}
	}
	if p.ofNodes {
		node, matcher := "${__field.labels.node}", object{"id": "byRegexp", "options": "/.*/"}
		if p.kind == table {
			node, matcher = "${__value.text}", object{"id": "byName", "options": "node"}
		}
		add(matcher, "links", []object{{"title": "All values of " + node, "url": "/d/assay?var-metric=$__all&var-node=" + node + "&${__url_time_range}"}})
	}
	return all
}

// units of the catalogue, and what Grafana calls them.
var units = []struct{ ours, grafana string }{
	{"GB/s", "GBs"}, {"GFLOP/s", "gflops"}, {"TFLOP/s", "tflops"}, {"us", "µs"}, {"s", "s"}, {"W", "watt"}, {"count", "none"},
	{"ns/day", "suffix: ns/day"}, {"operations/s", "ops"}, {"options/s", "suffix: options/s"}, {"tokens/s", "suffix: tokens/s"},
	{"Mop/s", "suffix: Mop/s"}, {"GUP/s", "suffix: GUP/s"}, {"Matom-step/s", "suffix: Matom-step/s"}, {"Mcell-steps/s", "suffix: Mcell-steps/s"},
	{"particle-steps/s", "suffix: particle-steps/s"}, {"element-steps/s", "suffix: element-steps/s"}, {"cores", "suffix: cores"}, {"devices", "suffix: devices"},
}

func (p panel) targets() []object {
	var all []object
	for i, q := range p.queries {
		t := object{"refId": string(rune('A' + i)), "datasource": source, "expr": q.expr, "legendFormat": q.legend, "editorMode": "code"}
		if p.kind == timeSeries {
			t["range"] = true
		} else {
			t["instant"], t["range"] = true, false
		}
		if p.kind == table {
			t["format"] = "table"
		}
		all = append(all, t)
	}
	return all
}

func (p panel) options() object {
	switch p.kind {
	case stat:
		return object{"reduceOptions": object{"calcs": []string{"lastNotNull"}, "fields": "", "values": false}, "colorMode": "value", "graphMode": "none", "textMode": "auto"}
	case barGauge:
		return object{"reduceOptions": object{"calcs": []string{"lastNotNull"}, "fields": "", "values": false}, "orientation": "horizontal", "displayMode": "basic"}
	case table:
		return object{"showHeader": true, "sortBy": []object{{"displayName": "Value", "desc": false}}}
	}
	return object{"legend": object{"displayMode": "list", "placement": "bottom", "showLegend": true}, "tooltip": object{"mode": "multi", "sort": "desc"}}
}

// opening is what a variable has until the reader chooses.
func opening(v object, values []string) object {
	v["current"] = object{"selected": true, "text": values, "value": values}
	return v
}

// variable asks Prometheus for the values of a label. all: what "All" stands for; empty: each of the values.
func variable(name, label, query, all string) object {
	v := object{"type": "query", "name": name, "label": label, "datasource": source, "query": object{"query": query, "refId": name}, "definition": query,
		"refresh": 2, "sort": 1, "multi": true, "includeAll": true, "current": object{"selected": true, "text": []string{"All"}, "value": []string{"$__all"}}}
	if all != "" {
		v["allValue"] = all
	}
	return v
}
