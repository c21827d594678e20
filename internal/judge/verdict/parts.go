package verdict

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// indexed are the entities whose index does not matter for being alike. Anything else with digits, a message size for
// instance, is a kind of its own.
var indexed = map[string]bool{
	"gpu": true, "socket": true, "numa": true, "rank": true, "nic": true,
	"node": true, "core": true, "link": true, "cpu": true,
}

// Estimated begins the name of a part whose value a model made: it is like the part itself.
const Estimated = "estimated "

// place is what a part's name says.
type place struct {
	// kind of the part: its name without the indices of known entities.
	kind string
	// likeness names the parts that it may be compared with: those of its kind, but a link from a part to itself is not
	// like one that leads away from it.
	likeness string
	// gpus that it mentions, in its order.
	gpus []int32
	// whole: it is the node itself.
	whole bool
}

func newPlace(at string) place {
	var kind strings.Builder
	var p place
	at = strings.TrimPrefix(at, Estimated)
	eachWord(at, func(text, entity string, index int32) {
		if entity != "" {
			text = entity
		}
		if entity == "gpu" {
			p.gpus = append(p.gpus, index)
		}
		kind.WriteString(text)
	})
	p.kind = kind.String()
	p.likeness = p.kind
	if from, to, link := strings.Cut(at, "->"); link && from == to {
		p.likeness += " (itself)"
	}
	p.whole = p.kind == "" || p.kind == "node"
	return p
}

// PartKind is the name of a part without the indices of known entities: "gpu0->gpu1" is a "gpu->gpu", "64KiB" stays.
func PartKind(at string) string { return newPlace(at).kind }

// eachWord cuts a part's name into words and what is between them. entity is set where a word is a known entity with
// an index.
func eachWord(at string, visit func(text, entity string, index int32)) {
	for at != "" {
		word := strings.IndexFunc(at, func(r rune) bool { return !isWord(r) })
		if word < 0 {
			word = len(at)
		}
		if word == 0 {
			gap := strings.IndexFunc(at, isWord)
			if gap < 0 {
				gap = len(at)
			}
			visit(at[:gap], "", 0)
			at = at[gap:]
			continue
		}
		entity, index := splitIndex(at[:word])
		visit(at[:word], entity, index)
		at = at[word:]
	}
}

func isWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// splitIndex splits "gpu3" into "gpu" and 3. The entity is empty where the word is none.
func splitIndex(word string) (string, int32) {
	name := strings.TrimRight(word, "0123456789")
	if len(name) == len(word) || !indexed[name] {
		return "", 0
	}
	index, err := strconv.ParseInt(word[len(name):], 10, 32)
	if err != nil {
		return "", 0
	}
	return name, int32(index)
}

// measurement finds a metric in what an attempt reported.
func measurement(a *v1alpha1.Attempt, name string) *v1alpha1.Measurement {
	for i := range a.Measurements {
		if a.Measurements[i].Name == name {
			return &a.Measurements[i]
		}
	}
	return nil
}

// wrongData says whether a data check of the attempt failed, in a program that was not stopped.
func wrongData(a *v1alpha1.Attempt) bool {
	if v1alpha1.Interrupted(a.Checks) {
		return false
	}
	for i := range a.Checks {
		if !a.Checks[i].OK && v1alpha1.IsDataCheck(a.Checks[i].Name) {
			return true
		}
	}
	return false
}
