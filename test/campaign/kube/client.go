package kube

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strconv"
	"strings"

	jsonpatch "github.com/evanphx/json-patch/v5"
	mpi "github.com/kubeflow/mpi-operator/pkg/apis/kubeflow/v2beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// Call of a process to the API server.
type Call struct {
	Verb, Kind, Name string
	// Writes: it is not only a look.
	Writes bool
}

// Client of one process. Every call that goes to the server passes Through, which may let it wait, fail, or be made and said to have failed.
type Client struct {
	Server  *Server
	By      string
	Cache   *Cache // nil: it reads past it
	Through func(c Call, do func() error) error
}

var (
	_          client.Client = &Client{}
	errUnknown               = errors.New("the operator does not do this")
)

// Get reads an object from the cache, or past it.
func (c *Client) Get(_ context.Context, key client.ObjectKey, o client.Object, _ ...client.GetOption) error {
	kind := c.Server.KindOf(o)
	if c.Cache != nil {
		return into(kind, key, c.Cache.get(kind, key), o)
	}
	return c.Through(Call{Verb: "get", Kind: kind, Name: key.Name}, func() error { return into(kind, key, c.Server.Get(kind, key), o) })
}

func into(kind string, key client.ObjectKey, found, o client.Object) error {
	if found == nil {
		return apierrors.NewNotFound(resource(kind), key.Name)
	}
	switch o := o.(type) {
	case *metav1.PartialObjectMetadata:
		o.ObjectMeta = metadataOf(found)
	case *unstructured.Unstructured:
		text, err := json.Marshal(found)
		if err != nil {
			return err
		}
		gvk := o.GroupVersionKind()
		err = json.Unmarshal(text, &o.Object)
		o.SetGroupVersionKind(gvk)
		return err
	default:
		reflect.ValueOf(o).Elem().Set(reflect.ValueOf(found.DeepCopyObject()).Elem())
	}
	return nil
}

func metadataOf(o client.Object) metav1.ObjectMeta {
	m, _ := reflect.ValueOf(o).Elem().FieldByName("ObjectMeta").Interface().(metav1.ObjectMeta)
	own := m.DeepCopy()
	if job, ok := o.(*mpi.MPIJob); ok && job.Status.CompletionTime != nil { // who wrote what is not kept, and this is asked for
		own.ManagedFields = []metav1.ManagedFieldsEntry{{Subresource: "status", FieldsV1: metav1.NewFieldsV1(`{"f:status":{"f:completionTime":{}}}`)}}
	}
	return *own
}

// List reads objects from the cache, or past it.
func (c *Client) List(_ context.Context, list client.ObjectList, opts ...client.ListOption) error {
	o := (&client.ListOptions{}).ApplyOptions(opts)
	kind := strings.TrimSuffix(c.Server.KindOf(list), "List")
	if c.Cache != nil {
		return fill(list, c.Cache.list(kind, o), o)
	}
	name := ""
	if o.FieldSelector != nil {
		name = o.FieldSelector.String()
	}
	return c.Through(Call{Verb: "list", Kind: kind, Name: name}, func() error { return fill(list, selected(c.Server.List(kind), o), o) })
}

// fill a list with a page of objects.
func fill(list client.ObjectList, found []client.Object, o *client.ListOptions) error {
	from, _ := strconv.Atoi(o.Continue)
	found = found[min(from, len(found)):]
	if o.Limit > 0 && int64(len(found)) > o.Limit {
		found = found[:o.Limit]
		list.SetContinue(strconv.Itoa(from + len(found)))
	}
	items := reflect.ValueOf(list).Elem().FieldByName("Items")
	out := reflect.MakeSlice(items.Type(), 0, len(found))
	for _, one := range found {
		if _, ok := list.(*metav1.PartialObjectMetadataList); ok {
			out = reflect.Append(out, reflect.ValueOf(metav1.PartialObjectMetadata{ObjectMeta: metadataOf(one)}))
			continue
		}
		if o.UnsafeDisableDeepCopy == nil || !*o.UnsafeDisableDeepCopy {
			one = one.DeepCopyObject().(client.Object)
		}
		out = reflect.Append(out, reflect.ValueOf(one).Elem())
	}
	items.Set(out)
	return nil
}

// Create an object.
func (c *Client) Create(_ context.Context, o client.Object, _ ...client.CreateOption) error {
	return c.write("create", o, func() (client.Object, error) { return c.Server.Create(c.By, o) })
}

// Update an object.
func (c *Client) Update(_ context.Context, o client.Object, _ ...client.UpdateOption) error {
	return c.write("update", o, func() (client.Object, error) { return c.Server.Update(c.By, o, false) })
}

// Patch an object.
func (c *Client) Patch(_ context.Context, o client.Object, p client.Patch, _ ...client.PatchOption) error {
	return c.write("patch", o, func() (client.Object, error) { return c.patch(o, p, false) })
}

func (c *Client) patch(o client.Object, p client.Patch, status bool) (client.Object, error) {
	data, err := p.Data(o)
	if err != nil {
		return nil, err
	}
	kind, key := c.Server.KindOf(o), client.ObjectKeyFromObject(o)
	before := c.Server.Get(kind, key)
	if before == nil {
		return nil, apierrors.NewNotFound(resource(kind), key.Name)
	}
	text, err := jsonpatch.MergePatch(c.Server.texts[before.GetUID()], data)
	if err != nil {
		return nil, err
	}
	next := reflect.New(reflect.TypeOf(before).Elem()).Interface().(client.Object)
	if err := json.Unmarshal(text, next); err != nil {
		return nil, err
	}
	return c.Server.Update(c.By, next, status)
}

// Delete an object.
func (c *Client) Delete(_ context.Context, o client.Object, opts ...client.DeleteOption) error {
	kind := c.Server.KindOf(o)
	return c.Through(Call{"delete", kind, o.GetName(), true}, func() error {
		return c.Server.Delete(c.By, kind, client.ObjectKeyFromObject(o), opts...)
	})
}

// write and take what was stored into the caller's object.
func (c *Client) write(verb string, o client.Object, do func() (client.Object, error)) error {
	kind := c.Server.KindOf(o)
	return c.Through(Call{verb, kind, o.GetName(), true}, func() error {
		stored, err := do()
		if err != nil {
			return err
		}
		return into(kind, client.ObjectKeyFromObject(o), stored, o)
	})
}

// Status is the endpoint of an object's status.
func (c *Client) Status() client.SubResourceWriter { return statusClient{c} }

type statusClient struct{ *Client }

func (s statusClient) Create(context.Context, client.Object, client.Object, ...client.SubResourceCreateOption) error {
	return errUnknown
}

func (s statusClient) Update(_ context.Context, o client.Object, _ ...client.SubResourceUpdateOption) error {
	return s.write("update status of", o, func() (client.Object, error) { return s.Server.Update(s.By, o, true) })
}

func (s statusClient) Patch(_ context.Context, o client.Object, p client.Patch, _ ...client.SubResourcePatchOption) error {
	return s.write("patch status of", o, func() (client.Object, error) {
		if run, ok := o.(*v1alpha1.ValidationRun); ok && !slimmed(s.Server, run) { // a patch under its version, and so an update: that costs less
			return s.Server.Update(s.By, o, true)
		}
		return s.patch(o, p, true)
	})
}

// slimmed: of runs that are over a cache does not have all.
func slimmed(s *Server, run *v1alpha1.ValidationRun) bool {
	stored := Find[*v1alpha1.ValidationRun](s, run.Name)
	return stored != nil && stored.Finished()
}

func (s statusClient) Apply(_ context.Context, configuration runtime.ApplyConfiguration, opts ...client.SubResourceApplyOption) error {
	o := &client.SubResourceApplyOptions{}
	for _, opt := range opts {
		opt.ApplyToSubResourceApply(o)
	}
	named, ok := configuration.(interface{ GetName() *string })
	if !ok || named.GetName() == nil {
		return errUnknown
	}
	return s.Through(Call{"apply status of", "Node", *named.GetName(), true}, func() error { return s.Server.Apply(s.By, o.FieldManager, configuration) })
}

// Apply is not used.
func (c *Client) Apply(context.Context, runtime.ApplyConfiguration, ...client.ApplyOption) error {
	return errUnknown
}

// DeleteAllOf is not used.
func (c *Client) DeleteAllOf(context.Context, client.Object, ...client.DeleteAllOfOption) error {
	return errUnknown
}

// SubResource is not used.
func (c *Client) SubResource(string) client.SubResourceClient { return nil }

// Scheme of all kinds.
func (c *Client) Scheme() *runtime.Scheme { return c.Server.scheme }

// RESTMapper is not used.
func (c *Client) RESTMapper() meta.RESTMapper { return nil }

// GroupVersionKindFor an object.
func (c *Client) GroupVersionKindFor(o runtime.Object) (schema.GroupVersionKind, error) {
	return apiutil.GVKForObject(o, c.Server.scheme)
}

// IsObjectNamespaced is not used.
func (c *Client) IsObjectNamespaced(runtime.Object) (bool, error) { return false, errUnknown }
