package campaign

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/test/campaign/cases"
	"github.com/assay-dev/assay/test/campaign/cluster"
	"github.com/assay-dev/assay/test/campaign/kube"
)

// happen lets one thing happen.
func (w *world) happen(h cases.Happening) {
	w.Say("--          %s", h.Words())
	if do, ok := happenings[h.What]; ok && h.Before == "" {
		w.Figures.Faults[h.What]++
		do(w, h)
		return
	}
	f := &fault{Happening: h, left: max(h.Times, 1)}
	if h.Times >= cases.Lasting {
		f.until = w.Now().Add(h.For)
	}
	if h.What == "the kind of MPIJobs is gone" {
		for _, job := range w.API.List("MPIJob") {
			_ = w.API.Delete("person", "MPIJob", client.ObjectKeyFromObject(job))
		}
	}
	w.faults = append(w.faults, f)
}

var happenings = map[string]func(*world, cases.Happening){
	"somebody creates run":  func(w *world, h cases.Happening) { w.createRun(h) },
	"somebody deletes run":  func(w *world, h cases.Happening) { w.remove("ValidationRun", h.Name) },
	"somebody suspends run": func(w *world, h cases.Happening) { w.suspendRun(h.Name, true) },
	"somebody resumes run":  func(w *world, h cases.Happening) { w.suspendRun(h.Name, false) },

	"somebody creates policy":  func(w *world, h cases.Happening) { w.createPolicy(h) },
	"somebody deletes policy":  func(w *world, h cases.Happening) { w.remove("ValidationPolicy", h.Name) },
	"somebody suspends policy": func(w *world, h cases.Happening) { w.suspendPolicy(h.Name, true) },
	"somebody resumes policy":  func(w *world, h cases.Happening) { w.suspendPolicy(h.Name, false) },

	"a node joins gated": func(w *world, h cases.Happening) {
		spec := cases.NodeSpec{Name: h.Name, Instance: "big", GPUs: h.Number, Slices: h.How == cases.BySlices}
		if m := w.join(spec, cluster.GateTaint); m != nil {
			m.SlowOn(h.Benchmarks)
		}
	},
	"a node is cut off":   onMachine(func(_ *world, m *cluster.Machine, h cases.Happening) { m.CutOff(h.For, h.Flag) }),
	"a node reboots":      onMachine(func(_ *world, m *cluster.Machine, _ cases.Happening) { m.Reboot() }),
	"a node becomes slow": onMachine(func(_ *world, m *cluster.Machine, h cases.Happening) { m.SlowOn(h.Benchmarks) }),
	"a node is repaired":  onMachine(func(_ *world, m *cluster.Machine, _ cases.Happening) { m.Repair() }),
	"a node is replaced": onMachine(func(w *world, m *cluster.Machine, h cases.Happening) {
		w.remove("Node", m.Name)
		w.After(h.For+500*time.Millisecond, func() {
			spec := m.Spec
			if h.How == cases.WithMore {
				spec.GPUs, spec.Product = spec.GPUs+1, "H300" // of another kind: what most nodes of a kind have is expected of all
			}
			if h.How == cases.WithOthers {
				spec.GPUs, spec.Product = max(spec.GPUs-1, min(spec.GPUs, 1)), "H100"
			}
			var gate []corev1.Taint
			if h.Taint == cases.Gated {
				gate = []corev1.Taint{cluster.GateTaint}
			}
			if n := w.join(spec, gate...); n != nil {
				n.TakeOver(m, h.Flag)
			}
		})
	}),
	"a node is deleted":          func(w *world, h cases.Happening) { w.remove("Node", h.Name) },
	"programs leave nonsense on": onMachine(func(_ *world, m *cluster.Machine, h cases.Happening) { m.Garbled += h.Times }),
	"a program is disturbed on":  onMachine(func(_ *world, m *cluster.Machine, h cases.Happening) { m.Disturbed += h.Times }),
	"programs hang on": onMachine(func(_ *world, m *cluster.Machine, h cases.Happening) {
		m.Hangs += h.Times
		m.Stoppable = h.Flag
	}),
	"a node loses a GPU":                       onMachine(func(_ *world, m *cluster.Machine, h cases.Happening) { m.LoseGPU(h.Flag, h.For) }),
	"slices are withdrawn of":                  onMachine(func(_ *world, m *cluster.Machine, h cases.Happening) { m.Withdraw(h.For) }),
	"a driver gives other names to devices of": onMachine(func(_ *world, m *cluster.Machine, _ cases.Happening) { m.Rename() }),
	"slices stay of nodes that are gone": func(w *world, h cases.Happening) {
		w.SlicesStay = w.Now().Add(h.For)
		w.After(h.For, w.CollectGarbage)
	},
	"another GPU becomes slow on":             onMachine(func(_ *world, m *cluster.Machine, h cases.Happening) { m.SlowSecond(h.Benchmarks) }),
	"a GPU is replaced in":                    onMachine(func(_ *world, m *cluster.Machine, h cases.Happening) { m.ReplaceGPU(h.Flag, h.Number) }),
	"a driver gives its pool another name on": onMachine(func(_ *world, m *cluster.Machine, _ cases.Happening) { m.MovePool() }),
	"a driver says what is not so on":         onMachine(func(_ *world, m *cluster.Machine, h cases.Happening) { m.Misstate(h.How) }),
	"a device plugin begins on": onMachine(func(w *world, m *cluster.Machine, h cases.Happening) {
		m.OfferByPlugin(true)
		w.After(h.For, func() { m.OfferByPlugin(m.Spec.Plugin) })
	}),
	"somebody deletes a rule of": func(w *world, h cases.Happening) {
		w.onRule(h, func(r *resourcev1.DeviceTaintRule) { w.remove("DeviceTaintRule", r.Name) })
	},
	"somebody edits a rule of": func(w *world, h cases.Happening) {
		w.onRule(h, func(r *resourcev1.DeviceTaintRule) { w.editRule(r, h.How) })
	},
	"somebody makes a rule for":                    func(w *world, h cases.Happening) { w.makeRule(h) },
	"somebody forges the devices of":               onMachine(func(w *world, m *cluster.Machine, h cases.Happening) { w.forgeDevices(m, h.Number) }),
	"somebody divides the GPUs of":                 onMachine(func(_ *world, m *cluster.Machine, h cases.Happening) { m.Divide(h.How) }),
	"a kubelet begins to lie on":                   onMachine(func(_ *world, m *cluster.Machine, h cases.Happening) { m.BeginToLie(h.Nodes, h.How) }),
	"somebody makes a pod that looks like ours on": func(w *world, h cases.Happening) { w.impersonate(h) },
	"somebody works on":                            func(w *world, h cases.Happening) { w.work(h) },

	"somebody cordons": func(w *world, h cases.Happening) {
		w.Edit("person", h.Name, func(n *corev1.Node) { n.Spec.Unschedulable = true })
		w.After(h.For, func() { w.Edit("person", h.Name, func(n *corev1.Node) { n.Spec.Unschedulable = false }) })
	},
	"somebody removes our taint from": func(w *world, h cases.Happening) {
		w.oracle.Touched(h.Name)
		w.Edit("person", h.Name, func(n *corev1.Node) { n.Spec.Taints = cluster.Without(n, v1alpha1.DefaultTaintKey) })
	},
	"somebody taints with our key": func(w *world, h cases.Happening) {
		w.oracle.Touched(h.Name)
		w.Edit("person", h.Name, func(n *corev1.Node) {
			n.Spec.Taints = append(cluster.Without(n, v1alpha1.DefaultTaintKey), corev1.Taint{Key: v1alpha1.DefaultTaintKey, Value: "theirs", Effect: corev1.TaintEffectNoSchedule})
		})
	},
	"somebody taints and labels": func(w *world, h cases.Happening) {
		w.Edit("person", h.Name, func(n *corev1.Node) {
			n.Labels["site/team"], n.Annotations["site/note"] = "x", "mine"
			n.Spec.Taints = append(cluster.Without(n, "site/team"), corev1.Taint{Key: "site/team", Value: "x", Effect: corev1.TaintEffectNoSchedule})
		})
		w.After(h.For, func() {
			w.Edit("person", h.Name, func(n *corev1.Node) { n.Spec.Taints = cluster.Without(n, "site/team") })
		})
	},
	"somebody deletes the record of": func(w *world, h cases.Happening) {
		w.oracle.Touched(h.Name)
		w.remove("NodeValidation", h.Name)
	},
	"somebody deletes the history of": func(w *world, h cases.Happening) {
		w.oracle.Touched(h.Name)
		w.remove("NodeHistory", h.Name)
	},
	"somebody strips the mark of": func(w *world, h cases.Happening) {
		w.oracle.Touched(h.Name)
		w.Edit("person", h.Name, func(n *corev1.Node) { delete(n.Annotations, v1alpha1.AnnotationQuarantine) })
	},
	"somebody forges the mark of": func(w *world, h cases.Happening) {
		w.oracle.Touched(h.Name)
		w.Edit("person", h.Name, func(n *corev1.Node) {
			n.Annotations[v1alpha1.AnnotationQuarantine] = fmt.Sprintf(`{"id":"forged","key":%q,"value":%q,"effect":%q}`, cluster.GateTaint.Key, cluster.GateTaint.Value, cluster.GateTaint.Effect)
		})
	},
	"somebody deletes an MPIJob": func(w *world, _ cases.Happening) {
		if jobs := w.API.List("MPIJob"); len(jobs) > 0 {
			_ = w.API.Delete("person", "MPIJob", client.ObjectKeyFromObject(jobs[0]))
		}
	},
	"a link becomes slow":                 func(w *world, h cases.Happening) { w.SlowWay(h.Nodes[0], h.Nodes[1]) },
	"the way between racks becomes slow":  func(w *world, h cases.Happening) { w.SlowWay(h.Nodes[0], h.Nodes[1]) },
	"the ways between nodes are mended":   func(w *world, _ cases.Happening) { w.MendWays() },
	"launchers come to grief":             func(w *world, h cases.Happening) { w.Grief = slices.Repeat([]string{h.How}, h.Times) },
	"workers start late on":               onMachine(func(_ *world, m *cluster.Machine, h cases.Happening) { m.StartLate(h.Times, max(h.For, time.Second)) }),
	"workers never start on":              onMachine(func(_ *world, m *cluster.Machine, h cases.Happening) { m.StartLate(h.Times, 0) }),
	"the MPI Operator is away":            func(w *world, h cases.Happening) { w.MPIAway = w.Now().Add(h.For) },
	"a webhook refuses":                   func(w *world, h cases.Happening) { w.beginWebhook(h) },
	"a webhook puts into pods":            func(w *world, h cases.Happening) { w.beginWebhook(h) },
	"a webhook labels nodes":              func(w *world, h cases.Happening) { w.beginWebhook(h) },
	"a webhook strips Assay's marks from": func(w *world, h cases.Happening) { w.beginWebhook(h) },
	"somebody upgrades the catalogue": func(w *world, h cases.Happening) {
		for _, b := range kube.All[*v1alpha1.Benchmark](w.API) {
			w.editBenchmark(b.Name, func(s *v1alpha1.BenchmarkSpec) { s.Image = fmt.Sprintf("bench:%d", h.Number) })
		}
	},
	"somebody deletes a pod on": onMachine(func(w *world, m *cluster.Machine, _ cases.Happening) {
		if pods := m.Pods(); len(pods) > 0 {
			_ = w.API.Delete("person", "Pod", client.ObjectKeyFromObject(pods[0]))
		}
	}),

	"the cache stalls": func(w *world, h cases.Happening) {
		w.leaders.StallCache(h.Kind, h.For)
	},
	"the leader stalls": func(w *world, h cases.Happening) { w.leaders.Stall(h.For, time.Duration(h.Number)*time.Second) },
	"two more leaders": func(w *world, h cases.Happening) {
		w.leaders.TakeOver(time.Duration(h.Number) * time.Second)
		w.leaders.TakeOver(2 * time.Duration(h.Number) * time.Second)
	},
	"a second leader":           func(w *world, h cases.Happening) { w.leaders.TakeOver(time.Duration(h.Number) * time.Second) },
	"the operator is restarted": func(w *world, _ cases.Happening) { w.leaders.Restart(time.Second) },
	"the operator is away":      func(w *world, h cases.Happening) { w.leaders.Restart(h.For) },
}

func onMachine(do func(*world, *cluster.Machine, cases.Happening)) func(*world, cases.Happening) {
	return func(w *world, h cases.Happening) {
		if m := w.Machines[h.Name]; m != nil && m.Node() != nil {
			do(w, m, h)
		}
	}
}

func (w *world) remove(kind, name string) {
	if err := w.API.Delete("person", kind, client.ObjectKey{Name: name}); err != nil {
		w.Say("person      cannot delete %s %s: %v", kind, name, err)
	}
}
