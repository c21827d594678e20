package controllers

import (
	"context"
	"errors"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// Shared lets a list return the cache's own objects: thousands are read in every pass, and none is changed.
const Shared = client.UnsafeDisableDeepCopyOption(true)

// FieldOwner is the field manager of everything that Assay writes for runs.
const FieldOwner = client.FieldOwner("assay")

// Metadata of an object of one of Assay's kinds, to be read.
func Metadata(kind string) *metav1.PartialObjectMetadata {
	o := &metav1.PartialObjectMetadata{}
	o.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind(kind))
	return o
}

// MetadataList is the same for all objects of a kind.
func MetadataList(kind string) *metav1.PartialObjectMetadataList {
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind(kind + "List"))
	return list
}

// Raw is an object of one of Assay's kinds as it is stored at this moment, whether or not it can be decoded.
func Raw(ctx context.Context, live client.Reader, kind, name string) ([]byte, error) {
	raw := &unstructured.Unstructured{}
	raw.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind(kind))
	if err := live.Get(ctx, client.ObjectKey{Name: name}, raw); err != nil {
		return nil, err
	}
	raw.SetManagedFields(nil)
	return raw.MarshalJSON()
}

// Put an object, in place of one that exists.
func Put(ctx context.Context, c client.Writer, exists bool, next client.Object) error {
	if exists {
		return c.Update(ctx, next, FieldOwner)
	}
	return c.Create(ctx, next, FieldOwner)
}

// Objects are all that the cache holds of a kind without namespaces: its own, which nobody may change. The zero value has none to ask.
type Objects[T client.Object] struct{ store toolscache.Store }

// Cached finds the cache's objects of a kind. They come without a copy of any: with Shared a list still copies each object itself, though not
// what it points to: of 10,000 nodes with what is known of them 15 MB in every pass. The caller waits until the cache has them, as a
// controller does that watches the kind.
func Cached[T client.Object](ctx context.Context, c cache.Cache, kind T) (Objects[T], error) {
	informer, err := c.GetInformer(ctx, kind, cache.BlockUntilSynced(false))
	if err != nil {
		return Objects[T]{}, fmt.Errorf("getting the cache of %T: %w", kind, err)
	}
	shared, ok := informer.(toolscache.SharedInformer)
	if !ok {
		return Objects[T]{}, fmt.Errorf("getting the cache of %T: %w", kind, errors.ErrUnsupported)
	}
	return Stored[T](shared.GetStore()), nil
}

// Stored are the objects of a store.
func Stored[T client.Object](store toolscache.Store) Objects[T] { return Objects[T]{store} }

// Known: there is a cache to ask.
func (o Objects[T]) Known() bool { return o.store != nil }

// List all of them.
func (o Objects[T]) List() []T {
	all := o.store.List()
	objects := make([]T, 0, len(all))
	for _, one := range all {
		if object, ok := one.(T); ok {
			objects = append(objects, object)
		}
	}
	return objects
}

// Named is the object of this name; nil: there is none.
func (o Objects[T]) Named(name string) T {
	one, _, _ := o.store.GetByKey(name) // a store in memory has no error
	object, _ := one.(T)
	return object
}
