package kube

import (
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Delete an object: at once, or, where finalizers or a kubelet have a say, as soon as these let it go.
func (s *Server) Delete(by, kind string, key client.ObjectKey, opts ...client.DeleteOption) error {
	o := (&client.DeleteOptions{}).ApplyOptions(opts)
	before := s.kinds[kind][key]
	if before == nil {
		return apierrors.NewNotFound(resource(kind), key.Name)
	}
	if p := o.Preconditions; p != nil && (p.UID != nil && *p.UID != before.GetUID() || p.ResourceVersion != nil && *p.ResourceVersion != before.GetResourceVersion()) {
		return apierrors.NewConflict(resource(kind), key.Name, nil)
	}
	if err := s.Admit(&Request{By: by, Verb: "delete", Kind: kind, Before: before}); err != nil {
		return err
	}
	grace := graceOf(before, o.GracePeriodSeconds)
	if grace == 0 && len(before.GetFinalizers()) == 0 {
		return s.remove(by, before)
	}
	if before.GetDeletionTimestamp() != nil {
		return nil
	}
	next := before.DeepCopyObject().(client.Object)
	next.SetDeletionTimestamp(&metav1.Time{Time: s.Now().Add(time.Duration(grace) * time.Second).Truncate(time.Second)})
	if grace > 0 {
		next.SetDeletionGracePeriodSeconds(&grace)
	}
	_, err := s.put(Change{By: by, Verb: "begin to delete", Kind: kind, Before: before, After: next})
	return err
}

// graceOf a deletion: only a pod that is on a node and has not ended has any.
func graceOf(o client.Object, asked *int64) int64 {
	pod, ok := o.(*corev1.Pod)
	if !ok || pod.Spec.NodeName == "" || pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed {
		return 0
	}
	switch {
	case asked != nil:
		return *asked
	case pod.Spec.TerminationGracePeriodSeconds != nil:
		return *pod.Spec.TerminationGracePeriodSeconds
	}
	return 30
}

// remove an object for good.
func (s *Server) remove(by string, before client.Object) error {
	kind := s.KindOf(before)
	delete(s.kinds[kind], client.ObjectKeyFromObject(before))
	delete(s.applied, before.GetUID())
	delete(s.texts, before.GetUID())
	s.version++
	last := before.DeepCopyObject().(client.Object)
	last.SetResourceVersion(strconv.FormatInt(s.version, 10))
	s.tell(Change{By: by, Verb: "delete", Kind: kind, Before: last})
	return nil
}

// Exists says whether there is an object of this UID.
func (s *Server) Exists(uid types.UID) bool {
	for _, objects := range s.kinds {
		for _, o := range objects {
			if o.GetUID() == uid {
				return true
			}
		}
	}
	return false
}

// Orphans are the objects whose owners are all gone: the garbage collector deletes them.
func (s *Server) Orphans() (orphans []client.Object) {
	for _, kind := range s.Kinds() {
		for _, o := range s.List(kind) {
			owned, alive := false, false
			for _, owner := range o.GetOwnerReferences() {
				owned, alive = true, alive || s.Exists(owner.UID)
			}
			if owned && !alive && o.GetDeletionTimestamp() == nil {
				orphans = append(orphans, o)
			}
		}
	}
	return orphans
}
