package catalogue

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/test/testdata"
)

var root = filepath.Join("..", "..", "..")

// A metric whose name is misspelt in an entry would be Missing on every node, and one of another unit would be refused there.
func TestEveryMetricOfAnEntryIsOneItsProgramReports(t *testing.T) {
	for _, b := range testdata.Benchmarks() {
		if b.Spec.Output.Format != v1alpha1.FormatAssay {
			continue
		}
		program := programOf(t, b)
		words := wordsOf(t, program)
		for _, m := range b.Spec.Metrics {
			if !madeOf(m.Name, words) {
				t.Errorf("Benchmark %s: metric %s is made of no strings of kernels/%s: correct its name, or let the program report it", b.Name, m.Name, program)
			}
			if !slices.Contains(words, m.Unit) {
				t.Errorf("Benchmark %s: kernels/%s has no unit %q, which is that of metric %s", b.Name, program, m.Unit, m.Name)
			}
		}
	}
}

// A judged fact whose name is misspelt would never be judged.
func TestEveryFactOfAnEntryIsOneItsProgramReports(t *testing.T) {
	documented := read(t, "docs/catalogue.md")
	for _, b := range testdata.Benchmarks() {
		for _, f := range b.Spec.Facts {
			if program := programOf(t, b); !madeOf(f.Name, wordsOf(t, program)) {
				t.Errorf("Benchmark %s: fact %s is made of no strings of kernels/%s: correct its name, or let the program report it", b.Name, f.Name, program)
			}
			if !strings.Contains(documented, "`"+f.Name+"`") {
				t.Errorf("docs/catalogue.md does not name fact %s, by which Benchmark %s judges", f.Name, b.Name)
			}
		}
	}
}

func TestEveryOptionOfAnEntryIsOneItsProgramKnows(t *testing.T) {
	for _, b := range testdata.Benchmarks() {
		if b.Spec.Output.Format != v1alpha1.FormatAssay {
			continue
		}
		program := programOf(t, b)
		words := wordsOf(t, program)
		start := slices.IndexFunc(b.Spec.Command, func(w string) bool { return strings.TrimSuffix(w, "-mpi") == program }) // after a launcher's own
		for _, word := range b.Spec.Command[start:] {
			if strings.HasPrefix(word, "--") && !slices.Contains(words, word) {
				t.Errorf("Benchmark %s: kernels/%s has no option %s", b.Name, program, word)
			}
		}
	}
}

func TestEveryEntryIsListed(t *testing.T) {
	listed := read(t, "config/catalogue/benchmarks/kustomization.yaml")
	for _, b := range testdata.Benchmarks() {
		if !strings.Contains(listed, "\n- "+b.Name+".yaml\n") {
			t.Errorf("config/catalogue/benchmarks/kustomization.yaml does not list %s.yaml", b.Name)
		}
	}
}

// Open MPI maps 4 MiB of /dev/shm for each rank, of which a node gets up to 1,024. A container has 64 MiB: more ranks than 16 may die of a bus
// error as soon as they have much to say to each other.
func TestAnEntryOfOneRankPerCoreHasSharedMemoryForThem(t *testing.T) {
	least := resource.MustParse("4Gi")
	for _, b := range testdata.Benchmarks() {
		if g := b.Spec.Group; g == nil || g.SlotsPerWorker.StrVal != v1alpha1.SlotsCores {
			continue
		}
		if size := b.Spec.Needs.SharedMemory; size == nil || size.Cmp(least) < 0 {
			t.Errorf("Benchmark %s has a rank for each core, and needs.sharedMemory is %v: at least %v is needed", b.Name, size, &least)
		}
	}
}

// TestASuiteIsOfWhatCanBeJudged: one benchmark that nothing judges makes each run of its suite Inconclusive, and each policy wait for ever.
func TestASuiteIsOfWhatCanBeJudged(t *testing.T) {
	nothing := v1alpha1.Expectation{Min: "0"}
	for _, b := range testdata.Benchmarks() {
		unjudged := slices.ContainsFunc(b.Spec.Metrics, func(m v1alpha1.Metric) bool {
			return m.Headline && m.Expectation != nil && *m.Expectation == nothing
		})
		if measuredOnly := slices.Equal(b.Spec.Suites, []string{"cluster"}); unjudged != measuredOnly {
			t.Errorf("Benchmark %s is in the suites %v; has a headline that nothing judges: %v. Those, and no others, are in the suite cluster alone", b.Name, b.Spec.Suites, unjudged)
		}
	}
}

// madeOfPrograms are those whose measurements gpuquick makes.
var madeOfPrograms = []string{"gpustream", "p2p", "hostlink", "gemm", "collectives"}

// TestGPUQuickMeasuresWhatIsJudgedOfEachProgram: what a metric means, and what is expected of it, is the same by either way. Else a node that
// passes the quick suite could fail the standard one with the same GPUs.
func TestGPUQuickMeasuresWhatIsJudgedOfEachProgram(t *testing.T) {
	quick := testdata.Benchmark("gpuquick").Spec.Metrics
	var judged []string
	for _, name := range madeOfPrograms {
		b := testdata.Benchmark(name)
		if slices.Contains(b.Spec.Suites, "quick") {
			t.Errorf("Benchmark %s is in the suite quick beside gpuquick, which measures the same", name)
		}
		for _, m := range b.Spec.Metrics {
			if m.Expectation == nil {
				continue
			}
			judged = append(judged, m.Name)
			at := slices.IndexFunc(quick, func(q v1alpha1.Metric) bool { return q.Name == m.Name })
			if at < 0 {
				t.Errorf("Benchmark gpuquick lacks %s, which %s judges", m.Name, name)
				continue
			}
			got := quick[at]
			got.DependsOn, got.QuietHost = m.DependsOn, m.QuietHost // said for the whole Benchmark, or needless there
			if diff := cmp.Diff(m, got); diff != "" {
				t.Errorf("%s of gpuquick differs from that of %s (-%s +gpuquick):\n%s", m.Name, name, name, diff)
			}
		}
	}
	for _, m := range quick {
		if !slices.Contains(judged, m.Name) {
			t.Errorf("Benchmark gpuquick measures %s, which no other judges", m.Name)
		}
	}
}

// programOf a Benchmark is the first word of its command that names a folder of kernels; a launcher stands before it.
func programOf(t *testing.T, b v1alpha1.Benchmark) string {
	t.Helper()
	for _, word := range b.Spec.Command {
		folder := strings.TrimSuffix(word, "-mpi")
		if info, err := os.Stat(filepath.Join(root, "kernels", folder)); err == nil && info.IsDir() {
			return folder
		}
	}
	t.Fatalf("Benchmark %s: no word of its command %v is a folder of kernels", b.Name, b.Spec.Command)
	return ""
}

var literal = regexp.MustCompile(`"([A-Za-z0-9/%-]+)"`)

// wordsOf a program are the strings in its sources and in what all programs share.
func wordsOf(t *testing.T, program string) []string {
	t.Helper()
	var words []string
	folders := []string{program, "common", "common/cuda", "proxy"}
	if program == "gpuquick" {
		folders = append(folders, madeOfPrograms...)
	}
	for _, folder := range folders {
		sources, err := filepath.Glob(filepath.Join(root, "kernels", folder, "*.[chp]*")) // C++, CUDA, Python
		if err != nil || len(sources) == 0 {
			t.Fatalf("no sources in kernels/%s: %v", folder, err)
		}
		for _, source := range sources {
			content, err := os.ReadFile(source)
			if err != nil {
				t.Fatal(err)
			}
			for _, match := range literal.FindAllStringSubmatch(string(content), -1) {
				words = append(words, match[1])
			}
		}
	}
	return words
}

// madeOf says whether a name is one word or several in a row: programs put a prefix and a suffix together.
func madeOf(name string, words []string) bool {
	return name == "" || slices.ContainsFunc(words, func(w string) bool {
		rest, ok := strings.CutPrefix(name, w)
		return ok && len(w) > 1 && madeOf(rest, words)
	})
}

func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
