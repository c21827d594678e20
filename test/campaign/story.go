package campaign

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/test/campaign/kube"
	"github.com/assay-dev/assay/test/campaign/oracle"
)

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
