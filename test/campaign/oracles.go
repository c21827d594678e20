package campaign

import (
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/term"
	"github.com/assay-dev/assay/test/campaign/kube"
)

// check one write against the promises.
func (t *truth) check(c kube.Change) {
	operator := isOperator(c.By)
	switch after := c.After.(type) {
	case *corev1.Node:
		before, _ := c.Before.(*corev1.Node)
		t.checkNode(operator, before, after)
	case *v1alpha1.ValidationResult:
		t.store(after)
	case *v1alpha1.NodeValidation:
		if operator {
			t.checkRecord(c.Before, after)
			t.checkBudget(c)
		}
	case *v1alpha1.ValidationRun:
		t.checkRun(operator, c, after)
	case *corev1.Pod:
		if operator {
			t.checkPod(c, after)
		}
	case *resourcev1.DeviceTaintRule:
		if operator {
			t.checkRule(c)
		}
	case nil:
		t.checkDeleted(operator, c)
	}
}

func (t *truth) checkRun(operator bool, c kube.Change, after *v1alpha1.ValidationRun) {
	t.checkTimes(after)
	before, was := c.Before.(*v1alpha1.ValidationRun)
	switch {
	case operator && !was:
		t.checkNewRun(after)
	case operator && after.Finished() && !before.Finished() && t.w.trouble.Before(t.w.now.Add(-4*time.Minute)):
		t.checkGone(c)
	}
}

func (t *truth) checkDeleted(operator bool, c kube.Change) {
	switch {
	case c.Kind == "Node" && operator:
		t.w.broken("P4", "the operator deletes node %s", c.Before.GetName())
	case c.Kind == "Node":
		t.countNodes()
	case c.Kind == "DeviceTaintRule" && operator:
		t.checkRule(c)
	case c.Kind == "NodeValidation":
		clear(t.of(c.Before.(*v1alpha1.NodeValidation).Fingerprint.NodeUID).convicted)
	case c.Kind == "Pod" && operator:
		t.checkForce(c)
		t.checkKept(c.Before.(*corev1.Pod))
	case c.Kind == "ValidationRun" && operator:
		t.checkGone(c)
	}
}

func (t *truth) countNodes() {
	nodes := map[string]int{"": len(t.w.api.List("Node"))}
	for _, m := range t.w.machines {
		if m.node() == nil {
			continue
		}
		for _, pool := range m.pools() {
			nodes[pool]++
		}
	}
	t.nodeCounts = append(t.nodeCounts, nodeCount{t.w.now, nodes})
}

// checkForce: no pod is removed by force while its program may run on (P1).
func (t *truth) checkForce(c kube.Change) {
	if m := t.byPod[c.Before.GetName()]; m != nil && !m.over && m.pod.UID == c.Before.GetUID() {
		t.w.broken("P1", "pod %s is removed by force, and its program runs on", c.Before.GetName())
	}
}

func (t *truth) checkNode(operator bool, before, after *corev1.Node) {
	n := t.of(after.UID)
	if before == nil {
		t.countNodes()
		return
	}
	if !operator {
		maps.DeleteFunc(n.ours, func(o corev1.Taint, _ time.Time) bool { return !has(after, o) })
		return
	}
	t.checkOthers(before, after)
	t.checkCalled(n, before, after)
	t.checkMark(n, before, after)
	for _, taint := range before.Spec.Taints {
		if !has(after, taint) {
			t.checkLifted(n, before, after, taint)
		}
	}
	for _, taint := range after.Spec.Taints {
		if !has(before, taint) {
			t.checkTainted(n, after, taint)
		}
	}
	t.checkBudget(kube.Change{Before: before, After: after})
}

func has(n *corev1.Node, t corev1.Taint) bool {
	return slices.ContainsFunc(n.Spec.Taints, func(o corev1.Taint) bool { return o.Key == t.Key && o.Value == t.Value && o.Effect == t.Effect })
}

// checkOthers: what others wrote on a node is as it was (P4).
func (t *truth) checkOthers(before, after *corev1.Node) {
	own := func(key string) bool { return strings.HasPrefix(key, "assay.dev/") }
	theirs := func(m map[string]string) map[string]string {
		m = maps.Clone(m)
		maps.DeleteFunc(m, func(key, _ string) bool { return own(key) })
		return m
	}
	if !maps.Equal(theirs(before.Labels), theirs(after.Labels)) || !maps.Equal(theirs(before.Annotations), theirs(after.Annotations)) {
		t.w.broken("P4", "labels or annotations of others on node %s are not as they were", after.Name)
	}
	if before.Spec.Unschedulable != after.Spec.Unschedulable {
		t.w.broken("P4", "node %s is cordoned or uncordoned", after.Name)
	}
	for _, c := range before.Status.Conditions {
		if !own(string(c.Type)) && !slices.Contains(after.Status.Conditions, c) {
			t.w.broken("P4", "condition %s of node %s is not as it was", c.Type, after.Name)
		}
	}
}

// checkTainted: no taint without a stored result of the same node, and of one that was unfit when it was measured (P6).
func (t *truth) checkTainted(n *nodeTruth, after *corev1.Node, taint corev1.Taint) {
	n.ours[taint] = t.w.now
	switch {
	case taint.Key != v1alpha1.DefaultTaintKey:
		t.w.broken("P4", "node %s gets taint %s", after.Name, taint.ToString())
	case !n.failed:
		t.w.broken("P6", "node %s is tainted, and no stored result of it says Fail", after.Name)
	case !n.byOwnTerms && !t.mayFail(n):
		t.w.broken("P6", "node %s is tainted, and it was never unfit", after.Name)
	}
}

// mostAreSlow: where many nodes have a slow network, a healthy one may meet none but slow partners, and nothing tells it from them.
func (t *truth) mostAreSlow() bool {
	return t.mostAreSlowBy("net")
}

// mostAreSlowBy a benchmark, or lie: more than one in three.
func (t *truth) mostAreSlowBy(benchmark string) bool {
	slow := 0
	for _, m := range t.w.machines {
		if m.slow[benchmark] > 0 || len(m.lies) > 0 {
			slow++
		}
	}
	return 3*slow > len(t.w.machines)
}

// checkLifted: no taint of others is removed (P4), none of ours without a later proof (P6), and no gate without a valid pass (P11).
func (t *truth) checkLifted(n *nodeTruth, before, after *corev1.Node, taint corev1.Taint) {
	put, ours := n.ours[taint]
	delete(n.ours, taint)
	switch record := kube.Find[*v1alpha1.NodeValidation](t.w.api, after.Name); {
	case taint.Key == gateTaint.Key:
		t.checkOpened(n, after)
	case !ours:
		t.w.broken("P4", "taint %s, which somebody else put on node %s, is removed", taint.ToString(), after.Name)
	case record == nil || record.Quarantine == nil || t.excused(n, put) && t.takesBack(n, record.Convictions...):
	case strings.Contains(before.Annotations[v1alpha1.AnnotationQuarantine], string(record.Quarantine.ID)):
		t.w.broken("P6", "node %s loses the taint that its record wants", after.Name)
	}
}

// excused: the taint is so new that it may be taken back, as there is no room for it, or a person had a hand in it.
func (t *truth) excused(n *nodeTruth, since time.Time) bool {
	return t.w.now.Sub(since) < 2*time.Minute || n.touched.After(since.Add(-time.Minute))
}

// takesBack: a pass of the run that announced it does, or a person had a hand in it.
func (t *truth) takesBack(n *nodeTruth, convictions ...v1alpha1.Conviction) bool {
	return t.w.current == nil || !n.touched.IsZero() ||
		slices.ContainsFunc(convictions, func(c v1alpha1.Conviction) bool { return c.Run.Name == t.w.current.request.Name })
}

// checkRecord: a conviction goes only with a later proof, or by what a person did (P6). A machine that has been slow ever since has given no proof that it is
// not; that its devices are there again, any measurement shows.
func (t *truth) checkRecord(was client.Object, after *v1alpha1.NodeValidation) {
	defer t.convicted(after)
	before, ok := was.(*v1alpha1.NodeValidation)
	t.checkConvicted(t.of(after.Fingerprint.NodeUID), before, after)
	t.checkConvictedDevices(t.of(after.Fingerprint.NodeUID), before, after)
	if !ok {
		return
	}
	n := t.of(before.Fingerprint.NodeUID)
	if n.lies || before.Fingerprint.NodeUID != after.Fingerprint.NodeUID {
		return
	}
	for _, c := range before.Convictions {
		still := stillConvicts(after, c.Benchmark, "")
		slow := n.slowSince(c.Benchmark)
		if still || c.Rule == term.Devices || slow.IsZero() || slow.After(c.MeasuredAt.Time) || t.excused(n, n.convicted[c.Benchmark]) && t.takesBack(n, c) {
			continue
		}
		t.unlessMadeAnew(after.Name, c, "", func() {
			if slow := n.slowSince(c.Benchmark); !slow.IsZero() && !slow.After(c.MeasuredAt.Time) {
				t.w.broken("P6", "what %s convicted node %s of is dropped, and it has been slow ever since", c.Benchmark, after.Name)
			}
		})
	}
}

// convicted notes since when a node is, by each benchmark: what was only announced may be taken back.
func (t *truth) convicted(v *v1alpha1.NodeValidation) {
	n, now := t.of(v.Fingerprint.NodeUID), map[string]time.Time{}
	for _, c := range v.Convictions {
		if now[c.Benchmark] = n.convicted[c.Benchmark]; now[c.Benchmark].IsZero() {
			now[c.Benchmark] = t.w.now
		}
	}
	n.convicted = now
}

// checkOpened: a gate opens for a pass of every benchmark of the suite, measured on this machine, that nothing newer contradicts (P11). Where a policy
// opens it when time is over, it does so without a pass, but never after a failure.
func (t *truth) checkOpened(n *nodeTruth, node *corev1.Node) {
	if n.lies {
		return
	}
	for _, b := range t.w.c.Benchmarks {
		var last *measured
		for _, m := range n.stored[b] {
			if m.decided && !m.bad && m.exit == 0 && t.tellsOfFitness(m.program) {
				last = m
			}
		}
		switch {
		case b == "net": // a group's result tells of no node
		case last == nil && t.opensByTime():
		case last == nil:
			t.w.broken("P11", "the gate of node %s is opened, and %s has never measured it", node.Name, b)
		case !last.fit && b != "fleet":
			t.w.broken("P11", "the gate of node %s is opened, and the last that %s measured was too slow", node.Name, b)
		}
	}
}

// opensByTime: a policy opens gates without a pass.
func (t *truth) opensByTime() bool {
	return slices.ContainsFunc(kube.All[*v1alpha1.ValidationPolicy](t.w.api), func(p *v1alpha1.ValidationPolicy) bool {
		return p.Spec.Gate != nil && p.Spec.Gate.OnTimeout == v1alpha1.OnTimeoutOpen
	})
}

// checkNewRun: no policy puts a node into two runs (P11).
func (t *truth) checkNewRun(run *v1alpha1.ValidationRun) {
	for _, other := range kube.All[*v1alpha1.ValidationRun](t.w.api) {
		if other.UID == run.UID || other.Finished() || other.DeletionTimestamp != nil || len(other.OwnerReferences) == 0 || len(run.OwnerReferences) == 0 ||
			other.OwnerReferences[0].UID != run.OwnerReferences[0].UID {
			continue
		}
		for _, name := range run.Spec.NodeNames {
			if slices.Contains(other.Spec.NodeNames, name) {
				t.w.broken("P11", "node %s is put into run %s, and is in %s", name, run.Name, other.Name)
			}
		}
	}
}
