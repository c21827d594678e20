package kube

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/fields"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Cache of one process. Of each kind it has seen the changes up to some of them, in their order, as a watch brings them.
type Cache struct {
	server *Server
	kinds  map[string]map[client.ObjectKey]client.Object
	sorted map[string][]client.Object
	seen   map[string]int
	slim   map[string]func(any) (any, error)
	// slimOthers is for kinds that have nothing of their own.
	slimOthers func(any) (any, error)
	// namespaces of kinds that are cached of one only.
	namespaces map[string]string
	indexes    map[string]map[string]client.IndexerFunc
}

// NewCache has all that there is now, but keeps of it only what the options do.
func NewCache(s *Server, o cache.Options, kinds ...string) *Cache {
	c := &Cache{server: s, kinds: map[string]map[client.ObjectKey]client.Object{}, seen: map[string]int{}, sorted: map[string][]client.Object{}, slim: map[string]func(any) (any, error){}, slimOthers: o.DefaultTransform, namespaces: map[string]string{}, indexes: map[string]map[string]client.IndexerFunc{}}
	for object, by := range o.ByObject {
		kind := s.KindOf(object)
		c.slim[kind] = by.Transform
		for namespace := range by.Namespaces {
			c.namespaces[kind] = namespace
		}
	}
	for _, kind := range kinds {
		c.kinds[kind], c.seen[kind] = map[client.ObjectKey]client.Object{}, len(s.log[kind])
		for key, o := range s.kinds[kind] {
			if c.has(kind, o) {
				c.kinds[kind][key] = c.kept(kind, o)
			}
		}
	}
	return c
}

// Index objects of a kind by a field of the cache alone.
func (c *Cache) Index(of client.Object, field string, values client.IndexerFunc) {
	kind := c.server.KindOf(of)
	if c.indexes[kind] == nil {
		c.indexes[kind] = map[string]client.IndexerFunc{}
	}
	c.indexes[kind][field] = values
}

// list what the cache has of a kind.
func (c *Cache) list(kind string, o *client.ListOptions) []client.Object {
	if o.FieldSelector != nil {
		for field, values := range c.indexes[kind] {
			if value, ok := o.FieldSelector.RequiresExactMatch(field); ok {
				return slices.DeleteFunc(slices.Clone(c.All(kind)), func(one client.Object) bool { return !slices.Contains(values(one), value) })
			}
		}
	}
	return selected(c.All(kind), o)
}

func (c *Cache) has(kind string, o client.Object) bool {
	return c.namespaces[kind] == "" || c.namespaces[kind] == o.GetNamespace()
}

// kept is what the cache keeps of an object.
func (c *Cache) kept(kind string, o client.Object) client.Object {
	o = o.DeepCopyObject().(client.Object)
	slim := c.slim[kind]
	if slim == nil {
		slim = c.slimOthers
	}
	if slim != nil {
		if slimmed, err := slim(o); err == nil {
			return slimmed.(client.Object)
		}
	}
	return o
}

func (c *Cache) get(kind string, key client.ObjectKey) client.Object { return c.kinds[kind][key] }

// All that the cache has of a kind.
func (c *Cache) All(kind string) []client.Object {
	if c.sorted[kind] == nil {
		c.sorted[kind] = sorted(c.kinds[kind])
	}
	return c.sorted[kind]
}

// Behind is how many changes of a kind are still to come.
func (c *Cache) Behind(kind string) int { return len(c.server.log[kind]) - c.seen[kind] }

// Deliver the next change of a kind: what the cache had before, and what it has now; both nil: it is not one that it sees.
func (c *Cache) Deliver(kind string) (before, after client.Object) {
	change := c.server.log[kind][c.seen[kind]]
	c.seen[kind]++
	o, key := change.Object(), client.ObjectKeyFromObject(change.Object())
	if !c.has(kind, o) {
		return nil, nil
	}
	delete(c.sorted, kind)
	before = c.kinds[kind][key]
	if change.After == nil {
		delete(c.kinds[kind], key)
		return c.kept(kind, o), nil
	}
	after = c.kept(kind, change.After)
	c.kinds[kind][key] = after
	return before, after
}

// selected are the objects that a list asks for.
func selected(all []client.Object, o *client.ListOptions) []client.Object {
	var out []client.Object
	for _, one := range all {
		switch {
		case o.Namespace != "" && one.GetNamespace() != o.Namespace:
		case o.LabelSelector != nil && !o.LabelSelector.Matches(labelsOf(one)):
		case o.FieldSelector != nil && !o.FieldSelector.Matches(fieldsOf(one)):
		default:
			out = append(out, one)
		}
	}
	return out
}

type labelSet map[string]string

func (l labelSet) Has(key string) bool              { _, ok := l[key]; return ok }
func (l labelSet) Get(key string) string            { return l[key] }
func (l labelSet) Lookup(key string) (string, bool) { v, ok := l[key]; return v, ok }

func labelsOf(o client.Object) labelSet { return o.GetLabels() }

func fieldsOf(o client.Object) fields.Set {
	f := fields.Set{"metadata.name": o.GetName(), "metadata.namespace": o.GetNamespace()}
	if pod, ok := o.(*corev1.Pod); ok {
		f["spec.nodeName"] = pod.Spec.NodeName
	}
	if slice, ok := o.(*resourcev1.ResourceSlice); ok && slice.Spec.NodeName != nil {
		f["spec.nodeName"] = *slice.Spec.NodeName
	}
	return f
}
