package campaign

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/assay-dev/assay/test/campaign/cases"
	"github.com/assay-dev/assay/test/campaign/cluster"
	"github.com/assay-dev/assay/test/campaign/kube"
	"github.com/assay-dev/assay/test/campaign/operator"
)

// webhook of somebody else that is asked about writes for a while.
type webhook struct {
	cases.Happening
	until time.Time
}

func (w *world) beginWebhook(h cases.Happening) {
	w.webhooks = append(w.webhooks, webhook{h, w.Now().Add(h.For)})
}

// exempt from webhooks is Kubernetes itself: what it tries again and again until it may is not simulated.
var exempt = []string{"kubelet", "scheduler", "claims", "gc", "podgc", "lifecycle", "driver", "discovery"}

// admit a write, or say why not. It may be changed.
func (w *world) admit(r *kube.Request) error {
	changed := false
	for _, hook := range w.webhooks {
		if !w.Now().Before(hook.until) {
			continue
		}
		if hook.What == "a webhook refuses" && hook.fits(r) {
			w.Figures.Faults["(a webhook refuses a write)"]++
			if operator.Is(r.By) {
				w.leaders.Troubled(w.Now())
			}
			return hook.refusal(r)
		}
		changed = w.change(&hook, r) || changed
	}
	if !w.Case.Admission {
		return nil
	}
	if err := w.validate(r); err != nil {
		return err
	}
	return w.enforce(r, changed)
}

// change what is written, as a webhook does, and say whether it has.
func (w *world) change(hook *webhook, r *kube.Request) bool {
	switch pod, isPod := r.After.(*corev1.Pod); hook.What {
	case "a webhook puts into pods":
		if isPod && r.Before == nil && pod.Namespace == cases.Namespace {
			hook.putInto(pod)
			return true
		}
	case "a webhook labels nodes":
		if node, ok := r.After.(*corev1.Node); ok && !r.Status {
			metav1.SetMetaDataLabel(&node.ObjectMeta, cluster.HookLabel, "x")
			return true
		}
	case "a webhook strips Assay's marks from":
		return w.strip(hook, r)
	}
	return false
}

func (h *webhook) fits(r *kube.Request) bool {
	return r.Kind == h.Kind && (h.Verb == "" || h.Verb == r.Verb) && (h.Name == "" || h.Name == r.Object().GetName()) && !slices.Contains(exempt, r.By)
}

func (h *webhook) refusal(r *kube.Request) error {
	const name = `admission webhook "guard.site" denied the request`
	of := schema.GroupResource{Resource: r.Kind}
	switch h.How {
	case cases.SaysForbidden:
		return apierrors.NewForbidden(of, r.Object().GetName(), errors.New(name))
	case cases.SaysNoCode:
		return &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: http.StatusBadRequest, Message: name + " without explanation"}}
	}
	return apierrors.NewInternalError(fmt.Errorf(`failed calling webhook "guard.site": failed to call webhook: context deadline exceeded`))
}

func (h *webhook) putInto(pod *corev1.Pod) {
	switch h.How {
	case cases.AddsLabel:
		metav1.SetMetaDataLabel(&pod.ObjectMeta, cluster.HookLabel, "x")
		metav1.SetMetaDataAnnotation(&pod.ObjectMeta, cluster.HookLabel, "x")
	case cases.AddsToleration:
		pod.Spec.Tolerations = append(pod.Spec.Tolerations, corev1.Toleration{Key: "site/team", Operator: corev1.TolerationOpExists})
	case cases.AddsSelector:
		pod.Spec.NodeSelector = map[string]string{cluster.HookLabel: "x"}
	case cases.AddsSidecar:
		pod.Spec.Containers = append([]corev1.Container{{Name: cluster.Sidecar, Image: "sidecar:1"}}, pod.Spec.Containers...)
	case cases.AddsInit:
		pod.Spec.InitContainers = append(pod.Spec.InitContainers, corev1.Container{Name: "hook", Image: "hook:1"})
	}
}

// strip Assay's labels and annotations from a node, or from a pod that is made, and say whether there were any.
func (w *world) strip(hook *webhook, r *kube.Request) bool {
	if r.After == nil || !hook.stripsFrom(r) {
		return false
	}
	ours := func(key, _ string) bool { return strings.HasPrefix(key, "assay.dev/") }
	labels, annotations := maps.Clone(r.After.GetLabels()), maps.Clone(r.After.GetAnnotations())
	maps.DeleteFunc(labels, ours)
	maps.DeleteFunc(annotations, ours)
	if len(labels) == len(r.After.GetLabels()) && len(annotations) == len(r.After.GetAnnotations()) {
		return false
	}
	w.Figures.Faults["(a webhook strips a "+r.Kind+")"]++
	if r.Kind == "Pod" {
		w.Labelled[r.After.GetName()] = r.After.GetLabels()
	} else {
		w.oracle.Stripped(r.After.GetName())
	}
	r.After.SetLabels(labels)
	r.After.SetAnnotations(annotations)
	return true
}

func (h *webhook) stripsFrom(r *kube.Request) bool {
	if h.How == cases.StripsPods {
		return r.Kind == "Pod" && r.Before == nil && operator.Is(r.By) && r.After.GetNamespace() == cases.Namespace
	}
	return r.Kind == "Node" && !r.Status && (h.Name == "" || h.Name == r.After.GetName())
}
