package policy

import (
	"reflect"
	"strconv"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/operate/policy/validity"
)

// stamp a node with versions, as an API server does, so that it is remembered: another one whenever anything about it has changed.
func (w *world) stamp(n *worldNode) {
	if w.terse { // a large fleet, of which only the end is looked at
		return
	}
	if !reflect.DeepEqual(n.Node, n.stamped) {
		w.versions++
		n.ResourceVersion = strconv.Itoa(w.versions)
		n.stamped = n.Node.DeepCopy()
	}
	if n.validation != nil && !reflect.DeepEqual(n.validation, n.stampedValidation) {
		w.versions++
		n.validation.ResourceVersion = strconv.Itoa(w.versions)
		n.stampedValidation = n.validation.DeepCopy()
	}
}

// TestARememberedNodeIsNotJudgedAgain until something changes it, or its pass expires. That it then comes to what it comes to without memory is
// held by each pass of each table and random life: see check.
func TestARememberedNodeIsNotJudgedAgain(t *testing.T) {
	w := newWorld(t)
	w.script([]string{"benchmark gemm", "nodes 5", "policy one validFor=7d"})
	p := w.policies[0]
	judgedAnew := func() (anew int) {
		before := remembered(p.memory)
		Next(w.snapshot(p), w.now)
		for j := range remembered(p.memory) {
			if !before[j] {
				anew++
			}
		}
		return anew
	}
	for _, step := range []struct {
		what string
		do   func()
		want int
	}{
		{"at first", func() {}, 5},
		{"nothing", func() { w.now = w.now.Add(time.Hour) }, 0},
		{"a node", w.incident("set node-b label=a:b"), 1},
		{"what is known of a node", func() { w.nodes[2].validation.OffenceCount++ }, 1},
		{"a node that is not valid any more", w.incident("set node-a driver=570.20"), 0},
		{"it is again", w.incident("set node-a driver=570.10"), 1},
		{"the benchmark", w.incident("benchmark gemm cost=5m"), 5},
		{"what the policy asks", w.incident("policy one validFor=6d"), 5},
		{"what it does with them", w.incident("policy one overdue=2d"), 0},
		{"the clock", func() { w.now = w.now.Add(-time.Minute) }, 5},
		{"a node that goes", w.incident("remove node-e"), 0},
	} {
		step.do()
		if got := judgedAnew(); got != step.want {
			t.Errorf("%s: %d nodes are judged anew, want %d", step.what, got, step.want)
		}
	}
	if n := len(remembered(p.memory)); n != 4 {
		t.Errorf("%d nodes are remembered, want 4", n)
	}
}

// remembered are the judgements in a memory.
func remembered(m *validity.Memory) map[uintptr]bool {
	all := map[uintptr]bool{}
	for i := reflect.ValueOf(m).Elem().FieldByName("valid").MapRange(); i.Next(); {
		all[i.Value().Pointer()] = true
	}
	return all
}
