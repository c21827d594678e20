package admission

import (
	"strings"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/authentication/user"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Write that somebody asks for.
type Write struct {
	User                    user.Info
	Verb, Kind, Subresource string
	Before, After           client.Object

	resource   schema.GroupVersionResource
	attributes *admission.VersionedAttributes
	request    *admissionv1.AdmissionRequest
}

// resources of the kinds that some policy is about.
var resources = map[string]schema.GroupVersionResource{
	"Node":               {Version: "v1", Resource: "nodes"},
	"Pod":                {Version: "v1", Resource: "pods"},
	"Job":                {Group: "batch", Version: "v1", Resource: "jobs"},
	"MPIJob":             {Group: "kubeflow.org", Version: "v2beta1", Resource: "mpijobs"},
	"ControllerRevision": {Group: "apps", Version: "v1", Resource: "controllerrevisions"},
	"DeviceTaintRule":    {Group: "resource.k8s.io", Version: "v1", Resource: "devicetaintrules"},
	"ValidationRun":      {Group: "assay.dev", Version: "v1alpha1", Resource: "validationruns"},
	"ValidationPolicy":   {Group: "assay.dev", Version: "v1alpha1", Resource: "validationpolicies"},
}

func (w *Write) object() client.Object {
	if w.After == nil {
		return w.Before
	}
	return w.After
}

func (w *Write) namespace() string { return w.object().GetNamespace() }

// convert what is asked for into what CEL knows.
func (w *Write) convert() {
	kind := w.resource.GroupVersion().WithKind(w.Kind)
	untyped := func(o client.Object) runtime.Object {
		if o == nil {
			return nil
		}
		fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
		if err != nil {
			panic(err)
		}
		u := &unstructured.Unstructured{Object: fields}
		u.SetGroupVersionKind(kind)
		return u
	}
	before, after := untyped(w.Before), untyped(w.After)
	attributes := admission.NewAttributesRecord(after, before, kind, w.namespace(), w.object().GetName(), w.resource, w.Subresource,
		admission.Operation(strings.ToUpper(w.Verb)), nil, false, w.User)
	w.attributes = &admission.VersionedAttributes{Attributes: attributes, VersionedKind: kind,
		VersionedObject: admission.NewLazyObject(after), VersionedOldObject: admission.NewLazyObject(before)}
	w.request = cel.CreateAdmissionRequest(attributes, metav1.GroupVersionResource(w.resource), metav1.GroupVersionKind(kind))
}
