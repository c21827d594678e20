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
		for _, name := range []string{"report-fleet", "report-metrics", "report-links", "report-demo", "report-h200", "report-phone", "comparison"} {
			if about, err := os.Stat(filepath.Join(kept, name+".png")); err != nil || about.Size() > 200_000 {
				t.Errorf("%s: %v, want a picture of at most 200 KB: make pictures", name, err)
			}
		}
		return
	}
	fleet := write(t, runs.Simulated(512))
	picture(t, folder, "report-fleet", fleet, 1180, 1000, "")
	picture(t, folder, "report-metrics", fleet, 1180, 1180, "h3[id$=fleet]")
	picture(t, folder, "report-links", fleet, 1180, 1300, "h3[id$=links]")
	picture(t, folder, "report-demo", write(t, runs.Demo()[1]), 1180, 1180, "")
	picture(t, folder, "report-h200", write(t, runs.Recorded()), 1180, 1080, "h3[id$=scaling]")
	picture(t, folder, "report-phone", fleet, 390, 1300, "h3[id$=fleet]")
	picture(t, folder, "comparison", comparison(t), 1180, 900, "")
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
