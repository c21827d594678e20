package kube

import "sigs.k8s.io/controller-runtime/pkg/client"

// Request to write an object, as admission sees it: Before is nil where it is created, After where it is deleted.
type Request struct {
	By, Verb, Kind string
	// Status: through the endpoint of the object's status.
	Status        bool
	Before, After client.Object
}

// Object that is written.
func (r *Request) Object() client.Object {
	if r.After == nil {
		return r.Before
	}
	return r.After
}
