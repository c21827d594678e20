package dra

import (
	"slices"
	"testing"

	resourcev1 "k8s.io/api/resource/v1"
)

func nobodyElse(string, string) bool { return false }

func gpuPlace(pool, device string) Place { return Place{gpus, pool, device} }

// TestPlaces of the devices of node a: GPU-3 is looked for.
func TestPlaces(t *testing.T) {
	renamed := gpuSet(8)
	renamed[2].Name, renamed[3].Name = renamed[3].Name, renamed[2].Name
	inPool := func(name string, s *resourcev1.ResourceSlice) *resourcev1.ResourceSlice {
		return with(s, func(s *resourcev1.ResourceSliceSpec) { s.Pool.Name = name })
	}
	before := slice(gpuSet(8)...)
	before.OwnerReferences[0].UID = "uid-before"
	for name, c := range map[string]struct {
		slices  []*resourcev1.ResourceSlice
		foreign bool
		want    []Place
	}{
		"by its UUID":                   {[]*resourcev1.ResourceSlice{slice(gpuSet(8)...)}, false, []Place{gpuPlace("a", "gpu-3")}},
		"named otherwise":               {[]*resourcev1.ResourceSlice{slice(renamed...)}, false, []Place{gpuPlace("a", "gpu-2")}},
		"another GPU in its slot":       {[]*resourcev1.ResourceSlice{slice(append(gpuSet(3), edited(gpu(9), func(d *resourcev1.Device) { d.Name = "gpu-3" }))...)}, false, nil},
		"nothing published":             {nil, false, nil},
		"of another node":               {[]*resourcev1.ResourceSlice{with(slice(gpuSet(8)...), func(s *resourcev1.ResourceSliceSpec) { s.NodeName = new("b") })}, false, nil},
		"of the node before":            {[]*resourcev1.ResourceSlice{before}, false, nil},
		"of a driver that is not known": {[]*resourcev1.ResourceSlice{with(slice(gpuSet(8)...), func(s *resourcev1.ResourceSliceSpec) { s.Driver = "x" })}, false, nil},
		"an older generation": {[]*resourcev1.ResourceSlice{slice(renamed...),
			with(slice(gpuSet(8)...), func(s *resourcev1.ResourceSliceSpec) { s.Pool.Generation = 0 })}, false, []Place{gpuPlace("a", "gpu-2")}},
		"a UUID twice":                      {[]*resourcev1.ResourceSlice{slice(append(gpuSet(8), edited(gpu(3), func(d *resourcev1.Device) { d.Name = "gpu-8" }))...)}, false, []Place{gpuPlace("a", "gpu-8"), gpuPlace("a", "gpu-3")}},
		"the pool of its node":              {[]*resourcev1.ResourceSlice{slice(gpuSet(8)...)}, true, []Place{gpuPlace("a", "gpu-3")}},
		"a pool of another name":            {[]*resourcev1.ResourceSlice{inPool("a-gpus", slice(gpuSet(8)...))}, false, []Place{gpuPlace("a-gpus", "gpu-3")}},
		"a pool that may be somebody's":     {[]*resourcev1.ResourceSlice{inPool("b", slice(gpuSet(8)...))}, true, nil},
		"with its parts":                    {[]*resourcev1.ResourceSlice{slice(append([]resourcev1.Device{mig(3, 0)}, gpuSet(8)...)...)}, false, []Place{gpuPlace("a", "gpu-3"), gpuPlace("a", "gpu-3-mig-0")}},
		"parts only":                        {[]*resourcev1.ResourceSlice{slice(append(gpuSet(3), mig(3, 0), mig(2, 0))...)}, false, []Place{gpuPlace("a", "gpu-3-mig-0")}},
		"one of two slices, where it is in": {[]*resourcev1.ResourceSlice{with(slice(gpuSet(8)...), func(s *resourcev1.ResourceSliceSpec) { s.Pool.ResourceSliceCount = 2 })}, false, []Place{gpuPlace("a", "gpu-3")}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, slim := range []bool{false, true} {
				if slim {
					for _, s := range c.slices {
						Slim(s)
					}
				}
				p := PlacesOf(nodeA(), c.slices, func(string, string) bool { return c.foreign })
				if is := p.Of("GPU-3"); !slices.Equal(is, c.want) {
					t.Errorf("it is at %v, want %v (slim: %t)", is, c.want, slim)
				}
				if p.Of("") != nil || p.Of("GPU-77") != nil {
					t.Error("what has no place has one")
				}
				if twice := name == "a UUID twice"; p.Twice("GPU-3") != twice {
					t.Errorf("twice: %t", !twice)
				}
				if disputed := p.Disputed("GPU-3"); (disputed == "b") != (name == "a pool that may be somebody's") {
					t.Errorf("disputed is pool %q", disputed)
				}
			}
		})
	}
}

// TestADeviceMayStillBeThere while its driver is publishing its pool anew, or has withdrawn it, and at no other time.
func TestADeviceMayStillBeThere(t *testing.T) {
	half := func(count int64, devices ...resourcev1.Device) *Places {
		return PlacesOf(nodeA(), []*resourcev1.ResourceSlice{with(slice(devices...), func(s *resourcev1.ResourceSliceSpec) { s.Pool.ResourceSliceCount = count })}, nobodyElse)
	}
	at := gpuPlace("a", "gpu-3")
	for name, c := range map[string]struct {
		places *Places
		want   bool
	}{
		"half of a pool":                        {half(2, gpuSet(3)...), true},
		"half of a pool, with another in there": {half(2, edited(gpu(9), func(d *resourcev1.Device) { d.Name = "gpu-3" })), false},
		"a whole pool without it":               {half(1, gpuSet(3)...), false},
		"no pool":                               {PlacesOf(nodeA(), nil, nobodyElse), true},
	} {
		if is := c.places.MayStillBe("GPU-3", at); is != c.want {
			t.Errorf("%s: %t", name, is)
		}
	}
	if PlacesOf(nodeA(), nil, nobodyElse).MayStillBe("GPU-3", gpuPlace("b", "gpu-3")) {
		t.Error("a pool that is not published, and may be somebody else's by now, may still have the device")
	}
}
