package nodevalidation

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// Each text that a program or a person chooses counts with its whole length, so that no object is larger than it is taken to be.
func TestEachTextCounts(t *testing.T) {
	entry := v1alpha1.HistoryEntry{Machine: &v1alpha1.Machine{}, Values: []v1alpha1.HistoryValue{{}}}
	history := &v1alpha1.NodeHistory{Benchmarks: []v1alpha1.BenchmarkHistory{{
		Entries:     []v1alpha1.HistoryEntry{entry},
		Held:        []v1alpha1.HeldRules{{Rules: []v1alpha1.HeldRule{{Kinds: []v1alpha1.HeldValue{{}}}}}},
		Unconfirmed: []v1alpha1.UnconfirmedParts{{Parts: []v1alpha1.PartReference{{}}}},
		Passes: []v1alpha1.PassHistory{{Runs: []v1alpha1.PassingRun{{}}, Devices: []v1alpha1.Device{{}},
			Metrics: []v1alpha1.MetricHistory{{Parts: []v1alpha1.PartHistory{{Recent: []v1alpha1.PassingValue{""}}}}}}},
	}}}
	state := &v1alpha1.NodeValidation{Fingerprint: v1alpha1.Fingerprint{DeviceUUIDs: []string{""}}, Benchmarks: []v1alpha1.BenchmarkState{{
		History:  []v1alpha1.HistoryEntry{*entry.DeepCopy()},
		Unproved: []v1alpha1.UnprovedRun{{Machine: &v1alpha1.Machine{}}},
		Warnings: []v1alpha1.Finding{{}},
	}}}
	conviction := &v1alpha1.Conviction{}
	countsAll(t, &history.Benchmarks, func() int { return sizeOfHistory(history) })
	countsAll(t, &state.Benchmarks, func() int { return sizeOfState(state) })
	countsAll(t, &state.Fingerprint.DeviceUUIDs, func() int { return sizeOfState(state) })
	countsAll(t, &state.Message, func() int { return sizeOfState(state) })
	countsAll(t, conviction, func() int { return sizeOfConviction(conviction) })
}

// short are texts whose length the API or Assay bounds: what is counted for each object has room for them.
var short = map[string]bool{"Verdict": true, "RunUID": true, "UID": true, "Limit": true, "Value": true, "Typical": true, "Bound": true, "Reason": true,
	"Configuration": true, "Asked": true, "Baseline": true, "Recent": true}

// countsAll texts in what a pointer is to.
func countsAll(t *testing.T, of any, size func() int) {
	t.Helper()
	var visit func(name string, v reflect.Value)
	visit = func(name string, v reflect.Value) {
		switch v.Kind() {
		case reflect.Pointer:
			if !v.IsNil() {
				visit(name, v.Elem())
			}
		case reflect.Slice:
			for i := range v.Len() {
				visit(name, v.Index(i))
			}
		case reflect.Struct:
			for i := range v.NumField() {
				if f := v.Type().Field(i); f.IsExported() && f.Type.PkgPath() != "k8s.io/apimachinery/pkg/apis/meta/v1" {
					visit(f.Name, v.Field(i))
				}
			}
		case reflect.String:
			for _, text := range []string{strings.Repeat("x", 100), strings.Repeat("<", 100)} {
				before := size()
				v.SetString(text)
				written, err := json.Marshal(text)
				least := len(written) - len(`""`)
				if short[name] {
					least = 0
				}
				if grown := size() - before; err != nil || grown < least {
					t.Errorf("%s: %d bytes of JSON count as %d, error %v", name, len(written), grown, err)
				}
				v.SetString("")
			}
		}
	}
	visit("", reflect.ValueOf(of))
}
