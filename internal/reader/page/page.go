// Package page is a run, or a comparison, as one HTML file: it needs no network and no other file, works without JavaScript, on a
// phone and on paper. It is pure, shows what internal/reader/report and the results say, and judges nothing.
package page

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"unicode"
	"unicode/utf8"

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
		"took": took, "grids": grids, "facts": factsByName}).ParseFS(files, "templates/*.tmpl"))
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

// write what a template shows, in which nothing is hidden: characters that a reader cannot see, or that change the order in which others are
// read, appear as their numbers. Everything that is on the page passes through here, so no field can be forgotten.
func write(w io.Writer, name string, shown any) error {
	var html bytes.Buffer
	if err := templates.ExecuteTemplate(&html, name, shown); err != nil {
		return err
	}
	out := make([]byte, 0, html.Len()+64)
	for html.Len() > 0 {
		r, _, _ := html.ReadRune() // U+FFFD of what is none
		out = appendVisible(out, r)
	}
	_, err := w.Write(out)
	return err
}

func appendVisible(out []byte, r rune) []byte {
	switch {
	case r == '\n' || r >= ' ' && r < 0x7f:
		return append(out, byte(r))
	case r == '\t' || r == '\r':
		return append(out, ' ')
	case hidden(r):
		return fmt.Appendf(out, "\u27e8U+%04X\u27e9", r)
	default:
		return utf8.AppendRune(out, r)
	}
}

// hidden characters: control and format characters (bidirectional overrides, joiners, tags), other spaces than the ordinary one,
// those that fonts may invent, and blanks that count as letters.
func hidden(r rune) bool {
	switch r {
	case 0x034f, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x180b, 0x180c, 0x180d, 0x180f, 0x2800, 0x3164, 0xffa0:
		return true
	}
	return !unicode.IsGraphic(r) || unicode.Is(unicode.Zs, r) && r != ' ' && r != 0xa0 || r >= 0xfe00 && r <= 0xfe0f || r >= 0xe0100 && r <= 0xe01ef
}
