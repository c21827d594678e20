package workload

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
)

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
	text, err := json.Marshal(own)
	if err != nil {
		return "", fmt.Errorf("hashing the expectations of %s: %w", b.Name, err)
	}
	sum := sha256.Sum256(append([]byte(configuration), text...))
	return hex.EncodeToString(sum[:])[:16], nil
}
