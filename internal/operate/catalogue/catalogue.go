// Package catalogue keeps what a run was started with: the Benchmarks it measures and the HardwareProfiles it compares with, as they
// were then. It is pure: it turns objects into data with a hash, and data back into objects.
package catalogue

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
)

const (
	// maxBenchmarks of one run, as many as its results hold.
	maxBenchmarks = 32
	// maxProfiles that a run's status names.
	maxProfiles = 64
	// maxBytes of the data: what the API server stores in one object is 1.5 MB.
	maxBytes = 1 << 20
)

// Snapshot is a part of the catalogue at one moment.
type Snapshot struct {
	Benchmarks []Benchmark `json:"benchmarks"`
	Profiles   []Profile   `json:"profiles"`
}

// Pinned is an object as it was.
type Pinned[Spec any] struct {
	Name       string `json:"name"`
	Generation int64  `json:"generation"`
	Spec       Spec   `json:"spec"`
}

// What is pinned: Benchmarks, and HardwareProfiles.
type (
	Benchmark = Pinned[v1alpha1.BenchmarkSpec]
	Profile   = Pinned[v1alpha1.HardwareProfileSpec]
)

// Take a snapshot. The Benchmarks keep their order.
func Take(benchmarks []v1alpha1.Benchmark, profiles []v1alpha1.HardwareProfile) Snapshot {
	s := Snapshot{
		Benchmarks: list.Map(benchmarks, func(b v1alpha1.Benchmark) Benchmark { return Benchmark{b.Name, b.Generation, *b.Spec.DeepCopy()} }),
		Profiles:   list.Map(profiles, func(p v1alpha1.HardwareProfile) Profile { return Profile{p.Name, p.Generation, *p.Spec.DeepCopy()} }),
	}
	slices.SortFunc(s.Profiles, func(a, b Profile) int { return cmp.Compare(a.Name, b.Name) })
	return s
}

// Encode returns the snapshot as JSON and its hash; an error where it is too large to be stored.
func (s Snapshot) Encode() (data []byte, hash string, err error) {
	if data, err = json.Marshal(s); err != nil {
		return nil, "", fmt.Errorf("encoding the catalogue: %w", err)
	}
	if len(data) > maxBytes {
		return nil, "", fmt.Errorf("its %d Benchmarks and %d HardwareProfiles take %d bytes, and at most %d can be kept: name fewer Benchmarks, "+
			"or shorten their descriptions", len(s.Benchmarks), len(s.Profiles), len(data), maxBytes)
	}
	hash, err = hashOf(data)
	return data, hash, err
}

// hashOf JSON, however it is written: an API server may order and space it otherwise, and a later release of this program may know
// more fields than the one that wrote it.
func hashOf(data []byte) (string, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var content any
	if err := decoder.Decode(&content); err != nil {
		return "", fmt.Errorf("decoding the catalogue: %w", err)
	}
	canonical, err := json.Marshal(content)
	if err != nil {
		return "", fmt.Errorf("encoding the catalogue: %w", err)
	}
	sum := sha256.Sum256(canonical)
	return hex.EncodeToString(sum[:]), nil
}

// Decode reads a snapshot and the hash of its content.
func Decode(data []byte) (s Snapshot, hash string, err error) {
	if err := json.Unmarshal(data, &s); err != nil {
		return Snapshot{}, "", fmt.Errorf("decoding the catalogue: %w", err)
	}
	hash, err = hashOf(data)
	return s, hash, err
}

// Objects are the Benchmarks of the snapshot.
func (s Snapshot) Objects() []v1alpha1.Benchmark {
	return list.Map(s.Benchmarks, func(b Benchmark) v1alpha1.Benchmark {
		return v1alpha1.Benchmark{ObjectMeta: metav1.ObjectMeta{Name: b.Name, Generation: b.Generation}, Spec: b.Spec}
	})
}

// HardwareProfiles of the snapshot.
func (s Snapshot) HardwareProfiles() []v1alpha1.HardwareProfile {
	return list.Map(s.Profiles, func(p Profile) v1alpha1.HardwareProfile {
		return v1alpha1.HardwareProfile{ObjectMeta: metav1.ObjectMeta{Name: p.Name, Generation: p.Generation}, Spec: p.Spec}
	})
}

// Reference is what a run's status says of the snapshot. configurations are those of its Benchmarks, by name.
func (s Snapshot) Reference(revision, hash string, configurations map[string]string) *v1alpha1.PinnedCatalogue {
	return &v1alpha1.PinnedCatalogue{Revision: revision, Hash: hash,
		Benchmarks: list.Map(s.Benchmarks, func(b Benchmark) v1alpha1.PinnedObject {
			return v1alpha1.PinnedObject{Name: b.Name, Generation: b.Generation, Configuration: configurations[b.Name]}
		}),
		Profiles: list.Map(s.Profiles[:min(len(s.Profiles), maxProfiles)], func(p Profile) v1alpha1.PinnedObject {
			return v1alpha1.PinnedObject{Name: p.Name, Generation: p.Generation}
		})}
}
