package page_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/assay-dev/assay/test/page/runs"
)

// TestPictures takes the pictures of the documents anew, where ASSAY_PICTURES names their folder: make pictures. Without it, it makes
// sure that they are there, and small.
func TestPictures(t *testing.T) {
	const kept = "../../docs/pictures"
	folder := os.Getenv("ASSAY_PICTURES")
	if folder == "" {
		documents := ""
		for _, name := range []string{"html.md", "compare.md", "../README.md"} {
			text, err := os.ReadFile(filepath.Join("../../docs", name))
			if err != nil {
				t.Fatal(err)
			}
			documents += string(text)
		}
		for _, name := range []string{"report-fleet", "report-metrics", "report-links", "report-h200", "comparison"} {
			if about, err := os.Stat(filepath.Join(kept, name+".png")); err != nil || about.Size() > 200_000 {
				t.Errorf("%s: %v, want a picture of at most 200 KB: make pictures", name, err)
			}
			if !strings.Contains(documents, "pictures/"+name+".png") {
				t.Errorf("no document shows %s: link it, or leave it out", name)
			}
		}
		return
	}
	fleet := write(t, runs.Simulated(512))
	picture(t, folder, "report-fleet", fleet, 1180, 1000, "")
	picture(t, folder, "report-metrics", fleet, 1180, 1180, "h3[id$=fleet]")
	picture(t, folder, "report-links", fleet, 1180, 1300, "h3[id$=links]")
	picture(t, folder, "report-h200", write(t, runs.Recorded()), 1180, 1080, "h3[id$=scaling]")
	picture(t, folder, "comparison", comparison(t), 1180, 1400, "")
}

// picture of a page from an element on; empty: from the top.
func picture(t *testing.T, folder, name string, html []byte, width, height int64, from string) {
	t.Helper()
	p := open(t, html, scheme("light"), chromedp.EmulateViewport(width, height))
	if from != "" {
		run(p, `document.documentElement.style.scrollBehavior = "auto"; document.querySelector("`+from+`").scrollIntoView()`)
	}
	shot, err := chromedp.Run(p, chromedp.CaptureScreenshot())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, name+".png"), shot, 0o644); err != nil {
		t.Fatal(err)
	}
}
