package message

import "fmt"

// CatalogueTooLarge is for a run whose part of the catalogue cannot be pinned.
func CatalogueTooLarge(benchmarks, profiles, bytes, most int) string {
	return fmt.Sprintf("its %d Benchmarks and %d HardwareProfiles take %d bytes, and at most %d can be kept: name fewer Benchmarks, or shorten their descriptions",
		benchmarks, profiles, bytes, most)
}
