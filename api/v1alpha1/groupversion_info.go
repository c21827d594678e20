// Package v1alpha1 is the API of Assay, group assay.dev: what a user asks for (ValidationRun), what an administrator
// offers (Benchmark, HardwareProfile) and what the controller found (ValidationResult, NodeValidation, NodeHistory).
// It imports nothing of this project. Numbers are decimal strings, so that no client rounds them; durations are
// integers named ...Seconds; every list has a listType and a bound.
//
// +kubebuilder:object:generate=true
// +groupName=assay.dev
package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var (
	// GroupVersion is the group and version of every kind in this package.
	GroupVersion = schema.GroupVersion{Group: "assay.dev", Version: "v1alpha1"}

	schemeBuilder = runtime.NewSchemeBuilder(addKnownTypes)

	// AddToScheme adds the kinds of this package to a scheme.
	AddToScheme = schemeBuilder.AddToScheme
)

func addKnownTypes(s *runtime.Scheme) error {
	s.AddKnownTypes(GroupVersion,
		&Benchmark{}, &BenchmarkList{},
		&HardwareProfile{}, &HardwareProfileList{},
		&NodeHistory{}, &NodeHistoryList{},
		&NodeValidation{}, &NodeValidationList{},
		&ValidationPolicy{}, &ValidationPolicyList{},
		&ValidationResult{}, &ValidationResultList{},
		&ValidationRun{}, &ValidationRunList{},
	)
	metav1.AddToGroupVersion(s, GroupVersion)
	return nil
}
