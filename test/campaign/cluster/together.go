package cluster

import (
	"slices"
	"time"

	mpi "github.com/kubeflow/mpi-operator/pkg/apis/kubeflow/v2beta1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/result"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/test/campaign/cases"
)

// rackLabel says in which rack a node is.
const rackLabel = "site/rack"

// groupBenchmark makes a benchmark one of groups.
func groupBenchmark(name string, b *v1alpha1.Benchmark, m *v1alpha1.Metric) {
	b.Spec.Scope, b.Spec.CostSeconds, b.Spec.Command = v1alpha1.ScopeGroup, 100, []string{"mpirun", "/bin/" + name}
	b.Spec.Needs = v1alpha1.Needs{DeviceResource: string(GPU), MinDevices: new(int32(1))}
	g := &v1alpha1.Group{Size: intstr.FromInt32(2), SlotsPerWorker: intstr.FromInt32(1), SSHPort: 2222}
	m.Name, m.Expectation = "bandwidth", &v1alpha1.Expectation{Min: "9"}
	switch name {
	case cases.Ring:
		g.Topology, m.Expectation = rackLabel, &v1alpha1.Expectation{MaxFleetDeviation: "0.10"}
	case cases.Sets:
		g.Size = intstr.FromInt32(3)
	case cases.Leaves:
		g.Size, g.Across, g.SlotsPerWorker = intstr.FromInt32(4), rackLabel, intstr.FromString(v1alpha1.SlotsDevices)
	case cases.Racks:
		g.Size, g.Within = intstr.FromString(v1alpha1.GroupSizeAll), rackLabel
	case cases.Curve:
		g.Size, g.Sizes = intstr.FromString(v1alpha1.GroupSizeAll), []int32{1, 2}
		m.Scaling, m.Expectation = v1alpha1.ScalingWeak, &v1alpha1.Expectation{MinEfficiency: "0.8"}
	}
	b.Spec.Group = g
}

// ways between machines that are slow now, or were once: from a node or rack to another one.
type ways struct{ now, ever map[[2]string]bool }

func way(a, b string) [2]string { return [2]string{min(a, b), max(a, b)} }

// SlowWay there is from now on between two nodes or racks.
func (c *Cluster) SlowWay(a, b string) {
	if c.ways.now == nil {
		c.ways = ways{map[[2]string]bool{}, map[[2]string]bool{}}
	}
	if a != b {
		c.ways.now[way(a, b)], c.ways.ever[way(a, b)] = true, true
	}
}

// MendWays that are slow.
func (c *Cluster) MendWays() { clear(c.ways.now) }

// Rack of a machine, as its node is labelled.
func (m *Machine) Rack() string {
	if m.Spec.Rack == "" {
		return "r1"
	}
	return m.Spec.Rack
}

// IsSlowBetween two machines; ever: or it was once.
func (c *Cluster) IsSlowBetween(a, b *Machine, ever bool) bool {
	is := c.ways.now
	if ever {
		is = c.ways.ever
	}
	return is[way(a.Name, b.Name)] || a.Rack() != b.Rack() && is[way(a.Rack(), b.Rack())]
}

// SlowTogether: one of some machines is slow by a benchmark, or a way between two of them.
func (c *Cluster) SlowTogether(benchmark string, machines ...*Machine) bool {
	for i, m := range machines {
		if m.Fit(benchmark) < 1 || slices.ContainsFunc(machines[:i], func(o *Machine) bool { return c.IsSlowBetween(m, o, false) }) {
			return true
		}
	}
	return false
}

// together is what the launcher of a group leaves: what the slowest of its nodes and ways allows, or nothing, if a worker was lost.
func (c *Cluster) together(p *Program) (says string, exit int32) {
	name := p.Pod.Labels[v1alpha1.LabelJob]
	job, ok := c.API.Get("MPIJob", client.ObjectKey{Namespace: cases.Namespace, Name: name}).(*mpi.MPIJob)
	if !ok || job.UID != p.Job {
		return "", 1
	}
	nodes, err := workload.JobNodes(job)
	if err != nil || len(nodes) == 0 {
		return "", 1
	}
	reached := 10.0
	for _, n := range nodes {
		m := c.Machines[n.Name]
		if m == nil || m.UID != n.UID || m.Cut || !c.hasWorker(name, m) {
			return "", 1
		}
		reached = min(reached, 10*m.Fit(p.Benchmark))
		p.Group = append(p.Group, m)
	}
	if reached == 10 && c.SlowTogether(p.Benchmark, p.Group...) {
		reached *= slowness
	}
	e := result.Envelope{Version: result.EnvelopeVersion, Outcome: result.OutcomeMeasured, Reason: v1alpha1.ReasonMeasured, Start: p.Began, End: c.Now()}
	e.Document = &result.Document{Schema: result.Schema, Benchmark: p.Benchmark, Version: "1", Checks: []result.Check{{Name: "data", OK: true}}}
	value := func() float64 { return reached * (1 + float64(int(c.Draw("noise/"+name)%9)-4)/1000) }
	m := result.Measurement{Name: "bandwidth", Unit: "GB/s", Better: result.BetterHigher}
	switch {
	case cases.IsPairs(p.Benchmark):
		a, b := nodes[0].Name, nodes[1].Name
		m.Parts = []result.Part{{At: a + "->" + b, Value: value()}, {At: b + "->" + a, Value: value()}}
	case p.Benchmark == cases.Curve:
		m.Parts = []result.Part{{At: result.GroupPart, Value: value() * float64(len(nodes))}}
	default:
		m.Parts = []result.Part{{At: result.GroupPart, Value: value()}}
	}
	e.Document.Measurements = []result.Measurement{m}
	return p.leave(e), 0
}

// hasWorker of a job that is at work on a machine.
func (c *Cluster) hasWorker(job string, m *Machine) bool {
	return slices.ContainsFunc(c.Running(m), func(p *Program) bool { return p.Pod.Labels[v1alpha1.LabelJob] == job && !IsLauncher(p.Pod) })
}

// launcher begins: it ends by itself, unless it comes to grief.
func (c *Cluster) launcher(p *Program) {
	if job := c.API.Get("MPIJob", client.ObjectKey{Namespace: cases.Namespace, Name: p.Pod.Labels[v1alpha1.LabelJob]}); job != nil {
		p.Job = job.GetUID()
	}
	how := ""
	if len(c.Grief) > 0 {
		how, c.Grief = c.Grief[0], c.Grief[1:]
	}
	if how == cases.LauncherHangs {
		p.hangs, p.stoppable = true, true
		return
	}
	c.After(c.Between("takes/"+p.Pod.Name, 8*time.Second, 30*time.Second), func() {
		if p.Over {
			return
		}
		says, exit := c.together(p)
		switch how {
		case cases.LauncherDies:
			says, exit, p.Group = "", 137, nil
		case cases.LauncherGarbles:
			says, exit, p.Unreadable, p.Group = "{", 0, true, nil
		}
		p.end(says, exit)
	})
}

// late is how the next workers on a machine start.
type late struct {
	times int
	takes time.Duration // 0: for ever
	until map[string]time.Time
}

// StartLate do the next workers on a machine; never, if it takes no time.
func (m *Machine) StartLate(times int, takes time.Duration) {
	m.late.times, m.late.takes = m.late.times+times, takes
}

// holdsBack a worker whose image does not come, or not yet.
func (m *Machine) holdsBack(pod *corev1.Pod) bool {
	until, known := m.late.until[string(pod.UID)]
	if !known && m.late.times > 0 {
		m.late.times--
		if m.late.until == nil {
			m.late.until = map[string]time.Time{}
		}
		until = m.cluster.Now().Add(m.late.takes)
		if m.late.takes == 0 {
			until = m.cluster.Now().Add(time.Hour)
		}
		m.late.until[string(pod.UID)] = until
	}
	if !m.cluster.Now().Before(until) || m.cluster.Healed {
		return false
	}
	waits := &corev1.ContainerStateWaiting{Reason: "ContainerCreating"}
	if m.late.takes == 0 {
		waits.Reason = "ErrImagePull"
	}
	p := &Program{Machine: m, Pod: pod}
	p.tell(corev1.PodPending, corev1.ContainerState{Waiting: waits})
	m.cluster.After(10*time.Second, func() { m.cluster.kubelet(client.ObjectKeyFromObject(pod)) })
	return true
}
