package page_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/assay-dev/assay/internal/reader/export"
	"github.com/assay-dev/assay/test/page/runs"
)

// simulated is a fleet that is large enough for every kind of drawing.
var simulated = sync.OnceValue(func() export.Run { return runs.Simulated(32) })

// pages that are looked at, by name.
func pages(t *testing.T) map[string][]byte {
	t.Helper()
	return map[string][]byte{"demo": write(t, runs.Demo()...), "recorded": write(t, runs.Recorded()), "simulated": write(t, simulated()), "comparison": comparison(t)}
}

func TestNothingLeavesThePage(t *testing.T) {
	for name, html := range pages(t) {
		t.Run(name, func(t *testing.T) {
			p := open(t, html)
			if policy := ask[string](p, `document.querySelector("meta[http-equiv=Content-Security-Policy]").content`); !strings.HasPrefix(policy, "default-src 'none'") {
				t.Errorf("the policy is %q", policy)
			}
			if n := ask[int](p, `document.querySelectorAll("[src], link, [style], iframe, object, form").length`); n != 0 {
				t.Errorf("%d elements could load something, or are styled past the policy", n)
			}
			p.quiet()
		})
	}
}

// A page that tried to load or run something would be noticed.
func TestTheBrowserTellsFaults(t *testing.T) {
	html := strings.Replace(string(write(t, runs.Demo()...)), "<main", `<img src="https://example.com/x.png"><script>document.title = 1</script><main`, 1)
	p := open(t, []byte(html))
	if ask[string](p, "document.title") == "1" {
		t.Error("a script ran that is not the page's own")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.faults) < 2 {
		t.Errorf("faults %q, want that the image and the script were refused", p.faults)
	}
}

func TestAPhoneNeedsNoScrollingSideways(t *testing.T) {
	for name, html := range pages(t) {
		t.Run(name, func(t *testing.T) {
			p := open(t, html, phone())
			run(p, `for (const d of document.querySelectorAll("details")) d.open = true`)
			if w := ask[int](p, `document.documentElement.scrollWidth`); w > 360 {
				t.Errorf("the page is %d pixels wide on a screen of 360; too wide are %s", w, ask[string](p, tooWide))
			}
			p.quiet()
		})
	}
}

const tooWide = `[...document.body.querySelectorAll("*")].filter(e => e.getBoundingClientRect().right > 361 && !e.closest(".scroll, .g, svg")).slice(0, 5).map(e => e.outerHTML.slice(0, 90)).join(" | ")`

// By the rules of WCAG 2.2: 4.5 for text, 3 for large text.
func TestTextHasContrast(t *testing.T) {
	for name, html := range pages(t) {
		for _, colours := range []string{"light", "dark"} {
			t.Run(name+" "+colours, func(t *testing.T) {
				p := open(t, html, scheme(colours))
				if faint := ask[[]string](p, faintText); len(faint) > 0 {
					t.Errorf("%d texts are too faint: %s", len(faint), strings.Join(faint[:min(5, len(faint))], "\n"))
				}
			})
		}
	}
}

const faintText = `(() => {
  const parse = (c) => { const n = c.match(/[\d.]+/g).map(Number); return n.length > 3 && n[3] === 0 ? null : n; };
  const light = (c) => { const [r, g, b] = c.slice(0, 3).map(v => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const behind = (e) => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); if (c) return c; } return [255, 255, 255]; };
  const seen = new Set(), faint = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let n = walk.nextNode(); n; n = walk.nextNode()) {
    const e = n.parentElement, s = getComputedStyle(e);
    if (!n.textContent.trim() || e.closest("script, style") || s.visibility === "hidden") continue;
    const front = parse(e instanceof SVGElement ? s.fill : s.color), back = behind(e.closest("svg")?.parentElement ?? e);
    const key = front + "/" + back + "/" + s.fontSize + s.fontWeight;
    if (seen.has(key)) continue;
    seen.add(key);
    const [a, b] = [light(front), light(back)].sort((x, y) => y - x), ratio = (a + 0.05) / (b + 0.05);
    const size = parseFloat(s.fontSize), large = size >= 24 || size >= 18.66 && +s.fontWeight >= 700;
    if (ratio < (large ? 3 : 4.5)) faint.push(ratio.toFixed(2) + " " + n.textContent.slice(0, 40) + " in " + e.outerHTML.slice(0, 60));
  }
  return faint;
})()`

func TestTheKeyboardReachesEverything(t *testing.T) {
	for name, html := range map[string][]byte{"demo": write(t, runs.Demo()...), "comparison": comparison(t)} {
		t.Run(name, func(t *testing.T) {
			p := open(t, html)
			all := ask[int](p, `(window.wanted = [...document.querySelectorAll("a[href]:not([tabindex='-1']), summary, button, input, [tabindex='0']")].filter(e => e.checkVisibility({contentVisibilityAuto: true}))).length`)
			p.do(chromedp.KeyEvent(kb.Tab))
			if first := ask[string](p, `document.activeElement.className`); first != "skip" {
				t.Errorf("the first stop is %q, want the link that skips to the result", first)
			}
			for range all + 5 {
				run(p, `document.activeElement.reached = true`)
				p.do(chromedp.KeyEvent(kb.Tab))
			}
			missed := ask[[]string](p, `window.wanted.filter(e => !e.reached).map(e => e.outerHTML.slice(0, 100))`)
			if len(missed) > 0 || all < 10 {
				t.Errorf("%d of %d stops were not reached: %q", len(missed), all, missed[:min(5, len(missed))])
			}
		})
	}
}

// named roles must have a name that a screen reader can say.
var named = map[string]bool{"link": true, "button": true, "image": true, "img": true, "region": true, "navigation": true, "heading": true, "DisclosureTriangle": true,
	"searchbox": true, "columnheader": true, "article": true, "RootWebArea": true}

func TestAScreenReaderHasNamesForEverything(t *testing.T) {
	for name, html := range pages(t) {
		t.Run(name, func(t *testing.T) {
			p := open(t, html)
			seen := map[string]int{}
			for _, n := range call(p, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{}).Nodes {
				role, called := text(n.Role), text(n.Name)
				if n.Ignored || !named[role] {
					continue
				}
				seen[role]++
				if strings.TrimSpace(called) == "" {
					t.Errorf("a %s has no name (node %d)", role, n.BackendDOMNodeID)
				}
			}
			for _, role := range []string{"link", "heading", "region", "columnheader", "RootWebArea"} {
				if seen[role] == 0 {
					t.Errorf("the tree has no %s", role)
				}
			}
			if lang := ask[string](p, "document.documentElement.lang"); lang != "en" {
				t.Errorf("the language is %q", lang)
			}
			if jumps := ask[[]string](p, headingJumps); len(jumps) > 0 {
				t.Errorf("headings skip a level: %q", jumps)
			}
		})
	}
}

const headingJumps = `[...document.querySelectorAll("h1,h2,h3,h4,h5")].reduce((a, h) => { const level = +h.tagName[1]; if (level > a.last + 1) a.bad.push(h.textContent); a.last = level; return a; }, {last: 0, bad: []}).bad`

func text(v *accessibility.Value) string {
	if v == nil {
		return ""
	}
	return strings.Trim(string(v.Value), `"`)
}

func TestItCanBePrinted(t *testing.T) {
	for name, of := range map[string][]export.Run{"two small runs": runs.Demo(), "100 nodes": {runs.Simulated(100)}} {
		p := open(t, write(t, of...))
		paper, err := chromedp.Run(p, chromedp.PrintToPDF(chromedp.PDFPrintBackground()))
		if err != nil {
			t.Fatal(err)
		}
		if len(paper) < 20_000 || string(paper[:5]) != "%PDF-" {
			t.Errorf("%s: %d bytes that begin with %q, want a PDF", name, len(paper), paper[:min(5, len(paper))])
		}
		if sheets := len(regexp.MustCompile(`/Type /Page\b`).FindAll(paper, -1)); sheets < 1 || sheets > 4 {
			t.Errorf("%s: %d sheets of paper, want 4 at most", name, sheets)
		}
		p.quiet()
	}
	p := open(t, write(t, runs.Demo()...))
	p.do(chromedp.Click(chromedp.CSS("details.node:nth-of-type(2) > summary")))
	p.do(func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"})
		return chromedp.Void{}, err
	})
	const seen = `[...document.querySelectorAll("%s")].filter(e => e.checkVisibility()).length`
	for what, want := range map[string]int{".node": 1, ".nodes tbody tr": 2, ".nodes .p": 0, ".chart": 0, ".paper": 2} {
		if n := ask[int](p, fmt.Sprintf(seen, what)); n != want {
			t.Errorf("paper has %d of %s, want %d", n, what, want)
		}
	}
}

func TestItWorksWithoutScripts(t *testing.T) {
	p := open(t, write(t, runs.Demo()...), withoutScripts)
	shown, err := chromedp.Run(p, chromedp.Text(chromedp.CSS("h2")))
	if err != nil {
		t.Fatal(err)
	}
	p.do(chromedp.Click(chromedp.CSS("details.node:nth-of-type(2) > summary")), chromedp.WaitVisible(chromedp.CSS("details.node:nth-of-type(2) h5")))
	if !strings.Contains(shown, "Run sample: Fail") {
		t.Errorf("the page begins with %q", shown)
	}
}

// A command is copied, or at least chosen, by one click.
func TestACommandIsCopied(t *testing.T) {
	p := open(t, write(t, runs.Simulated(20)))
	run(p, `document.querySelector("button.copy").click()`)
	want := ask[string](p, `document.querySelector("code.copy").textContent`)
	if got := ask[string](p, `getSelection().toString()`); got != want || !strings.HasPrefix(got, "nvidia-smi -q") {
		t.Errorf("%q is chosen, want %q", got, want)
	}
	p.quiet()
}

func TestTablesAreSortedAndFiltered(t *testing.T) {
	p := open(t, write(t, simulated()))
	first := `document.querySelector("table.filter tbody tr:not([hidden]) th").textContent`
	visible := `document.querySelectorAll("table.filter tbody tr:not([hidden])").length`
	if worst := ask[string](p, first); worst != "gpu-0002" {
		t.Errorf("the worst node is %s, want gpu-0002", worst)
	}
	p.do(chromedp.Click(chromedp.CSS(`table.filter th:first-child button`)))
	if name := ask[string](p, first); name != "gpu-0001" {
		t.Errorf("by name, the first node is %s, want gpu-0001", name)
	}
	if order := ask[string](p, `document.querySelector("table.filter th").ariaSort`); order != "ascending" {
		t.Errorf("a screen reader is told %q", order)
	}
	p.do(chromedp.SendKeys(chromedp.CSS(".filterbox input"), "gpu-001"))
	if n := ask[int](p, visible); n != 10 {
		t.Errorf("%d nodes are shown, want the 10 from gpu-0010 to gpu-0019", n)
	}
	p.quiet()
}

// Addresses and sizes begin with digits and are no numbers; values stand in several units.
func TestColumnsAreSortedByWhatTheyMean(t *testing.T) {
	all := runs.Demo()[0]
	text := string(write(t, all))
	for from, to := range map[string]string{"node-1": "10.0.0.9", "node-2": "10.0.0.10", "node-3": "10.0.0.1", "node-4": "9.1.1.1"} {
		text = strings.ReplaceAll(text, from, to)
	}
	p := open(t, []byte(text))
	sorted := func(p *tab, table, column string) string {
		p.do(chromedp.Click(chromedp.CSS(table + ` thead th:nth-child(` + column + `) button`)))
		return ask[string](p, `[...document.querySelectorAll("`+table+` tbody tr > :nth-child(`+column+`)")].map(e => e.textContent).filter((e, i, all) => e !== all[i - 1]).join()`)
	}
	if got := sorted(p, "table.filter", "1"); got != "9.1.1.1,10.0.0.1,10.0.0.9,10.0.0.10" {
		t.Errorf("addresses are sorted as %s", got)
	}
	p = open(t, write(t, runs.Recorded()))
	run(p, `for (const d of document.querySelectorAll("details")) d.open = true`)
	if got := sorted(p, "section[aria-labelledby$=metrics] details table", "3"); !strings.HasPrefix(got, "8B,16B,64KiB,1MiB,") {
		t.Errorf("sizes are sorted as %s", got)
	}
	p = open(t, comparison(t))
	if got := sorted(p, "section[aria-labelledby=changed] table", "3"); !rising(t, got) {
		t.Errorf("values are sorted as %s", got)
	}
}

// A link to a node opens what is folded.
func TestALinkShowsItsNode(t *testing.T) {
	p := open(t, write(t, simulated()))
	target := ask[string](p, `document.querySelector("table.filter tbody tr:nth-child(9) a").getAttribute("href")`)
	p.do(chromedp.Click(chromedp.CSS("table.filter tbody tr:nth-child(9) a")), chromedp.WaitVisible(chromedp.CSS(target+" h5")))
	if !ask[bool](p, fmt.Sprintf(`document.querySelector(%q).closest("details").open`, target)) {
		t.Errorf("%s is still folded", target)
	}
}

// A cell of the map leads to its node, by mouse and by keyboard, which stops once at the map and goes on by arrows.
func TestTheMapLeadsToItsNodes(t *testing.T) {
	p := open(t, write(t, simulated()))
	p.do(chromedp.Click(chromedp.CSS(`.map a[href="#gpu-0019"]`)), chromedp.WaitVisible(chromedp.CSS(`[id="gpu-0019"] h5`)))
	if n := ask[int](p, `document.querySelectorAll(".plot rect.chosen").length`); n < 8 {
		t.Errorf("the node is marked in %d charts, want all", n)
	}
	run(p, `document.querySelector(".map a").focus()`)
	p.do(chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.End), chromedp.KeyEvent(kb.ArrowLeft), chromedp.KeyEvent(kb.Enter), chromedp.WaitVisible(chromedp.CSS(`[id="gpu-0031"] h5`)))
	if n := ask[int](p, `document.querySelectorAll(".map a[tabindex='0']").length`); n != 1 {
		t.Errorf("the keyboard stops %d times at the map, want once", n)
	}
	p.quiet()
}

// Each mark says which part of which node it is, what it reached and when, to the mouse and to the keyboard; a click marks the node everywhere.
func TestAMarkSaysWhatItIs(t *testing.T) {
	p := open(t, write(t, simulated()))
	run(p, `window.at = (metric, x, y) => {
		const plot = [...document.querySelectorAll("figure:has([data-unit])")].find(f => f.querySelector("b").textContent === metric).querySelector("[data-unit]");
		plot.scrollIntoView({block: "center", behavior: "instant"});
		const box = plot.getBoundingClientRect();
		plot.dispatchEvent(new PointerEvent("pointermove", {clientX: box.x + x * box.width, clientY: box.y + y * box.height}));
		return plot;
	}; window.tip = document.querySelector(".tip")`)
	for metric, want := range map[string]string{"writeBandwidth": "gpu-0019 gpu2->gpu3: 320.2 GB/s, mean of 2 attempts", "hbmTriad": "gpu-0009 gpu5: 4.113 TB/s, mean of 2 attempts"} {
		node := strings.Fields(want)[0]
		if got := ask[string](p, fmt.Sprintf(`at(%q, (parseInt(%q.slice(4)) - 0.5) / 32, 1); tip.textContent`, metric, node)); got != want {
			t.Errorf("the mark at the edge says %q, want %q", got, want)
		}
	}
	if got := ask[string](p, `at("bandwidth", 7.5 / 32, 6.5 / 32); tip.textContent`); got != "gpu-0007 to gpu-0008: 21.9 GB/s" {
		t.Errorf("the mark of a slow link says %q", got)
	}
	if got := ask[string](p, `at("collectives", 0.5, 0.5).focus(); tip.textContent`); !strings.Contains(got, " at ") || !strings.HasSuffix(got, ", the median") {
		t.Errorf("the mark of a curve says %q", got)
	}
	if got := ask[string](p, `at("gpu temperature", 0, 0.5); window.plot = at("gpu power", 0.01, 0.5); plot.focus(); plot.dispatchEvent(new KeyboardEvent("keydown", {key: "Home"})); tip.textContent`); !strings.HasPrefix(got, "gpu-0001 gpu0: ") || !strings.HasSuffix(got, " W, attempt 1") {
		t.Errorf("the first mark says %q", got)
	}
	p.do(chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.Enter))
	charts, bars := ask[int](p, `document.querySelectorAll(".plot[data-parts]").length`), ask[int](p, `document.querySelectorAll(".plot[data-unit]:has(rect.chosen)").length`)
	if chosen := ask[string](p, `document.querySelector(".map a.chosen").title.split(" ")[0] + " " + document.querySelector("tr.chosen th").textContent`); chosen != "gpu-0001 gpu-0001" || bars != charts || bars < 8 {
		t.Errorf("%q is marked, in %d of %d charts", chosen, bars, charts)
	}
	if n := ask[int](p, `plot.dispatchEvent(new PointerEvent("pointerleave")); at("hbmTriad", 8.5 / 32, 1); document.querySelectorAll(".spot").length`); n != 1 {
		t.Errorf("%d marks are pointed at, want 1", n)
	}
	run(p, `plot.focus()`)
	p.do(chromedp.KeyEvent(kb.Escape))
	if left := ask[int](p, `document.querySelectorAll(".chosen").length`); left != 0 {
		t.Errorf("%d elements are still marked", left)
	}
	p.quiet()
}

// What is packed is unpacked when it is unfolded: the end of a fleet that is too large to be plain.
func TestPackedNumbersAreUnpacked(t *testing.T) {
	p := open(t, write(t, simulated()))
	if n := ask[int](p, `document.querySelectorAll("[data-packed]").length`); n < 5 {
		t.Fatalf("%d nodes are packed, want more", n)
	}
	p.do(chromedp.Click(chromedp.CSS("details.node:last-of-type > summary")), chromedp.WaitVisible(chromedp.CSS("details.node:last-of-type h5")))
	if got := ask[string](p, `document.querySelector("details.node:last-of-type").textContent`); !strings.Contains(got, "hbmTriad, TB/s") {
		t.Error("the last node has no numbers")
	}
	p.quiet()
}
