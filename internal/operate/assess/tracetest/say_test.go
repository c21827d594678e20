package tracetest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/list"
)

// trace is what happened, one line each.
type trace struct {
	lines []line
	// names that are hashes, and what they are written as.
	names []string
	// passBegan is the first line of the pass that goes on.
	passBegan int
}

type line struct {
	at time.Duration
	// pass in which it was said: its first line.
	pass       int
	what, text string
	who        []string
}

// call gives an object a name that can be read.
func (t *trace) call(name, readable string) {
	for i := 0; i < len(t.names); i += 2 {
		if t.names[i] == name {
			return
		}
	}
	t.names = append(t.names, name, readable)
}

// read writes a text with names that can be read.
func (t *trace) read(text string) string {
	return strings.NewReplacer(t.names...).Replace(text)
}

// say that something happened. What happens to several alike, in one pass, is one line.
func (w *world) say(what, who, format string, args ...any) {
	text := w.read(fmt.Sprintf(format, args...))
	if who != "" { // its name stands before the line
		for _, after := range []string{" ", ":", ")", ";"} {
			text = strings.ReplaceAll(text, "@"+who+after, after)
		}
	}
	at := w.now.Sub(epoch)
	for i := w.passBegan; i < len(w.lines) && who != ""; i++ {
		if l := &w.lines[i]; l.at == at && l.what == what && l.text == text && len(l.who) > 0 {
			l.who = append(l.who, who)
			return
		}
	}
	l := line{at: at, pass: w.passBegan, what: what, text: text}
	if who != "" {
		l.who = []string{who}
	}
	w.lines = append(w.lines, l)
}

// storedFirst is why a pod or an MPIJob is deleted in most cases.
var storedFirst = regexp.MustCompile(`^(\S+?) ?#(\d+): attempt \d+ is stored$`)

// folded are the lines without those that say only that pods, or MPIJobs, went in the very pass that stored what they had left: where these are all
// of which that is told, it says so itself.
func (t *trace) folded() []line {
	all := slices.Clone(t.lines)
	for l := range list.Each(all) {
		words := storedFirst.FindStringSubmatch(l.text)
		if l.what != "delete" || words == nil {
			continue
		}
		stores := list.Those(all, func(s *line) bool {
			others := slices.ContainsFunc(s.who, func(who string) bool { return !slices.Contains(l.who, who) })
			return s.what == "store" && s.pass == l.pass && s.at == l.at && !others && strings.HasPrefix(s.text, words[1]+" #"+words[2]+" ")
		})
		var who []string
		for _, s := range stores {
			who = append(who, s.who...)
		}
		if slices.Sort(who); slices.Equal(who, slices.Sorted(slices.Values(l.who))) {
			for _, s := range stores {
				s.text += "; deleted"
			}
			l.what = ""
		}
	}
	return slices.DeleteFunc(all, func(l line) bool { return l.what == "" })
}

// text of the trace. A time is written once.
func (t *trace) text() string {
	var b strings.Builder
	at := time.Duration(-1)
	for _, l := range t.folded() {
		when := ""
		if l.at != at {
			when, at = l.at.String(), l.at
		}
		if slices.Sort(l.who); len(l.who) > 0 {
			l.text = strings.Join(l.who, ", ") + ": " + l.text
		}
		b.WriteString(strings.TrimRight(fmt.Sprintf("%8s  %-9s %s", when, l.what, l.text), " ") + "\n")
	}
	return b.String()
}
