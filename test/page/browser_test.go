// Package page_test looks at the HTML report in a real browser: that it asks for nothing, hides nothing, fits a phone and paper, and is
// there for those who use a keyboard or a screen reader.
package page_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/assay-dev/assay/internal/reader/export"
	"github.com/assay-dev/assay/internal/reader/page"
)

var browser context.Context

func TestMain(m *testing.M) {
	code := 0
	func() {
		options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox, chromedp.WSURLReadTimeout(2*time.Minute))
		allocated, stop := chromedp.NewExecAllocator(context.Background(), options...)
		defer stop()
		var end context.CancelFunc
		browser, end = chromedp.NewContext(allocated)
		defer end()
		code = m.Run()
	}()
	os.Exit(code)
}

// tab is a page in the browser, and everything that went wrong on it.
type tab struct {
	context.Context
	t      *testing.T
	mu     sync.Mutex
	faults []string
}

// open a page. Before it is loaded, some things may be set.
func open(t *testing.T, html []byte, before ...action) *tab {
	t.Helper()
	if _, err := exec.LookPath("chromium"); err != nil {
		t.Skip("chromium is not installed: run hack/setup/chromium.sh as root")
	}
	file := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(file, html, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := chromedp.Do(browser); err != nil {
		t.Fatalf("starting the browser: %v", err)
	}
	ctx, cancel := chromedp.NewContext(browser)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil { // opens the tab, which would end with the time limit else
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(ctx, time.Minute)
	t.Cleanup(stop)
	p := &tab{Context: ctx, t: t}
	if err := chromedp.Listen(ctx, p.watch); err != nil {
		t.Fatal(err)
	}
	call(p, network.Enable, network.EnableParams{})
	call(p, log.Enable, cdp.Empty{})
	p.do(before...)
	p.do(chromedp.Navigate("file://" + file))
	return p
}

// watch what the page should not do.
func (p *tab) watch(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		if !strings.HasPrefix(e.Request.URL, "file:///") || e.Type != network.ResourceTypeDocument {
			p.faults = append(p.faults, "it asked for "+e.Request.URL)
		}
	case *runtime.EventExceptionThrown:
		p.faults = append(p.faults, "exception: "+e.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		p.faults = append(p.faults, fmt.Sprintf("console %s", e.Type))
	case *log.EventEntryAdded:
		p.faults = append(p.faults, "log: "+e.Entry.Text)
	}
}

// quiet fails the test if anything went wrong so far.
func (p *tab) quiet() {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, f := range p.faults {
		p.t.Error(f)
	}
}

func (p *tab) do(actions ...action) {
	p.t.Helper()
	if err := chromedp.Do(p, actions...); err != nil {
		p.t.Fatal(err)
	}
}

// action on a page.
type action = chromedp.Action[chromedp.Void]

// ask evaluates JavaScript.
func ask[T any](p *tab, script string) T {
	p.t.Helper()
	answer, err := chromedp.Run(p, chromedp.Evaluate[T](script))
	if err != nil {
		p.t.Fatal(err)
	}
	return answer
}

// run JavaScript.
func run(p *tab, script string) { ask[bool](p, script+"; true") }

// call a command of the browser's protocol.
func call[P, R any](p *tab, command cdp.Command[P, R], with P) R {
	p.t.Helper()
	answer, err := chromedp.Call(p, command, with)
	if err != nil {
		p.t.Fatal(err)
	}
	return answer
}

// phone is a small screen.
func phone() action { return chromedp.EmulateViewport(360, 740, chromedp.EmulateMobile) }

// scheme of colours: light or dark.
func scheme(name string) action {
	return func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}}})
		return chromedp.Void{}, err
	}
}

func withoutScripts(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
	_, err := cdp.Call(ctx, t, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	return chromedp.Void{}, err
}

func write(t *testing.T, all ...export.Run) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := page.Write(&out, all, false); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
