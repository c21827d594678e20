package kube

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// appliedFields of a node that one manager has applied: labels and conditions.
type appliedFields map[string]bool

// Apply labels and conditions to the status of a node, by force. What the same manager applied before, and does not now, goes, unless somebody else
// has taken it over.
func (s *Server) Apply(by, manager string, configuration any) error {
	text, err := json.Marshal(configuration)
	if err != nil {
		return err
	}
	applied := &corev1.Node{}
	if err := json.Unmarshal(text, applied); err != nil {
		return err
	}
	before := Find[*corev1.Node](s, applied.Name)
	switch {
	case before == nil:
		return apierrors.NewNotFound(resource("Node"), applied.Name)
	case applied.UID != "" && applied.UID != before.UID:
		return apierrors.NewConflict(resource("Node"), applied.Name, fmt.Errorf("Precondition failed: UID in precondition: %s, UID in object meta: %s", applied.UID, before.UID))
	}
	if applied.ResourceVersion != "" && applied.ResourceVersion != before.ResourceVersion {
		return apierrors.NewConflict(resource("Node"), applied.Name, errModified)
	}
	next := before.DeepCopy()
	own := take(next, applied)
	for field := range s.applied[before.UID][manager] {
		if !own[field] && !s.ownedByOther(before, manager, field) {
			dropField(next, field)
		}
	}
	if err := s.Admit(&Request{By: by, Verb: "update", Kind: "Node", Status: true, Before: before, After: next}); err != nil {
		return err
	}
	if s.applied[before.UID] == nil {
		s.applied[before.UID] = map[string]appliedFields{}
	}
	defer func() { s.applied[before.UID][manager] = own }() // whatever put makes of it
	if _, same, err := s.same(before, next); err != nil || same {
		return err
	}
	_, err = s.put(Change{By: by, Verb: "apply the status of", Kind: "Node", Before: before, After: next})
	return err
}

// take labels and conditions that are applied into a node.
func take(next, applied *corev1.Node) appliedFields {
	own := appliedFields{}
	if next.Labels == nil {
		next.Labels = map[string]string{}
	}
	for key, value := range applied.Labels {
		own["label/"+key], next.Labels[key] = true, value
	}
	for _, c := range applied.Status.Conditions {
		own["condition/"+string(c.Type)] = true
		i := slices.IndexFunc(next.Status.Conditions, func(o corev1.NodeCondition) bool { return o.Type == c.Type })
		if i < 0 {
			next.Status.Conditions = append(next.Status.Conditions, c)
		} else {
			next.Status.Conditions[i] = c
		}
	}
	return own
}

func (s *Server) ownedByOther(n *corev1.Node, manager, field string) bool {
	for name, f := range s.applied[n.UID] {
		if name != manager && f[field] {
			return true
		}
	}
	return false
}

func dropField(n *corev1.Node, field string) {
	what, name, _ := strings.Cut(field, "/")
	if what == "label" {
		delete(n.Labels, name)
		return
	}
	n.Status.Conditions = slices.DeleteFunc(n.Status.Conditions, func(c corev1.NodeCondition) bool { return string(c.Type) == name })
}

// disown what a change has taken over from those who applied it: it is the writer's from now on.
func (s *Server) disown(c Change) {
	after, ok := c.After.(*corev1.Node)
	before, was := c.Before.(*corev1.Node)
	if !ok || !was {
		return
	}
	for _, f := range s.applied[after.UID] {
		maps.DeleteFunc(f, func(field string, _ bool) bool { return fieldOf(before, field) != fieldOf(after, field) })
	}
}

func fieldOf(n *corev1.Node, field string) string {
	what, name, _ := strings.Cut(field, "/")
	if what == "label" {
		return n.Labels[name]
	}
	for _, c := range n.Status.Conditions {
		if string(c.Type) == name {
			return fmt.Sprint(c.Status, c.Reason, c.Message)
		}
	}
	return ""
}
