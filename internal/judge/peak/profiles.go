package peak

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
)

// Profiles are HardwareProfiles whose selectors were read, the most specific first.
type Profiles []selected

type selected struct {
	*v1alpha1.HardwareProfile
	selector labels.Selector
}

// ReadProfiles orders profiles: those with the most requirements first, then by name. A profile whose selector cannot be read is left
// out and reported in the error; the others are valid all the same.
func ReadProfiles(profiles []v1alpha1.HardwareProfile) (Profiles, error) {
	var out Profiles
	var errs []error
	for p := range list.Each(profiles) {
		selector, err := p.Spec.ByLabels()
		if err != nil {
			errs = append(errs, fmt.Errorf("HardwareProfile %s is left out, because its selector cannot be read: %w", p.Name, err))
			continue
		}
		out = append(out, selected{p, selector})
	}
	slices.SortFunc(out, func(a, b selected) int {
		return cmp.Or(cmp.Compare(requirements(b), requirements(a)), cmp.Compare(a.Name, b.Name))
	})
	return out, errors.Join(errs...)
}

func requirements(p selected) int {
	return len(p.Spec.Selector.MatchLabels) + len(p.Spec.Selector.MatchExpressions)
}

// Peaks of a node with these labels: all profiles for it together. Of a peak that several give, that of the most specific counts.
func (ps Profiles) Peaks(nodeLabels map[string]string) Peaks {
	return Of(list.Some(ps, func(p selected) (*v1alpha1.HardwareProfile, bool) {
		return p.HardwareProfile, p.selector.Matches(labels.Set(nodeLabels))
	})...)
}

// Of the profiles of one node; the first to give a peak for a kind of part, or how many devices of a resource there are, counts.
func Of(profiles ...*v1alpha1.HardwareProfile) Peaks {
	if len(profiles) == 0 {
		return Peaks{}
	}
	peaks := Peaks{byPart: map[[2]string]limit{}, devices: map[string]count{}}
	for _, p := range profiles {
		peaks.profiles = append(peaks.profiles, p.Name)
		peaks.Fabric = cmp.Or(peaks.Fabric, p.Spec.Fabric)
		peaks.accepted = append(peaks.accepted, p.Spec.AcceptedLosses...)
		for _, peak := range p.Spec.Peaks {
			key := [2]string{peak.Name, peak.At}
			if _, known := peaks.byPart[key]; !known {
				peaks.byPart[key] = limit{peak, p.Name}
			}
		}
		for _, d := range p.Spec.Devices {
			if _, known := peaks.devices[d.Resource]; !known {
				peaks.devices[d.Resource] = count{int64(d.Count), p.Name}
			}
		}
	}
	return peaks
}
