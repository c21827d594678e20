package campaign

import (
	"maps"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/test/campaign/cases"
	"github.com/assay-dev/assay/test/campaign/cluster"
	"github.com/assay-dev/assay/test/campaign/kube"
)

func init() {
	maps.Copy(happenings, map[string]func(*world, cases.Happening){
		"somebody edits policy":   func(w *world, h cases.Happening) { w.editPolicy(h) },
		"somebody makes run anew": func(w *world, h cases.Happening) { w.makeRunAnew(h) },
		"somebody suspends the runs of": func(w *world, h cases.Happening) {
			w.editRunsOf(h.Name, func(s *v1alpha1.ValidationRunSpec) { s.Suspend = true })
		},
		"somebody resumes the runs of": func(w *world, h cases.Happening) {
			w.editRunsOf(h.Name, func(s *v1alpha1.ValidationRunSpec) {
				s.Suspend = false
				if h.Flag {
					s.TTLSecondsAfterFinished = new(int32(20))
				}
			})
		},
		"somebody puts into another pool": func(w *world, h cases.Happening) {
			w.Edit("person", h.Name, func(n *corev1.Node) { n.Labels[poolLabel] = map[string]string{"a": "b"}[n.Labels[poolLabel]] + "a" })
		},
		"somebody edits benchmark":          func(w *world, h cases.Happening) { w.reviseBenchmark(h) },
		"somebody deletes benchmark":        func(w *world, h cases.Happening) { w.remakeBenchmark(h) },
		"somebody rolls the catalogue back": func(w *world, _ cases.Happening) { w.shipCatalogue() },
		"records stay of nodes that are gone": func(w *world, h cases.Happening) {
			w.RecordsStay = w.Now().Add(h.For)
			w.After(h.For, w.CollectGarbage)
		},
		cases.ServerJumps: func(w *world, h cases.Happening) {
			w.API.Jump(leap(h))
			w.leaders.Troubled(w.Now()) // it goes by that clock
		},
		cases.LeaderJumps: func(w *world, h cases.Happening) { w.leaders.Jump(leap(h)) },
		cases.NodeJumps:   onMachine(func(_ *world, m *cluster.Machine, h cases.Happening) { m.Jump(leap(h)) }),
	})
}

// leap of a clock.
func leap(h cases.Happening) time.Duration {
	if h.How == cases.Back {
		return -h.For
	}
	return h.For
}

// poolLabel of nodes, by which policies choose: a pool is called a or ba.
const poolLabel = "site/pool"

// editPolicy that is at work.
func (w *world) editPolicy(h cases.Happening) {
	p := kube.Find[*v1alpha1.ValidationPolicy](w.API, h.Name)
	if p == nil {
		return
	}
	if h.How == cases.PolicyAnew {
		w.remove("ValidationPolicy", h.Name)
		w.createPolicy(h)
		return
	}
	next := p.DeepCopy()
	if h.How == cases.PolicyTerms {
		next.Spec.Benchmarks, next.Spec.Overrides = w.policyTerms(&next.Spec, strings.Join(h.Nodes, ""))
	}
	editPolicySpec(&next.Spec, h)
	if _, err := w.API.Update("person", next, false); err != nil {
		w.Say("person      cannot edit policy %s: %v", h.Name, err)
	}
}

func editPolicySpec(s *v1alpha1.ValidationPolicySpec, h cases.Happening) {
	switch h.How {
	case cases.PolicyBenchmarks:
		s.Suite, s.Benchmarks, s.Overrides = "quick", nil, nil
		for _, b := range h.Benchmarks {
			s.Suite, s.Benchmarks = "", append(s.Benchmarks, v1alpha1.BenchmarkRef{Name: b})
		}
	case cases.PolicyTaint:
		if s.Run.OnFailure = nil; h.Flag {
			s.Run.OnFailure = onFailure(cases.Happening{Taint: h.Taint, Scope: h.Scope})
		}
	case cases.PolicyGate:
		if s.Gate = nil; h.Number > 0 {
			s.Gate = newPolicy(cases.Happening{Name: "policy", Times: h.Number - 1}).Spec.Gate
		}
	case cases.PolicyPace:
		s.BatchSeconds, s.OverdueSeconds, s.Retry = new(int32(20*h.Number)), int64(60+3600*h.Number), v1alpha1.Retry{AfterSeconds: 3600, Limit: new(int32(h.Number))}
		s.RevalidateOn = [][]v1alpha1.Change{{}, {v1alpha1.ChangeReboot}, {v1alpha1.ChangeBenchmark, v1alpha1.ChangeDevices}, {v1alpha1.ChangeDriver}}[h.Number]
	case cases.PolicyNodes:
		s.Selector, s.AllNodes = metav1.LabelSelector{}, !h.Flag
		if h.Flag {
			s.Selector.MatchExpressions = []metav1.LabelSelectorRequirement{{Key: poolLabel, Operator: []metav1.LabelSelectorOperator{
				metav1.LabelSelectorOpExists, metav1.LabelSelectorOpDoesNotExist}[h.Number%2]}}
			if h.Number > 1 {
				s.Selector = metav1.LabelSelector{MatchLabels: map[string]string{poolLabel: "a"}}
			}
		}
	case cases.PolicyRuns:
		s.Run.Confirmations, s.Run.ActiveDeadlineSeconds = new(int32(min(h.Number, 2))), new(int64(h.For.Seconds()))
		if s.Run.BusyNodes = v1alpha1.BusySkip; h.Flag {
			s.Run.BusyNodes = v1alpha1.BusyWait
		}
		s.Run.MaxConcurrentNodes = new(intstr.FromInt32(int32(1 + h.Number)))
	}
}

// makeRunAnew deletes a run and makes another one under its name, as soon as the API server takes it.
func (w *world) makeRunAnew(h cases.Happening) {
	r := kube.Find[*v1alpha1.ValidationRun](w.API, h.Name)
	if r == nil || r.DeletionTimestamp != nil {
		return
	}
	w.remove("ValidationRun", h.Name)
	var again func()
	again = func() {
		if kube.Find[*v1alpha1.ValidationRun](w.API, h.Name) == nil {
			w.createRun(h)
		} else if !w.Healed {
			w.After(200*time.Millisecond, again)
		}
	}
	again()
}

// editRunsOf a policy.
func (w *world) editRunsOf(policy string, edit func(*v1alpha1.ValidationRunSpec)) {
	for _, r := range kube.All[*v1alpha1.ValidationRun](w.API) {
		if owner := metav1.GetControllerOf(r); owner != nil && owner.Name == policy && r.DeletionTimestamp == nil {
			next := r.DeepCopy()
			edit(&next.Spec)
			_, _ = w.API.Update("person", next, false)
		}
	}
}
