package controllers

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/internal/list"
)

// writers work in parallel on the writes of one pass.
const writers = 32

// Parallel does things from 0 to n-1, some at the same time. A simulation has another one, so that what they do comes in an order that it knows.
var Parallel = func(n int, do func(i int)) {
	var g errgroup.Group
	g.SetLimit(writers)
	for i := range n {
		g.Go(func() error {
			do(i)
			return nil
		})
	}
	_ = g.Wait()
}

// Each runs f for all items, some in parallel, and joins the errors.
func Each[T any](items []T, f func(T) error) error {
	errs := make([]error, len(items))
	Parallel(len(items), func(i int) { errs[i] = f(items[i]) })
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

// metadataPage bounds one answer of the API server.
const metadataPage = 500

// EachMetadata reads what the objects of a list have in common with all others, live, a page at a time.
func EachMetadata(ctx context.Context, live client.Reader, of schema.GroupVersionKind, use func(*metav1.PartialObjectMetadata), match ...client.ListOption) error {
	objects := &metav1.PartialObjectMetadataList{}
	objects.SetGroupVersionKind(of)
	err := EachPage(ctx, live, objects, func(page *metav1.PartialObjectMetadataList) {
		for one := range list.Each(page.Items) {
			use(one)
		}
	}, append(match, client.Limit(metadataPage))...)
	if err != nil {
		return fmt.Errorf("listing the metadata of a %s: %w", of.Kind, err)
	}
	return nil
}
