// Package workload turns a benchmark and a node into a Pod, and reads back from the Pod how it fares.
// It decides what a pod may do (privileges, requests, placement) and never talks to a cluster.
package workload

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
)

var placeholder = regexp.MustCompile(`\$\(([^)]*)\)`)

// decimal is how the API writes numbers; Go also reads 0x1p-1, 0_1, +1 and Inf, which the program may not.
var decimal = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)

// Arguments returns the argument vector of a benchmark with $(name) replaced by its parameters. Values are checked
// against type and bounds; an error says which parameter is wrong and what is allowed.
func Arguments(b *v1alpha1.Benchmark, set []v1alpha1.ParameterValue) ([]string, error) {
	values := make(map[string]string, len(b.Spec.Parameters))
	for _, p := range b.Spec.Parameters {
		if err := checkParameter(p, p.Default); err != nil {
			return nil, fmt.Errorf("Benchmark %s has a bad default: %w", b.Name, err)
		}
		values[p.Name] = p.Default
	}
	for _, v := range set {
		i := slices.IndexFunc(b.Spec.Parameters, func(p v1alpha1.ParameterSpec) bool { return p.Name == v.Name })
		if i < 0 {
			names := list.Map(b.Spec.Parameters, func(p v1alpha1.ParameterSpec) string { return p.Name })
			return nil, fmt.Errorf("benchmark %s has no parameter %q; it has %s", b.Name, v.Name, cmp.Or(strings.Join(names, ", "), "none"))
		}
		if err := checkParameter(b.Spec.Parameters[i], v.Value); err != nil {
			return nil, fmt.Errorf("benchmark %s: %w", b.Name, err)
		}
		values[v.Name] = v.Value
	}
	return substitute(b, values)
}

func substitute(b *v1alpha1.Benchmark, values map[string]string) ([]string, error) {
	var unknown string
	argv := make([]string, 0, len(b.Spec.Command))
	for _, arg := range b.Spec.Command {
		argv = append(argv, placeholder.ReplaceAllStringFunc(arg, func(m string) string {
			v, ok := values[m[2:len(m)-1]]
			if !ok {
				unknown = m
			}
			return v
		}))
	}
	if unknown != "" {
		return nil, fmt.Errorf("Benchmark %s uses %s in its command, but declares no such parameter", b.Name, unknown)
	}
	return argv, nil
}

func checkParameter(p v1alpha1.ParameterSpec, value string) error {
	switch p.Type {
	case v1alpha1.ParameterInteger:
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil || !decimal.MatchString(value) {
			return fmt.Errorf("parameter %s is %q, which is not an integer", p.Name, value)
		}
		return checkBounds(p, float64(n), value)
	case v1alpha1.ParameterNumber:
		n, err := strconv.ParseFloat(value, 64)
		if err != nil || !decimal.MatchString(value) {
			return fmt.Errorf("parameter %s is %q, which is not a number", p.Name, value)
		}
		return checkBounds(p, n, value)
	case v1alpha1.ParameterBoolean:
		if value != "true" && value != "false" {
			return fmt.Errorf("parameter %s is %q: write true or false", p.Name, value)
		}
	case v1alpha1.ParameterEnum:
		if !slices.Contains(p.Values, value) {
			return fmt.Errorf("parameter %s is %q: choose one of %s", p.Name, value, strings.Join(p.Values, ", "))
		}
	default:
		return fmt.Errorf("parameter %s has the unknown type %q", p.Name, string(p.Type))
	}
	return nil
}

func checkBounds(p v1alpha1.ParameterSpec, n float64, value string) error {
	if lo, err := strconv.ParseFloat(string(p.Minimum), 64); p.Minimum != "" && (err != nil || n < lo) {
		return fmt.Errorf("parameter %s is %s: it must be at least %s", p.Name, value, string(p.Minimum))
	}
	if hi, err := strconv.ParseFloat(string(p.Maximum), 64); p.Maximum != "" && (err != nil || n > hi) {
		return fmt.Errorf("parameter %s is %s: it must be at most %s", p.Name, value, string(p.Maximum))
	}
	return nil
}

// Configuration is a short hash of what runs: image, arguments and environment. Only measurements of one configuration are
// compared with each other, in a run and over time. image is that of the Benchmark, or the digest of what ran.
func Configuration(b *v1alpha1.Benchmark, argv []string, image string) string {
	text := fmt.Appendf(nil, "%q%q", image, argv)
	for _, e := range b.Spec.Env {
		text = fmt.Appendf(text, "%q", []string{e.Name, e.Value})
	}
	return hash(text)
}

// hash is short enough for a name.
func hash(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])[:16]
}

// Asked is a short hash of what a run or a policy asks for by a benchmark: image as the Benchmark names it, command, environment, and the
// expectations that it sets itself. A pass proves what was asked for, and nothing else. Where no expectation is set it is the Configuration.
func Asked(b *v1alpha1.Benchmark, ref v1alpha1.BenchmarkRef) (string, error) {
	argv, err := Arguments(b, ref.Parameters)
	if err != nil {
		return "", err
	}
	configuration := Configuration(b, argv, b.Spec.Image)
	if len(ref.Expectations) == 0 {
		return configuration, nil
	}
	own := slices.SortedFunc(slices.Values(ref.Expectations), func(a, b v1alpha1.ExpectationOverride) int { return cmp.Compare(a.Metric, b.Metric) })
	text, _ := json.Marshal(own) // texts always can be
	return hash(append([]byte(configuration), text...)), nil
}

// NotProvided says what a site has to do before a benchmark can run that takes the site's own image. Empty: it has an image.
func NotProvided(b *v1alpha1.Benchmark) string {
	if b.Spec.Image != "" || b.Spec.SiteImage == "" {
		return ""
	}
	return fmt.Sprintf("Benchmark %s has no image yet, because each site provides its own: set its spec.image, or catalogue.images.%s of the "+
		"chart that installed it, to an image with %s", b.Name, b.Name, b.Spec.SiteImage)
}
