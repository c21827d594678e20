package controllers_test

import (
	"context"
	"sync"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

// write is one write of the operator, as "create Pod".
type write string

// hand is the operator's client: live, with every write counted, recorded, and open to interference.
type hand struct {
	mu     sync.Mutex
	writes []write
	// before a write: an error stops it. after a write: an error is told although it was applied.
	before, after func(number int, w write, o runtime.Object) error
	// reads changes what is read by it, as a cache that is behind would.
	reads func(client.Object)
}

// read an object, or each of a list.
func (h *hand) read(o runtime.Object) error {
	h.mu.Lock()
	reads := h.reads
	h.mu.Unlock()
	if reads == nil {
		return nil
	}
	if list, ok := o.(client.ObjectList); ok {
		return eachObject(list, reads)
	}
	reads(o.(client.Object))
	return nil
}

func (h *hand) count() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.writes)
}

func (h *hand) countOf(w write) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := 0
	for _, did := range h.writes {
		if did == w {
			n++
		}
	}
	return n
}

func (h *hand) do(verb string, o runtime.Object, apply func() error) error {
	h.mu.Lock()
	w := write(verb + " " + kindOf(o))
	h.writes = append(h.writes, w)
	number, before, after := len(h.writes), h.before, h.after
	h.mu.Unlock()
	if before != nil {
		if err := before(number, w, o); err != nil {
			return err
		}
	}
	if err := apply(); err != nil {
		return err
	}
	if after != nil {
		return after(number, w, o)
	}
	return nil
}

// kindOf names a kind the way `kubectl` does; an apply configuration says it itself.
func kindOf(o any) string {
	if object, ok := o.(client.Object); ok {
		if gvk, err := api.GroupVersionKindFor(object); err == nil {
			return gvk.Kind
		}
	}
	if applied, ok := o.(interface{ GetKind() *string }); ok && applied.GetKind() != nil {
		return *applied.GetKind()
	}
	return "Node" // the operator applies nothing else
}

// client does all writes by this hand.
func (h *hand) client(inner client.WithWatch) client.WithWatch {
	return interceptor.NewClient(inner, interceptor.Funcs{
		List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
			if err := c.List(ctx, list, opts...); err != nil {
				return err
			}
			return h.read(list)
		},
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
			if err := c.Get(ctx, key, o, opts...); err != nil {
				return err
			}
			return h.read(o)
		},
		Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			return h.do("create", o, func() error { return c.Create(ctx, o, opts...) })
		},
		Update: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.UpdateOption) error {
			return h.do("update", o, func() error { return c.Update(ctx, o, opts...) })
		},
		Patch: func(ctx context.Context, c client.WithWatch, o client.Object, p client.Patch, opts ...client.PatchOption) error {
			return h.do("patch", o, func() error { return c.Patch(ctx, o, p, opts...) })
		},
		Delete: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.DeleteOption) error {
			return h.do("delete", o, func() error { return c.Delete(ctx, o, opts...) })
		},
		SubResourcePatch: func(ctx context.Context, c client.Client, sub string, o client.Object, p client.Patch, opts ...client.SubResourcePatchOption) error {
			return h.do("patch "+sub, o, func() error { return c.SubResource(sub).Patch(ctx, o, p, opts...) })
		},
		SubResourceApply: func(ctx context.Context, c client.Client, sub string, o runtime.ApplyConfiguration, opts ...client.SubResourceApplyOption) error {
			return h.do("apply "+sub, nil, func() error { return c.SubResource(sub).Apply(ctx, o, opts...) })
		},
	})
}

// writing reads by its own means and writes by the tests' hand, which sees what was written.
func writing(reads client.WithWatch) client.WithWatch {
	return interceptor.NewClient(reads, interceptor.Funcs{
		Create: func(ctx context.Context, _ client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			return api.Create(ctx, o, opts...)
		},
		Update: func(ctx context.Context, _ client.WithWatch, o client.Object, opts ...client.UpdateOption) error {
			return api.Update(ctx, o, opts...)
		},
		Patch: func(ctx context.Context, _ client.WithWatch, o client.Object, p client.Patch, opts ...client.PatchOption) error {
			return api.Patch(ctx, o, p, opts...)
		},
		Delete: func(ctx context.Context, _ client.WithWatch, o client.Object, opts ...client.DeleteOption) error {
			return api.Delete(ctx, o, opts...)
		},
		SubResourcePatch: func(ctx context.Context, _ client.Client, sub string, o client.Object, p client.Patch, opts ...client.SubResourcePatchOption) error {
			return api.SubResource(sub).Patch(ctx, o, p, opts...)
		},
		SubResourceApply: func(ctx context.Context, _ client.Client, sub string, o runtime.ApplyConfiguration, opts ...client.SubResourceApplyOption) error {
			return api.SubResource(sub).Apply(ctx, o, opts...)
		},
	})
}
