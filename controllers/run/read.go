package run

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/judge/peak"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
	"github.com/assay-dev/assay/internal/operate/recentwrites"
)

// pass is what was read in one pass over a run.
type pass struct {
	run *v1alpha1.ValidationRun
	in  observe.Input
	pin *pin
	// memory of the run.
	memory *memory
	// turn of launches at which the pass began: it knows of the pods that were made until then.
	turn uint64
	// badProfiles says which HardwareProfiles cannot be read and so give no peak; nil for none.
	badProfiles error
	// quarantined are the NodeValidations of nodes that are to carry the taint, by name. Older releases neither marked their taints, nor listed them
	// as those of convicted nodes.
	quarantined map[string]*v1alpha1.NodeValidation
}

// read is all reading of a pass. What is missing stays empty.
func (r *Reconciler) read(ctx context.Context, run *v1alpha1.ValidationRun) (*pass, error) {
	p := &pass{run: run, memory: r.memoryOf(run), turn: r.recent.Turn()}
	p.in = observe.Input{Run: run, Now: r.Clock.Now(), Memory: &p.memory.passes}
	if f := run.Spec.OnFailure; f != nil && f.Taint != nil {
		p.in.TaintRefused = r.Policy.Refuses(corev1.Taint{Key: f.Taint.Key, Value: f.Taint.Value, Effect: f.Taint.Effect})
		if p.in.TaintRefused != "" && !observe.Started(run) { // one that has started goes on, and taints nobody
			return nil, observe.Invalid(p.in.TaintRefused)
		}
	}
	var err error
	if p.pin, err = r.readCatalogue(ctx, run); err != nil {
		return nil, err
	}
	if p.in.Tasks, err = observe.Tasks(run, p.pin.snapshot); err != nil {
		return nil, err
	}
	for i := range p.in.Tasks {
		r.Metrics.BenchmarkSeen(p.in.Tasks[i].Name())
	}
	p.in.Profiles, p.badProfiles = peak.ReadProfiles(p.pin.snapshot.HardwareProfiles())
	if err := r.readCluster(ctx, p); err != nil {
		return nil, err
	}
	needs, err := p.in.Needs()
	if err != nil {
		return nil, err
	}
	p.in.Complaints = r.own.Complaints(ctx, needs.StalledJobs)
	p.in.Validations, err = r.readValidations(ctx, needs.Nodes)
	return p, err
}

// readCluster reads nodes, results, MPIJobs and pods.
func (r *Reconciler) readCluster(ctx context.Context, p *pass) (err error) {
	if p.in.Nodes, err = r.readNodes(ctx); err != nil {
		return err
	}
	if p.in.Results, err = r.resultsOf(ctx, p); err != nil {
		return err
	}
	if slices.ContainsFunc(p.in.Tasks, observe.Task.IsGroup) {
		var known bool
		if p.in.Jobs, known, err = r.own.Jobs(ctx, p.run); err != nil {
			return err
		}
		p.in.JobKind = p.memory.sawKind(known, p.in.Now)
	}
	if p.in.Pods, err = r.own.Pods(ctx); err == nil && observe.PastDeadline(p.run, p.in.Now) {
		p.in.Pods, err = r.own.WithLive(ctx, p.run, p.in.Pods)
	}
	p.in.Busy = r.recent.BusyNodes(p.in.Now, p.in.BusyFor())
	p.in.CutShort, p.in.StartedAnew, p.in.ShortSince = p.memory.cut, p.memory.anew, p.memory.short
	if err != nil {
		return err
	}
	if err := r.readRecords(ctx, p); err != nil {
		return err
	}
	return r.readKnown(ctx, p)
}

// readRecords reads which nodes are to carry the taint, and what other runs convicted lately, as the cache shows it. Whoever calls a node unfit asks
// once more by what is listed live.
func (r *Reconciler) readRecords(ctx context.Context, p *pass) error {
	var err error
	if p.quarantined, err = r.nodes.ListQuarantined(ctx); err != nil {
		return err
	}
	convicted, err := r.nodes.Records(ctx, client.MatchingLabels{v1alpha1.LabelConvicted: "true"})
	p.in.Elsewhere = r.nodes.Elsewhere(ctx, p.run.UID, p.in.Nodes, p.in.Now, list.Map(convicted, func(v v1alpha1.NodeValidation) metav1.ObjectMeta { return v.ObjectMeta }))
	return err
}

func (r *Reconciler) readNodes(ctx context.Context) ([]*corev1.Node, error) {
	var found corev1.NodeList
	if err := r.List(ctx, &found, controllers.Shared); err != nil {
		return nil, fmt.Errorf("listing nodes: %w", err)
	}
	nodes := make([]*corev1.Node, len(found.Items))
	for i := range found.Items {
		nodes[i] = recentwrites.Fresh(r.recent, &found.Items[i])
	}
	return r.Devices.Show(ctx, nodes)
}
