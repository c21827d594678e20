package assess

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/term"
	"github.com/assay-dev/assay/internal/operate/assess/collect"
	"github.com/assay-dev/assay/internal/operate/assess/judge"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
	"github.com/assay-dev/assay/internal/operate/nodevalidation"
	"github.com/assay-dev/assay/internal/operate/plan"
)

// A node that is measured with others alone has lost a device, so that it is left out. That is stored once, as an attempt, and fails the node: by what is not
// stored, a policy would try it for ever, and nobody would see why.
func TestANodeThatIsLeftOutOfItsGroupsIsRecorded(t *testing.T) {
	after := func(age time.Duration, stored *v1alpha1.ValidationResult) Output {
		s := pairsRun(2, 0)
		s.Started, s.Run.Status.StartTime = s.Now, &metav1.Time{Time: s.Now}
		s.Now = s.Now.Add(age)
		for _, n := range s.Nodes {
			n.Facts = plan.Facts{Exists: true, Ready: true}
		}
		s.Nodes[0].Lacks[0], s.Nodes[0].Stored = &observe.Lack{Reason: v1alpha1.ReasonDevicesMissing, Message: "7 of 8"}, stored
		return output(next(judge.Judge(collect.Collect(s))))
	}
	out := after(0, nil)
	if len(out.Nodes) != 1 || len(out.Judged) != 1 {
		t.Fatalf("%d results are stored and %d nodes judged, want the one that is left out", len(out.Nodes), len(out.Judged))
	}
	j := out.Judged[0].Judge(nil, nil)
	known := nodevalidation.Next(nodevalidation.Known{}, nodevalidation.Judgement{Node: out.Judged[0].Node, Run: j.Run, Result: j.Result, Time: metav1.NewTime(j.Time)})
	broken := j.Benchmarks[0].Terms.Broken
	if known.Validation.Benchmark("pairs") == nil || known.Validation.Verdict != v1alpha1.VerdictFail || len(broken) != 1 || broken[0].Rule != term.Devices {
		t.Errorf("known is %+v, and it broke %+v: want one run that failed for missing devices", known.Validation, broken)
	}
	pending := out.Nodes[0].Result.DeepCopy() // as another benchmark of the node is still open
	pending.Verdict = v1alpha1.VerdictPending
	again := after(time.Minute, pending).Nodes[0].Result.Benchmarks[0].Attempts
	if first := pending.Benchmarks[0].Attempts; len(again) != 1 || !again[0].LaunchTime.Equal(first[0].LaunchTime) {
		t.Errorf("a minute later the attempts are %+v, want the one of %s", again, first[0].LaunchTime)
	}
}
