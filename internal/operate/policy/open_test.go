package policy

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/policy/validity"
)

// TestMayOpen: between the pass that planned to open a gate and the write, anything may happen.
func TestMayOpen(t *testing.T) {
	type state struct {
		w    *world
		p    *worldPolicy
		n    *worldNode
		o    Opening
		more []validity.Benchmark
	}
	for sentence, c := range map[string]struct {
		happens func(*state)
		want    bool
	}{
		"nothing happened":                {func(*state) {}, true},
		"the taint has another value now": {func(s *state) { s.n.Spec.Taints[0].Value = "x" }, true},
		"the taint is gone":               {func(s *state) { s.n.Spec.Taints = nil }, false},
		"another node has the name":       {func(s *state) { s.n.UID = "other" }, false},
		"the node is no longer selected":  {func(s *state) { s.w.setSpec(&s.p.Spec, "select", "pool:other") }, false},
		"the policy was suspended":        {func(s *state) { s.p.Spec.Suspend = true }, false},
		"the policy is being deleted":     {func(s *state) { s.p.DeletionTimestamp = &metav1.Time{Time: s.w.now} }, false},
		"the policy has no gate any more": {func(s *state) { s.p.Spec.Gate = nil }, false},
		"the policy has another gate":     {func(s *state) { s.p.Spec.Gate.Taint.Key = "assay.dev/other" }, false},
		"somebody asked for all nodes":    {func(s *state) { s.p.Annotations = map[string]string{v1alpha1.AnnotationValidateNow: "x"} }, false},
		"the node was convicted":          {func(s *state) { s.w.incident("convict new by=hpl")() }, false},
		"its driver changed":              {func(s *state) { s.n.Labels[labelDriverTest] = "570.20" }, false},
		"nothing is known of the node":    {func(s *state) { s.n.validation = nil }, false},
		"no benchmark is left":            {func(s *state) { s.more = nil }, false},
		"another benchmark came":          {func(s *state) { s.w.incident("benchmark stream")(); s.more, _ = Resolve(&s.p.Spec, s.w.benchmarks) }, false},
		"a benchmark changed": {func(s *state) {
			s.w.incident("benchmark gemm image=bench:2")()
			s.more, _ = Resolve(&s.p.Spec, s.w.benchmarks)
			s.w.setSpec(&s.p.Spec, "on", "BenchmarkChange")
		}, false},
		"another policy has this gate":         {func(s *state) { s.w.incident("policy rival gate=assay.dev/unvalidated")() }, false},
		"another policy has another gate":      {func(s *state) { s.w.incident("policy rival gate=assay.dev/other")() }, true},
		"another policy has it for others":     {func(s *state) { s.w.incident("policy rival gate=assay.dev/unvalidated select=pool:other")() }, true},
		"Kubernetes keeps the node for itself": {func(s *state) { s.w.incident("set new taint=node-role.kubernetes.io/control-plane")() }, false},
		"the pass expired":                     {func(s *state) { s.w.setSpec(&s.p.Spec, "validFor", "1h"); s.w.now = s.w.now.Add(2 * time.Hour) }, false},
		"it timed out, and the node passed": {func(s *state) {
			s.o.Record.By, s.p.Spec.Gate.OnTimeout = v1alpha1.GateOpenedByTimeout, v1alpha1.OnTimeoutOpen
		}, true},
		"it timed out, and onTimeout is Keep": {func(s *state) { s.o.Record.By = v1alpha1.GateOpenedByTimeout }, false},
		"it timed out, and the node was failed": {func(s *state) {
			s.o.Record.By, s.p.Spec.Gate.OnTimeout = v1alpha1.GateOpenedByTimeout, v1alpha1.OnTimeoutOpen
			s.w.incident("convict new by=hpl")()
		}, false},
		"another run measures it": {func(s *state) { s.w.incident("run mine nodes=new")() }, false},
		"another run measures it by labels": {func(s *state) {
			s.w.incident("run mine nodes=new")()
			s.w.runs[0].Spec = v1alpha1.ValidationRunSpec{AllNodes: true}
		}, false},
		"another run that measures it is suspended": {func(s *state) { s.w.incident("run mine nodes=new")(); s.w.runs[0].Spec.Suspend = true }, true},
		"another run that measures it stalls": {func(s *state) {
			s.w.incident("run mine nodes=new")()
			s.w.runs[0].Status.StartTime = &metav1.Time{Time: s.w.now}
			s.w.runs[0].Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionStalled, Status: metav1.ConditionTrue}}
		}, false},
		"another run that measures it was deleted just now": {func(s *state) {
			s.w.incident("run mine nodes=new")()
			s.w.runs[0].Status.StartTime, s.w.runs[0].DeletionTimestamp = &metav1.Time{Time: s.w.now}, &metav1.Time{Time: s.w.now}
		}, false},
		"another run measures others":                {func(s *state) { s.w.incident("run mine nodes=node-a")() }, true},
		"the run that passed it goes on with others": {func(s *state) { s.w.incident("run mine nodes=new")(); s.w.runs[0].UID = "run" }, true},
		"it timed out, and the run that passed it goes on": {func(s *state) {
			s.o.Record.By, s.p.Spec.Gate.OnTimeout = v1alpha1.GateOpenedByTimeout, v1alpha1.OnTimeoutOpen
			s.w.incident("run mine nodes=new")()
			s.w.runs[0].UID = "run"
		}, false},
	} {
		t.Run(sentence, func(t *testing.T) {
			w := newWorld(t)
			for _, line := range []string{"benchmark gemm", "nodes 1", "node new gate=assay.dev/unvalidated", "policy gpu gate=assay.dev/unvalidated"} {
				w.incident(line)()
			}
			n := w.node("new")
			run := &v1alpha1.ValidationRun{Spec: v1alpha1.ValidationRunSpec{Suite: "quick"}}
			run.UID, run.CreationTimestamp = types.UID("run"), metav1.Time{Time: w.now}
			w.record(&worldRun{ValidationRun: run, nodes: []*worldNode{n}}, n)
			s := &state{w: w, p: w.policies[0], n: n}
			s.o = Opening{Node: "new", UID: n.UID, Taint: corev1.Taint{Key: v1alpha1.DefaultGateKey, Effect: corev1.TaintEffectNoSchedule}}
			s.more, _ = Resolve(&s.p.Spec, w.benchmarks)
			c.happens(s)
			live := w.snapshot(s.p)
			live.Benchmarks = s.more
			if got := MayOpen(&s.o, NewLive(live, w.now), n.Node, n.validation, w.now); got != c.want {
				t.Errorf("the gate may be opened: %v, want %v", got, c.want)
			}
		})
	}
}
