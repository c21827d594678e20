package collect

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-dev/assay/api/v1alpha1"
)

func TestWhatAnAttemptCosts(t *testing.T) {
	watts := func(name string, values ...v1alpha1.Decimal) v1alpha1.Measurement {
		m := v1alpha1.Measurement{Name: name, Unit: "W"}
		for _, v := range values {
			m.Parts = append(m.Parts, v1alpha1.PartValue{Value: v})
		}
		return m
	}
	for sentence, c := range map[string]struct {
		held    held
		ran     time.Duration
		sampled []v1alpha1.Measurement
		want    *v1alpha1.Cost
	}{
		"all GPUs are held, whatever the program used": {held{8, time.Minute}, 3500 * time.Millisecond,
			[]v1alpha1.Measurement{watts("cpuPower", "300"), watts("gpuPower", "600", "70")}, &v1alpha1.Cost{GPUSeconds: 28, Joules: 2345}},
		"what the program read goes before what was sampled": {held{2, time.Minute}, 10 * time.Second,
			[]v1alpha1.Measurement{watts("gpuPower", "600", "600"), watts("power", "500", "400")}, &v1alpha1.Cost{GPUSeconds: 20, Joules: 9000}},
		"power that nobody read is not made up":          {held{2, time.Minute}, 10 * time.Second, nil, &v1alpha1.Cost{GPUSeconds: 20}},
		"a benchmark of CPUs costs no GPU":               {held{0, time.Minute}, 10 * time.Second, []v1alpha1.Measurement{watts("gpuPower", "70")}, nil},
		"no program ran for longer than its pod existed": {held{8, time.Minute}, 1000 * time.Hour, nil, &v1alpha1.Cost{GPUSeconds: 480}},
		"a program that ended before it began":           {held{8, time.Minute}, -time.Second, nil, nil},
		"power that no GPU draws is not believed":        {held{1, time.Minute}, time.Second, []v1alpha1.Measurement{watts("power", "1e300")}, &v1alpha1.Cost{GPUSeconds: 1}},
		"power below nothing is none":                    {held{2, time.Minute}, time.Second, []v1alpha1.Measurement{watts("power", "-1e9", "500")}, &v1alpha1.Cost{GPUSeconds: 2, Joules: 500}},
	} {
		if diff := cmp.Diff(c.want, c.held.cost(c.ran, c.sampled)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", sentence, diff)
		}
	}
}
