package campaign

import (
	"time"

	mpi "github.com/kubeflow/mpi-operator/pkg/apis/kubeflow/v2beta1"
	corev1 "k8s.io/api/core/v1"
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
	faults []*fault
}

func newWorld(c cases.Case, keep bool) *world {
	s := sim.New(c.Seed, keep)
	api := kube.NewServer(scheme, s.Now)
	w := &world{Cluster: cluster.New(s, c, api)}
	w.leaders = operator.New(s, c, api, w.rule)
	w.oracle = oracle.New(w.Cluster, w.leaders)
	w.Began, api.Wrote = w.oracle.CheckBegun, w.wrote
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
