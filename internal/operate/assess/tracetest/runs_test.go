package tracetest

import (
	"cmp"
	"errors"
	"iter"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/peak"
	"github.com/assay-dev/assay/internal/operate/assess"
	"github.com/assay-dev/assay/internal/operate/assess/judge"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
	"github.com/assay-dev/assay/internal/operate/catalogue"
	"github.com/assay-dev/assay/internal/operate/pack"
)

// run is a ValidationRun, and what the controller remembers of it between two passes.
type run struct {
	*world
	object *v1alpha1.ValidationRun
	// asked is what the script asks of it, until the trace tells it.
	asked string
	// pin is what the run was started with; nil: it is not.
	pin *catalogue.Snapshot
	// known is what other nodes had reached when the run started, or when the operator started anew; nil: it has not.
	known     []observe.Known
	knownAnew bool
	kind      observe.JobKind
	// memory of the passes before.
	memory observe.Memory
	busy   map[string]busyNode
	// cutShort is what attempts waited for that the deadline cut short.
	cutShort map[observe.Attempted]string
	// startedAnew are the pods and MPIJobs that made way for others.
	startedAnew observe.StartedAnew
	// shortSince is when it first saw nodes offer too few devices.
	shortSince map[observe.Short]time.Time
	// recheck is when the run asked to be looked at; zero: not without a change.
	recheck time.Time
	// reported is when the status was written last.
	reported time.Time
	shown    map[string]v1alpha1.NodeRow
	found    map[string]bool
}

type busyNode struct {
	why string
	at  time.Time
}

func (w *world) addRun(object *v1alpha1.ValidationRun, asked string) {
	w.created(&object.ObjectMeta)
	object.Generation = 1
	w.runs = append(w.runs, &run{world: w, object: object, asked: asked, busy: map[string]busyNode{}, cutShort: map[observe.Attempted]string{}, startedAnew: observe.StartedAnew{}, shown: map[string]v1alpha1.NodeRow{}, found: map[string]bool{}})
}

// pass is one look of the controller at a run: read, assess, write, report.
func (r *run) pass() (changed bool) {
	before := r.happened
	r.passBegan = len(r.lines)
	if r.object.Finished() {
		r.recheck = time.Time{}
		if r.cleanUp() {
			r.recheck = r.now.Add(assess.CleanupRecheck)
		}
		return r.happened > before
	}
	in, err := r.input()
	if err == nil {
		err = r.assess(in)
	}
	if err != nil {
		r.invalid(err)
	}
	return r.happened > before
}

func (r *run) assess(in observe.Input) error {
	out, err := r.assessByPast(in)
	if err != nil {
		return err
	}
	r.checkPlan(&out)
	r.checkMemory(in, &out)
	r.passes++
	written := r.write(in, &out)
	report := out.Report(written)
	r.recheck = time.Time{}
	if report.Recheck > 0 {
		r.recheck = r.now.Add(report.Recheck)
	}
	// Progress is written at most once a second; what a script waits for, at once.
	if since := r.now.Sub(r.reported); !report.Over && observe.Started(r.object) && since < time.Second && alike(r.object.Status.Conditions, report.Status.Conditions) {
		if !equality.Semantic.DeepEqual(r.object.Status, report.Status) {
			r.recheck = earlier(r.recheck, r.now.Add(time.Second-since))
		}
		return nil
	}
	r.reported = r.now
	r.report(report.Status)
	if report.Over {
		r.checkFinished()
	}
	if report.Over != r.object.Finished() {
		r.t.Errorf("%s: the report says that it is over: %v, its conditions: %v", r.now.Sub(epoch), report.Over, r.object.Status.Conditions)
	}
	return nil
}

// assessByPast gives nodes their histories where that is asked for, some at a time.
func (r *run) assessByPast(in observe.Input) (out assess.Output, err error) {
	collected, err := assess.Collect(in)
	if err != nil {
		return out, err
	}
	needed := judge.NeedsPast(collected)
	for some := range slices.Chunk(needed.Remembered, 3) {
		judge.Judge(collected.Given(r.historiesOf(slices.Values(some))))
	}
	given := r.historiesOf(slices.Values(needed.Together))
	defer r.unchanged(in, given)()
	return assess.Run(collected.Given(given)), nil
}

// historiesOf nodes; nil where there is none.
func (r *run) historiesOf(names iter.Seq[string]) map[string]*v1alpha1.NodeHistory {
	all := map[string]*v1alpha1.NodeHistory{}
	for name := range names {
		all[name] = r.histories[name]
	}
	return all
}

// input is all reading of a pass.
func (r *run) input() (observe.Input, error) {
	in := observe.Input{Run: r.object, Now: r.now, Nodes: r.sortedNodes(), Busy: map[string]string{}, Validations: map[string]*v1alpha1.NodeValidation{},
		Complaints: map[types.UID]string{}, CutShort: r.cutShort, StartedAnew: r.startedAnew, ShortSince: r.shortSince, Memory: &r.memory}
	if f := r.object.Spec.OnFailure; f != nil && f.Taint != nil {
		in.TaintRefused = r.policy.Refuses(corev1.Taint{Key: f.Taint.Key, Value: f.Taint.Value, Effect: f.Taint.Effect})
	}
	snapshot := r.catalogue()
	var err error
	if in.Tasks, err = observe.Tasks(r.object, snapshot); err != nil {
		return in, err
	}
	in.Profiles, _ = peak.ReadProfiles(snapshot.HardwareProfiles())
	for _, v := range r.results {
		if v.Run.UID == r.object.UID {
			in.Results = append(in.Results, r.packed(v))
		}
	}
	if r.known == nil && observe.Started(r.object) {
		r.known, r.knownAnew = r.knownFleet(in), len(in.Results) > 0
	}
	in.Known, in.KnownAnew = r.known, r.knownAnew
	in.Elsewhere = r.elsewhere()
	slices.SortFunc(in.Results, func(a, b *pack.Result) int { return cmp.Compare(a.Head.Name, b.Head.Name) })
	for _, p := range r.pods {
		in.Pods = append(in.Pods, p.object)
	}
	for name, b := range r.busy {
		if r.now.Before(b.at.Add(in.BusyFor())) {
			in.Busy[name] = b.why
		}
	}
	if slices.ContainsFunc(in.Tasks, observe.Task.IsGroup) {
		r.seeKind()
		in.JobKind = r.kind
		for _, j := range r.jobs {
			if metav1.IsControlledBy(&j.meta, r.object) {
				in.Jobs = append(in.Jobs, *j.meta.DeepCopy())
			}
		}
	}
	needs, err := in.Needs()
	for uid := range needs.StalledJobs {
		if why := r.mpi.complaint(uid); why != "" {
			in.Complaints[uid] = why
		}
	}
	for _, name := range needs.Nodes {
		if v := r.validations[name]; v != nil {
			in.Validations[name] = v
		}
	}
	return in, err
}

// packed is a result as the controller holds it: the same one for as long as it is not written.
func (w *world) packed(v *v1alpha1.ValidationResult) *pack.Result {
	p := w.packs[v.Name]
	if p == nil || p.of != v {
		p = &packed{v, w.packer.Pack(v.DeepCopy())}
		w.packs[v.Name] = p
	}
	return p.packed
}

// knownFleet is what the nodes of the cluster have reached by now.
func (r *run) knownFleet(in observe.Input) []observe.Known {
	known := []observe.Known{}
	for name, h := range r.histories {
		for _, k := range observe.KnownOf(h) {
			if v := r.validations[name]; v != nil && observe.Healthy(v, k.Benchmark) {
				known = append(known, k)
			}
		}
	}
	return in.KnownFleet(known, 30*24*time.Hour)
}

// catalogue that the run was, or is to be, started with.
func (r *run) catalogue() catalogue.Snapshot {
	if r.pin != nil {
		return *r.pin
	}
	var chosen []v1alpha1.Benchmark
	for _, ref := range r.object.Spec.Benchmarks {
		i := slices.IndexFunc(r.benchmarks, func(b v1alpha1.Benchmark) bool { return b.Name == ref.Name })
		if i < 0 {
			r.t.Fatalf("the script has no benchmark %s", ref.Name)
		}
		chosen = append(chosen, r.benchmarks[i])
	}
	slices.SortStableFunc(chosen, func(a, b v1alpha1.Benchmark) int {
		return cmp.Or(cmp.Compare(a.Spec.CostSeconds, b.Spec.CostSeconds), cmp.Compare(a.Name, b.Name))
	})
	return catalogue.Take(chosen, r.profiles)
}

// seeKind remembers how the run saw the kind of MPIJobs.
func (r *run) seeKind() {
	r.kind.Known = r.mpi.installed
	switch {
	case r.kind.Known:
		r.kind.Seen, r.kind.MissingSince = true, time.Time{}
	case r.kind.MissingSince.IsZero():
		r.kind.MissingSince = r.now
	}
}

// invalid tells a run what only a person can put right.
func (r *run) invalid(cause error) {
	if !errors.Is(cause, observe.ErrInvalid) {
		r.t.Fatalf("%s: %v", r.now.Sub(epoch), cause)
	}
	deadline := assess.InvalidDeadline(r.object, r.now)
	r.recheck = deadline
	over := !r.now.Before(deadline) && !r.object.Spec.Suspend
	r.report(assess.StalledStatus(r.object, v1alpha1.ReasonInvalid, cause, over, r.now))
}

// cleanUp looks after a run that is over, and says whether pods or MPIJobs of it are left.
func (r *run) cleanUp() (left bool) {
	var jobs []metav1.PartialObjectMetadata
	r.jobs = slices.DeleteFunc(r.jobs, func(j *job) bool {
		if j.run != r.object.Name {
			return false
		}
		jobs = append(jobs, j.meta)
		r.say("delete", j.who(), "%s #%d: leftover", j.benchmark, j.attempt)
		return true
	})
	left = len(jobs) > 0
	for _, p := range slices.Clone(r.pods) {
		if metav1.IsControlledBy(p.object, r.object) || observe.OwnJobPod(r.object, jobs, p.object) {
			n := r.nodes[p.object.Spec.NodeName]
			cutOff := p.object.DeletionTimestamp != nil && p.object.Spec.NodeName != "" && (n == nil || observe.OutOfReach(n, r.now))
			left = left || !cutOff
			r.remove(p, false, "leftover")
		}
	}
	return left
}
