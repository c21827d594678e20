package page_test

import (
	unescape "html"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/assay-dev/assay/docs"
	"github.com/assay-dev/assay/internal/reader/export"
	"github.com/assay-dev/assay/test/page/runs"
)

// pictures of the documents: what is on them, and from which element on; empty: from the top.
var pictures = []struct {
	name   string
	page   func(t *testing.T) []byte
	height int64
	from   string
}{
	{"report-fleet", pageOf(hall), 1000, ""},
	{"report-metrics", pageOf(hall), 780, "h3[id$=fleet]"},
	{"report-links", pageOf(hall), 1300, "h3[id$=links]"},
	{"report-h200", pageOf(runs.Recorded), 900, "h3[id$=scaling]"},
	{"comparison", comparison, 1300, ""},
}

// hall is the fleet on most of the pictures.
var hall = sync.OnceValue(func() export.Run { return runs.Simulated(512) })

func pageOf(run func() export.Run) func(*testing.T) []byte {
	return func(t *testing.T) []byte { return write(t, run()) }
}

// TestPictures takes the pictures of the documents anew, with the text that can be read on each, where ASSAY_PICTURES names their folder: make
// pictures. Without it, it makes sure that they are there, small, and show what the pages say now.
func TestPictures(t *testing.T) {
	folder := os.Getenv("ASSAY_PICTURES")
	documents := ""
	for _, name := range []string{"html.md", "compare.md"} {
		text, err := docs.Pages.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		documents += string(text)
	}
	for _, of := range pictures {
		html := of.page(t)
		if folder != "" {
			picture(t, filepath.Join(folder, of.name), html, of.height, of.from)
			continue
		}
		if picture, err := docs.Pages.ReadFile("pictures/" + of.name + ".png"); err != nil || len(picture) > 200_000 {
			t.Errorf("%s: %v, want a picture of at most 200 KB: make pictures", of.name, err)
		}
		if !strings.Contains(documents, "pictures/"+of.name+".png") {
			t.Errorf("no document shows %s: link it, or leave it out", of.name)
		}
		checkTexts(t, "pictures/"+of.name+".txt", html)
	}
}

// checkTexts finds on a page what can be read on its picture.
func checkTexts(t *testing.T, file string, html []byte) {
	t.Helper()
	read, err := docs.Pages.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	now := textsOf(html)
	texts := strings.Split(strings.TrimSpace(string(read)), "\n")
	if len(texts) < 20 {
		t.Errorf("%s has %d texts", file, len(texts))
	}
	for _, text := range texts {
		if !now[text] {
			t.Errorf("the picture of %s is of another build: it says %q, and the page does not: make pictures", file, text)
			return
		}
	}
}

// textsOf a page, without what its script adds.
func textsOf(html []byte) map[string]bool {
	all := map[string]bool{}
	for _, text := range regexp.MustCompile(`(?s)<style>.*?</style>|<script>.*?</script>|<[^>]*>`).Split(string(html), -1) {
		all[strings.Join(strings.Fields(unescape.UnescapeString(text)), " ")] = true
	}
	return all
}

// picture of a page from an element on, and the texts that stand on it.
func picture(t *testing.T, file string, html []byte, height int64, from string) {
	t.Helper()
	p := open(t, html, scheme("light"), chromedp.EmulateViewport(1180, height))
	if from != "" {
		run(p, `document.documentElement.style.scrollBehavior = "auto"; document.querySelector("`+from+`").scrollIntoView()`)
	}
	shot, err := chromedp.Run(p, chromedp.CaptureScreenshot())
	if err != nil {
		t.Fatal(err)
	}
	texts := ask[string](p, `(() => {
		const texts = new Set(), walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
		while (walker.nextNode()) {
			const node = walker.currentNode, range = document.createRange();
			range.selectNodeContents(node);
			const box = range.getBoundingClientRect(), text = node.textContent.trim().replace(/\s+/g, " ");
			if (text && !node.parentElement.closest("script, style, .skip") && box.height > 0 && box.top >= 0 && box.bottom <= innerHeight) texts.add(text);
		}
		return [...texts].join("\n");
	})()`)
	known := textsOf(html)
	read := slices.DeleteFunc(strings.Split(texts, "\n"), func(text string) bool { return !known[text] })
	for name, content := range map[string][]byte{file + ".png": shot, file + ".txt": []byte(strings.Join(read, "\n") + "\n")} {
		if err := os.WriteFile(name, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
