package controllers

import (
	"fmt"
	"sync"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// Devices shows nodes with what DRA drivers publish of their devices. Slices are cached, as nodes are: what a policy covers, what nodes of a kind
// have and what a budget counts is asked of all nodes in every pass. Nil: no slices are read, and nodes are shown without any.
type Devices struct {
	// Reader of the cache, and Live past it.
	Reader, Live client.Reader
	// Rules: the API server has DeviceTaintRules, so that a device can be kept from claims by itself.
	Rules bool

	mu    sync.Mutex
	shown map[string]shownNode
}

// ServesSlices says whether the API server has ResourceSlices in the version that is read here: Kubernetes 1.34 and later.
func ServesSlices(mapper meta.RESTMapper) (bool, error) { return serves(mapper, "ResourceSlice") }

// ServesRules says the same of DeviceTaintRules: Kubernetes 1.37 and later.
func ServesRules(mapper meta.RESTMapper) (bool, error) { return serves(mapper, "DeviceTaintRule") }

func serves(mapper meta.RESTMapper, name string) (bool, error) {
	kind := resourcev1.SchemeGroupVersion.WithKind(name)
	_, err := mapper.RESTMapping(kind.GroupKind(), kind.Version)
	if meta.IsNoMatchError(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("asking for %ss: %w", name, err)
	}
	return true, nil
}

// CanTaint says whether devices can be tainted one by one.
func (d *Devices) CanTaint() bool { return d != nil && d.Rules }

// Watches of the catalogue and of slices, by whoever shows nodes with them.
func (d *Devices) Watches(wakes handler.EventHandler) []Watch {
	anew := predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool { return e.ObjectOld.GetUID() != e.ObjectNew.GetUID() }}
	changed := predicate.Or[client.Object](predicate.GenerationChangedPredicate{}, anew)
	all := []Watch{
		{Object: &v1alpha1.Benchmark{}, Handler: wakes, Predicates: []predicate.Predicate{predicate.Or[client.Object](changed, predicate.LabelChangedPredicate{})}},
		{Object: &v1alpha1.HardwareProfile{}, Handler: wakes, Predicates: []predicate.Predicate{changed}},
	}
	if d != nil {
		all = append(all, Watch{Object: &resourcev1.ResourceSlice{}, Handler: wakes})
	}
	return all
}
