package oracle

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/term"
	"github.com/assay-dev/assay/test/campaign/cluster"
	"github.com/assay-dev/assay/test/campaign/kube"
)

// Marked are the devices that the mark of a node says are out of service, and what quarantine that is.
func Marked(n *corev1.Node) (devices []string, quarantine string) {
	var m struct {
		ID      string   `json:"id"`
		Devices []string `json:"devices"`
	}
	if n == nil || json.Unmarshal([]byte(n.Annotations[v1alpha1.AnnotationQuarantine]), &m) != nil {
		return nil, ""
	}
	return m.Devices, m.ID
}

// noteMark that an operator puts on a node. One that it leaves as it was may be a person's.
func (o *Oracle) noteMark(n *nodeTruth, was, is string) {
	if is != was && n.marks[is].IsZero() {
		n.marks[is] = o.Now()
	}
}

// checkMark that an operator writes: no device is out of service without a stored result that says so, and none is back without a record that says
// so (P6). Devices that a plugin hands out as well, or that no rule can be made for, are not taken out one by one (P9).
func (o *Oracle) checkMark(n *nodeTruth, before, after *corev1.Node) {
	was, id := Marked(before)
	is, _ := Marked(after)
	m, put := o.Machines[after.Name], n.marks[before.Annotations[v1alpha1.AnnotationQuarantine]]
	o.noteMark(n, before.Annotations[v1alpha1.AnnotationQuarantine], after.Annotations[v1alpha1.AnnotationQuarantine])
	for _, uuid := range is {
		if !slices.Contains(was, uuid) {
			o.Figures.Faults["(a device is taken out of service)"]++
		}
		switch {
		case slices.Contains(was, uuid):
		case o.Case.Operator.NoRules:
			o.Broken("P9", "device %s of node %s is out of service, and there are no rules", uuid, after.Name)
		case !n.Lies && !n.hidden && !o.wasBad(uuid, "", ""):
			o.Broken("P6", "device %s of node %s is out of service, and no stored result of it is bad", uuid, after.Name)
		case m.Plugin && !n.Lies && m.PluginSince.Before(o.Now().Add(-long)):
			o.Broken("P9", "device %s of node %s is out of service, and a device plugin hands it out", uuid, after.Name)
		}
	}
	for _, uuid := range was {
		if !put.IsZero() && !slices.Contains(is, uuid) && !isWhole(after) {
			o.checkBack(n, after, uuid, backFrom{id, put})
		}
	}
}

// isWhole: the node as a whole is tainted, as runs ask for it.
func isWhole(node *corev1.Node) bool {
	return slices.ContainsFunc(node.Spec.Taints, func(o corev1.Taint) bool { return isRunKey(o.Key) && o.Value == "failed" })
}

// backFrom a quarantine, since when it was there.
type backFrom struct {
	quarantine string
	since      time.Time
}

// checkBack: a device comes back to service.
func (o *Oracle) checkBack(n *nodeTruth, after *corev1.Node, uuid string, from backFrom) {
	q := o.quarantine(after.Name)
	record := kube.Find[*v1alpha1.NodeValidation](o.API, after.Name)
	switch {
	case record == nil || record.Fingerprint.NodeUID != n.UID || o.excused(n, from.since) && o.takesBack(n, record.Convictions...):
	case slices.ContainsFunc(record.Convictions, func(c v1alpha1.Conviction) bool { return slices.Contains(c.Devices, uuid) }):
		o.Broken("P6", "device %s of node %s is back in service, and its record convicts it", uuid, after.Name)
	case q == nil:
	case string(q.ID) == from.quarantine:
		o.Broken("P6", "node %s loses the mark that its record wants", after.Name)
	case len(q.Devices) == 0 || slices.Contains(q.Devices, uuid):
		o.Broken("P6", "device %s of node %s is back in service, and its record says that it is not", uuid, after.Name)
	}
}

// wasBad: a program has measured too little of a device, and that is stored; by a benchmark and in a run, where these are named.
func (o *Oracle) wasBad(uuid, benchmark, run string) bool {
	return slices.ContainsFunc(o.measuredOf(uuid, benchmark, run), func(m *measured) bool {
		_, atLeast := o.boundsOrUsual(m)
		return m.Reached[uuid] < atLeast
	})
}

// good is what a fit device reaches at least.
const good = 90

// measuredOf a device: programs whose measurements are stored, in the order in which they began. Who lies may call its own devices by the UUIDs of others.
func (o *Oracle) measuredOf(uuid, benchmark, run string) (all []*measured) {
	for _, m := range o.byPod {
		if _, measured := m.Reached[uuid]; measured && m.kept && !o.of(m.uid).Lies && (benchmark == "" || m.Benchmark == benchmark) && (run == "" || m.Pod.Labels[v1alpha1.LabelRunUID] == run) {
			all = append(all, m)
		}
	}
	slices.SortFunc(all, func(a, b *measured) int { return a.Began.Compare(b.Began)*2 + strings.Compare(a.Pod.Name, b.Pod.Name) })
	return all
}

// checkConvictedDevices: a device is convicted by a stored result of its own, and cleared by a later one of its own, or it has left (P6).
func (o *Oracle) checkConvictedDevices(n *nodeTruth, before, after *v1alpha1.NodeValidation) {
	if n.Lies {
		return
	}
	for _, c := range after.Convictions {
		for _, uuid := range c.Devices {
			key := string(c.Run.UID) + c.Benchmark + uuid
			if _, known := o.devices.convicted[key]; known {
				continue
			}
			o.devices.convicted[key] = o.Now()
			if (c.AsCatalogued || !o.tainting[c.Run.UID]) && !o.mayBeBad(n, after.Name, &c, uuid) {
				o.Broken("P6", "device %s of node %s is convicted by %s of run %s, and no stored result of it is bad", uuid, after.Name, c.Benchmark, c.Run.Name)
			}
		}
	}
	if before == nil || before.Fingerprint.NodeUID != after.Fingerprint.NodeUID {
		return
	}
	for _, c := range before.Convictions {
		if c.Rule == term.Devices || o.mayTakeBack(n, before, c) {
			continue
		}
		for _, uuid := range c.Devices {
			o.checkCleared(after, &c, uuid)
		}
	}
}

func (o *Oracle) checkCleared(after *v1alpha1.NodeValidation, c *v1alpha1.Conviction, uuid string) {
	m := o.Machines[after.Name]
	if stillConvicts(after, c.Benchmark, uuid) || m == nil || !m.Has(uuid) || c.Benchmark == "fleet" && o.mostAreSlowBy("fleet") { // among slow ones a slow one is as good as any
		return
	}
	bad := o.firstBad(c, uuid)
	if o.hasProved(c.Benchmark, uuid, bad) {
		return
	}
	o.unlessMadeAnew(after.Name, *c, uuid, func() {
		if !o.hasProved(c.Benchmark, uuid, bad) && !m.Truth.Lies {
			o.Broken("P6", "what %s convicted device %s of node %s of is dropped, and it has proved nothing since", c.Benchmark, uuid, after.Name)
		}
	})
}

// firstBad is when the first program began that a conviction of a device rests on: of its own run, or of an earlier one that it has taken the device over from.
func (o *Oracle) firstBad(c *v1alpha1.Conviction, uuid string) time.Time {
	for _, run := range []string{string(c.Run.UID), ""} {
		for _, p := range o.measuredOf(uuid, c.Benchmark, run) {
			if _, atLeast := o.boundsOrUsual(p); p.Reached[uuid] < atLeast && p.Began.Before(o.devices.convicted[string(c.Run.UID)+c.Benchmark+uuid]) {
				return p.Began
			}
		}
	}
	return time.Time{}
}

// hasProved: a program that began later measured enough of a device; later by the clock of the API server counts, too.
func (o *Oracle) hasProved(benchmark, uuid string, bad time.Time) bool {
	return slices.ContainsFunc(o.measuredOf(uuid, benchmark, ""), func(p *measured) bool {
		atMost, _ := o.boundsOrUsual(p)
		return p.Reached[uuid] >= atMost && (p.Began.After(bad) || o.API.Ahead() > 0 && p.Pod.CreationTimestamp.After(bad))
	})
}

// checkDevicesAtEnd: what the audit came to, by devices.
func (o *Oracle) checkDevicesAtEnd(m *cluster.Machine, n *corev1.Node, audit *v1alpha1.ValidationRun) {
	record := kube.Find[*v1alpha1.NodeValidation](o.API, m.Name)
	if o.IsBroken() || !m.Spec.Slices || !o.of(m.UID).touched.IsZero() || record == nil {
		return
	}
	out, _ := Marked(n)
	failed := cameTo(audit, m.Name, v1alpha1.VerdictFail)
	if len(out) > 0 && o.measurable(m, n) && !failed && !measuredAll(audit, m.Name) {
		o.Broken("P9", "devices of node %s are out of service, and the audit could not measure them: %+v", m.Name, audit.Row(m.Name))
	}
	for _, uuid := range out {
		if o.fitInAudit(record, uuid, audit) && !o.of(m.UID).byOwnTerms {
			o.Broken("P9", "device %s of node %s is out of service, and the audit found it fit", uuid, m.Name)
		}
	}
	if failed && m.Slow["gemm"] > 0 && m.Measures("gemm") {
		o.checkSlowDevice(m, out, record, audit)
	}
}

// measuredAll says whether a run measured what a node has, if only there were others to compare it with.
func measuredAll(run *v1alpha1.ValidationRun, node string) bool {
	row := run.Row(node)
	return cameTo(run, node, v1alpha1.VerdictPass) || row != nil && row.Reason == v1alpha1.ReasonNotJudged
}

// checkSlowDevice: where one GPU of a node is slow, it is out of service, and not only another one, if the audit has measured it: of a node that lacks a GPU it measures none.
func (o *Oracle) checkSlowDevice(m *cluster.Machine, out []string, record *v1alpha1.NodeValidation, audit *v1alpha1.ValidationRun) {
	slow, q := m.UUID(m.Worst()), record.Quarantine
	switch {
	case len(out) > 0:
		o.Figures.Faults["(a slow device is out of service at the end)"]++
		if !slices.Contains(out, slow) && len(o.measuredOf(slow, "gemm", string(audit.UID))) > 0 {
			o.Broken("P9", "device %s of node %s is slow, the audit measured it, and only others are out of service", slow, m.Name)
		}
	case q != nil && q.Run.Name == audit.Name && o.Case.Devices:
		o.checkAsAWhole(m, record, audit)
	}
}

// measurable: nothing is in the way of measuring the devices of a machine, but that some of them are out of service.
func (o *Oracle) measurable(m *cluster.Machine, n *corev1.Node) bool {
	others := func(t corev1.Taint) bool { return t.Key != "site/gpu" && !isRunKey(t.Key) }
	barred := func(r *resourcev1.DeviceTaintRule) bool {
		return !IsOurs(r) && !isRunKey(r.Spec.Taint.Key)
	}
	return m.Reached() && !n.Spec.Unschedulable && !slices.ContainsFunc(n.Spec.Taints, others) && m.Shares == "" && !m.Truth.Lies && len(m.Pods()) == 0 &&
		!slices.ContainsFunc(kube.All[*resourcev1.DeviceTaintRule](o.API), barred)
}

// fitInAudit: by all benchmarks that convicted a device, the audit has measured it, and found it good.
func (o *Oracle) fitInAudit(record *v1alpha1.NodeValidation, uuid string, audit *v1alpha1.ValidationRun) bool {
	for _, c := range record.Convictions {
		if !slices.Contains(c.Devices, uuid) {
			continue
		}
		all := o.measuredOf(uuid, c.Benchmark, string(audit.UID))
		if len(all) == 0 || slices.ContainsFunc(all, func(m *measured) bool { return m.Reached[uuid] < good }) {
			return false
		}
	}
	return true
}

// checkAsAWhole: the audit asked for devices, and took the node out of service as a whole. It says so, and there is a reason.
func (o *Oracle) checkAsAWhole(m *cluster.Machine, record *v1alpha1.NodeValidation, audit *v1alpha1.ValidationRun) {
	row := audit.Row(m.Name)
	if row == nil || !strings.Contains(row.Note, "tainted as a whole although scope is Device") {
		o.Broken("P9", "node %s is out of service as a whole, although the audit asked for devices, and nothing says why: %+v", m.Name, row)
		return
	}
	single := !slices.ContainsFunc(record.Convictions, func(c v1alpha1.Conviction) bool { return len(c.Devices) != 1 || c.Devices[0] != m.UUID(m.Worst()) })
	if single && m.GPUs > 1 && m.GPUs == m.Full && !m.Plugin && !o.Case.Operator.NoRules && !m.Truth.Lies {
		o.Broken("P9", "only one GPU of node %s is slow, and it is out of service as a whole: %s", m.Name, row.Note)
	}
}
