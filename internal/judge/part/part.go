// Package part knows the names of parts, such as gpu3 or gpu0->gpu1: of which kind they are, what they may be compared with, and of which
// hardware they consist.
package part

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
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

// Hardware describes the devices of one attempt, so that unlike ones are never pooled: a run may span two products.
type Hardware struct {
	products map[int32]string
	All      string
}

// HardwareOf an attempt, by its devices.
func HardwareOf(devices []v1alpha1.Device) Hardware {
	if len(devices) == 0 {
		return Hardware{}
	}
	h := Hardware{products: make(map[int32]string, len(devices))}
	count := map[string]int{}
	for i := range devices {
		h.products[devices[i].Index] = devices[i].Product
		count[devices[i].Product]++
	}
	var names []string
	for p, n := range count {
		if p != "" {
			names = append(names, strconv.Itoa(n)+" x "+p)
		}
	}
	slices.Sort(names)
	h.All = strings.Join(names, ", ")
	return h
}

// Of names the products that the part at consists of: those of its GPUs, or all of the node for a part that is not one.
func (h Hardware) Of(at Place) string {
	switch {
	case h.products == nil:
		return ""
	case len(at.GPUs) == 0:
		return h.All
	case len(at.GPUs) == 1:
		return h.products[at.GPUs[0]]
	}
	names := list.Map(at.GPUs, func(index int32) string { return h.products[index] })
	return strings.Join(names, ", ")
}

// Identities tell the parts of one node apart for as long as their hardware lives: GPUs by their UUIDs, wherever they are plugged.
type Identities map[int32]string

// NewIdentities of the devices that an attempt ran on.
func NewIdentities(devices []v1alpha1.Device) Identities {
	out := make(Identities, len(devices))
	for i := range devices {
		if devices[i].UUID != "" {
			out[devices[i].Index] = devices[i].UUID
		}
	}
	return out
}

// Of the part with a name: the name, with each GPU's UUID for its index. Without UUIDs it is the name itself.
func (ids Identities) Of(at string) string {
	at = strings.TrimPrefix(at, Estimated)
	if len(ids) == 0 {
		return at
	}
	var id strings.Builder
	eachWord(at, func(text, entity string, index int32) {
		if uuid, ok := ids[index]; ok && entity == "gpu" {
			text = uuid
		}
		id.WriteString(text)
	})
	return id.String()
}

// Named is what a part with an identity is called among some devices, once it was called at among others; not there, if one of its GPUs
// is not.
func Named(identity, at string, devices []v1alpha1.Device) (name string, there bool) {
	name = identity
	for i := range devices {
		if d := &devices[i]; d.UUID != "" {
			name = strings.ReplaceAll(name, d.UUID, "gpu"+strconv.Itoa(int(d.Index)))
		}
	}
	return name, len(Read(name).GPUs) == len(Read(at).GPUs)
}
