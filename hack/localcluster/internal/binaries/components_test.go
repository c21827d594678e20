package binaries

import (
	"slices"
	"testing"
)

func TestOneMoreProgramMakesAnotherSetOfTheSameBuilds(t *testing.T) {
	all := components()
	fewer := slices.DeleteFunc(slices.Clone(all), func(c component) bool { return c.name == "mpi-operator" })
	if len(fewer) != len(all)-1 {
		t.Fatalf("%d of %d programs are the MPI Operator", len(all)-len(fewer), len(all))
	}
	if setID(all) == setID(fewer) {
		t.Error("a set without the MPI Operator passes for one with it")
	}
	for _, c := range fewer {
		if c.id() != c.name+"-"+c.version {
			t.Errorf("%s is built again when something else changes: %s", c.name, c.id())
		}
	}
}
