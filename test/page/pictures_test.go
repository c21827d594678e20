package page_test

import (
	"os"
	"path/filepath"
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
		for _, name := range []string{"report-fleet", "report-h200", "report-demo", "report-phone"} {
			if about, err := os.Stat(filepath.Join(kept, name+".png")); err != nil || about.Size() > 200_000 {
				t.Errorf("%s: %v, want a picture of at most 200 KB: make pictures", name, err)
			}
		}
		return
	}
	fleet := write(t, runs.Simulated(512))
	picture(t, folder, "report-fleet", fleet, 1280, 1500, "")
	picture(t, folder, "report-links", fleet, 1280, 1400, "h3[id$=links]")
	picture(t, folder, "report-demo", write(t, runs.Demo()[1]), 1280, 1500, "")
	picture(t, folder, "report-h200", write(t, runs.Recorded()), 1280, 1500, "h3[id$=scaling]")
	picture(t, folder, "report-phone", fleet, 390, 1500, "")
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
