package tracetest

import (
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
)

// incidents are what happens to nodes, runs and the API server.
var incidents = []statement{
	form(`([a-z]) is (cordoned|uncordoned|ready|not ready|reserved|leaving|deleted|being deleted|created again|free|full)`, func(w *world, words []string) { w.befall(words[0], words[1]) }),
	form(`(\S+) is busy: (.+)`, func(w *world, words []string) { w.foreign[words[0]] = words[1] }),
	form(`(\S+) offers (\d+) devices`, func(w *world, words []string) {
		w.otherDevices = true
		w.editNode(words[0], func(n *corev1.Node) { n.Status.Allocatable["nvidia.com/gpu"] = resource.MustParse(words[1]) })
	}),
	form(`(\S+) has (\d+) devices`, func(w *world, words []string) { // whatever it offers
		w.editNode(words[0], func(n *corev1.Node) {
			n.Status.Capacity = corev1.ResourceList{"nvidia.com/gpu": resource.MustParse(words[1])}
		})
	}),
	form(`([a-z]) is old`, func(w *world, words []string) {
		w.editNode(words[0], func(n *corev1.Node) {
			n.CreationTimestamp = metav1.NewTime(epoch.Add(-24 * time.Hour))
			n.Status.Conditions[0].LastTransitionTime = n.CreationTimestamp
		})
	}),
	form(`somebody deletes the (MPIJob|launcher) of (\S+)`, func(w *world, words []string) {
		for _, p := range slices.Clone(w.pods) {
			if p.job != nil && p.job.who() == words[1] && p.isLauncher() && words[0] == "launcher" {
				w.remove(p, false, "somebody did")
			}
		}
		w.jobs = slices.DeleteFunc(w.jobs, func(j *job) bool { return j.who() == words[1] && words[0] == "MPIJob" })
	}),
	form(`label (\S+) (\S+)=(\S+)`, func(w *world, words []string) {
		w.editNode(words[0], func(n *corev1.Node) { n.Labels[words[1]] = words[2] })
	}),
	form(`the clock of (\S+) is ahead by (\S+)`, func(w *world, words []string) {
		ahead, _ := time.ParseDuration(words[1])
		w.editNode(words[0], func(n *corev1.Node) {
			for i := range n.Status.Conditions {
				n.Status.Conditions[i].LastTransitionTime = metav1.NewTime(w.now.Add(ahead).Truncate(time.Second))
			}
		})
	}),
	form(`run (\S+) is (suspended|resumed)`, func(w *world, words []string) {
		for _, r := range w.runs {
			if r.object.Name == words[0] {
				r.object = r.object.DeepCopy()
				r.object.Spec.Suspend, r.object.Generation = words[1] == "suspended", r.object.Generation+1
			}
		}
	}),
	form(`somebody deletes what measures on (\S+)`, func(w *world, words []string) {
		for _, p := range w.live(words[0]) {
			w.remove(p, false, "somebody did")
		}
	}),
	form(`somebody taints (\S+) (\S+)=(\S+):(\S+)`, func(w *world, words []string) {
		w.theirs[words[0]] = true
		w.editNode(words[0], func(n *corev1.Node) {
			n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: words[1], Value: words[2], Effect: corev1.TaintEffect(words[3])})
		})
	}),
	form(`somebody untaints (\S+)`, func(w *world, words []string) {
		w.editNode(words[0], func(n *corev1.Node) { n.Spec.Taints = nil })
	}),
	form(`(results|measurements|findings) of (\S+) are (refused|taken)`, func(w *world, words []string) {
		w.refuses[words[1]] = map[string]refusal{"results refused": refuseAll, "measurements refused": refuseMeasured, "findings refused": refuseFindings}[words[0]+" "+words[2]]
	}),
	form(`MPIJobs are (known|unknown)`, func(w *world, words []string) {
		if w.mpi.installed = words[0] == "known"; !w.mpi.installed {
			w.jobs = nil
		}
	}),
	form(`the MPI Operator is (silent|back)`, func(w *world, words []string) { w.mpi.silent = words[0] == "silent" }),
	form(`the MPI Operator rejects all: (.+)`, func(w *world, words []string) { w.mpi.rejects = words[0] }),
	form(`operator starts anew`, func(w *world, _ []string) {
		for _, r := range w.runs {
			r.memory, r.known, r.shortSince = observe.Memory{}, nil, nil
		}
	}),
	form(`the administrator forbids NoExecute`, func(w *world, _ []string) { w.policy.AllowNoExecute = false }),
}

// addNode adds a Ready node with 8 devices.
func (w *world) addNode(name string) *corev1.Node {
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelHostname: name}}}
	w.created(&n.ObjectMeta)
	n.Status.Allocatable = corev1.ResourceList{"nvidia.com/gpu": resource.MustParse("8"), "cpu": resource.MustParse("64")}
	w.nodes[name] = n
	w.ready(name, corev1.ConditionTrue)
	return n
}

// editNode changes a node as the API server does: what was read before stays as it is.
func (w *world) editNode(name string, change func(*corev1.Node)) {
	w.t.Helper()
	if w.nodes[name] == nil {
		return // what happens to a node that is gone happens to nobody
	}
	n := w.nodes[name].DeepCopy()
	change(n)
	w.nodes[name] = n
}

func (w *world) ready(name string, status corev1.ConditionStatus) {
	w.editNode(name, func(n *corev1.Node) {
		setCondition(n, corev1.NodeCondition{Type: corev1.NodeReady, Status: status, LastTransitionTime: metav1.NewTime(w.now.Truncate(time.Second))})
	})
}

func (w *world) befall(name, what string) {
	w.t.Helper()
	switch what {
	case "cordoned", "uncordoned":
		w.editNode(name, func(n *corev1.Node) { n.Spec.Unschedulable = what == "cordoned" })
	case "reserved", "leaving":
		key := map[string]string{"reserved": "node-role.kubernetes.io/control-plane", "leaving": "karpenter.sh/disrupted"}[what]
		w.editNode(name, func(n *corev1.Node) {
			n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: key, Effect: corev1.TaintEffectNoSchedule})
		})
	case "ready":
		w.ready(name, corev1.ConditionTrue)
	case "not ready":
		w.ready(name, corev1.ConditionUnknown)
	case "being deleted":
		w.editNode(name, func(n *corev1.Node) { n.DeletionTimestamp = &metav1.Time{Time: w.now} })
	case "deleted":
		delete(w.nodes, name)
	case "created again":
		labels := map[string]string{}
		if old := w.nodes[name]; old != nil {
			maps.Copy(labels, old.Labels)
		}
		n := w.addNode(name)
		maps.Copy(labels, n.Labels)
		delete(labels, v1alpha1.LabelVerdict)
		w.editNode(name, func(n *corev1.Node) { n.Labels = labels })
	case "free":
		delete(w.foreign, name)
		delete(w.mpi.full, name)
	case "full":
		w.mpi.full[name] = true
	}
}
