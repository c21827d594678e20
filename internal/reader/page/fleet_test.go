package page_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/reader/export"
	"github.com/assay-dev/assay/internal/reader/page"
)

var mapOf = regexp.MustCompile(`(?s)<div class="map .*?</section>`)

func TestTheMapShowsHowFarEachNodeIs(t *testing.T) {
	html := write(t, fleet(100))
	drawn := mapOf.FindString(html)
	shows(t, drawn, `<a class="d3" href="#gpu-0081" title="gpu-0081 17">✕0081</a>`, `<a href="#gpu-0001" title="gpu-0001 0.`,
		`<a class="no" href="#gpu-0098" title="gpu-0098 Error">!0098</a>`, `title="gpu-0053 0.8">0053</a>`, "Beyond the bound: gpu-0059 38 (p2p writeBandwidth gpu2-&gt;gpu3), gpu-0081",
		"95 nodes within it, the worst at 0.8. 1 node not measured or judged.")
	if at := strings.Index(html, drawn); at < strings.Index(html, `<ul class="found">`) || at > strings.Index(html, "<caption>Nodes, ") {
		t.Error("the map does not stand between the findings and the table of nodes")
	}
}

// A fleet of 5,000 has a map that is small, and a link to each node leads somewhere, whether or not its numbers fit.
func TestEachNodeHasALink(t *testing.T) {
	html := write(t, enlarged(fleet(100), 5000))
	cells := strings.Count(html, ` title="big-`)
	if size := len(mapOf.FindString(html)); cells != 5000 || size > 5000*60 {
		t.Errorf("the map takes %d bytes for %d nodes, want 5000 of at most 60 each", size, cells)
	}
	there := map[string]int{}
	for _, id := range regexp.MustCompile(` id="([^"]*)"`).FindAllStringSubmatch(html, -1) {
		there[id[1]]++
	}
	for id, n := range there {
		if n > 1 {
			t.Errorf("%d elements have the id %s", n, id)
		}
	}
	for _, link := range regexp.MustCompile(` href="#([^"]*)"`).FindAllStringSubmatch(html, -1) {
		if there[link[1]] == 0 {
			t.Fatalf("a link leads to #%s, which is not there", link[1])
		}
	}
	shows(t, html, `<tr id="big-4999">`, `<div id="big-0005"`)
}

// A run that is small, odd, or of which only some nodes are listed.
func TestTheMapIsLaidOutByName(t *testing.T) {
	named := func(names ...string) export.Run {
		run := table(0, nil)
		for i, name := range names {
			run.Run.Status.Nodes = append(run.Run.Status.Nodes, v1alpha1.NodeRow{Name: name, Verdict: []v1alpha1.Verdict{v1alpha1.VerdictPass, v1alpha1.VerdictFail, v1alpha1.VerdictPending}[i%3]})
		}
		return run
	}
	racks := named("r1-n1", "r2-n10", "r1-n2", "r1-n3", "r2-n9", "r2-n1", "r1-n4", "r2-n2.example.com")
	shows(t, mapOf.FindString(write(t, racks)), `<b>r1-n</b><div><a href="#r1-n1" title="r1-n1">1</a>`, `>3</a><a href="#r1-n4" title="r1-n4">4</a></div><b>r2-n</b>`,
		`title="r2-n9 1.0">✕9</a><a class="d2" href="#r2-n10" title="r2-n10 1.0">✕10</a></div>`)
	labelled := named("c", "a", "d", "b")
	labelled.Places = export.Places{"a": {"topology.kubernetes.io/rack": "r10", "x": "1"}, "b": {"topology.kubernetes.io/rack": "r2", "x": "2"},
		"c": {"topology.kubernetes.io/rack": "r2<b>"}}
	shows(t, write(t, labelled), "each row the nodes with the same label topology.kubernetes.io/rack.")
	shows(t, mapOf.FindString(write(t, labelled)), `<b>no label</b><div><a`, `>–d</a></div><b>r2</b><div><a`,
		`>b</a></div><b>r2&lt;b&gt;</b><div><a`, `<b>r10</b>`) // d comes first: it is nowhere
	few := mapOf.FindString(write(t, named("a", "main", "c")))
	shows(t, few, `<a class="d2" href="#main" title="main 1.0">✕main</a>`, `<a class="no" href="#c" title="c Pending">–c</a>`)
	shows(t, few, "Beyond the bound: main 1.0. 1 node within it. 1 node not measured or judged.")
	odd := write(t, named("x y"), named("x y"))
	shows(t, odd, `href="#_0" title="x y"`, `href="#r1__0" title="x y"`)
	var out strings.Builder
	if err := page.Write(&out, []export.Run{named("a", "b", "c")}, true); err != nil {
		t.Fatal(err)
	}
	shows(t, out.String(), `<i title="a">a</i><a class="d2" href="#b"`)
	if strings.Contains(write(t, named()), `class="map`) {
		t.Error("a run without nodes has a map")
	}
}
