package controllers_test

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
)

// mirror answers reads of what is read most from watches, as the operator's cache does, so that the API server is asked for writes only. A write by it
// returns when the watch has shown it: a pass sees all that was written before, and can be repeated.
type mirror struct {
	live     client.WithWatch
	informed cache.Cache

	mu    sync.Mutex
	kinds map[schema.GroupVersionKind]*sight
}

// sight is what was seen of a kind.
type sight struct {
	// version of the newest event, and a channel that the next one closes.
	version uint64
	next    chan struct{}
}

func mirrored() []client.Object {
	return []client.Object{&corev1.Pod{}, &corev1.Node{}, &resourcev1.ResourceSlice{}, &v1alpha1.Benchmark{}, &v1alpha1.HardwareProfile{}, &v1alpha1.NodeValidation{},
		&v1alpha1.ValidationPolicy{}, &v1alpha1.ValidationResult{}, &v1alpha1.ValidationRun{}}
}

// newMirror watches until the context ends.
func newMirror(ctx context.Context, config *rest.Config, live client.WithWatch) (client.WithWatch, error) {
	informed, err := cache.New(config, cache.Options{Scheme: live.Scheme()})
	if err != nil {
		return nil, err
	}
	m := &mirror{live: live, informed: informed, kinds: map[schema.GroupVersionKind]*sight{}}
	go func() { _ = informed.Start(ctx) }()
	for _, o := range mirrored() {
		if err := m.watch(ctx, o); err != nil {
			return nil, fmt.Errorf("watching %T: %w", o, err)
		}
	}
	return interceptor.NewClient(live, m.funcs()), nil
}

func (m *mirror) watch(ctx context.Context, o client.Object) error {
	kind, err := apiutil.GVKForObject(o, m.live.Scheme())
	if err != nil {
		return err
	}
	s := &sight{next: make(chan struct{})}
	m.kinds[kind] = s
	informer, err := m.informed.GetInformer(ctx, o)
	if err != nil {
		return err
	}
	look := func(o any) { m.saw(s, o) }
	_, err = informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{AddFunc: look, DeleteFunc: look, UpdateFunc: func(_, o any) { look(o) }})
	return err
}

func (m *mirror) funcs() interceptor.Funcs {
	return interceptor.Funcs{
		Get: func(ctx context.Context, _ client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
			if m.shows(o) {
				return m.informed.Get(ctx, key, o, opts...)
			}
			return m.live.Get(ctx, key, o, opts...)
		},
		List: func(ctx context.Context, _ client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
			if m.shows(list) {
				return m.list(ctx, list, opts)
			}
			return m.live.List(ctx, list, opts...)
		},
		Create: func(ctx context.Context, _ client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			return m.write(ctx, o, func() error { return m.live.Create(ctx, o, opts...) })
		},
		Update: func(ctx context.Context, _ client.WithWatch, o client.Object, opts ...client.UpdateOption) error {
			return m.write(ctx, o, func() error { return m.live.Update(ctx, o, opts...) })
		},
		Patch: func(ctx context.Context, _ client.WithWatch, o client.Object, p client.Patch, opts ...client.PatchOption) error {
			return m.write(ctx, o, func() error { return m.live.Patch(ctx, o, p, opts...) })
		},
		Delete: func(ctx context.Context, _ client.WithWatch, o client.Object, opts ...client.DeleteOption) error {
			return m.remove(ctx, o, func() error { return m.live.Delete(ctx, o, opts...) })
		},
		DeleteAllOf: func(ctx context.Context, _ client.WithWatch, o client.Object, opts ...client.DeleteAllOfOption) error {
			return m.removeAll(ctx, o, opts)
		},
		SubResourceCreate: func(ctx context.Context, _ client.Client, sub string, o, made client.Object, opts ...client.SubResourceCreateOption) error {
			return m.remove(ctx, o, func() error { return m.live.SubResource(sub).Create(ctx, o, made, opts...) })
		},
		SubResourceUpdate: func(ctx context.Context, _ client.Client, sub string, o client.Object, opts ...client.SubResourceUpdateOption) error {
			return m.write(ctx, o, func() error { return m.live.SubResource(sub).Update(ctx, o, opts...) })
		},
		SubResourcePatch: func(ctx context.Context, _ client.Client, sub string, o client.Object, p client.Patch, opts ...client.SubResourcePatchOption) error {
			return m.write(ctx, o, func() error { return m.live.SubResource(sub).Patch(ctx, o, p, opts...) })
		},
		Apply: func(ctx context.Context, _ client.WithWatch, a runtime.ApplyConfiguration, opts ...client.ApplyOption) error {
			return m.apply(ctx, a, func() error { return m.live.Apply(ctx, a, opts...) })
		},
		SubResourceApply: func(ctx context.Context, _ client.Client, sub string, a runtime.ApplyConfiguration, opts ...client.SubResourceApplyOption) error {
			return m.apply(ctx, a, func() error { return m.live.SubResource(sub).Apply(ctx, a, opts...) })
		},
	}
}

// shows says whether reads of an object, or of a list, are answered from the mirror: it holds the types of Go.
func (m *mirror) shows(o runtime.Object) bool {
	switch o.(type) {
	case runtime.Unstructured, *metav1.PartialObjectMetadata, *metav1.PartialObjectMetadataList:
		return false
	}
	_, ok := m.kind(o)
	return ok
}

// kind of an object in whatever form, or of what a list is of, and whether it is mirrored.
func (m *mirror) kind(o runtime.Object) (schema.GroupVersionKind, bool) {
	kind, err := apiutil.GVKForObject(o, m.live.Scheme())
	if err != nil {
		return kind, false
	}
	kind.Kind = strings.TrimSuffix(kind.Kind, "List")
	_, ok := m.kinds[kind]
	return kind, ok
}

// list in the order of the API server, by namespace and name.
func (m *mirror) list(ctx context.Context, list client.ObjectList, opts []client.ListOption) error {
	want := (&client.ListOptions{}).ApplyOptions(opts)
	selector := fields.Everything()
	if want.FieldSelector != nil {
		selector = want.FieldSelector
	}
	for _, r := range selector.Requirements() {
		if r.Field != "metadata.name" {
			return m.live.List(ctx, list, opts...)
		}
	}
	if err := m.informed.List(ctx, list, &client.ListOptions{Namespace: want.Namespace, LabelSelector: want.LabelSelector}); err != nil {
		return err
	}
	list.SetContinue("")
	items, err := meta.ExtractList(list)
	if err != nil {
		return err
	}
	items = slices.DeleteFunc(items, func(o runtime.Object) bool {
		return !selector.Matches(fields.Set{"metadata.name": o.(client.Object).GetName()})
	})
	slices.SortFunc(items, func(a, b runtime.Object) int {
		x, y := a.(client.Object), b.(client.Object)
		return cmp.Or(cmp.Compare(x.GetNamespace(), y.GetNamespace()), cmp.Compare(x.GetName(), y.GetName()))
	})
	return meta.SetList(list, items)
}

// write, and wait until it is seen.
func (m *mirror) write(ctx context.Context, o client.Object, do func() error) error {
	if err := do(); err != nil {
		return err
	}
	kind, ok := m.kind(o)
	if !ok || o.GetResourceVersion() == "" {
		return nil
	}
	if o.GetDeletionTimestamp() != nil && len(o.GetFinalizers()) == 0 { // the write may have been what its deletion waited for
		return m.awaitState(ctx, kind, o, o.GetUID())
	}
	return m.waitFor(ctx, kind, o)
}

// remove does what does not say which version it made.
func (m *mirror) remove(ctx context.Context, o client.Object, do func() error) error {
	kind, ok := m.kind(o)
	if !ok {
		return do()
	}
	_, uid := m.shown(ctx, kind, o)
	if err := do(); err != nil {
		return err
	}
	return m.awaitState(ctx, kind, o, uid)
}

func (m *mirror) removeAll(ctx context.Context, o client.Object, opts []client.DeleteAllOfOption) error {
	kind, ok := m.kind(o)
	if err := m.live.DeleteAllOf(ctx, o, opts...); err != nil || !ok {
		return err
	}
	want := (&client.DeleteAllOfOptions{}).ApplyOptions(opts)
	list, err := m.live.Scheme().New(kind.GroupVersion().WithKind(kind.Kind + "List"))
	if err != nil {
		return err
	}
	if err := m.list(ctx, list.(client.ObjectList), []client.ListOption{&want.ListOptions}); err != nil {
		return err
	}
	return eachObject(list.(client.ObjectList), func(left client.Object) {
		err = cmp.Or(err, m.awaitState(ctx, kind, left, left.GetUID()))
	})
}

func (m *mirror) apply(ctx context.Context, a runtime.ApplyConfiguration, do func() error) error {
	if err := do(); err != nil {
		return err
	}
	named, ok := a.(interface {
		GetKind() *string
		GetAPIVersion() *string
		GetName() *string
		GetNamespace() *string
	})
	if !ok {
		return fmt.Errorf("what is applied has no name: %T", a)
	}
	kind := schema.FromAPIVersionAndKind(*named.GetAPIVersion(), *named.GetKind())
	if _, ok := m.kinds[kind]; !ok {
		return nil
	}
	o := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: *named.GetName()}}
	if namespace := named.GetNamespace(); namespace != nil {
		o.Namespace = *namespace
	}
	return m.awaitState(ctx, kind, o, "")
}

// awaitState waits until what is shown of an object is what there is of it: where it is gone, that the one with this UID is.
func (m *mirror) awaitState(ctx context.Context, kind schema.GroupVersionKind, o client.Object, uid types.UID) error {
	is := &metav1.PartialObjectMetadata{}
	is.SetGroupVersionKind(kind)
	err := m.live.Get(ctx, client.ObjectKeyFromObject(o), is)
	if err == nil {
		return m.waitFor(ctx, kind, is)
	}
	if !apierrors.IsNotFound(err) {
		return err
	}
	return m.wait(ctx, kind, func(uint64) bool {
		_, shown := m.shown(ctx, kind, o)
		return shown == "" || shown != uid
	})
}

// shown of an object, and its UID; empty: it is not there.
func (m *mirror) shown(ctx context.Context, kind schema.GroupVersionKind, o client.Object) (client.Object, types.UID) {
	empty, err := m.live.Scheme().New(kind)
	if err != nil || m.informed.Get(ctx, client.ObjectKeyFromObject(o), empty.(client.Object)) != nil {
		return nil, ""
	}
	return empty.(client.Object), empty.(client.Object).GetUID()
}

func (m *mirror) waitFor(ctx context.Context, kind schema.GroupVersionKind, o client.Object) error {
	want, err := strconv.ParseUint(o.GetResourceVersion(), 10, 64)
	if err != nil {
		return fmt.Errorf("reading the version of %s: %w", o.GetName(), err)
	}
	return m.wait(ctx, kind, func(version uint64) bool { return version >= want })
}

// wait for events of a kind until it is so.
func (m *mirror) wait(ctx context.Context, kind schema.GroupVersionKind, is func(version uint64) bool) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	for {
		m.mu.Lock()
		version, next := m.kinds[kind].version, m.kinds[kind].next
		m.mu.Unlock()
		if is(version) {
			return nil
		}
		select {
		case <-next:
		case <-ctx.Done():
			return fmt.Errorf("a write of a %s was not seen within %s", kind.Kind, patience)
		}
	}
}

// saw an object, in its new state, or in its last one.
func (m *mirror) saw(s *sight, o any) {
	if last, ok := o.(toolscache.DeletedFinalStateUnknown); ok {
		o = last.Obj
	}
	version, _ := strconv.ParseUint(o.(client.Object).GetResourceVersion(), 10, 64)
	m.mu.Lock()
	defer m.mu.Unlock()
	s.version = max(s.version, version)
	close(s.next)
	s.next = make(chan struct{})
}

// asCached shows the objects of a client as the operator's cache has them: without what that leaves out.
func asCached(c client.WithWatch) client.WithWatch {
	options, slim := controllers.CacheOptions(namespace), map[reflect.Type]toolscache.TransformFunc{}
	for o, of := range options.ByObject {
		slim[reflect.TypeOf(o)] = of.Transform
	}
	cached := func(o runtime.Object) error {
		transform := options.DefaultTransform
		if own := slim[reflect.TypeOf(o)]; own != nil {
			transform = own
		}
		_, err := transform(o)
		return err
	}
	return interceptor.NewClient(c, interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
			if err := c.Get(ctx, key, o, opts...); err != nil {
				return err
			}
			return cached(o)
		},
		List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
			if err := c.List(ctx, list, opts...); err != nil {
				return err
			}
			return meta.EachListItem(list, cached)
		},
	})
}
