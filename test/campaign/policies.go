package campaign

import (
	"errors"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authentication/user"

	"github.com/assay-dev/assay/test/campaign/admission"
	"github.com/assay-dev/assay/test/campaign/kube"
	"github.com/assay-dev/assay/test/campaign/operator"
)

// shipped policies, compiled once.
var shipped = sync.OnceValue(func() admission.Policies {
	all, err := admission.Load()
	if err != nil {
		panic(err)
	}
	return all
})

// schemas of Assay's kinds, compiled once.
var schemas = sync.OnceValue(func() admission.Schemas {
	all, err := admission.LoadSchemas()
	if err != nil {
		panic(err)
	}
	return all
})

// validate what is written by the schema of its kind. An operator writes nothing that this does not allow.
func (w *world) validate(r *kube.Request) error {
	invalid := schemas().Invalid(r.Kind, r.Before, r.After)
	if len(invalid) == 0 {
		return nil
	}
	w.Figures.Faults["(a write of "+userOf(r).GetName()+" is invalid)"]++
	if operator.Is(r.By) {
		w.Broken("P10", "the operator writes what its schema forbids: %s %s: %v", r.Kind, r.Object().GetName(), invalid.ToAggregate())
	}
	return apierrors.NewInvalid(schema.GroupKind{Group: "assay.dev", Kind: r.Kind}, r.Object().GetName(), invalid)
}

// enforce the policies that Assay ships, which let an operator do all that it does: what is refused to it, a webhook has made of it.
func (w *world) enforce(r *kube.Request, changed bool) error {
	asked := &admission.Write{User: userOf(r), Verb: r.Verb, Kind: r.Kind, Before: r.Before, After: r.After}
	if r.Status {
		asked.Subresource = "status"
	}
	why := shipped().Denied(asked)
	if why == "" {
		return nil
	}
	w.Figures.Faults["(a policy refuses a write of "+userOf(r).GetName()+")"]++
	if operator.Is(r.By) && !changed {
		w.Broken("P4", "the operator writes what its own policy forbids: %s %s: %s", r.Kind, r.Object().GetName(), why)
	}
	return apierrors.NewForbidden(schema.GroupResource{Resource: r.Kind}, r.Object().GetName(), errors.New("ValidatingAdmissionPolicy "+why))
}

// userOf a request, as the API server knows them.
func userOf(r *kube.Request) user.Info {
	service := func(name string) user.Info {
		return &user.DefaultInfo{Name: "system:serviceaccount:" + name, Groups: []string{"system:serviceaccounts"}}
	}
	switch {
	case operator.Is(r.By):
		return service("assay-system:assay-manager")
	case r.By == "kubelet":
		return &user.DefaultInfo{Name: "system:node:any", Groups: []string{"system:nodes"}}
	case r.By == "mpi":
		return service("mpi-operator:mpi-operator")
	case r.By == "person":
		return &user.DefaultInfo{Name: "somebody", Groups: []string{"system:masters"}}
	}
	return service("kube-system:" + r.By)
}
