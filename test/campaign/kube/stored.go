package kube

import (
	"reflect"
	"strings"
	"time"

	quantity "k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// asStored makes of an object what JSON would bring back of it: times have whole seconds, and what is empty and may be left out is not there. JSON
// itself would take a tenth of the time of a campaign.
func asStored(v reflect.Value) {
	shape := known.of(v.Type())
	if !shape.changes {
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			asStored(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			asStored(v.Index(i))
		}
	case reflect.Map:
		for it := v.MapRange(); it.Next(); {
			value := reflect.New(v.Type().Elem()).Elem()
			value.Set(it.Value())
			asStored(value)
			v.SetMapIndex(it.Key(), value)
		}
	case reflect.Struct:
		structAsStored(v, shape)
	}
}

func structAsStored(v reflect.Value, shape *shape) {
	switch o := v.Addr().Interface().(type) {
	case *metav1.Time:
		o.Time = whole(o.Time, time.Second)
	case *metav1.MicroTime:
		o.Time = whole(o.Time, time.Microsecond)
	default:
		for _, i := range shape.leftOut {
			if f := v.Field(i); f.Len() == 0 {
				f.SetZero()
			}
		}
		for _, i := range shape.changing {
			asStored(v.Field(i))
		}
	}
}

func whole(t time.Time, unit time.Duration) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return t.Truncate(unit).Local()
}

// shape of a type: what of it JSON may not bring back as it was.
type shape struct {
	changes bool
	// leftOut are the fields of a struct that are left out where they are empty, and changing those that are looked into.
	leftOut, changing []int
}

type shapes map[reflect.Type]*shape

var known = shapes{}

// of a type. One that contains itself changes.
func (s shapes) of(t reflect.Type) *shape {
	if is := s[t]; is != nil {
		return is
	}
	is := &shape{changes: true}
	s[t] = is
	switch {
	case t == reflect.TypeFor[metav1.Time]() || t == reflect.TypeFor[metav1.MicroTime]():
	case t == reflect.TypeFor[quantity.Quantity](): // it is what it says, however it is kept
		is.changes = false
	case t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map:
		is.changes = s.of(t.Elem()).changes
	case t.Kind() == reflect.Struct:
		s.fields(t, is)
	default:
		is.changes = false
	}
	return is
}

func (s shapes) fields(t reflect.Type, is *shape) {
	for i := range t.NumField() {
		f := t.Field(i)
		if !f.IsExported() {
			continue
		}
		if (f.Type.Kind() == reflect.Slice || f.Type.Kind() == reflect.Map) && strings.Contains(f.Tag.Get("json"), ",omitempty") {
			is.leftOut = append(is.leftOut, i)
		}
		if s.of(f.Type).changes {
			is.changing = append(is.changing, i)
		}
	}
	is.changes = len(is.leftOut)+len(is.changing) > 0
}
