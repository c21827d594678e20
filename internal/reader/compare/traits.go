package compare

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/operate/catalogue"
)

// trait is something of the configuration: of the nodes, or of a benchmark on them.
type trait struct{ benchmark, name string }

// traits of a side: how often each value was found.
type traits map[trait]map[string]int

func (t traits) add(benchmark, name, value string) {
	if value == "" {
		return
	}
	key := trait{benchmark, name}
	if t[key] == nil {
		t[key] = map[string]int{}
	}
	t[key][value]++
}

// once counts what several benchmarks say of one node, or of one of its parts, once.
type once map[string]bool

func (t traits) addOnce(said once, name, value, part string) {
	if key := name + "\x00" + value + "\x00" + part; !said[key] {
		said[key] = true
		t.add("", name, value)
	}
}

// ofAttempt is what an attempt says of the node that it ran on.
func (t traits) ofAttempt(said once, benchmark string, a *v1alpha1.Attempt, group bool) {
	for _, f := range a.Facts {
		name := f.Name
		if kind := kindOf(f.At, group); kind != "" {
			name += " (" + kind + ")"
		}
		t.addOnce(said, name, f.Value, f.At)
	}
	for _, d := range a.Devices {
		t.addOnce(said, "device", d.Product, strconv.Itoa(int(d.Index)))
	}
	if m := a.Machine; m != nil {
		t.addOnce(said, "kernel", m.Kernel, "")
		t.addOnce(said, "driver", m.Driver, "")
		t.addOnce(said, "devices", m.Devices, "")
		t.addOnce(said, "fabric", m.Fabric, "")
	}
	t.add(benchmark, "image", a.ImageID)
	t.add(benchmark, "version", a.Version)
}

// asked is what a run asked of a benchmark.
type asked struct {
	metrics []v1alpha1.Metric
	traits  map[string]string
}

// asks of a run, by benchmark.
func asks(run *v1alpha1.ValidationRun, started *catalogue.Snapshot) map[string]asked {
	out := map[string]asked{}
	add := func(benchmark, name, value string) {
		if out[benchmark].traits == nil {
			out[benchmark] = asked{out[benchmark].metrics, map[string]string{}}
		}
		out[benchmark].traits[name] = value
	}
	generation := func(benchmark string, n int64) {
		if n != 0 {
			add(benchmark, "generation", strconv.FormatInt(n, 10))
		}
	}
	if started != nil {
		for _, b := range started.Benchmarks {
			out[b.Name] = asked{metrics: b.Spec.Metrics}
			env := list.Map(b.Spec.Env, func(e v1alpha1.EnvVar) string { return e.Name + "=" + e.Value })
			add(b.Name, "command", strings.Join(b.Spec.Command, " "))
			add(b.Name, "environment", strings.Join(env, " "))
			generation(b.Name, b.Generation)
			for _, p := range b.Spec.Parameters {
				add(b.Name, "parameter "+p.Name, cmp.Or(p.Default, `""`))
			}
		}
	}
	if c := run.Status.Catalogue; c != nil {
		for _, b := range c.Benchmarks {
			generation(b.Name, b.Generation)
		}
	}
	for _, b := range slices.Concat(run.Spec.Benchmarks, run.Spec.Overrides) {
		for _, p := range b.Parameters {
			add(b.Name, "parameter "+p.Name, cmp.Or(p.Value, `""`))
		}
	}
	return out
}

// ofRun is what was asked of a benchmark.
func (t traits) ofRun(benchmark string, as asked, a *v1alpha1.Attempt) {
	t.add(benchmark, configurationTrait, a.Configuration)
	for name, value := range as.traits {
		t.add(benchmark, name, value)
	}
}

// configurationTrait is the hash of image, command and environment, which says no more than that one of them differs.
const configurationTrait = "configuration"

const (
	// telling is by how much of the nodes or parts the shares of the values must differ: that one of many nodes differs is not what
	// distinguishes two sides.
	telling = 0.1
	// mostValues of a trait that nodes have in common.
	mostValues = 8
)

// differences of the configuration, nodes first, then by benchmark.
func differences(a, b *Side) []Difference {
	var out []Difference
	for key := range a.traits {
		va, vb := a.traits[key], b.traits[key]
		if len(vb) > 0 && shared(va) && shared(vb) && distance(va, vb) >= telling {
			out = append(out, Difference{Benchmark: key.benchmark, Name: key.name, A: shares(va), B: shares(vb)})
		}
	}
	slices.SortFunc(out, func(x, y Difference) int {
		return cmp.Or(cmp.Compare(x.Benchmark, y.Benchmark), cmp.Compare(x.Name, y.Name))
	})
	return slices.DeleteFunc(out, func(d Difference) bool {
		return d.Name == configurationTrait && slices.ContainsFunc(out, func(o Difference) bool {
			return o.Benchmark == d.Benchmark && o.Name != d.Name && explains(o.Name)
		})
	})
}

// explains the hash of image, command and environment.
func explains(name string) bool {
	return name == "image" || name == "command" || name == "environment" || strings.HasPrefix(name, "parameter ")
}

// shared says whether a trait is one that nodes have in common: what each has its own value of, such as a serial number, distinguishes nodes.
func shared(counts map[string]int) bool {
	return len(counts) == 1 || len(counts) <= mostValues && float64(len(counts)) < total(counts)
}

// distance of two distributions: the share that would have to change.
func distance(a, b map[string]int) float64 {
	totalA, totalB := total(a), total(b)
	sum := 0.0
	for v, n := range a {
		sum += max(0, float64(n)/totalA-float64(b[v])/totalB)
	}
	return sum
}

func total(counts map[string]int) float64 {
	sum := 0
	for _, n := range counts {
		sum += n
	}
	return float64(max(1, sum))
}

func shares(counts map[string]int) []Share {
	var out []Share
	for v, n := range counts {
		out = append(out, Share{Value: v, Count: n})
	}
	slices.SortFunc(out, func(x, y Share) int { return cmp.Or(cmp.Compare(y.Count, x.Count), cmp.Compare(x.Value, y.Value)) })
	return out
}
