package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/catalogue"
	"github.com/assay-dev/assay/internal/quantity"
)

// setup is one side under test.
type setup struct {
	run   string
	nodes []string
	// uid of a node's object, if it is not its name.
	uid map[string]string
	// gpus of a node, by UUID.
	gpus map[string][]string
	// factor on all values.
	factor  float64
	unit    string
	better  v1alpha1.Direction
	catalog *catalogue.Snapshot
	mark    func(node string, b *v1alpha1.BenchmarkResult)
}

// base is a fleet of eight nodes with two GPUs each.
func base(run string, change ...func(*setup)) setup {
	s := setup{run: run, factor: 1, unit: "GB/s", better: v1alpha1.Higher, gpus: map[string][]string{}, uid: map[string]string{}}
	for i := range 8 {
		node := fmt.Sprintf("node-%d", i)
		s.nodes = append(s.nodes, node)
		s.gpus[node] = []string{fmt.Sprintf("GPU-%d-0", i), fmt.Sprintf("GPU-%d-1", i)}
	}
	for _, c := range change {
		c(&s)
	}
	return s
}

func faster(by float64) func(*setup) { return func(s *setup) { s.factor = by } }
func in(unit string) func(*setup)    { return func(s *setup) { s.unit = unit } }
func called(prefix string) func(*setup) {
	return func(s *setup) {
		for _, n := range s.nodes {
			s.uid[n] = prefix + n
		}
	}
}

func without(s *setup) {
	for n, gpus := range s.gpus {
		s.gpus[n] = make([]string, len(gpus))
	}
}

func (s setup) side() *Side {
	run := &v1alpha1.ValidationRun{}
	run.Name, run.UID = s.run, types.UID(s.run)
	out := NewSide(s.run)
	out.Begin("", run, s.catalog)
	for i, node := range s.nodes {
		out.AddResult(s.result(i, node), Keep{})
	}
	return out
}

func (s setup) result(i int, node string) *v1alpha1.ValidationResult {
	uid := s.uid[node]
	if uid == "" {
		uid = node
	}
	a := v1alpha1.Attempt{Number: 1, Verdict: v1alpha1.VerdictPass, Configuration: "same"}
	m := v1alpha1.Measurement{Name: "speed", Unit: s.unit, Better: s.better}
	for g, uuid := range s.gpus[node] {
		a.Devices = append(a.Devices, v1alpha1.Device{Index: int32(g), UUID: uuid, Product: "H200"})
		noise := 1 + 0.002*math.Sin(float64(10*i+g)*78.233+float64(len(s.run)))
		m.Parts = append(m.Parts, v1alpha1.PartValue{At: fmt.Sprintf("gpu%d", g), Value: quantity.Decimal(1000*s.factor*noise, 9)})
	}
	a.Measurements = []v1alpha1.Measurement{m}
	b := v1alpha1.BenchmarkResult{Name: "bench", Attempts: []v1alpha1.Attempt{a}}
	if s.mark != nil {
		s.mark(node, &b)
	}
	return &v1alpha1.ValidationResult{Run: v1alpha1.ObjectReference{Name: s.run, UID: types.UID(s.run)},
		Node: v1alpha1.ObjectReference{Name: node, UID: types.UID(uid)}, Benchmarks: []v1alpha1.BenchmarkResult{b}}
}

func marked(mark func(node string, b *v1alpha1.BenchmarkResult)) func(*setup) {
	return func(s *setup) { s.mark = mark }
}

func listed(metrics ...v1alpha1.Metric) func(*setup) {
	return func(s *setup) {
		s.catalog = &catalogue.Snapshot{Benchmarks: []catalogue.Benchmark{{Name: "bench", Spec: v1alpha1.BenchmarkSpec{Metrics: metrics}}}}
	}
}

func TestOutcomes(t *testing.T) {
	speed := v1alpha1.Metric{Name: "speed", Noise: v1alpha1.Noise{Run: "0.03"}}
	two := func(s *setup) { s.nodes = s.nodes[:2] }
	lower := func(s *setup) { s.better = v1alpha1.Lower }
	for name, c := range map[string]struct {
		a, b []func(*setup)
		want Outcome
		why  string
	}{
		"higher is better":                       {nil, []func(*setup){faster(1.05)}, Better, ""},
		"lower is better":                        {[]func(*setup){lower}, []func(*setup){lower, faster(1.05)}, Worse, ""},
		"nothing says which":                     {[]func(*setup){func(s *setup) { s.better = "" }}, []func(*setup){func(s *setup) { s.better = "" }, faster(1.05)}, Differs, ""},
		"by the Benchmark":                       {[]func(*setup){func(s *setup) { s.better = "" }, listed(speed)}, []func(*setup){func(s *setup) { s.better = "" }, listed(speed), faster(1.05)}, Better, ""},
		"equal":                                  {nil, nil, Same, "chance explains the difference, if there is any: corrected p = "},
		"within its noise":                       {[]func(*setup){listed(speed)}, []func(*setup){listed(speed), faster(1.02)}, Same, "the difference is within the noise from run to run, 3%"},
		"noise by either side":                   {nil, []func(*setup){listed(speed), faster(1.02)}, Same, "the difference is within the noise from run to run, 3%"},
		"in another unit":                        {nil, []func(*setup){in("MB/s"), faster(1000)}, Same, "chance explains"},
		"in a strange unit":                      {nil, []func(*setup){in("us")}, NotComparable, "A is in GB/s and B in us, and neither converts into the other"},
		"other direction":                        {nil, []func(*setup){lower}, NotComparable, "A and B do not agree on which way is better"},
		"two nodes of which nothing is declared": {[]func(*setup){two}, []func(*setup){two, faster(1.5)}, TooFew, "no Benchmark declares its noise, and fewer than 4 nodes"},
		"two nodes of which noise is declared":   {[]func(*setup){two, listed(speed)}, []func(*setup){two, listed(speed), faster(1.5)}, Better, ""},
		"a value of 0":                           {nil, []func(*setup){faster(-1)}, TooFew, "some values are 0 or negative"},
		"all fell to 0":                          {nil, []func(*setup){faster(0)}, Worse, "16 parts of B at 0, where A has more"},
		"all of other nodes are 0":               {nil, []func(*setup){called("new-"), without, faster(0)}, Worse, "16 parts of B at 0, where A has more"},
		"a time of 0":                            {[]func(*setup){lower}, []func(*setup){lower, faster(0)}, TooFew, "some values are 0 or negative"},
		"rose from 0":                            {[]func(*setup){faster(0)}, nil, TooFew, "some values are 0 or negative"},
		"nothing but 0":                          {[]func(*setup){faster(0)}, []func(*setup){faster(0)}, Same, "every value of both sides is 0"},
		"other configuration": {nil, []func(*setup){marked(func(_ string, b *v1alpha1.BenchmarkResult) { b.Attempts[0].Configuration = "other" })}, NotComparable,
			"A and B ran with another image, command or environment: --across-configurations compares them all the same"},
		"not measured": {nil, []func(*setup){marked(func(_ string, b *v1alpha1.BenchmarkResult) { b.Name = "another" })}, NotComparable, "b has no value"},
	} {
		t.Run(name, func(t *testing.T) {
			found := New(base("a", c.a...).side(), base("b", c.b...).side(), Options{})
			r := found.Rows[0]
			if r.Outcome != c.want || !strings.HasPrefix(r.Why, c.why) || c.why == "" && r.Why != "" {
				t.Errorf("%s (%s), want %s (%s)", r.Outcome, r.Why, c.want, c.why)
			}
		})
	}
}

func TestTheSamePartsArePaired(t *testing.T) {
	swap := func(s *setup) { // the GPUs of two nodes change places
		s.gpus["node-0"], s.gpus["node-1"] = s.gpus["node-1"], s.gpus["node-0"]
	}
	replaced := func(s *setup) { s.gpus["node-3"] = []string{"GPU-new", s.gpus["node-3"][1]} }
	known, two := listed(v1alpha1.Metric{Name: "speed"}), func(s *setup) { s.nodes = s.nodes[:2] }
	for name, c := range map[string]struct {
		a, b   []func(*setup)
		paired bool
		units  int // of A
		pairs  int
	}{
		"the same nodes":                     {nil, nil, true, 8, 16},
		"GPUs that were moved":               {nil, []func(*setup){swap}, true, 8, 16},
		"nodes that were created again":      {nil, []func(*setup){called("new-")}, true, 8, 16},
		"a GPU that was replaced":            {nil, []func(*setup){replaced}, true, 8, 15},
		"nodes without UUIDs":                {[]func(*setup){without}, []func(*setup){without}, true, 8, 16},
		"other nodes without UUIDs":          {[]func(*setup){without}, []func(*setup){without, called("new-")}, false, 8, 0},
		"five of eight nodes":                {nil, []func(*setup){func(s *setup) { s.nodes = s.nodes[3:] }}, true, 5, 10},
		"three of eight nodes are too few":   {[]func(*setup){known}, []func(*setup){func(s *setup) { s.nodes = s.nodes[5:] }}, false, 16, 6},
		"two nodes: their parts are counted": {[]func(*setup){known, two}, []func(*setup){known, two}, true, 4, 4},
	} {
		t.Run(name, func(t *testing.T) {
			r := New(base("a", c.a...).side(), base("b", c.b...).side(), Options{Parts: true}).Rows[0]
			pairs := 0
			for _, p := range r.Parts {
				if p.A != nil && p.B != nil {
					pairs++
				}
			}
			if e := r.Estimate; e.Paired != c.paired || e.UnitsA != c.units || pairs != c.pairs {
				t.Errorf("paired %v, %d units, %d pairs; want %v, %d, %d", e.Paired, e.UnitsA, pairs, c.paired, c.units, c.pairs)
			}
		})
	}
}

func TestAttemptsThatDoNotCountAreCounted(t *testing.T) {
	bad := base("b", marked(func(node string, b *v1alpha1.BenchmarkResult) {
		wrong, disturbed, none := b.Attempts[0], b.Attempts[0], b.Attempts[0]
		switch node {
		case "node-0":
			wrong.Checks = []v1alpha1.Check{{Name: "dataIntegrity"}}
			b.Attempts = []v1alpha1.Attempt{wrong}
		case "node-1":
			disturbed.Verdict, disturbed.Reason = v1alpha1.VerdictError, v1alpha1.ReasonDisturbed
			none.Verdict = v1alpha1.VerdictError
			b.Attempts = []v1alpha1.Attempt{disturbed, none, b.Attempts[0]}
		}
	}))
	c := New(base("a").side(), bad.side(), Options{})
	if want := (LeftOut{WrongData: 1, Disturbed: 1, Unmeasured: 1}); c.B.LeftOut != want || c.B.Nodes != 7 || c.Rows[0].B.Parts != 14 {
		t.Errorf("%+v, %d nodes, %d parts", c.B.LeftOut, c.B.Nodes, c.Rows[0].B.Parts)
	}
}

func TestSeveralAttemptsOfAPartAreOneValue(t *testing.T) {
	twice := base("b", marked(func(_ string, b *v1alpha1.BenchmarkResult) {
		second := *b.Attempts[0].DeepCopy()
		for i := range second.Measurements[0].Parts {
			second.Measurements[0].Parts[i].Value = "1100"
		}
		b.Attempts = append(b.Attempts, second)
	}))
	r := New(base("a").side(), twice.side(), Options{}).Rows[0]
	if r.B.Parts != 16 || math.Abs(*r.B.Median-1050) > 2 {
		t.Errorf("%d parts, median %v", r.B.Parts, *r.B.Median)
	}
}

func TestWhatDiffersInTheConfiguration(t *testing.T) {
	with := func(driver, bios string, n string) func(*setup) {
		return marked(func(node string, b *v1alpha1.BenchmarkResult) {
			a := &b.Attempts[0]
			a.Machine = &v1alpha1.Machine{Driver: driver, Kernel: "6.18"}
			a.Facts = []v1alpha1.Fact{{Name: "bios", Value: bios}, {Name: "serial", Value: node + driver}, {Name: "eccMode", At: "gpu0", Value: "Enabled"}}
			if node == "node-0" {
				a.Facts[0].Value = "odd" // one of eight nodes is enough
			}
			a.Configuration = "hash of " + n
		})
	}
	run := func(name, n string, change func(*setup)) *Side {
		s := base(name, change)
		out := NewSide(name)
		r := &v1alpha1.ValidationRun{}
		r.Name, r.UID = name, types.UID(name)
		refs := []v1alpha1.BenchmarkRef{{Name: "bench", Parameters: []v1alpha1.ParameterValue{{Name: "n", Value: n}}}}
		if name == "a" {
			r.Spec.Benchmarks = refs
		} else {
			r.Spec.Suite, r.Spec.Overrides = "quick", refs
		}
		out.Begin("", r, nil)
		for i, node := range s.nodes {
			out.AddResult(s.result(i, node), Keep{})
		}
		return out
	}
	c := New(run("a", "1", with("535", "1.0", "1")), run("b", "2", with("550", "1.1", "2")), Options{})
	var got []string
	for _, d := range c.Configuration {
		got = append(got, fmt.Sprintf("%s %s: %v -> %v", d.Benchmark, d.Name, d.A, d.B))
	}
	want := []string{" bios: [{1.0 7} {odd 1}] -> [{1.1 7} {odd 1}]", " driver: [{535 8}] -> [{550 8}]", "bench parameter n: [{1 8}] -> [{2 8}]"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if why := c.Rows[0].Why; why != "A and B ran with another parameter n: --across-configurations compares them all the same" {
		t.Errorf("the row says %q", why)
	}
}

// What a Benchmark does not list is corrected for by itself: its many metrics take nothing from those that are judged.
func TestUnlistedMetricsAreAFamilyOfTheirOwn(t *testing.T) {
	more := marked(func(_ string, b *v1alpha1.BenchmarkResult) {
		for i := range 30 {
			m := *b.Attempts[0].Measurements[0].DeepCopy()
			m.Name = fmt.Sprintf("recorded%d", i)
			b.Attempts[0].Measurements = append(b.Attempts[0].Measurements, m)
		}
	})
	one := listed(v1alpha1.Metric{Name: "speed", Headline: true})
	c := New(base("a", more, one).side(), base("b", more, one, faster(1.05)).side(), Options{})
	if c.Tested != 1 || c.Rows[0].Unlisted || !c.Rows[1].Unlisted || c.Rows[0].Estimate.Corrected != c.Rows[0].Estimate.P || c.Overall.Rows != 1 {
		t.Errorf("%d tested, %+v, %+v", c.Tested, c.Rows[0].Estimate, c.Overall)
	}
}

// A node's own result repeats what its groups showed, estimated by a model: only the groups count.
func TestGroupsAreNotCountedTwice(t *testing.T) {
	side := func(name string, factor float64) *Side {
		s := base(name).side()
		for i := range 8 {
			for j := range i {
				var refs []v1alpha1.ObjectReference
				for _, n := range []int{i, j} {
					refs = append(refs, v1alpha1.ObjectReference{Name: fmt.Sprintf("node-%d", n), UID: types.UID(fmt.Sprintf("node-%d", n))})
				}
				a := v1alpha1.Attempt{Verdict: v1alpha1.VerdictPass, Configuration: "same", Measurements: []v1alpha1.Measurement{{Name: "speed", Unit: "GB/s",
					Better: v1alpha1.Higher, Parts: []v1alpha1.PartValue{{At: "", Value: quantity.Decimal(12*factor*(1+0.001*math.Cos(float64(i*j))), 9)}}}}}
				s.AddResult(&v1alpha1.ValidationResult{Run: v1alpha1.ObjectReference{UID: types.UID(name)}, Group: &v1alpha1.GroupReference{Nodes: refs},
					Benchmarks: []v1alpha1.BenchmarkResult{{Name: "bench", Attempts: []v1alpha1.Attempt{a}}}}, Keep{})
			}
		}
		return s
	}
	c := New(side("a", 1), side("b", 0.9), Options{})
	if len(c.Rows) != 1 || c.Rows[0].Kind != "group" || c.Rows[0].A.Parts != 28 || c.Rows[0].Estimate.Unit != UnitNode || c.Rows[0].Outcome != Worse || c.A.Groups != 28 {
		t.Errorf("%+v", c.Rows)
	}
}
