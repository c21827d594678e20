package controllers_test

import (
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// TestMissingDevices: a node that lost a GPU is waited for, and fails without a pod.
func TestMissingDevices(t *testing.T) {
	t.Parallel()
	l := newLab(t, 3)
	b := &v1alpha1.Benchmark{}
	l.must(api.Get(t.Context(), keyOf(l.name), b))
	b.Spec.Needs.DeviceResource = "nvidia.com/gpu"
	l.must(api.Update(t.Context(), b))
	offer := func(gpus string) {
		n := l.getNode("a")
		n.Status.Allocatable["nvidia.com/gpu"] = resource.MustParse(gpus)
		l.must(api.Status().Update(t.Context(), n))
	}
	offer("7")
	begin := l.clock.Now()
	l.run(tainting)
	l.until("the others are done", func() bool { return l.get().Status.Progress == "2/3" && len(l.pods()) == 0 })
	if m := l.get().Status.Nodes[2].Message; !strings.Contains(m, "it offers 7 of 8 nvidia.com/gpu (8 by its status.capacity)") {
		t.Errorf("the row of the node says %q", m)
	}
	l.finish()
	if took := l.clock.Now().Sub(begin); took < 2*time.Minute || took > 3*time.Minute {
		t.Errorf("the node was waited for during %s", took)
	}
	r := l.result("a")
	if r.Verdict != v1alpha1.VerdictFail || r.Reason != v1alpha1.ReasonDevicesMissing || len(r.Benchmarks[0].Attempts) != 1 || r.Benchmarks[0].Attempts[0].Pod != "" {
		t.Errorf("%s/%s by attempts %+v", r.Verdict, r.Reason, r.Benchmarks[0].Attempts)
	}
	if c := l.validation("a").Convictions; len(c) != 1 || c[0].Rule != "DevicesMissing" || c[0].Value != "7" || c[0].Bound != "8" {
		t.Errorf("convicted of %+v", c)
	}
	if n := l.taintedOf("a"); n != 1 {
		t.Errorf("the node has %d taints, want that of the run", n)
	}
}
