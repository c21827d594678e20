package export

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/randfill"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/catalogue"
)

func everyRun(_, _ string) bool { return true }

// saved is the file of these runs.
func saved(t testing.TB, runs ...Run) []byte {
	t.Helper()
	var file bytes.Buffer
	lines, err := NewLines(&file, "v1.2.3", "here")
	if err != nil {
		t.Fatal(err)
	}
	pour(t, lines, runs...)
	return file.Bytes()
}

func pour(t testing.TB, to Writer, runs ...Run) {
	t.Helper()
	for i := range runs {
		if err := runs[i].Pour(to); err != nil {
			t.Fatal(err)
		}
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
}

// filler makes objects as the API server would hand them out: times of whole seconds, nothing that JSON cannot carry.
func filler(seed int64) *randfill.Filler {
	return randfill.NewWithSeed(seed).NilChance(0.3).NumElements(0, 3).Funcs(
		func(t *metav1.Time, c randfill.Continue) { t.Time = time.Unix(c.Int63n(4e9), 0) },
		func(t *metav1.MicroTime, c randfill.Continue) { t.Time = time.Unix(c.Int63n(4e9), 0) },
		func(*metav1.FieldsV1, randfill.Continue) {},
	)
}

// normal is an object as JSON brings it back.
func normal[T any](t *testing.T, v T) T {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var out T
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func randomRun(t *testing.T, seed int64) Run {
	t.Helper()
	fill := filler(seed)
	var run v1alpha1.ValidationRun
	var results []v1alpha1.ValidationResult
	var validations []v1alpha1.NodeValidation
	var histories []v1alpha1.NodeHistory
	var started *catalogue.Snapshot
	r := Run{}
	fill.Fill(&run)
	fill.Fill(&results)
	fill.Fill(&validations)
	fill.Fill(&histories)
	fill.Fill(&started)
	fill.Fill(&r.Cluster)
	run.Name = "run"
	for i := range results {
		results[i].Run.UID = run.UID
		r.Results = append(r.Results, normal(t, results[i]))
	}
	for i := range validations {
		if validations[i].NodeHistory == nil { // else it is one of an earlier version
			validations[i].NodeHistory = &v1alpha1.HistoryReference{}
		}
		r.Validations = append(r.Validations, normal(t, validations[i]))
	}
	for i := range histories {
		r.Histories = append(r.Histories, normal(t, histories[i]))
	}
	if fill.Fill(&r.Places); len(r.Places) == 0 {
		r.Places = nil
	}
	r.Cluster = normal(t, r.Cluster)
	r.Run, r.Catalogue = normal(t, &run), normal(t, started)
	return r
}

func TestWhatIsReadIsWhatWasWritten(t *testing.T) {
	for seed := range int64(100) {
		want := []Run{randomRun(t, seed), randomRun(t, -seed-1)}
		file := saved(t, want...)
		if seed%2 == 0 {
			file = zipped(t, file)
		}
		var got Collected
		if err := Read(bytes.NewReader(file), everyRun, &got); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if diff := cmp.Diff(want, got.Runs); diff != "" {
			t.Fatalf("seed %d (-want +got):\n%s", seed, diff)
		}
	}
}

func zipped(t testing.TB, text []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// cat a.jsonl.gz b.jsonl.gz >both.jsonl.gz is a file, too.
func TestSeveralFilesInOne(t *testing.T) {
	a, b := randomRun(t, 1), randomRun(t, 2)
	for name, file := range map[string][]byte{
		"plain":      append(saved(t, a), saved(t, b)...),
		"compressed": append(zipped(t, saved(t, a)), zipped(t, saved(t, b))...),
	} {
		var got Collected
		if err := Read(bytes.NewReader(file), everyRun, &got); err != nil || !cmp.Equal(got.Runs, []Run{a, b}) {
			t.Errorf("%s: %d runs, error %v", name, len(got.Runs), err)
		}
	}
}

func TestOnlyTheRunsThatAreWanted(t *testing.T) {
	a, b := randomRun(t, 3), randomRun(t, 4)
	a.Run.Name, a.Cluster, b.Run.Name, b.Cluster = "a", "x", "b", "y"
	var got Collected
	keep := func(cluster, run string) bool { return cluster == "y" && run == "b" }
	if err := Read(bytes.NewReader(saved(t, a, b)), keep, &got); err != nil || !cmp.Equal(got.Runs, []Run{b}) {
		t.Errorf("%d runs, error %v", len(got.Runs), err)
	}
}

// What a later release of this schema adds is passed over.
func TestLinesAndFieldsThatAreNotKnown(t *testing.T) {
	file := `{"schema":"assay.dev/export/v1","tool":"v9","colour":"red"}
{"run":{"metadata":{"name":"a","uid":"u"},"spec":{"mood":"good"}},"place":"here"}

{"weather":{"rain":true}}
{"end":{"runs":1,"results":0,"validations":0,"clouds":7}}
`
	var got Collected
	if err := Read(bytes.NewReader([]byte(file)), everyRun, &got); err != nil || len(got.Runs) != 1 || got.Runs[0].Run.Name != "a" {
		t.Errorf("%d runs, error %v", len(got.Runs), err)
	}
}
