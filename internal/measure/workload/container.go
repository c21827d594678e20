package workload

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
)

// bareContainer is where a benchmark's program runs, with nothing said of what it starts.
func bareContainer(b *v1alpha1.Benchmark, node *corev1.Node) corev1.Container {
	return corev1.Container{
		Name:            ProgramContainer,
		Image:           b.Spec.Image,
		WorkingDir:      "/tmp",
		Resources:       resources(b, node),
		SecurityContext: programSecurity(b.Spec.Privileges),
		VolumeMounts:    append([]corev1.VolumeMount{{Name: "tmp", MountPath: "/tmp"}}, mounts(b)...),
	}
}

func program(l Launch) corev1.Container {
	c := bareContainer(l.Benchmark, l.Node)
	c.Command = append([]string{runnerPath, "exec"}, runnerArguments(l.Benchmark)...)
	c.Args = escape(append([]string{"--"}, l.Argv...))
	c.Env = environment(l.Benchmark)
	c.TerminationMessagePolicy = corev1.TerminationMessageFallbackToLogsOnError
	c.VolumeMounts = append([]corev1.VolumeMount{{Name: "assay", MountPath: runnerDir, ReadOnly: true}}, c.VolumeMounts...)
	return c
}

func environment(b *v1alpha1.Benchmark, more ...corev1.EnvVar) []corev1.EnvVar {
	env := append([]corev1.EnvVar{{Name: "HOME", Value: "/tmp"}}, more...)
	return append(env, list.Map(b.Spec.Env, func(e v1alpha1.EnvVar) corev1.EnvVar {
		return corev1.EnvVar{Name: e.Name, Value: escape([]string{e.Value})[0]}
	})...)
}

// runnerArguments tell the runner how to read the program's output and when to stop it.
func runnerArguments(b *v1alpha1.Benchmark) []string {
	args := []string{"--format", string(b.Spec.Output.Format), "--timeout", fmt.Sprintf("%ds", b.Spec.TimeoutSeconds)}
	if b.Spec.Output.Format == v1alpha1.FormatRegex {
		for _, m := range b.Spec.Metrics {
			metric := m.Name + "=" + m.Unit
			if m.Better == v1alpha1.Lower {
				metric += ":lower"
			}
			args = append(args, "--metric", metric)
		}
		for _, p := range b.Spec.Output.Patterns {
			args = append(args, "--pattern", p.Metric+"="+p.Regexp)
		}
	}
	return escape(args)
}

// escape keeps Kubernetes from expanding $(NAME) in arguments.
func escape(args []string) []string {
	return list.Map(args, func(a string) string { return strings.ReplaceAll(a, "$(", "$$(") })
}

func resources(b *v1alpha1.Benchmark, node *corev1.Node) corev1.ResourceRequirements {
	r := corev1.ResourceRequirements{Requests: b.Spec.Needs.Requests.DeepCopy(), Limits: b.Spec.Needs.Limits.DeepCopy()}
	if name, all := b.Spec.Needs.DeviceResource, Devices(b, node); name != "" {
		r.Limits, r.Requests = with(r.Limits, name, all), with(r.Requests, name, all)
	}
	return r
}

func restricted() *corev1.SecurityContext {
	return &corev1.SecurityContext{
		RunAsNonRoot:             new(true),
		RunAsUser:                new(programUser),
		RunAsGroup:               new(programUser),
		ReadOnlyRootFilesystem:   new(true),
		AllowPrivilegeEscalation: new(false),
		Capabilities:             &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
		SeccompProfile:           &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
	}
}

func programSecurity(p v1alpha1.Privileges) *corev1.SecurityContext {
	if p.Privileged {
		return &corev1.SecurityContext{Privileged: new(true), RunAsUser: new(int64(0))}
	}
	sc := restricted()
	if p.RunAsRoot {
		sc.RunAsNonRoot, sc.RunAsUser, sc.RunAsGroup = new(false), new(int64(0)), new(int64(0))
	}
	sc.Capabilities.Add = list.Map(p.Capabilities, func(c string) corev1.Capability { return corev1.Capability(c) })
	return sc
}
