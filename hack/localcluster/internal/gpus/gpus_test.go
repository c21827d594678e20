package gpus

import (
	"regexp"
	"slices"
	"testing"
)

func TestSimulatedDevicesAreToldApartByUUID(t *testing.T) {
	uuid := regexp.MustCompile(`^gpu-[0-7] GPU-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)
	all := slices.Concat(Names(Simulated("a", "node-1", 8)), Names(Simulated("a", "node-2", 8)), Names(Simulated("b", "node-1", 8)))
	seen := map[string]bool{}
	for _, name := range all {
		if !uuid.MatchString(name) || seen[name[len("gpu-0 "):]] {
			t.Errorf("%s: no UUID, or not its own", name)
		}
		seen[name[len("gpu-0 "):]] = true
	}
	if !slices.Equal(Names(Simulated("a", "node-1", 8)), all[:8]) {
		t.Error("a node that publishes its devices again publishes others")
	}
}
