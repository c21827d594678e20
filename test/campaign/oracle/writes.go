package oracle

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
	"github.com/assay-dev/assay/test/campaign/cases"
	"github.com/assay-dev/assay/test/campaign/cluster"
	"github.com/assay-dev/assay/test/campaign/kube"
	"github.com/assay-dev/assay/test/campaign/operator"
)

// Check one write against the promises, and note what is so from now on.
func (o *Oracle) Check(c kube.Change) {
	o.noteEdited(c)
	operator := operator.Is(c.By)
	switch after := c.After.(type) {
	case *corev1.Node:
		before, _ := c.Before.(*corev1.Node)
		o.checkNode(operator, before, after)
	case *v1alpha1.ValidationResult:
		o.store(after)
	case *v1alpha1.NodeValidation:
		if operator {
			o.checkRecord(c.Before, after)
			o.checkBudget(c)
		}
	case *v1alpha1.ValidationRun:
		o.checkRun(operator, c, after)
	case *corev1.Pod:
		if operator {
			o.checkPod(c, after)
		}
	case *resourcev1.DeviceTaintRule:
		if operator {
			o.checkRule(c)
		}
	case nil:
		o.checkDeleted(operator, c)
	}
	o.note(c)
}

// isRunKey: runs ask for taints with this key.
func isRunKey(key string) bool { return key == v1alpha1.DefaultTaintKey || key == cases.OtherKey }

func (o *Oracle) checkRun(operator bool, c kube.Change, after *v1alpha1.ValidationRun) {
	o.checkTimes(after)
	before, was := c.Before.(*v1alpha1.ValidationRun)
	switch {
	case operator && !was:
		o.checkNewRun(after)
	case operator && after.Finished() && !before.Finished() && o.leaders.Trouble.Before(o.Now().Add(-4*time.Minute)):
		o.checkGone(c)
	}
}

func (o *Oracle) checkDeleted(operator bool, c kube.Change) {
	switch {
	case c.Kind == "Node" && operator:
		o.Broken("P4", "the operator deletes node %s", c.Before.GetName())
	case c.Kind == "Node":
		o.CountNodes()
	case c.Kind == "DeviceTaintRule" && operator:
		o.checkRule(c)
	case c.Kind == "NodeValidation":
		clear(o.of(c.Before.(*v1alpha1.NodeValidation).Fingerprint.NodeUID).convicted)
	case c.Kind == "Pod" && operator:
		o.checkForce(c)
		o.checkKept(c.Before.(*corev1.Pod))
	case c.Kind == "ValidationRun" && operator:
		o.checkGone(c)
	case c.Kind == "MPIJob" && operator:
		o.checkJobKept(c.Before)
	}
}

// CountNodes of each pool.
func (o *Oracle) CountNodes() {
	nodes := map[string]int{"": len(o.API.List("Node"))}
	for _, m := range o.Machines {
		if m.Node() == nil {
			continue
		}
		for _, pool := range m.Pools() {
			nodes[pool]++
		}
	}
	o.nodeCounts = append(o.nodeCounts, nodeCount{o.Now(), nodes})
}

// checkForce: no pod is removed by force while its program may run on (P1).
func (o *Oracle) checkForce(c kube.Change) {
	if m := o.byPod[c.Before.GetName()]; m != nil && !m.Over && m.Pod.UID == c.Before.GetUID() {
		o.Broken("P1", "pod %s is removed by force, and its program runs on", c.Before.GetName())
	}
}

func (o *Oracle) checkNode(operator bool, before, after *corev1.Node) {
	n := o.of(after.UID)
	if before == nil {
		o.CountNodes()
		return
	}
	if !operator {
		if before.Labels["site/pool"] != after.Labels["site/pool"] {
			o.edited.moved[after.UID] = o.Now()
		}
		maps.DeleteFunc(n.ours, func(o corev1.Taint, _ time.Time) bool { return !has(after, o) })
		return
	}
	o.checkOthers(before, after)
	o.checkCalled(n, before, after)
	o.checkMark(n, before, after)
	for _, taint := range before.Spec.Taints {
		if !has(after, taint) {
			o.checkLifted(n, before, after, taint)
		}
	}
	for _, taint := range after.Spec.Taints {
		if !has(before, taint) {
			o.checkTainted(n, after, taint)
		}
	}
	o.checkBudget(kube.Change{Before: before, After: after})
}

func has(n *corev1.Node, t corev1.Taint) bool {
	return slices.ContainsFunc(n.Spec.Taints, func(o corev1.Taint) bool { return o.Key == t.Key && o.Value == t.Value && o.Effect == t.Effect })
}

// checkOthers: what others wrote on a node is as it was (P4).
func (o *Oracle) checkOthers(before, after *corev1.Node) {
	own := func(key string) bool { return strings.HasPrefix(key, "assay.dev/") }
	theirs := func(m map[string]string) map[string]string {
		m = maps.Clone(m)
		maps.DeleteFunc(m, func(key, _ string) bool { return own(key) })
		return m
	}
	labels := theirs(after.Labels)
	if _, was := before.Labels[cluster.HookLabel]; !was { // a webhook has put it there
		delete(labels, cluster.HookLabel)
	}
	if !maps.Equal(theirs(before.Labels), labels) || !maps.Equal(theirs(before.Annotations), theirs(after.Annotations)) {
		o.Broken("P4", "labels or annotations of others on node %s are not as they were", after.Name)
	}
	if before.Spec.Unschedulable != after.Spec.Unschedulable {
		o.Broken("P4", "node %s is cordoned or uncordoned", after.Name)
	}
	for _, c := range before.Status.Conditions {
		if !own(string(c.Type)) && !slices.Contains(after.Status.Conditions, c) {
			o.Broken("P4", "condition %s of node %s is not as it was", c.Type, after.Name)
		}
	}
}

// checkTainted: no taint without a stored result of the same node, and of one that was unfit when it was measured (P6).
func (o *Oracle) checkTainted(n *nodeTruth, after *corev1.Node, taint corev1.Taint) {
	n.ours[taint] = o.Now()
	switch {
	case !isRunKey(taint.Key):
		o.Broken("P4", "node %s gets taint %s", after.Name, taint.ToString())
	case !n.failed:
		o.Broken("P6", "node %s is tainted, and no stored result of it says Fail", after.Name)
	case !n.byOwnTerms && !o.mayFail(n):
		o.Broken("P6", "node %s is tainted, and it was never unfit", after.Name)
	}
}

// mostAreSlow: where many nodes have a slow network, a healthy one may meet none but slow partners, and nothing tells it from them.
func (o *Oracle) mostAreSlow() bool {
	return slices.ContainsFunc(o.Case.Benchmarks, func(b string) bool { return cases.IsPairs(b) && o.mostAreSlowBy(b) })
}

// mostAreSlowBy a benchmark, or lie: more than one in three.
func (o *Oracle) mostAreSlowBy(benchmark string) bool {
	slow := 0
	for _, m := range o.Machines {
		if m.Slow[benchmark] > 0 || m.KubeletLies() {
			slow++
		}
	}
	return 3*slow > len(o.Machines)
}

// checkLifted: no taint of others is removed (P4), none of ours without a later proof (P6), and no gate without a valid pass (P11).
func (o *Oracle) checkLifted(n *nodeTruth, before, after *corev1.Node, taint corev1.Taint) {
	put, ours := n.ours[taint]
	delete(n.ours, taint)
	switch record := kube.Find[*v1alpha1.NodeValidation](o.API, after.Name); {
	case taint.Key == cluster.GateTaint.Key:
		o.checkOpened(n, after)
	case !ours:
		o.Broken("P4", "taint %s, which somebody else put on node %s, is removed", taint.ToString(), after.Name)
	case record == nil || record.Quarantine == nil || o.excused(n, put) && o.takesBack(n, record.Convictions...):
	case strings.Contains(before.Annotations[v1alpha1.AnnotationQuarantine], string(record.Quarantine.ID)):
		o.Broken("P6", "node %s loses the taint that its record wants", after.Name)
	}
}

// excused: the taint is so new that it may be taken back, as there is no room for it, or a person had a hand in it.
func (o *Oracle) excused(n *nodeTruth, since time.Time) bool {
	return o.Now().Sub(since) < 2*time.Minute || n.touched.After(since.Add(-time.Minute)) || n.stripped.After(since.Add(-time.Minute))
}

// mayTakeBack a conviction: it is new, a person had a hand in it, or the taint that it announces never came, as it was refused, or as others took the place.
func (o *Oracle) mayTakeBack(n *nodeTruth, before *v1alpha1.NodeValidation, c v1alpha1.Conviction) bool {
	out, _ := Marked(kube.Find[*corev1.Node](o.API, before.Name))
	q, since := before.Quarantine, n.convicted[c.Benchmark]
	announced := q != nil && !since.Before(q.Since.Add(-o.API.Ahead()-time.Second)) && len(n.ours)+len(out) == 0
	return (announced || o.excused(n, n.convicted[c.Benchmark])) && o.takesBack(n, c)
}

// takesBack: a pass of the run that announced it does, or a person had a hand in it.
func (o *Oracle) takesBack(n *nodeTruth, convictions ...v1alpha1.Conviction) bool {
	_, object, ok := o.leaders.Pass()
	return !ok || !n.touched.IsZero() || !n.stripped.IsZero() || slices.ContainsFunc(convictions, func(c v1alpha1.Conviction) bool { return c.Run.Name == object })
}

// checkRecord: a conviction goes only with a later proof, or by what a person did (P6). A machine that has been slow ever since has given no proof that it is
// not; that its devices are there again, any measurement shows.
func (o *Oracle) checkRecord(was client.Object, after *v1alpha1.NodeValidation) {
	defer o.convicted(after)
	before, ok := was.(*v1alpha1.NodeValidation)
	o.checkConvicted(o.of(after.Fingerprint.NodeUID), before, after)
	o.checkConvictedDevices(o.of(after.Fingerprint.NodeUID), before, after)
	if !ok {
		return
	}
	n := o.of(before.Fingerprint.NodeUID)
	if n.Lies || before.Fingerprint.NodeUID != after.Fingerprint.NodeUID {
		return
	}
	for _, c := range before.Convictions {
		still := stillConvicts(after, c.Benchmark, "")
		slow, earliest := n.SlowSince(c.Benchmark), c.MeasuredAt.Add(-o.API.Ahead())
		if still || c.Rule == term.Devices || slow.IsZero() || slow.After(earliest) || o.wasMet(n, c.Benchmark) || o.mayTakeBack(n, before, c) {
			continue
		}
		o.unlessMadeAnew(after.Name, c, "", func() {
			if slow := n.SlowSince(c.Benchmark); !slow.IsZero() && !slow.After(earliest) {
				o.Broken("P6", "what %s convicted node %s of is dropped, and it has been slow ever since", c.Benchmark, after.Name)
			}
		})
	}
}

// convicted notes since when a node is, by each benchmark: what was only announced may be taken back.
func (o *Oracle) convicted(v *v1alpha1.NodeValidation) {
	n, now := o.of(v.Fingerprint.NodeUID), map[string]time.Time{}
	for _, c := range v.Convictions {
		if now[c.Benchmark] = n.convicted[c.Benchmark]; now[c.Benchmark].IsZero() {
			now[c.Benchmark] = o.Now()
		}
	}
	n.convicted = now
}

// checkNewRun: no policy puts a node into two runs (P11). One that a person has suspended keeps no node, and a leader may not have seen that it goes on again.
func (o *Oracle) checkNewRun(run *v1alpha1.ValidationRun) {
	for _, other := range kube.All[*v1alpha1.ValidationRun](o.API) {
		if other.UID == run.UID || other.Finished() || other.DeletionTimestamp != nil || len(other.OwnerReferences) == 0 || len(run.OwnerReferences) == 0 ||
			other.OwnerReferences[0].UID != run.OwnerReferences[0].UID {
			continue
		}
		if at := o.edited.runs[other.UID].suspended; !at.IsZero() && o.Now().Sub(at) < long || other.Spec.Suspend {
			continue
		}
		for _, name := range run.Spec.NodeNames {
			if slices.Contains(other.Spec.NodeNames, name) {
				o.Broken("P11", "node %s is put into run %s, and is in %s", name, run.Name, other.Name)
			}
		}
	}
}
