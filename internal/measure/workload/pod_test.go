package workload

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/assay-dev/assay/api/v1alpha1"
)

func launch(change ...func(*Launch)) Launch {
	run := &v1alpha1.ValidationRun{ObjectMeta: metav1.ObjectMeta{Name: "rack-7", UID: "run-uid"}}
	b := &v1alpha1.Benchmark{ObjectMeta: metav1.ObjectMeta{Name: "hbm"}}
	b.Spec.Image, b.Spec.TimeoutSeconds = "registry.example/hbm@sha256:1", 60
	b.Spec.Output.Format = v1alpha1.FormatAssay
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "gpu-1", UID: "node-uid"}}
	node.Status.Allocatable = corev1.ResourceList{"nvidia.com/gpu": resource.MustParse("8"), "cpu": resource.MustParse("64")}
	l := Launch{Run: run, Benchmark: b, Node: node, Argv: []string{"/bin/hbm", "--size=1"}, Attempt: 1, Machine: "5ea15ea1"}
	for _, c := range change {
		c(&l)
	}
	return l
}

var settings = Settings{Namespace: "assay-benchmarks", RunnerImage: "registry.example/runner:1", PriorityClass: "assay-benchmark"}

// restrictedContext is what Pod Security "restricted" asks for, and a read-only root.
func restrictedContext() *corev1.SecurityContext {
	return &corev1.SecurityContext{
		RunAsNonRoot: new(true), RunAsUser: new(int64(65532)), RunAsGroup: new(int64(65532)),
		ReadOnlyRootFilesystem: new(true), AllowPrivilegeEscalation: new(false),
		Capabilities:   &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
		SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
	}
}

func TestPodIsOrdinaryUnlessAsked(t *testing.T) {
	pod := Pod(launch(), settings)
	want := corev1.PodSpec{
		RestartPolicy: corev1.RestartPolicyNever, AutomountServiceAccountToken: new(false), EnableServiceLinks: new(false),
		TerminationGracePeriodSeconds: new(int64(10)), ActiveDeadlineSeconds: new(int64(60 + 1800)), PriorityClassName: "assay-benchmark",
		Affinity: &corev1.Affinity{
			NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
				NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchFields: []corev1.NodeSelectorRequirement{
					{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{"gpu-1"}}}}}}},
			PodAntiAffinity: &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{
				TopologyKey: "kubernetes.io/hostname", LabelSelector: &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{
					{Key: "assay.dev/benchmark", Operator: metav1.LabelSelectorOpExists},
					{Key: "assay.dev/job-role", Operator: metav1.LabelSelectorOpNotIn, Values: []string{"launcher"}}}}}}},
		},
		Tolerations: []corev1.Toleration{{Key: v1alpha1.DefaultTaintKey, Operator: corev1.TolerationOpExists}},
		InitContainers: []corev1.Container{{
			Name: "install-runner", Image: "registry.example/runner:1", Command: []string{"/runner", "install", "/assay/runner"},
			VolumeMounts: []corev1.VolumeMount{{Name: "assay", MountPath: "/assay"}}, SecurityContext: restrictedContext(),
		}},
		Containers: []corev1.Container{{
			Name: "benchmark", Image: "registry.example/hbm@sha256:1",
			Command: []string{"/assay/runner", "exec", "--format", "Assay", "--timeout", "60s"}, Args: []string{"--", "/bin/hbm", "--size=1"},
			Env: []corev1.EnvVar{{Name: "HOME", Value: "/tmp"}}, WorkingDir: "/tmp", SecurityContext: restrictedContext(),
			TerminationMessagePolicy: corev1.TerminationMessageFallbackToLogsOnError,
			VolumeMounts:             []corev1.VolumeMount{{Name: "assay", MountPath: "/assay", ReadOnly: true}, {Name: "tmp", MountPath: "/tmp"}},
		}},
		Volumes: []corev1.Volume{
			{Name: "assay", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{SizeLimit: new(resource.MustParse("64Mi"))}}},
			{Name: "tmp", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{SizeLimit: new(resource.MustParse("10Gi"))}}},
		},
	}
	if diff := cmp.Diff(want, pod.Spec); diff != "" {
		t.Errorf("another pod (-want +got):\n%s", diff)
	}
	meta := metav1.ObjectMeta{
		Name: pod.Name, Namespace: "assay-benchmarks",
		Labels: map[string]string{"app.kubernetes.io/managed-by": "assay", "assay.dev/run": "rack-7", "assay.dev/run-uid": "run-uid", "assay.dev/benchmark": "hbm"},
		Annotations: map[string]string{"assay.dev/node": "gpu-1", "assay.dev/node-uid": "node-uid", "assay.dev/attempt": "1", "assay.dev/machine": "5ea15ea1",
			"assay.dev/configuration":                        Configuration(launch().Benchmark, launch().Argv, launch().Benchmark.Spec.Image),
			"karpenter.sh/do-not-disrupt":                    "true",
			"cluster-autoscaler.kubernetes.io/safe-to-evict": "false"},
		OwnerReferences: []metav1.OwnerReference{{APIVersion: "assay.dev/v1alpha1", Kind: "ValidationRun", Name: "rack-7", UID: "run-uid",
			Controller: new(true), BlockOwnerDeletion: new(true)}},
	}
	if diff := cmp.Diff(meta, pod.ObjectMeta); diff != "" {
		t.Errorf("other metadata (-want +got):\n%s", diff)
	}
}

// TestPrivileges: each privilege of the Benchmark changes just one thing, and the init container never gets any.
func TestPrivileges(t *testing.T) {
	cases := map[string]struct {
		privileges v1alpha1.Privileges
		want       func(*corev1.PodSpec)
	}{
		"privileged": {v1alpha1.Privileges{Privileged: true}, func(s *corev1.PodSpec) {
			s.Containers[0].SecurityContext = &corev1.SecurityContext{Privileged: new(true), RunAsUser: new(int64(0))}
		}},
		"capabilities": {v1alpha1.Privileges{Capabilities: []string{"IPC_LOCK", "SYS_NICE"}}, func(s *corev1.PodSpec) {
			s.Containers[0].SecurityContext.Capabilities.Add = []corev1.Capability{"IPC_LOCK", "SYS_NICE"}
		}},
		"host network": {v1alpha1.Privileges{HostNetwork: true}, func(s *corev1.PodSpec) {
			s.HostNetwork, s.DNSPolicy = true, corev1.DNSClusterFirstWithHostNet
		}},
		"host IPC": {v1alpha1.Privileges{HostIPC: true}, func(s *corev1.PodSpec) { s.HostIPC = true }},
		"folders of the node": {v1alpha1.Privileges{HostPaths: []string{"/mnt/scratch"}}, func(s *corev1.PodSpec) {
			s.Volumes = append(s.Volumes, hostFolder("/mnt/scratch"))
			s.Containers[0].VolumeMounts = append(s.Containers[0].VolumeMounts, corev1.VolumeMount{Name: "host-0", MountPath: "/mnt/scratch"})
		}},
		"root": {v1alpha1.Privileges{RunAsRoot: true}, func(s *corev1.PodSpec) {
			c := s.Containers[0].SecurityContext
			c.RunAsNonRoot, c.RunAsUser, c.RunAsGroup = new(false), new(int64(0)), new(int64(0))
		}},
	}
	for sentence, c := range cases {
		t.Run(sentence, func(t *testing.T) {
			want := Pod(launch(), settings).Spec
			c.want(&want)
			got := Pod(launch(func(l *Launch) { l.Benchmark.Spec.Privileges = c.privileges }), settings).Spec
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("another pod (-want +got):\n%s", diff)
			}
		})
	}
}

func hostFolder(path string) corev1.Volume {
	return corev1.Volume{Name: "host-0", VolumeSource: corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: path, Type: new(corev1.HostPathDirectory)}}}
}

func TestResources(t *testing.T) {
	list := func(pairs ...string) corev1.ResourceList {
		out := corev1.ResourceList{}
		for i := 0; i < len(pairs); i += 2 {
			out[corev1.ResourceName(pairs[i])] = resource.MustParse(pairs[i+1])
		}
		return out
	}
	cases := map[string]struct {
		needs v1alpha1.Needs
		want  corev1.ResourceRequirements
	}{
		"nothing is asked for": {v1alpha1.Needs{}, corev1.ResourceRequirements{}},
		"all devices of the node, requested and limited alike": {v1alpha1.Needs{DeviceResource: "nvidia.com/gpu"},
			corev1.ResourceRequirements{Requests: list("nvidia.com/gpu", "8"), Limits: list("nvidia.com/gpu", "8")}},
		"devices beside the Benchmark's own requests": {
			v1alpha1.Needs{DeviceResource: "nvidia.com/gpu", Requests: list("cpu", "4"), Limits: list("memory", "1Gi")},
			corev1.ResourceRequirements{Requests: list("cpu", "4", "nvidia.com/gpu", "8"), Limits: list("memory", "1Gi", "nvidia.com/gpu", "8")}},
	}
	for sentence, c := range cases {
		t.Run(sentence, func(t *testing.T) {
			l := launch(func(l *Launch) { l.Benchmark.Spec.Needs = c.needs })
			before := l.Benchmark.DeepCopy()
			got := Pod(l, settings).Spec.Containers[0].Resources
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("other resources (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(before, l.Benchmark); diff != "" {
				t.Errorf("the Benchmark was changed:\n%s", diff)
			}
		})
	}
}

func TestSharedMemory(t *testing.T) {
	size := resource.MustParse("2Gi")
	spec := Pod(launch(func(l *Launch) { l.Benchmark.Spec.Needs.SharedMemory = &size }), settings).Spec
	wantVolume := corev1.Volume{Name: "shm", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{
		Medium: corev1.StorageMediumMemory, SizeLimit: &size}}}
	if diff := cmp.Diff(wantVolume, spec.Volumes[len(spec.Volumes)-1]); diff != "" {
		t.Errorf("another volume (-want +got):\n%s", diff)
	}
	mounts := spec.Containers[0].VolumeMounts
	if diff := cmp.Diff(corev1.VolumeMount{Name: "shm", MountPath: "/dev/shm"}, mounts[len(mounts)-1]); diff != "" {
		t.Errorf("another mount (-want +got):\n%s", diff)
	}
}

func TestTolerations(t *testing.T) {
	exists := func(key string, effect corev1.TaintEffect) corev1.Toleration {
		return corev1.Toleration{Key: key, Operator: corev1.TolerationOpExists, Effect: effect}
	}
	own := exists(v1alpha1.DefaultTaintKey, "")
	cases := map[string]struct {
		taints []corev1.Taint
		failed *v1alpha1.Taint
		want   []corev1.Toleration
	}{
		"the taint of another run is tolerated with its effect": {[]corev1.Taint{{Key: "quarantine", Effect: "NoSchedule"}, {Key: "quarantine", Effect: "NoExecute"}}, nil,
			[]corev1.Toleration{own, exists("quarantine", "NoSchedule"), exists("quarantine", "NoExecute")}},
		"others' NoSchedule taints are tolerated": {[]corev1.Taint{{Key: "nvidia.com/gpu", Effect: "NoSchedule"}, {Key: "team", Value: "hpc", Effect: "NoSchedule"}}, nil,
			[]corev1.Toleration{own, exists("nvidia.com/gpu", "NoSchedule"), exists("team", "NoSchedule")}},
		"others' NoExecute taints are not":     {[]corev1.Taint{{Key: "repair", Effect: "NoExecute"}}, nil, []corev1.Toleration{own}},
		"PreferNoSchedule needs no toleration": {[]corev1.Taint{{Key: "spare", Effect: "PreferNoSchedule"}}, nil, []corev1.Toleration{own}},
		"Kubernetes' own taints are never tolerated": {[]corev1.Taint{
			{Key: "node.kubernetes.io/unschedulable", Effect: "NoSchedule"}, {Key: "node.kubernetes.io/not-ready", Effect: "NoSchedule"},
			{Key: "node-role.kubernetes.io/control-plane", Effect: "NoSchedule"}, {Key: "node.cloudprovider.kubernetes.io/uninitialized", Effect: "NoSchedule"}}, nil,
			[]corev1.Toleration{own}},
		"a taint by which an autoscaler announces that it removes the node is not": {[]corev1.Taint{
			{Key: "karpenter.sh/disrupted", Effect: "NoSchedule"}, {Key: "ToBeDeletedByClusterAutoscaler", Value: "1790000000", Effect: "NoSchedule"}}, nil,
			[]corev1.Toleration{own}},
		"the run's own taint is tolerated with every effect": {[]corev1.Taint{{Key: "site/unfit", Effect: "NoSchedule"}}, &v1alpha1.Taint{Key: "site/unfit", Effect: "NoExecute"},
			[]corev1.Toleration{own, exists("site/unfit", "")}},
		"the default taint is tolerated once": {[]corev1.Taint{{Key: v1alpha1.DefaultTaintKey, Effect: "NoSchedule"}}, &v1alpha1.Taint{Key: v1alpha1.DefaultTaintKey, Effect: "NoSchedule"},
			[]corev1.Toleration{own}},
	}
	for sentence, c := range cases {
		t.Run(sentence, func(t *testing.T) {
			got := Pod(launch(func(l *Launch) {
				l.Node.Spec.Taints = c.taints
				l.Quarantine = &v1alpha1.Quarantine{Key: "quarantine", Value: "failed", Effect: "NoExecute"}
				if c.failed != nil {
					l.Run.Spec.OnFailure = &v1alpha1.OnFailure{Taint: c.failed}
				}
			}), settings).Spec.Tolerations
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("other tolerations (-want +got):\n%s", diff)
			}
		})
	}
}

// TestWhatKeepsPodsAway is what no pod tolerates that is made now, and nothing else: who asks before the pod is made hears the same as who makes it.
func TestWhatKeepsPodsAway(t *testing.T) {
	owns := []*v1alpha1.OnFailure{nil, {}, {Taint: &v1alpha1.Taint{Key: "site/unfit", Effect: corev1.TaintEffectNoSchedule}},
		{Taint: &v1alpha1.Taint{Key: "node.kubernetes.io/unfit", Effect: corev1.TaintEffectNoExecute}}}
	quarantines := []*v1alpha1.Quarantine{nil, {Key: "site/old", Effect: corev1.TaintEffectNoExecute}, {Key: "site/unfit", Effect: corev1.TaintEffectNoSchedule}}
	kept := 0
	for _, key := range []string{v1alpha1.DefaultTaintKey, "site/unfit", "site/old", "team", "node.kubernetes.io/unfit", "node.kubernetes.io/not-ready",
		"node-role.kubernetes.io/control-plane", "node.cloudprovider.kubernetes.io/uninitialized", "karpenter.sh/disrupted", "karpenter.sh/unregistered"} {
		for _, effect := range []corev1.TaintEffect{corev1.TaintEffectNoSchedule, corev1.TaintEffectPreferNoSchedule, corev1.TaintEffectNoExecute} {
			for _, own := range owns {
				for _, quarantine := range quarantines {
					l := launch(func(l *Launch) {
						l.Node.Spec.Taints = []corev1.Taint{{Key: key, Effect: effect, Value: "any"}}
						l.Run.Spec.OnFailure, l.Quarantine = own, quarantine
					})
					tolerated := effect == corev1.TaintEffectPreferNoSchedule
					for _, o := range Pod(l, settings).Spec.Tolerations {
						tolerated = tolerated || o.Key == key && o.Operator == corev1.TolerationOpExists && (o.Effect == "" || o.Effect == effect)
					}
					by := KeptBy(l.Node, own, quarantine)
					if (by == nil) != tolerated {
						t.Errorf("%s:%s by %+v and %+v: kept by %v, but its pod tolerates it: %v", key, effect, own, quarantine, by, tolerated)
					}
					if by != nil {
						kept++
					}
				}
			}
		}
	}
	if kept == 0 {
		t.Error("nothing keeps any pod away")
	}
}

// TestNothingIsExpanded: Kubernetes expands $(NAME) in commands, arguments and variables; here it never may.
func TestNothingIsExpanded(t *testing.T) {
	c := Pod(launch(func(l *Launch) {
		l.Argv = []string{"p", "$(HOME)", "$$(HOME)", "; rm -rf /"}
		l.Benchmark.Spec.Env = []v1alpha1.EnvVar{{Name: "X", Value: "a$(HOME)b"}}
		l.Benchmark.Spec.Output = v1alpha1.Output{Format: v1alpha1.FormatRegex, Patterns: []v1alpha1.OutputPattern{{Metric: "rate", Regexp: `^$(?P<value>.*)$(x)`}}}
		l.Benchmark.Spec.Metrics = []v1alpha1.Metric{{Name: "rate", Unit: "GB/s"}}
	}), settings).Spec.Containers[0]
	if diff := cmp.Diff([]string{"--", "p", "$$(HOME)", "$$$(HOME)", "; rm -rf /"}, c.Args); diff != "" {
		t.Errorf("other arguments (-want +got):\n%s", diff)
	}
	wantCommand := []string{"/assay/runner", "exec", "--format", "Regex", "--timeout", "60s", "--metric", "rate=GB/s", "--pattern", `rate=^$$(?P<value>.*)$$(x)`}
	if diff := cmp.Diff(wantCommand, c.Command); diff != "" {
		t.Errorf("another command (-want +got):\n%s", diff)
	}
	if got := c.Env[1].Value; got != "a$$(HOME)b" {
		t.Errorf("the variable is %q", got)
	}
}

func TestPodName(t *testing.T) {
	long := types.UID(strings.Repeat("n", 253))
	base := PodName("run", "node", "hbm", 1)
	for sentence, name := range map[string]string{
		"another run":       PodName("run2", "node", "hbm", 1),
		"another node":      PodName("run", "node2", "hbm", 1),
		"another benchmark": PodName("run", "node", "hbm2", 1),
		"another attempt":   PodName("run", "node", "hbm", 2),
	} {
		if name == base {
			t.Errorf("%s has the same name %s", sentence, name)
		}
	}
	if again := PodName("run", "node", "hbm", 1); again != base {
		t.Errorf("the same attempt has two names: %s and %s", base, again)
	}
	for _, name := range []string{base, PodName(long, long, strings.Repeat("b.", 31)+"b", 8), PodName("r", "n", strings.Repeat("a", 39)+"-"+"b", 1)} {
		if problems := validation.IsDNS1123Label(name); len(problems) > 0 || len(name) > 63 {
			t.Errorf("%s (%d characters) is no name for a pod: %v", name, len(name), problems)
		}
	}
	pod := Pod(launch(func(l *Launch) { l.Node.Name = strings.Repeat("n", 253) }), settings)
	if pod.Name != Pod(launch(), settings).Name {
		t.Errorf("the name depends on more than the UIDs: %s", pod.Name)
	}
}

func TestDevices(t *testing.T) {
	l := launch()
	l.Benchmark.Spec.Needs.DeviceResource = "nvidia.com/gpu"
	if got := Devices(l.Benchmark, l.Node); got.Value() != 8 {
		t.Errorf("the node offers %d devices, want 8", got.Value())
	}
}
