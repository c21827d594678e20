package kube

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Get an object, which nobody may change; nil: there is none.
func (s *Server) Get(kind string, key client.ObjectKey) client.Object { return s.kinds[kind][key] }

// Find an object without a namespace.
func Find[T client.Object](s *Server, name string) (found T) {
	kind := reflect.TypeFor[T]().Elem().Name()
	if o, ok := s.kinds[kind][client.ObjectKey{Name: name}].(T); ok {
		return o
	}
	return found
}

// All objects of a kind by name, which nobody may change.
func All[T client.Object](s *Server) []T {
	kind := reflect.TypeFor[T]().Elem().Name()
	var all []T
	for _, o := range s.List(kind) {
		all = append(all, o.(T))
	}
	return all
}

// List the objects of a kind by name.
func (s *Server) List(kind string) []client.Object {
	if s.sorted[kind] == nil {
		s.sorted[kind] = sorted(s.kinds[kind])
	}
	return s.sorted[kind]
}

func sorted(objects map[client.ObjectKey]client.Object) []client.Object {
	return slices.SortedFunc(maps.Values(objects), func(a, b client.Object) int {
		return cmp.Or(strings.Compare(a.GetNamespace(), b.GetNamespace()), strings.Compare(a.GetName(), b.GetName()))
	})
}

// Kinds of which there are objects.
func (s *Server) Kinds() []string { return slices.Sorted(maps.Keys(s.kinds)) }
