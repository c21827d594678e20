// Package kube is a Kubernetes API in memory, as far as Assay uses it: versions and conflicts, generations, finalizers, graceful deletion,
// server-side apply to nodes, the status endpoints, and caches that are behind. It keeps what it is given as JSON would bring it back, so that
// times have whole seconds. It is quick, deterministic, and for one caller at a time.
package kube

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"strconv"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

var errModified = errors.New("the object has been modified; please apply your changes to the latest version and try again")

// Server has all objects. What it holds is never changed, only replaced.
type Server struct {
	scheme *runtime.Scheme
	now    func() time.Time
	// skew of its clock now, and ahead the most that it was.
	skew, ahead time.Duration
	kinds       map[string]map[client.ObjectKey]client.Object
	sorted      map[string][]client.Object // by kind, until one of it is written
	version     int64
	uids        int
	applied     map[types.UID]map[string]appliedFields
	log         map[string][]Change
	// texts of all objects, as they are stored.
	texts map[types.UID][]byte
	// Wrote is told of each change, by whom. Admit is asked about each write before that, and may change or refuse it.
	Wrote func(Change)
	Admit func(*Request) error
}

// Change of an object: Before is nil where it was created, After where it is gone.
type Change struct {
	By, Verb, Kind string
	Before, After  client.Object
	// Text is After as it was stored.
	Text []byte
}

// Object that it is about.
func (c Change) Object() client.Object {
	if c.After == nil {
		return c.Before
	}
	return c.After
}

// NewServer without any object.
func NewServer(scheme *runtime.Scheme, now func() time.Time) *Server {
	return &Server{scheme: scheme, now: now, kinds: map[string]map[client.ObjectKey]client.Object{}, applied: map[types.UID]map[string]appliedFields{},
		log: map[string][]Change{}, texts: map[types.UID][]byte{}, sorted: map[string][]client.Object{}, Wrote: func(Change) {},
		Admit: func(*Request) error { return nil }}
}

// hasStatus: the kind's status is written by an endpoint of its own.
var hasStatus = map[string]bool{"Node": true, "Pod": true, "ValidationRun": true, "ValidationPolicy": true, "MPIJob": true, "DeviceTaintRule": true}

// counted: the API server counts the generations of the kind.
var counted = map[string]bool{"ValidationRun": true, "ValidationPolicy": true, "NodeValidation": true, "NodeHistory": true, "ValidationResult": true,
	"Benchmark": true, "HardwareProfile": true}

// KindOf an object.
func (s *Server) KindOf(o runtime.Object) string {
	if kind := o.GetObjectKind().GroupVersionKind().Kind; kind != "" {
		return kind
	}
	return reflect.TypeOf(o).Elem().Name()
}

// Now by the API server's clock.
func (s *Server) Now() time.Time { return s.now().Add(s.skew) }

// Jump of its clock, by so much.
func (s *Server) Jump(by time.Duration) {
	s.skew += by
	s.ahead = max(s.ahead, s.skew)
}

// PutRight its clock, if it is not.
func (s *Server) PutRight() (changed bool) {
	changed, s.skew = s.skew != 0, 0
	return changed
}

// Ahead is how far its clock was ahead at most.
func (s *Server) Ahead() time.Duration { return s.ahead }

// Version that was written last.
func (s *Server) Version() int64 { return s.version }

func resource(kind string) schema.GroupResource { return schema.GroupResource{Resource: kind} }

// Create an object.
func (s *Server) Create(by string, o client.Object) (client.Object, error) {
	kind, key := s.KindOf(o), client.ObjectKeyFromObject(o)
	if s.kinds[kind][key] != nil {
		return nil, apierrors.NewAlreadyExists(resource(kind), key.Name)
	}
	next := o.DeepCopyObject().(client.Object)
	s.uids++
	next.SetUID(types.UID(fmt.Sprintf("00000000-0000-4000-8000-%012d", s.uids)))
	next.SetCreationTimestamp(metav1.NewTime(s.Now().Truncate(time.Second)))
	next.SetDeletionTimestamp(nil)
	next.SetGeneration(0)
	if counted[kind] {
		next.SetGeneration(1)
	}
	if custom := counted[kind] && hasStatus[kind]; custom { // a resource is created without its status
		if err := withStatusOf(next, nil); err != nil {
			return nil, err
		}
	}
	if err := s.Admit(&Request{By: by, Verb: "create", Kind: kind, After: next}); err != nil {
		return nil, err
	}
	return s.put(Change{By: by, Verb: "create", Kind: kind, After: next})
}

// Update an object as a whole, or its status.
func (s *Server) Update(by string, o client.Object, status bool) (client.Object, error) {
	kind, key := s.KindOf(o), client.ObjectKeyFromObject(o)
	before := s.kinds[kind][key]
	if before == nil {
		return nil, apierrors.NewNotFound(resource(kind), key.Name)
	}
	if differs(o.GetUID(), before.GetUID()) || differs(o.GetResourceVersion(), before.GetResourceVersion()) {
		return nil, apierrors.NewConflict(resource(kind), key.Name, errModified)
	}
	next, err := merged(kind, before, o, status)
	if err != nil {
		return nil, err
	}
	if err := s.Admit(&Request{By: by, Verb: "update", Kind: kind, Status: status && hasStatus[kind], Before: before, After: next}); err != nil {
		return nil, err
	}
	if counted[kind] && !(status && hasStatus[kind]) {
		if err := count(kind, before, next); err != nil {
			return nil, err
		}
	}
	text, same, err := s.same(before, next)
	if err != nil || same {
		return before, err
	}
	verb := "update"
	if status {
		verb = "update the status of"
	}
	if letGo(next) {
		return next, s.remove(by, before)
	}
	return s.put(Change{By: by, Verb: verb, Kind: kind, Before: before, After: next, Text: text})
}

// count the generation of an object whose spec changes.
func count(kind string, before, next client.Object) error {
	same, err := sameSpec(kind, before, next)
	if err == nil && !same {
		next.SetGeneration(before.GetGeneration() + 1)
	}
	return err
}

// letGo: the object was to be deleted, and its last finalizer is gone.
func letGo(o client.Object) bool {
	return o.GetDeletionTimestamp() != nil && len(o.GetFinalizers()) == 0 && o.GetDeletionGracePeriodSeconds() == nil
}

// differs: something else is asked for than is there.
func differs[T ~string](asked, is T) bool { return asked != "" && asked != is }

// merged is what is stored of an update: an endpoint takes its own part only.
func merged(kind string, before, o client.Object, status bool) (client.Object, error) {
	next := o.DeepCopyObject().(client.Object)
	switch {
	case status:
		next = before.DeepCopyObject().(client.Object)
		if kind == "Node" || kind == "Pod" { // takes its labels and annotations along
			next.SetLabels(maps.Clone(o.GetLabels()))
			next.SetAnnotations(maps.Clone(o.GetAnnotations()))
		}
		return next, withStatusOf(next, o)
	case hasStatus[kind]:
		if err := withStatusOf(next, before); err != nil {
			return nil, err
		}
	}
	next.SetUID(before.GetUID())
	next.SetCreationTimestamp(before.GetCreationTimestamp())
	next.SetDeletionTimestamp(before.GetDeletionTimestamp())
	next.SetDeletionGracePeriodSeconds(before.GetDeletionGracePeriodSeconds())
	next.SetGeneration(before.GetGeneration())
	return next, nil
}

// withStatusOf another object; nil: the zero value.
func withStatusOf(next, other client.Object) error {
	field := reflect.ValueOf(next).Elem().FieldByName("Status")
	if !field.IsValid() {
		return fmt.Errorf("%T has no status", next)
	}
	if other == nil {
		field.SetZero()
		return nil
	}
	field.Set(reflect.ValueOf(other.DeepCopyObject()).Elem().FieldByName("Status"))
	return nil
}

// sameSpec: two states of an object differ in metadata only, and in status where that has an endpoint of its own.
func sameSpec(kind string, a, b client.Object) (bool, error) {
	var texts [2][]byte
	for i, o := range []client.Object{a, b} {
		bare := reflect.New(reflect.TypeOf(o).Elem())
		bare.Elem().Set(reflect.ValueOf(o).Elem())
		bare.Elem().FieldByName("ObjectMeta").SetZero()
		if hasStatus[kind] {
			bare.Elem().FieldByName("Status").SetZero()
		}
		text, err := json.Marshal(bare.Interface())
		if err != nil {
			return false, err
		}
		texts[i] = text
	}
	return bytes.Equal(texts[0], texts[1]), nil
}

// same: to write the object would change nothing. The text is that of the object, but for its new version.
func (s *Server) same(stored, next client.Object) (text []byte, same bool, err error) {
	next.SetResourceVersion(stored.GetResourceVersion())
	next.SetManagedFields(nil)
	text, err = json.Marshal(next)
	return text, bytes.Equal(text, s.texts[stored.GetUID()]), err
}

// stored is the text of an object with its new version.
func (s *Server) stored(c Change) ([]byte, error) {
	version := strconv.FormatInt(s.version, 10)
	if c.Text == nil {
		c.After.SetResourceVersion(version)
		c.After.SetManagedFields(nil)
		return json.Marshal(c.After)
	}
	const field = `"resourceVersion":"`
	return bytes.Replace(c.Text, []byte(field+c.Before.GetResourceVersion()+`"`), []byte(field+version+`"`), 1), nil
}

// put stores an object as JSON would bring it back.
func (s *Server) put(c Change) (client.Object, error) {
	s.version++
	text, err := s.stored(c)
	if err != nil {
		return nil, err
	}
	stored := c.After
	stored.SetResourceVersion(strconv.FormatInt(s.version, 10))
	asStored(reflect.ValueOf(stored))
	c.After, c.Text = stored, text
	s.texts[stored.GetUID()] = text
	if s.kinds[c.Kind] == nil {
		s.kinds[c.Kind] = map[client.ObjectKey]client.Object{}
	}
	s.kinds[c.Kind][client.ObjectKeyFromObject(stored)] = stored
	s.disown(c)
	s.tell(c)
	return stored, nil
}

func (s *Server) tell(c Change) {
	delete(s.sorted, c.Kind)
	s.log[c.Kind] = append(s.log[c.Kind], c)
	s.Wrote(c)
}
