package campaign

import (
	"fmt"
	"strings"
	"time"

	mpi "github.com/kubeflow/mpi-operator/pkg/apis/kubeflow/v2beta1"
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/test/campaign/cases"
	"github.com/assay-dev/assay/test/campaign/cluster"
	"github.com/assay-dev/assay/test/campaign/kube"
	"github.com/assay-dev/assay/test/campaign/operator"
	"github.com/assay-dev/assay/test/campaign/oracle"
	"github.com/assay-dev/assay/test/campaign/sim"
)

var scheme = newScheme()

func newScheme() *runtime.Scheme {
	s := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, v1alpha1.AddToScheme, mpi.AddToScheme} {
		if err := add(s); err != nil {
			panic(err)
		}
	}
	return s
}

// world is a cluster, the operator in it, and all that happens to them.
type world struct {
	*cluster.Cluster
	leaders *operator.Leaders
	oracle  *oracle.Oracle
	// faults that wait for a call that they fit.
	faults   []*fault
	webhooks []webhook
	// revised is the catalogue, and calm is since when no faults come.
	revised bool
	calm    time.Time
	// tooMany devices a profile has said that nodes have.
	tooMany bool
}

func newWorld(c cases.Case, keep bool) *world {
	s := sim.New(c.Seed, keep)
	api := kube.NewServer(scheme, s.Now)
	w := &world{Cluster: cluster.New(s, c, api)}
	w.leaders = operator.New(s, c, api, w.rule)
	w.oracle = oracle.New(w.Cluster, w.leaders)
	w.Began, api.Wrote = w.oracle.CheckBegun, w.wrote
	api.Admit = w.admit
	return w
}

// wrote is told of everything that is written.
func (w *world) wrote(c kube.Change) {
	w.Figures.Writes++
	if operator.Is(c.By) {
		w.Figures.OperatorWrites++
	}
	w.Say("%-11s %s %s %s %s", c.By, c.Verb, c.Kind, c.Object().GetName(), told(c))
	w.Record(c.Text)
	w.oracle.Check(c)
	w.leaders.Expect(c.Kind)
	w.Follow(c)
}

// join of a new machine, with these taints; nil: the API server does not take its Node.
func (w *world) join(spec cases.NodeSpec, taints ...corev1.Taint) *cluster.Machine {
	m := w.AddNode(spec, taints...)
	if m != nil {
		w.oracle.CountNodes()
	}
	return m
}

// attend to what goes on all the time: there is a leader, and what it does is done in time.
func (w *world) attend() {
	w.After(2*time.Second, w.attend)
	w.oracle.Watch()
	w.leaders.Attend()
}

// told is what a person wants to know of a change.
func told(c kube.Change) string {
	switch o := c.After.(type) {
	case *corev1.Node:
		var words []string
		for _, t := range o.Spec.Taints {
			if strings.HasPrefix(t.Key, "assay.dev/") || t.Key == "site/team" {
				words = append(words, t.ToString())
			}
		}
		if mark := o.Annotations[v1alpha1.AnnotationQuarantine]; mark != "" {
			out, _ := oracle.Marked(o)
			words = append(words, strings.Join(append([]string{"marked"}, out...), " "))
		}
		if label := o.Labels[v1alpha1.LabelVerdict]; label != "" {
			words = append(words, label)
		}
		return "(" + strings.Join(words, ", ") + ")"
	case *v1alpha1.NodeValidation:
		text := fmt.Sprintf("(%s by %s, %d convictions", o.Verdict, o.LastRun.Name, len(o.Convictions))
		if o.Quarantine != nil {
			text += ", quarantine of " + o.Quarantine.Run.Name
		}
		return text + ")"
	case *v1alpha1.ValidationResult:
		var words []string
		for _, b := range o.Benchmarks {
			words = append(words, fmt.Sprintf("%s %s after %d", b.Name, b.Verdict, len(b.Attempts)))
		}
		return fmt.Sprintf("(%s: %s)", o.Verdict, strings.Join(words, ", "))
	case *v1alpha1.ValidationRun:
		return fmt.Sprintf("(%s %s)", o.Status.Progress, o.Status.Verdict)
	case *resourcev1.DeviceTaintRule:
		return fmt.Sprintf("(%s at %s/%s by %s)", o.Annotations[v1alpha1.AnnotationDevice], *o.Spec.DeviceSelector.Pool, *o.Spec.DeviceSelector.Device, o.Labels[v1alpha1.LabelManagedBy])
	case *corev1.Pod:
		return fmt.Sprintf("(%s on %s)", o.Status.Phase, o.Spec.NodeName)
	}
	return ""
}
