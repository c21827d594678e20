package tracetest

import (
	"fmt"
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
	// happened counts what did, told or not.
	happened int
	// passBegan is the first line of the pass that goes on.
	passBegan int
}

type line struct {
	at time.Duration
	// pass in which it was said: its first line.
	pass       int
	what, text string
	who        []string
	fold       fold
	// also are the words of lines that were folded into this one.
	also []string
}

// fold of a line that says only what is to be expected after others of its pass: a word at their ends says that it came.
type fold struct {
	// into lines of this kind that begin so.
	into, begin string
	word        string
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

// say that something happened.
func (w *world) say(what, who, format string, args ...any) {
	w.sayUsual(fold{}, what, who, format, args...)
}

// sayUsual is say, of what is to be expected. What happens to several alike, in one pass, is one line.
func (w *world) sayUsual(f fold, what, who, format string, args ...any) {
	w.happened++
	text := w.read(fmt.Sprintf(format, args...))
	if who != "" { // its name stands before the line
		for _, after := range []string{" ", ":", ")", ";"} {
			text = strings.ReplaceAll(text, "@"+who+after, after)
		}
	}
	at := w.now.Sub(epoch)
	for i := w.passBegan; i < len(w.lines) && who != ""; i++ {
		if l := &w.lines[i]; l.at == at && l.what == what && l.text == text && l.fold == f && len(l.who) > 0 {
			l.who = append(l.who, who)
			return
		}
	}
	l := line{at: at, pass: w.passBegan, what: what, text: text, fold: f}
	if who != "" {
		l.who = []string{who}
	}
	w.lines = append(w.lines, l)
}

// sayDeleted of the pod or MPIJob of an attempt: in most cases because what it left is stored.
func (w *world) sayDeleted(who, name, benchmark, attempt, why string) {
	f := fold{into: "store", begin: benchmark + " #" + attempt + " "}
	if why == "attempt "+attempt+" is stored" {
		f.word = "deleted"
	}
	w.sayUsual(f, "delete", who, "%s: %s", name, why)
}

// folded are the lines without those whose fold says it: where others tell of exactly the same nodes.
func (t *trace) folded() []line {
	all := slices.Clone(t.lines)
	for _, into := range []string{"record", "verdict", "store"} { // what is folded into a record may go into a verdict with it
		for i := range all {
			if l := &all[i]; l.fold.word != "" && l.fold.into == into && foldInto(all, l) {
				l.what = ""
			}
		}
	}
	return slices.DeleteFunc(all, func(l line) bool { return l.what == "" })
}

// foldInto adds the words of a line to those into which it is to be folded, if they can stand for it.
func foldInto(all []line, l *line) bool {
	into := list.Those(all, func(o *line) bool {
		others := slices.ContainsFunc(o.who, func(who string) bool { return !slices.Contains(l.who, who) })
		return o.what == l.fold.into && o.pass == l.pass && o.at == l.at && !others && strings.HasPrefix(o.text, l.fold.begin)
	})
	var who []string
	for _, o := range into {
		who = append(who, o.who...)
	}
	if slices.Sort(who); !slices.Equal(who, slices.Sorted(slices.Values(l.who))) {
		return false
	}
	for _, o := range into {
		o.also = append(append(o.also, l.fold.word), l.also...)
	}
	return true
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
		if len(l.also) > 0 {
			l.text += "; " + strings.Join(l.also, ", ")
		}
		b.WriteString(strings.TrimRight(fmt.Sprintf("%8s  %-9s %s", when, l.what, l.text), " ") + "\n")
	}
	return b.String()
}
