package controllers_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// TestManyNodesFailAtOnce: the first thirty are told by events, and how many more there were. client-go would drop what comes beyond its
// queue, other runs' events too.
func TestManyNodesFailAtOnce(t *testing.T) {
	t.Parallel()
	l := newLab(t, 0)
	const nodes = 60
	for i := range nodes {
		l.addNode(fmt.Sprintf("n%02d", i))
	}
	l.plays = always(program{rate: 50})
	l.run(func(r *v1alpha1.ValidationRun) { r.Spec.Confirmations = new(int32(0)) })
	run := l.finish()
	same(t, "nodes failed", int32(nodes), run.Status.Summary.Failed)
	told, more := 0, []string(nil)
	for _, event := range l.events.all() {
		switch note, failed := strings.CutPrefix(event, v1alpha1.ReasonNodeFailed+": "); {
		case failed && strings.HasPrefix(note, "run "+l.name+": "):
			told++
		case failed:
			more = append(more, note)
		}
	}
	same(t, "nodes told of", 30, told)
	want := fmt.Sprintf("30 more NodeFailed events of this run were left out, because at most 30 a minute are sent: kubectl get validationresults -l assay.dev/run=%s shows every node", l.name)
	same(t, "what is told of the others", []string{want}, more)
}
