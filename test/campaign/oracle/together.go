package oracle

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/term"
	"github.com/assay-dev/assay/test/campaign/cases"
	"github.com/assay-dev/assay/test/campaign/cluster"
	"github.com/assay-dev/assay/test/campaign/kube"
)

// checkConvictedTogether: of nodes that were measured together only a pair tells which one is slow, and only one that was slow by that benchmark (P6). Nothing
// tells a fit node from a slow one that met slow partners, or fit ones over slow ways.
func (o *Oracle) checkConvictedTogether(n *nodeTruth, name string, c *v1alpha1.Conviction) {
	switch {
	case !cases.IsGroup(c.Benchmark) || c.Rule == term.Devices || n.Lies:
	case !cases.IsPairs(c.Benchmark):
		o.Broken("P6", "node %s is convicted by %s of run %s, which measures more than two nodes together", name, c.Benchmark, c.Run.Name)
	case n.EverSlow(c.Benchmark) || o.mostAreSlowBy(c.Benchmark):
	case o.isBehindSlowWays(name, c):
		n.hidden = true
	default:
		o.Broken("P6", "node %s is convicted by %s of run %s, and it was never slow by that", name, c.Benchmark, c.Run.Name)
	}
}

// isBehindSlowWays: a run that convicts a fit node measured it with two partners over slow ways, or with one where it asks for no second look, and with
// no fit one over a fast way. That is what a slow node looks like.
func (o *Oracle) isBehindSlowWays(name string, c *v1alpha1.Conviction) bool {
	m, slow := o.Machines[name], map[*cluster.Machine]bool{}
	for _, p := range o.playedIn(c.Run.UID, c.Benchmark) {
		switch other := partner(m, p.Group); {
		case other == nil:
		case o.IsSlowBetween(m, other, true):
			slow[other] = true
		case !other.Truth.EverSlow(c.Benchmark):
			return false
		}
	}
	return len(slow) > 1 || len(slow) == 1 && o.unconfirmed()
}

// partner of a machine in a pair; nil: it is not in it, or the other one is gone.
func partner(m *cluster.Machine, pair []*cluster.Machine) *cluster.Machine {
	if len(pair) != 2 {
		return nil
	}
	switch m {
	case pair[0]:
		return pair[1]
	case pair[1]:
		return pair[0]
	}
	return nil
}

// checkJobKept: a job goes once what its launcher measured is stored, unless its run does not want to know any more (P10), or somebody has taken the launcher away.
func (o *Oracle) checkJobKept(job client.Object) {
	for _, m := range o.byPod {
		if launcher := o.API.Get("Pod", client.ObjectKeyFromObject(m.Pod)); launcher == nil || launcher.GetUID() != m.Pod.UID {
			continue
		}
		if m.Group != nil && m.Over && !m.kept && m.Exit == 0 && !m.Unreadable && m.Job == job.GetUID() && !o.of(m.uid).Lies && m.Machine.Node() != nil &&
			o.goesOn(metav1.GetControllerOf(job)) {
			o.Broken("P10", "job %s is deleted, and what its launcher measured is not stored", job.GetName())
		}
	}
}

// checkNoneAtWork: no program of a run that is over is at work, whoever owns its pod (P3).
func (o *Oracle) checkNoneAtWork() {
	for _, m := range o.SortedMachines() {
		for _, p := range o.Running(m) {
			run := p.Pod.Labels[v1alpha1.LabelRunName]
			if run != "" && !p.Stranger && m.Reached() && !o.isActive(run) && o.Now().Sub(p.Began) > time.Minute {
				o.Broken("P3", "run %s is over, and its pod %s is at work on node %s", run, p.Pod.Name, m.Name)
			}
		}
	}
}

// isJoined: somebody has made a pod that poses as one of this job's, so that nothing which it measures is believed.
func (o *Oracle) isJoined(job types.UID) bool {
	return slices.ContainsFunc(kube.All[*corev1.Pod](o.API), func(p *corev1.Pod) bool {
		owner := metav1.GetControllerOf(p)
		return o.Strangers[p.UID] && owner != nil && owner.UID == job
	})
}

// storeTogether notes that what a launcher measured was stored. What cannot be read ends as an error (P10).
func (o *Oracle) storeTogether(r *v1alpha1.ValidationResult) {
	for i := range r.Benchmarks {
		for _, a := range r.Benchmarks[i].Attempts {
			for _, m := range o.byPod {
				if m.Job != a.PodUID || m.Job == "" {
					continue
				}
				m.kept = m.kept || a.StartTime != nil || a.Reason == v1alpha1.ReasonPodNotBelieved && o.isJoined(m.Job) // one that was given up tells of no program
				if m.Unreadable && a.Verdict != v1alpha1.VerdictError {
					o.Broken("P10", "what the launcher of job %s left cannot be read, and its attempt is a %s", a.Pod, a.Verdict)
				}
			}
		}
	}
}
