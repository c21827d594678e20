package controllers

import (
	"context"
	"errors"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// Writers work in parallel on the writes of one pass. A simulation has one, so that they come in an order that it knows.
var Writers = 32

// Shared lets a list return the cache's own objects: thousands are read in every pass, and none is changed.
const Shared = client.UnsafeDisableDeepCopyOption(true)

// Each runs f for all items, some in parallel, and joins the errors.
func Each[T any](items []T, f func(T) error) error {
	errs := make([]error, len(items))
	var g errgroup.Group
	g.SetLimit(Writers)
	for i, item := range items {
		g.Go(func() error {
			errs[i] = f(item)
			return nil
		})
	}
	_ = g.Wait()
	return errors.Join(errs...)
}

// EachPage reads a list live, a client.Limit at a time, so that it is never in memory as a whole. Each page is a new one like the empty list that
// is given: what an answer leaves out would stay as it was in the last.
func EachPage[L client.ObjectList](ctx context.Context, live client.Reader, empty L, use func(L), match ...client.ListOption) error {
	for next := ""; ; {
		page, _ := empty.DeepCopyObject().(L)
		if err := live.List(ctx, page, append(match, client.Continue(next))...); err != nil {
			return err
		}
		use(page)
		if next = page.GetContinue(); next == "" {
			return nil
		}
	}
}

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
