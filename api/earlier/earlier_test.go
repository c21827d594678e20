package earlier

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/assay-dev/assay/api/v1alpha1"
)

func stored(t *testing.T) []byte {
	t.Helper()
	text, err := os.ReadFile("testdata/node-4.yaml")
	if err == nil {
		text, err = yaml.YAMLToJSON(text)
	}
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestWhatAnEarlierVersionStored: the state is read as it is, and the history apart from it.
func TestWhatAnEarlierVersionStored(t *testing.T) {
	v, h, err := Read(stored(t))
	if err != nil {
		t.Fatal(err)
	}
	if v.NodeHistory != nil || len(v.Convictions) != 1 || v.Quarantine.ID != "q" || len(v.Benchmarks[0].History) != 3 || len(v.Benchmarks[0].Unproved) != 1 ||
		v.Benchmarks[0].History[2].Machine.BootID != "boot-2" {
		t.Errorf("the state is %+v", v)
	}
	if h.Name != "node-4" || h.NodeUID != "uid-4" || h.OffenceCount != 2 || len(h.OwnerReferences) != 1 || len(h.Benchmarks) != 1 {
		t.Fatalf("the history is %+v", h)
	}
	b := &h.Benchmarks[0]
	if len(b.Entries) != 3 || b.Entries[0].Values[0].Value != "4100" || b.Entries[2].Machine != nil {
		t.Errorf("entries %+v", b.Entries)
	}
	if len(b.Held) != 1 || b.Held[0].RunUID != "run-6" || b.Held[0].Verdict != v1alpha1.VerdictPass || b.Held[0].Rules[0].Value != "4369" {
		t.Errorf("held %+v", b.Held)
	}
	if len(b.Unconfirmed) != 1 || b.Unconfirmed[0].RunUID != "run-6" || b.Unconfirmed[0].Parts[0].Identity != "GPU-aaaa" {
		t.Errorf("unconfirmed %+v", b.Unconfirmed)
	}
	if diff := cmp.Diff([]v1alpha1.PassingValue{"4370", "4372"}, b.Passes[0].Metrics[0].Parts[0].Recent); diff != "" {
		t.Errorf("values (-want +got):\n%s", diff)
	}
}

// TestWhatThisVersionStoresHasNoHistoryInIt.
func TestWhatThisVersionStoresHasNoHistoryInIt(t *testing.T) {
	v, _, err := Read(stored(t))
	if err != nil {
		t.Fatal(err)
	}
	v.NodeHistory = &v1alpha1.HistoryReference{UID: "h"}
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if again, h, err := Read(text); err != nil || h != nil || !cmp.Equal(v, again) {
		t.Errorf("error %v, history %v", err, h)
	}
	if _, _, err := Read([]byte(`{"benchmarks": 3}`)); err == nil {
		t.Error("nonsense is read")
	}
}
