// Long, because it is one stand-in for the MPI Operator and its pods.

package controllers_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	mpi "github.com/kubeflow/mpi-operator/pkg/apis/kubeflow/v2beta1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// mpiOperator pretends what Kubernetes and the MPI Operator make of MPIJobs: it creates their workers, and once all are ready
// the launcher; schedules, runs and ends them; and collects what a deleted MPIJob leaves. It acts on the run of the lab that
// plays it.
type mpiOperator struct {
	fabric fabric
	// plays says what a job does. Unset: it measures the fabric in 10 seconds.
	plays func(j job) performance
	// silent: it reacts to no MPIJob.
	silent bool
	// rejects every MPIJob by an event with this message.
	rejects string
	// foreign work holds the devices of this node: no worker is placed there.
	foreign string
	// told events, by the UID of their MPIJob.
	told sync.Map
}

// performance is what the pods of one MPIJob do.
type performance struct {
	// takes this long. Zero: 10 seconds.
	takes time.Duration
	// forever: the launcher does not end.
	forever bool
	// loses the worker on this node five seconds after the launcher has started, and its launcher does not notice.
	loses string
	// wrongData: the program's check of its own data fails.
	wrongData bool
	// exit code of the launcher, with nothing measured.
	exit int32
}

func (m *mpiOperator) performanceOf(j job) performance {
	var p performance
	if m.plays != nil {
		p = m.plays(j)
	}
	p.takes = cmp.Or(p.takes, 10*time.Second)
	return p
}

// job is what tests see of an MPIJob: its nodes by their short names.
type job struct {
	benchmark      string
	nodes          []string
	attempt, round int
}

func (j job) has(node string) bool { return slices.Contains(j.nodes, node) }

func (l *lab) job(o metav1.Object) job {
	l.t.Helper()
	var nodes []v1alpha1.ObjectReference
	l.must(json.Unmarshal([]byte(o.GetAnnotations()[v1alpha1.AnnotationNodes]), &nodes))
	j := job{benchmark: o.GetLabels()[v1alpha1.LabelBenchmark]}
	j.attempt, _ = strconv.Atoi(o.GetAnnotations()[v1alpha1.AnnotationAttempt])
	j.round, _ = strconv.Atoi(o.GetAnnotations()[v1alpha1.AnnotationRound])
	for _, n := range nodes {
		j.nodes = append(j.nodes, strings.TrimPrefix(n.Name, l.nodes+"-"))
	}
	return j
}

// jobs of the run; none where the cluster does not know the kind.
func (l *lab) jobs() []mpi.MPIJob {
	l.t.Helper()
	var jobs mpi.MPIJobList
	err := api.List(l.t.Context(), &jobs, client.InNamespace(namespace), client.MatchingLabels{v1alpha1.LabelRunName: l.name})
	if meta.IsNoMatchError(err) || apierrors.IsNotFound(err) {
		return nil
	}
	l.must(err)
	return jobs.Items
}

func (l *lab) jobPods() []corev1.Pod {
	return slices.DeleteFunc(l.pods(), func(p corev1.Pod) bool { return !ofJob(&p) })
}

// play is the next step of everything that belongs to the run's MPIJobs, and when something happens next by itself.
func (m *mpiOperator) play(l *lab) (changed bool, next time.Time) {
	l.t.Helper()
	jobs, pods := l.jobs(), l.jobPods()
	changed = m.collectGarbage(l, jobs, pods)
	for i := range jobs {
		if m.operate(l, &jobs[i], owned(pods, &jobs[i])) {
			changed = true
		}
	}
	w := l.look(jobs)
	for i := range w.pods {
		pod := &w.pods[i]
		if !ofJob(pod) {
			continue
		}
		var p performance
		if j := slices.IndexFunc(jobs, func(j mpi.MPIJob) bool { return belongs(pod, &j) }); j >= 0 {
			p = m.performanceOf(l.job(&jobs[j]))
		}
		did, at := m.playPod(l, pod, p, w)
		changed, next = changed || did, earlier(next, at)
	}
	return changed, next
}

// owned are the pods of a job.
func owned(pods []corev1.Pod, j *mpi.MPIJob) []corev1.Pod {
	return slices.DeleteFunc(slices.Clone(pods), func(p corev1.Pod) bool { return !belongs(&p, j) })
}

// belongs: the launcher's pod is known by an annotation, as its owner is a Job.
func belongs(p *corev1.Pod, j *mpi.MPIJob) bool {
	return metav1.IsControlledBy(p, j) || p.Annotations["test/mpijob-uid"] == string(j.UID)
}

// collectGarbage deletes what belonged to an MPIJob that is gone, which an API server alone does not do.
func (m *mpiOperator) collectGarbage(l *lab, jobs []mpi.MPIJob, pods []corev1.Pod) (changed bool) {
	l.t.Helper()
	for i := range pods {
		p := &pods[i]
		if p.DeletionTimestamp != nil || slices.ContainsFunc(jobs, func(j mpi.MPIJob) bool { return belongs(p, &j) }) {
			continue
		}
		l.must(client.IgnoreNotFound(api.Delete(l.t.Context(), p)))
		changed = true
	}
	return changed
}

// operate is what the MPI Operator does for one job.
func (m *mpiOperator) operate(l *lab, j *mpi.MPIJob, pods []corev1.Pod) (changed bool) {
	l.t.Helper()
	if m.silent || j.DeletionTimestamp != nil {
		return false
	}
	if m.rejects != "" {
		return m.reject(l, j)
	}
	template := j.Spec.MPIReplicaSpecs[mpi.MPIReplicaTypeWorker]
	ready := 0
	for i := range int(*template.Replicas) {
		name := fmt.Sprintf("%s-worker-%d", j.Name, i)
		at := slices.IndexFunc(pods, func(p corev1.Pod) bool { return p.Name == name })
		if at >= 0 {
			if isPodReady(&pods[at]) {
				ready++
			}
			continue
		}
		worker := podOf(j, template, name)
		worker.Labels[mpi.ReplicaIndexLabel] = strconv.Itoa(i)
		worker.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(j, mpi.SchemeGroupVersionKind)}
		// While a pod of this name of an earlier job goes, the real one tries again and again.
		if err := api.Create(l.t.Context(), worker); !apierrors.IsAlreadyExists(err) {
			l.must(err)
			changed = true
		}
	}
	launched := slices.ContainsFunc(pods, func(p corev1.Pod) bool { return isLauncher(&p) })
	if ready == int(*template.Replicas) && !launched {
		return m.launch(l, j) || changed
	}
	return changed
}

// reject tells of an invalid MPIJob the way the real one does: by an event, once.
func (m *mpiOperator) reject(l *lab, j *mpi.MPIJob) bool {
	l.t.Helper()
	if _, known := m.told.LoadOrStore(j.UID, true); known {
		return false
	}
	l.create(&corev1.Event{ObjectMeta: metav1.ObjectMeta{GenerateName: j.Name + ".", Namespace: namespace}, Type: corev1.EventTypeWarning,
		InvolvedObject: corev1.ObjectReference{APIVersion: mpi.SchemeGroupVersion.String(), Kind: mpi.Kind, Namespace: namespace, Name: j.Name, UID: j.UID},
		Reason:         "ValidationError", Message: m.rejects, FirstTimestamp: metav1.Now(), LastTimestamp: metav1.Now()})
	return true
}

// launch creates the Job of the launcher and, as the Job controller does, its pod.
func (m *mpiOperator) launch(l *lab, j *mpi.MPIJob) bool {
	l.t.Helper()
	template := j.Spec.MPIReplicaSpecs[mpi.MPIReplicaTypeLauncher]
	pod := podOf(j, template, j.Name+"-launcher-x"+string(j.UID[:4]))
	launcher := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: j.Name + "-launcher", Namespace: namespace,
		OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(j, mpi.SchemeGroupVersionKind)}},
		Spec: batchv1.JobSpec{BackoffLimit: j.Spec.RunPolicy.BackoffLimit, ActiveDeadlineSeconds: j.Spec.RunPolicy.ActiveDeadlineSeconds,
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: pod.Labels}, Spec: pod.Spec}}}
	err := api.Create(l.t.Context(), launcher)
	if apierrors.IsAlreadyExists(err) { // that of an earlier MPIJob of this name, for the garbage collector
		l.must(api.Delete(l.t.Context(), launcher, client.PropagationPolicy(metav1.DeletePropagationBackground)))
		return true
	}
	l.must(err)
	pod.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(launcher, batchv1.SchemeGroupVersion.WithKind("Job"))}
	metav1.SetMetaDataAnnotation(&pod.ObjectMeta, "test/mpijob-uid", string(j.UID))
	l.must(api.Create(l.t.Context(), pod))
	return true
}

// podOf is a pod of a job's template, with what the MPI Operator adds.
func podOf(j *mpi.MPIJob, replica *mpi.ReplicaSpec, name string) *corev1.Pod {
	template := replica.Template.DeepCopy()
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: j.Namespace, Labels: template.Labels, Annotations: template.Annotations}, Spec: template.Spec}
	pod.Labels[mpi.OperatorNameLabel], pod.Labels[mpi.JobNameLabel] = mpi.OperatorName, j.Name
	pod.Labels[mpi.JobRoleLabel] = pod.Labels[v1alpha1.LabelJobRole]
	pod.Spec.RestartPolicy = corev1.RestartPolicy(replica.RestartPolicy)
	pod.Spec.Subdomain = j.Name
	return pod
}

func isPodReady(p *corev1.Pod) bool {
	return slices.ContainsFunc(p.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
	})
}

// playPod is the next step in the life of one pod of a job: it is scheduled and started, listens, and ends.
func (m *mpiOperator) playPod(l *lab, pod *corev1.Pod, p performance, w *world) (changed bool, next time.Time) {
	l.t.Helper()
	switch {
	case pod.Spec.NodeName == "":
		return m.schedule(l, pod, w), time.Time{}
	case !w.ready[pod.Spec.NodeName]:
		err := api.Get(l.t.Context(), client.ObjectKey{Name: pod.Spec.NodeName}, &corev1.Node{})
		if gone := apierrors.IsNotFound(err) && pod.DeletionTimestamp != nil && len(pod.Finalizers) == 0; gone {
			l.collect(pod)
			return true, time.Time{}
		}
		return false, time.Time{} // no kubelet is there
	case pod.DeletionTimestamp != nil && len(pod.Finalizers) > 0:
		return false, time.Time{} // it hangs
	case pod.DeletionTimestamp != nil:
		l.must(client.IgnoreNotFound(api.Delete(l.t.Context(), pod, client.GracePeriodSeconds(0))))
		return true, time.Time{}
	case pod.Status.Phase != corev1.PodRunning:
		return false, time.Time{}
	case isLauncher(pod):
		return m.playLauncher(l, pod, p, w)
	}
	began := pod.Status.ContainerStatuses[0].State.Running.StartedAt
	if !isPodReady(pod) {
		l.setStatus(pod, running(began.Time, true))
		return true, time.Time{}
	}
	launcher := w.launcher(pod)
	if p.loses == "" || pod.Spec.NodeName != l.node(p.loses) || launcher == nil {
		return false, time.Time{}
	}
	if ends := launcher.Status.ContainerStatuses[0].State.Running.StartedAt.Add(5 * time.Second); l.clock.Now().Before(ends) {
		return false, ends
	}
	l.setStatus(pod, l.ended(pod, program{exit: 137, reason: "Error"}, began))
	return true, time.Time{}
}

func (m *mpiOperator) playLauncher(l *lab, pod *corev1.Pod, p performance, w *world) (changed bool, next time.Time) {
	l.t.Helper()
	began := pod.Status.ContainerStatuses[0].State.Running.StartedAt
	if p.forever || p.loses != "" {
		return false, time.Time{}
	}
	if ends := began.Add(p.takes); l.clock.Now().Before(ends) {
		return false, ends
	}
	m.end(l, pod, p, began, w)
	return true, time.Time{}
}

// ofJob and isLauncher ask for the owner: a kubelet may have changed the labels.
func ofJob(p *corev1.Pod) bool {
	owner := metav1.GetControllerOf(p)
	return owner != nil && (owner.Kind == mpi.Kind || owner.Kind == "Job")
}

func isLauncher(p *corev1.Pod) bool {
	owner := metav1.GetControllerOf(p)
	return owner != nil && owner.Kind == "Job"
}

// world is what scheduler and kubelets know in one step.
type world struct {
	jobs []mpi.MPIJob
	pods []corev1.Pod
	// ready nodes; taken are those where something measures already.
	ready, taken map[string]bool
}

func (l *lab) look(jobs []mpi.MPIJob) *world {
	l.t.Helper()
	w := &world{jobs: jobs, pods: l.pods(), ready: map[string]bool{}, taken: map[string]bool{}}
	var nodes corev1.NodeList
	l.must(api.List(l.t.Context(), &nodes, labelled(l.nodes)))
	for i := range nodes.Items {
		w.ready[nodes.Items[i].Name] = isReady(&nodes.Items[i])
	}
	for _, p := range w.pods {
		over := p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed
		w.taken[p.Spec.NodeName] = w.taken[p.Spec.NodeName] || !over && !isLauncher(&p)
	}
	return w
}

// launcher that runs in the job of a pod; nil for none.
func (w *world) launcher(pod *corev1.Pod) *corev1.Pod {
	job := slices.IndexFunc(w.jobs, func(j mpi.MPIJob) bool { return belongs(pod, &j) })
	i := slices.IndexFunc(w.pods, func(p corev1.Pod) bool {
		return job >= 0 && isLauncher(&p) && belongs(&p, &w.jobs[job]) && p.Status.Phase == corev1.PodRunning
	})
	if i < 0 {
		return nil
	}
	return &w.pods[i]
}

func running(since time.Time, ready bool) corev1.PodStatus {
	s := containerStatus(corev1.PodRunning, corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(since)}})
	s.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionTrue}, {Type: corev1.PodReady, Status: corev1.ConditionFalse}}
	if ready {
		s.Conditions[1].Status = corev1.ConditionTrue
	}
	s.Conditions[1].LastTransitionTime = metav1.NewTime(since)
	return s
}

// schedule binds a pod to one of the nodes of its job, and a worker to one where nothing of this run measures; it starts at once.
func (m *mpiOperator) schedule(l *lab, pod *corev1.Pod, w *world) bool {
	l.t.Helper()
	if pod.DeletionTimestamp != nil {
		return false
	}
	for _, term := range pod.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms {
		name := term.MatchFields[0].Values[0]
		if !w.ready[name] || (w.taken[name] || m.foreign != "" && name == l.node(m.foreign)) && !isLauncher(pod) {
			continue
		}
		w.taken[name] = true
		err := api.SubResource("binding").Create(l.t.Context(), pod, &corev1.Binding{Target: corev1.ObjectReference{Kind: "Node", Name: name}})
		if apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
			return true // it was deleted meanwhile
		}
		l.must(err)
		l.must(client.IgnoreNotFound(api.Get(l.t.Context(), client.ObjectKeyFromObject(pod), pod)))
		l.setStatus(pod, running(l.clock.Now(), false))
		return true
	}
	if len(pod.Status.Conditions) > 0 || isLauncher(pod) {
		return false
	}
	l.setStatus(pod, corev1.PodStatus{Phase: corev1.PodPending, Conditions: []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse,
		Reason: corev1.PodReasonUnschedulable, Message: "0/4 nodes are available: 1 Insufficient nvidia.com/gpu."}}})
	return true
}

// end of a launcher. The MPI Operator then removes the workers, as cleanPodPolicy All says. It is not played where the launcher
// failed: the API server dates a deletion by its own clock, before a launcher's end by the clock of the test.
func (m *mpiOperator) end(l *lab, launcher *corev1.Pod, p performance, began metav1.Time, w *world) {
	l.t.Helper()
	if p.exit != 0 {
		l.setStatus(launcher, l.ended(launcher, program{exit: p.exit, reason: "Error", message: "mpirun: a rank ended"}, began))
		return
	}
	job := slices.IndexFunc(w.jobs, func(j mpi.MPIJob) bool { return belongs(launcher, &j) })
	if job < 0 {
		return
	}
	text := l.groupEnvelope(m.fabric, l.job(&w.jobs[job]), p, began.Time)
	l.setStatus(launcher, l.ended(launcher, program{message: text}, began))
	for i := range w.pods {
		if belongs(&w.pods[i], &w.jobs[job]) && w.pods[i].Name != launcher.Name {
			l.must(client.IgnoreNotFound(api.Delete(l.t.Context(), &w.pods[i])))
		}
	}
}

// The MPI Operator's CRD comes and goes: a test that needs it asks for it.
var mpiCRD struct {
	sync.Mutex
	installed bool
}

func mpiCRDOptions() (options envtest.CRDInstallOptions, err error) {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/kubeflow/mpi-operator").Output()
	if err != nil {
		return options, fmt.Errorf("finding the module of the MPI Operator: %w", err)
	}
	path := filepath.Join(strings.TrimSpace(string(dir)), "manifests", "base", "kubeflow.org_mpijobs.yaml")
	return envtest.CRDInstallOptions{Paths: []string{path}, ErrorIfPathMissing: true, MaxTime: patience}, nil
}

func installMPIJobs(t *testing.T) {
	t.Helper()
	mpiCRD.Lock()
	defer mpiCRD.Unlock()
	if mpiCRD.installed {
		return
	}
	options, err := mpiCRDOptions()
	if err == nil {
		_, err = envtest.InstallCRDs(config, options)
	}
	if err != nil {
		t.Fatal(err)
	}
	mpiCRD.installed = true
}

// removeMPIJobs takes the CRD away, and all MPIJobs with it: not for tests that run beside others.
func removeMPIJobs(t *testing.T) {
	t.Helper()
	mpiCRD.Lock()
	defer mpiCRD.Unlock()
	if !mpiCRD.installed {
		return
	}
	options, err := mpiCRDOptions()
	if err == nil {
		err = envtest.UninstallCRDs(config, options)
	}
	if err != nil {
		t.Fatal(err)
	}
	mpiCRD.installed = false
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for {
		err := api.List(ctx, &mpi.MPIJobList{}, client.InNamespace(namespace))
		if meta.IsNoMatchError(err) || apierrors.IsNotFound(err) {
			break
		}
		if ctx.Err() != nil {
			t.Fatalf("MPIJobs are still known after %s: %v", patience, err)
		}
	}
}
