package doctor

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/internal/reader/cli/cluster"
	"github.com/assay-dev/assay/internal/reader/doctor"
)

// monitorSpec is what the checks ask of a ServiceMonitor.
type monitorSpec struct {
	Spec struct {
		Selector          metav1.LabelSelector `json:"selector"`
		NamespaceSelector struct {
			Any        bool     `json:"any"`
			MatchNames []string `json:"matchNames"`
		} `json:"namespaceSelector"`
	} `json:"spec"`
}

// monitors are the ServiceMonitors, if the cluster knows any, and the services that they may select.
func (s *surveyor) monitors() {
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(schema.GroupVersionKind{Group: "monitoring.coreos.com", Version: "v1", Kind: "ServiceMonitorList"})
	err := cluster.Each(s.ctx, s.c, list, func(u *unstructured.Unstructured) error {
		s.Monitors.Value = append(s.Monitors.Value, monitor(u))
		return nil
	})
	if s.HasMonitors = !absent(err); !s.HasMonitors {
		return
	}
	s.Monitors.Problem = why(err)
	s.Services.Problem = each(s, &corev1.ServiceList{}, func(o *corev1.Service) { s.Services.Value = append(s.Services.Value, *o) },
		client.InNamespace(doctor.InstallationOf(s.Deployments.Value).Namespace))
}

func monitor(u *unstructured.Unstructured) doctor.Monitor {
	var m monitorSpec
	selector := labels.Nothing()
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, &m); err == nil {
		if read, err := metav1.LabelSelectorAsSelector(&m.Spec.Selector); err == nil {
			selector = read
		}
	}
	out := doctor.Monitor{Namespace: u.GetNamespace(), Name: u.GetName(), Namespaces: m.Spec.NamespaceSelector.MatchNames, AnyNamespace: m.Spec.NamespaceSelector.Any,
		Matches: func(of map[string]string) bool { return selector.Matches(labels.Set(of)) }}
	if len(out.Namespaces) == 0 {
		out.Namespaces = []string{u.GetNamespace()}
	}
	return out
}
