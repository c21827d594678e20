// Package part knows the names of parts, such as gpu3 or gpu0->gpu1: of which kind they are, what they may be compared with, and of which
// hardware they consist.
package part

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

// Place is what a part's name says.
type Place struct {
	// Kind of the part: its name without the indices of known entities.
	Kind string
	// Likeness names the parts that it may be compared with: those of its kind, but a link from a part to itself is not
	// like one that leads away from it.
	Likeness string
	// GPUs that it mentions, in its order.
	GPUs []int32
	// Whole: it is the node itself.
	Whole bool
}

// Read the name of a part.
func Read(at string) Place {
	var kind strings.Builder
	var p Place
	at = strings.TrimPrefix(at, Estimated)
	eachWord(at, func(text, entity string, index int32) {
		if entity != "" {
			text = entity
		}
		if entity == "gpu" {
			p.GPUs = append(p.GPUs, index)
		}
		kind.WriteString(text)
	})
	p.Kind = kind.String()
	p.Likeness = p.Kind
	if from, to, link := strings.Cut(at, "->"); link && from == to {
		p.Likeness += " (itself)"
	}
	p.Whole = p.Kind == "" || p.Kind == "node"
	return p
}

// Kind is the name of a part without the indices of known entities: "gpu0->gpu1" is a "gpu->gpu", "64KiB" stays.
func Kind(at string) string { return Read(at).Kind }

// eachWord cuts a part's name into words and what is between them. entity is set where a word is a known entity with
// an index.
func eachWord(at string, visit func(text, entity string, index int32)) {
	for at != "" {
		word := strings.IndexFunc(at, isWord) == 0
		end := strings.IndexFunc(at, func(r rune) bool { return isWord(r) != word })
		if end < 0 {
			end = len(at)
		}
		entity, index := splitIndex(at[:end])
		visit(at[:end], entity, index)
		at = at[end:]
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

// UUIDs of the GPUs that a part names.
func UUIDs(at string, devices []v1alpha1.Device) []string { return Read(at).UUIDs(devices) }

// UUIDs of the GPUs that it names.
func (p Place) UUIDs(devices []v1alpha1.Device) []string {
	var all []string
	for _, index := range p.GPUs {
		for i := range devices {
			if devices[i].Index == index && devices[i].UUID != "" {
				all = append(all, devices[i].UUID)
			}
		}
	}
	return all
}
