package message

import (
	"cmp"
	"fmt"
	"strings"
)

// What is wrong with the parameters of a run or a Benchmark.

// UnknownParameter lists those that there are.
func UnknownParameter(benchmark, name string, known []string) string {
	return fmt.Sprintf("benchmark %s has no parameter %q; it has %s", benchmark, name, cmp.Or(strings.Join(known, ", "), "none"))
}

// UndeclaredParameter is for a $(name) in a command.
func UndeclaredParameter(benchmark, placeholder string) string {
	return fmt.Sprintf("Benchmark %s uses %s in its command, but declares no such parameter", benchmark, placeholder)
}

// NotAnInteger is for a parameter of type Integer.
func NotAnInteger(name, value string) string {
	return fmt.Sprintf("parameter %s is %q, which is not an integer", name, value)
}

// ParameterNotANumber is for a parameter of type Number.
func ParameterNotANumber(name, value string) string {
	return fmt.Sprintf("parameter %s is %q, which is not a number", name, value)
}

// NotABoolean is for a parameter of type Boolean.
func NotABoolean(name, value string) string {
	return fmt.Sprintf("parameter %s is %q: write true or false", name, value)
}

// NotAChoice is for a parameter of type Enum.
func NotAChoice(name, value string, choices []string) string {
	return fmt.Sprintf("parameter %s is %q: choose one of %s", name, value, strings.Join(choices, ", "))
}

// BelowMinimum is for a parameter that is a number.
func BelowMinimum(name, value, minimum string) string {
	return fmt.Sprintf("parameter %s is %s: it must be at least %s", name, value, minimum)
}

// AboveMaximum is for a parameter that is a number.
func AboveMaximum(name, value, maximum string) string {
	return fmt.Sprintf("parameter %s is %s: it must be at most %s", name, value, maximum)
}

// UnknownParameterType is for a Benchmark of a later release.
func UnknownParameterType(name, kind string) string {
	return fmt.Sprintf("parameter %s has the unknown type %q", name, kind)
}
