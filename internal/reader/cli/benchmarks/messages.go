package benchmarks

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
)

const commandNoBenchmarks = "this cluster has no Benchmark: install the catalogue (kubectl apply -k config/catalogue)"

const commandNoSuites = "no Benchmark of this cluster is in a suite: install the catalogue (kubectl apply -k config/catalogue)"

const commandFoundByAll = "--found compares what the benchmarks of a cluster found: leave out the NAME and --built-in, or name a --suite"

const foundFrom = "By the results that this cluster keeps. JUDGED counts a node once per run. ONLY HERE: nothing else in the same run failed it. " +
	"What finds nothing for much GPU time belongs in a suite that runs less often; what finds most belongs in one that runs more often"

// suiteFor says what the suites of this release are for; docs/catalogue.md has the same words.
var suiteFor = map[string]string{
	"acceptance":        "new nodes: standard, then ten minutes of full load",
	"applications":      "what machines are bought for, in short, on each node",
	"applications-full": "all applications, and stand-ins for proprietary ones",
	"cluster":           "applications, NAS benchmarks and HPL over all nodes",
	"cpu":               "any node: facts, memory, DGEMM, HPL",
	"fabric":            "facts, MPI in pairs and over all nodes, HPL over all nodes",
	"gpu-fabric":        "facts, NCCL over the GPUs of all nodes",
	"quick":             "GPU nodes: facts, links, memory, products, collectives",
	"rdma":              "facts, RDMA between pairs of nodes",
	"site":              "programs in images of your own",
	"standard":          "the programs behind quick, cpu, and programs for several GPUs",
}

// commandNoSuite names the suites that there are.
func commandNoSuite(name string, known []string) string {
	if len(known) == 0 {
		return fmt.Sprintf("there is no suite %q: %s", name, commandNoSuites)
	}
	return fmt.Sprintf("there is no suite %q: choose one of %s", name, strings.Join(known, ", "))
}

// NoBenchmark names the benchmarks that there are.
func NoBenchmark(name string, known []string) string {
	if len(known) == 0 {
		return fmt.Sprintf("there is no benchmark %q: this cluster has none. Install the catalogue (kubectl apply -k config/catalogue)", name)
	}
	return fmt.Sprintf("there is no benchmark %q: choose one of %s", name, strings.Join(known, ", "))
}

// benchmarkNodes says how many nodes one measurement of a benchmark spans, and which.
func benchmarkNodes(b *v1alpha1.Benchmark) string {
	g := b.Spec.Group
	if g == nil {
		return "each node alone"
	}
	text := fmt.Sprintf("%s nodes together, in one MPIJob", g.Size.String())
	switch {
	case g.Size.StrVal != "":
		text = "all nodes that passed so far together, in one MPIJob"
	case g.Size.IntVal == 2:
		text = "pairs of nodes, each in one MPIJob"
	}
	text = message.With(text, ", with the same ", g.Within)
	text = message.With(text, ", with different ", g.Across)
	return text
}

// benchmarkTime says about how long a benchmark takes, and when a program of it is killed.
func benchmarkTime(cost, timeout time.Duration, rounds int32) string {
	text := "about " + message.Duration(cost)
	if rounds > 1 {
		text += fmt.Sprintf(" in %d rounds", rounds)
	}
	return text + "; a program is killed after " + message.Duration(timeout)
}

// benchmarkDevices says which devices of a node a benchmark takes; empty: none.
func benchmarkDevices(b *v1alpha1.Benchmark) string {
	n := b.Spec.Needs
	if n.DeviceResource == "" {
		return ""
	}
	text := "all " + n.DeviceResource + " of the node"
	if n.MinDevices != nil && *n.MinDevices > 1 {
		text += fmt.Sprintf(", at least %d", *n.MinDevices)
	}
	return text
}

// expectationTold says what a metric must reach; empty: nothing.
func expectationTold(m *v1alpha1.Metric) string {
	e := m.Expectation
	if e == nil {
		return ""
	}
	worse := "below"
	if m.Better == v1alpha1.Lower {
		worse = "above"
	}
	var all []string
	add := func(limit string, write func(float64) string, format string) {
		if limit == "" {
			return
		}
		text := strconv.Quote(limit)
		if v, ok := quantity.ParseDecimal(v1alpha1.Decimal(limit)); ok {
			text = write(v)
		}
		all = append(all, fmt.Sprintf(format, text))
	}
	inUnit := func(v float64) string { return quantity.Format(v, m.Unit) }
	percent := func(v float64) string { return quantity.Percent(100 * v) }
	if least, ok := quantity.ParseDecimal(e.Min); ok && least == 0 && m.Better != v1alpha1.Lower {
		all = append(all, "to be reported") // any value will do
	} else {
		add(string(e.Min), inUnit, "at least %s")
	}
	add(string(e.Max), inUnit, "at most %s")
	add(string(e.MinFractionOfPeak), percent, "at least %s of peak")
	add(string(e.MinFractionOfReached), percent, "at least %s of what healthy hardware reaches")
	add(string(e.MaxFleetDeviation), percent, "at most %s "+worse+" like parts")
	add(string(e.MaxRegression), percent, "at most %s "+worse+" its own past")
	add(string(e.MinEfficiency), percent, "parallel efficiency at least %s")
	return strings.Join(all, ", ")
}

// factExpected says what a fact must be.
func factExpected(f *v1alpha1.FactExpectation) string {
	var all []string
	if f.Equal != "" {
		all = append(all, f.Equal)
	}
	if f.AtLeast != "" {
		all = append(all, "at least "+string(f.AtLeast))
	}
	if f.Uniform {
		all = append(all, "as on most nodes of its kind")
	}
	return strings.Join(all, ", ")
}

// parameterAllowed says which values a parameter takes.
func parameterAllowed(p *v1alpha1.ParameterSpec) string {
	switch {
	case len(p.Values) > 0:
		return strings.Join(p.Values, ", ")
	case p.Type == v1alpha1.ParameterBoolean:
		return "true, false"
	case p.Minimum != "" && p.Maximum != "":
		return string(p.Minimum) + " to " + string(p.Maximum)
	case p.Minimum != "":
		return "at least " + string(p.Minimum)
	case p.Maximum != "":
		return "at most " + string(p.Maximum)
	}
	return ""
}
