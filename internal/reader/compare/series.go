package compare

import (
	"cmp"
	"strings"
	"unique"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/part"
)

// series are the values of a metric, all in one unit.
type series struct {
	unit   string
	better v1alpha1.Direction
	// mixed says that its units or directions contradict each other.
	mixed  bool
	values []value
}

// value of one part: the mean of so many attempts, as far as they came one after another. There may be millions.
type value struct {
	measuredBy
	attempts int32
	value    float64
}

// label of a part: its name, what it is by the UUIDs of its devices, or else by its name, and in which configuration it was measured.
type label struct{ at, identity, configuration string }

// seriesOf a metric; an empty one, where it was not measured.
func (s *Side) seriesOf(key rowKey) *series { return cmp.Or(s.series[key], &series{}) }

func (s *series) add(of measuredBy, number float64) {
	last := len(s.values) - 1
	for i := last; i >= 0 && i > last-foldedWithin && s.values[i].owner == of.owner; i-- {
		if v := &s.values[i]; v.measuredBy == of {
			v.attempts++
			v.value += (number - v.value) / float64(v.attempts)
			return
		}
	}
	s.values = append(s.values, value{of, 1, number})
}

// of says what a value of a part is of.
func of(owner int, at, identity, configuration string) measuredBy {
	return measuredBy{unique.Make(label{at, identity, configuration}), int32(owner)}
}

// at notes when something was measured.
func (s *Side) at(t *metav1.Time) {
	if t == nil || t.IsZero() {
		return
	}
	when := t.UTC()
	if s.about.From == nil || when.Before(*s.about.From) {
		s.about.From = &when
	}
	if s.about.To == nil || when.After(*s.about.To) {
		s.about.To = &when
	}
}

// kindOf a part; empty for a node as a whole. Of a group, a part is a link between two of its nodes, or what its name says.
func kindOf(at string, group bool) string {
	if _, _, link := strings.Cut(at, "->"); link && group {
		return "node->node"
	}
	switch kind := part.Kind(at); {
	case kind != "" && kind != "node":
		return kind
	case group:
		return "group"
	}
	return ""
}
