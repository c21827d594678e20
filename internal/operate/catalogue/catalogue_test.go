package catalogue

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-dev/assay/api/v1alpha1"
)

func snapshot() Snapshot {
	b := v1alpha1.Benchmark{}
	b.Name, b.Generation, b.Spec.Image, b.Spec.TimeoutSeconds = "stream", 3, "registry.example/stream:1", 60
	p, q := v1alpha1.HardwareProfile{}, v1alpha1.HardwareProfile{}
	p.Name, q.Name = "h200", "a100"
	return Take([]v1alpha1.Benchmark{b}, []v1alpha1.HardwareProfile{p, q})
}

func TestASnapshotComesBackAsItWas(t *testing.T) {
	data, hash, err := snapshot().Encode()
	if err != nil {
		t.Fatal(err)
	}
	got, again, err := Decode(data)
	if err != nil || again != hash {
		t.Errorf("hash %s, want %s; %v", again, hash, err)
	}
	if diff := cmp.Diff(snapshot(), got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	want := &v1alpha1.PinnedCatalogue{Revision: "r", Hash: hash, Benchmarks: []v1alpha1.PinnedObject{{Name: "stream", Generation: 3, Configuration: "c"}},
		Profiles: []v1alpha1.PinnedObject{{Name: "a100"}, {Name: "h200"}}}
	if diff := cmp.Diff(want, got.Reference("r", hash, map[string]string{"stream": "c"})); diff != "" {
		t.Errorf("reference (-want +got):\n%s", diff)
	}
}

// TestTheHashIsThatOfTheContent: who stores the JSON may write it otherwise, and a later release may know other fields; what it says
// must not change.
func TestTheHashIsThatOfTheContent(t *testing.T) {
	data, hash, err := snapshot().Encode()
	if err != nil {
		t.Fatal(err)
	}
	spaced := &bytes.Buffer{}
	if err := json.Indent(spaced, data, "", "  "); err != nil {
		t.Fatal(err)
	}
	unknown := bytes.Replace(data, []byte(`"name":"stream"`), []byte(`"name":"stream","fieldOfALaterRelease":1`), 1)
	changed := bytes.Replace(data, []byte("stream:1"), []byte("stream:2"), 1)
	for sentence, c := range map[string]struct {
		data []byte
		same bool
	}{"spaced": {spaced.Bytes(), true}, "with a field more": {unknown, false}, "of another image": {changed, false}} {
		if _, got, err := Decode(c.data); err != nil || (got == hash) != c.same {
			t.Errorf("%s: same hash %v, want %v; %v", sentence, got == hash, c.same, err)
		}
	}
	_, first, _ := Decode(unknown)
	if again, _ := hashOf(unknown); first != again {
		t.Error("what this release does not know is not part of the hash")
	}
}

func TestTooLargeACatalogue(t *testing.T) {
	s := snapshot()
	s.Benchmarks[0].Spec.Description = strings.Repeat("x", 1<<20)
	if _, _, err := s.Encode(); err == nil || !strings.Contains(err.Error(), "1 Benchmarks and 2 HardwareProfiles take") {
		t.Errorf("got %v", err)
	}
	if _, _, err := Decode([]byte("{")); err == nil {
		t.Error("half a catalogue was read")
	}
}

// What a run or a policy overrides is one of its suite.
func TestASuiteIsChosenWithItsOverrides(t *testing.T) {
	all := []v1alpha1.Benchmark{{}, {}, {}}
	for i, name := range []string{"hpl", "stream", "dgemm"} {
		all[i].Name, all[i].Spec.Suites = name, []string{"cpu"}
	}
	all[0].Spec.Suites = []string{"long"}
	all[0].Labels = map[string]string{v1alpha1.LabelSuite + "mine": "", v1alpha1.LabelSuite + "long": "", "team": "mine"}
	all[2].Labels = map[string]string{v1alpha1.LabelSuite + "mine": "true"}
	if got := strings.Join(Suites(all), " "); got != "cpu long mine" {
		t.Errorf("suites %s", got)
	}
	ref := func(name string) []v1alpha1.BenchmarkRef { return []v1alpha1.BenchmarkRef{{Name: name}} }
	for _, c := range []struct {
		suite            string
		named, overrides []v1alpha1.BenchmarkRef
		want             string
	}{
		{"cpu", nil, ref("stream"), "stream dgemm"},
		{"cpu", nil, ref("hpl"), `the suite "cpu" has no benchmark "hpl" to be overridden: it has dgemm, stream`},
		{"mine", nil, ref("dgemm"), "hpl dgemm"},
		{"team", nil, nil, "no Benchmark lists the suite \"team\": choose one that `kubectl assay suites` shows"},
		{"", ref("hpl"), nil, "hpl"},
		{"", ref("hp"), nil, "there is no Benchmark \"hp\": choose one that `kubectl get benchmarks` shows, or install it"},
		{"gpu", nil, ref("hpl"), "no Benchmark lists the suite \"gpu\": choose one that `kubectl assay suites` shows"},
	} {
		chosen, err := Choose(all, c.suite, c.named, c.overrides)
		var names []string
		for i := range chosen {
			names = append(names, chosen[i].Name)
		}
		got := strings.Join(names, " ")
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("got %s\nwant %s", got, c.want)
		}
	}
}
