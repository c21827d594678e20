// Package page is a run, or a comparison, as one HTML file: it needs no network and no other file, works without JavaScript, on a
// phone and on paper. It is pure, shows what internal/reader/report and the results say, and judges nothing.
package page

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"

	"github.com/assay-dev/assay/internal/judge/term"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/reader/compare"
	"github.com/assay-dev/assay/internal/reader/export"
)

var (
	//go:embed style.css
	style string
	//go:embed script.js
	script string
	//go:embed templates
	files     embed.FS
	templates = template.Must(template.New("page").Funcs(template.FuncMap{"against": term.Against, "class": class, "few": few, "told": compare.Told,
		"titled": attemptTitle, "grids": grids, "facts": factRows}).ParseFS(files, "templates/*.tmpl"))
)

// document is what the outermost template shows.
type document struct {
	Title string
	// StyleHash and ScriptHash let the browser use these two, and nothing else.
	StyleHash, ScriptHash string
	Style                 template.CSS
	Script                template.JS
	Runs                  []run
}

// Write the page of some runs, one at least. With failed, only nodes that did not pass, or carry a taint, are listed; the charts show all.
func Write(w io.Writer, runs []export.Run, failed bool) error {
	var gathered Runs
	for i := range runs {
		if err := runs[i].Pour(&gathered); err != nil {
			return err
		}
	}
	return gathered.Write(w, failed)
}

// Write the page of the runs that were gathered, once.
func (rs *Runs) Write(w io.Writer, failed bool) error {
	d := newDocument()
	var names []string
	for i := range rs.all {
		v, err := rs.newRun(i, failed)
		if err != nil {
			return err
		}
		d.Runs = append(d.Runs, v)
		names = append(names, v.Name)
	}
	d.Title = pageTitle(names)
	return write(w, "page", d)
}

func newDocument() document {
	//nolint:gosec // both are files of this package
	return document{Style: template.CSS(style), Script: template.JS(script), StyleHash: hashOf(style), ScriptHash: hashOf(script)}
}

// hashOf is how a Content-Security-Policy names a text that stands in the page itself.
func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// pageTitle names a page after its runs.
func pageTitle(runs []string) string {
	if len(runs) == 1 {
		return "Validation run " + runs[0]
	}
	return fmt.Sprintf("%d validation runs: %s", len(runs), message.AndMore(runs, 3, len(runs)))
}
