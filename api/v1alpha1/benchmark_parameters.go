package v1alpha1

// ParameterType is the type of a benchmark's parameter.
// +kubebuilder:validation:Enum=Integer;Number;Boolean;Enum
type ParameterType string

// The parameter types. There is no free text: a parameter never carries anything that a program could interpret.
const (
	ParameterInteger ParameterType = "Integer"
	ParameterNumber  ParameterType = "Number"
	ParameterBoolean ParameterType = "Boolean"
	ParameterEnum    ParameterType = "Enum"
)

// ParameterSpec declares one parameter that a run may set.
// +kubebuilder:validation:XValidation:rule="self.type != 'Enum' || (has(self.values) && size(self.values) > 0)",message="a parameter of type Enum needs values: list the allowed ones"
// +kubebuilder:validation:XValidation:rule="self.type == 'Enum' || !has(self.values)",message="values is only for a parameter of type Enum: use minimum and maximum to bound a number"
// +kubebuilder:validation:XValidation:rule="self.type in ['Integer', 'Number'] || (!has(self.minimum) && !has(self.maximum))",message="minimum and maximum are only for a parameter of type Integer or Number"
// +kubebuilder:validation:XValidation:rule="self.type == 'Integer' ? self.default.matches('^-?[0-9]+$') : self.type == 'Number' ? self.default.matches('^-?[0-9]+([.][0-9]+)?([eE][-+]?[0-9]+)?$') : self.type == 'Boolean' ? self.default in ['true', 'false'] : (!has(self.values) || self.default in self.values)",message="default must be a value of the parameter's type: a whole number, a number, true or false, or one of values"
type ParameterSpec struct {
	// name, as written in command between $( and ).
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z][a-zA-Z0-9]*$`
	Name string `json:"name"`

	// type: Integer, Number, Boolean or Enum.
	Type ParameterType `json:"type"`

	// default: the value when a run sets none.
	// +kubebuilder:validation:MaxLength=64
	Default string `json:"default"`

	// minimum, for Integer and Number, inclusive. Unset: no bound.
	// +optional
	Minimum Decimal `json:"minimum,omitempty"`

	// maximum, for Integer and Number, inclusive. Unset: no bound.
	// +optional
	Maximum Decimal `json:"maximum,omitempty"`

	// values: the allowed values of an Enum.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MaxLength=64
	// +kubebuilder:validation:items:Pattern=`^[A-Za-z0-9][A-Za-z0-9._,:/=+-]*$`
	Values []string `json:"values,omitempty"`

	// description for the catalogue.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	Description string `json:"description,omitempty"`
}
