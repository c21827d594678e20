package validity

import (
	"fmt"
	"maps"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/measure/dra"
)

// Memory is what the passes over one policy leave to the next, so that a valid node is judged again only when something about it has changed:
// in a large fleet most nodes are valid, and nothing happens to them for days. It decides nothing: with an empty one a pass comes to the same,
// and takes longer. Two passes must not use it at the same time. The zero value is empty.
type Memory struct {
	// terms by which the nodes were judged.
	terms string
	valid map[types.UID]*judged
	// passes and used tell which nodes are gone: those that the latest pass did not use.
	passes uint64
	used   int
}

// judged is the judgement of a valid node.
type judged struct {
	// node and validation are the versions that were judged.
	node, validation string
	// from is when they were, and until when that holds; zero: for ever.
	from, until time.Time
	oldest      time.Time
	tried       bool
	cause       Cause
	pass        uint64
}

// Begin a pass by these terms.
func (m *Memory) Begin(t *Terms) {
	if now := t.String(); m.valid == nil || now != m.terms {
		m.terms, m.valid = now, map[types.UID]*judged{}
	}
	m.passes, m.used = m.passes+1, 0
}

// Judge a node, unless what is remembered of it still holds.
func (m *Memory) Judge(t *Terms, n Node) Judgement {
	if n.Validation == nil || n.Object.ResourceVersion == "" || n.Validation.ResourceVersion == "" {
		return t.Judge(n)
	}
	was := m.valid[n.Object.UID]
	if was == nil || !was.holds(n, t.now) {
		j := t.Judge(n)
		if j.State != Valid {
			return j
		}
		was = &judged{node: versionOf(n.Object), validation: n.Validation.ResourceVersion, from: t.now, until: t.Expires(j.Oldest),
			oldest: j.Oldest, tried: j.Tried, cause: j.Cause}
		m.valid[n.Object.UID] = was
	}
	was.pass = m.passes
	m.used++
	return Judgement{State: Valid, Oldest: was.oldest, Tried: was.tried, Cause: was.cause}
}

// holds: nothing has changed, no pass has expired, and the clock was not set back.
func (j *judged) holds(n Node, now time.Time) bool {
	return j.node == versionOf(n.Object) && j.validation == n.Validation.ResourceVersion &&
		!now.Before(j.from) && (j.until.IsZero() || now.Before(j.until))
}

// versionOf a node and what is published of its devices.
func versionOf(n *corev1.Node) string { return n.ResourceVersion + dra.Version(n) }

// End a pass: nodes that are gone, or not valid any more, are forgotten.
func (m *Memory) End() {
	if len(m.valid) > m.used {
		maps.DeleteFunc(m.valid, func(_ types.UID, j *judged) bool { return j.pass != m.passes })
	}
}

// String names all that a judgement depends on, beside the node and the time.
func (t *Terms) String() string {
	text := fmt.Appendf(nil, "%v %d %d", t.on, t.validFor, t.Requested.UnixNano())
	for b := range list.Each(t.benchmarks) {
		text = fmt.Appendf(text, "\n%s %s %d %s %v", b.Object.Name, b.Object.UID, b.Object.Generation, b.Asked, b.Own)
	}
	return string(t.profiles.AppendFabrics(text))
}
