package benchmarks

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/operate/catalogue"
	"github.com/assay-dev/assay/internal/reader/cli/cluster"
	"github.com/assay-dev/assay/internal/reader/cli/manual"
	"github.com/assay-dev/assay/internal/reader/cli/output"
)

// suite is a named list of benchmarks, as they lie in the cluster.
type suite struct {
	Name string `json:"name"`
	// For says what it is for; empty: the suite is not of this release.
	For        string   `json:"for,omitempty"`
	Benchmarks []string `json:"benchmarks"`
	// NodeSeconds is about how long a node takes alone, GroupSeconds what then takes nodes together.
	NodeSeconds  int64    `json:"nodeSeconds"`
	GroupSeconds int64    `json:"groupSeconds"`
	Devices      []string `json:"devices,omitempty"`
	Privileges   []string `json:"privileges,omitempty"`
}

const commandNoSuites = "no Benchmark of this cluster is in a suite: install the catalogue (kubectl apply -k config/catalogue)"

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

// SuitesCommand is `kubectl assay suites`.
func SuitesCommand(connect cluster.Connect) *cobra.Command {
	var format string
	from := from{connect: connect}
	cmd := manual.Of(&cobra.Command{
		Use:   "suites",
		Short: "List the suites: which benchmarks, how long, what they need",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			all, err := from.all(cmd)
			if err != nil {
				return err
			}
			return ListOfSuites(all).Write(cmd.OutOrStdout(), format)
		},
	})
	output.Lists.Flag(cmd, &format)
	from.bind(cmd)
	return cmd
}

// suitesOf a catalogue, those that take the least time first.
func suitesOf(all []v1alpha1.Benchmark) []suite {
	var found []suite
	for _, name := range catalogue.Suites(all) {
		s := suite{Name: name, For: suiteFor[name]}
		for b := range list.Each(catalogue.OfSuite(all, name)) {
			s.Benchmarks = append(s.Benchmarks, b.Name)
			if b.Spec.Group == nil {
				s.NodeSeconds += int64(catalogue.Cost(b).Seconds())
			} else {
				s.GroupSeconds += int64(catalogue.Cost(b).Seconds())
			}
			if d := b.Spec.Needs.DeviceResource; d != "" {
				s.Devices = append(s.Devices, d)
			}
			s.Privileges = append(s.Privileges, privileges(b)...)
		}
		slices.Sort(s.Devices)
		slices.Sort(s.Privileges)
		s.Devices, s.Privileges = slices.Compact(s.Devices), slices.Compact(s.Privileges)
		found = append(found, s)
	}
	slices.SortStableFunc(found, func(a, b suite) int {
		return int(a.NodeSeconds + a.GroupSeconds - b.NodeSeconds - b.GroupSeconds)
	})
	return found
}

// ListOfSuites of a catalogue.
func ListOfSuites(benchmarks []v1alpha1.Benchmark) *output.List {
	all := suitesOf(benchmarks)
	l := &output.List{Document: map[string]any{"suites": all}, None: commandNoSuites, Narrow: 7,
		Header:    []string{"SUITE", "FOR", "BENCHMARKS", "NODE TIME", "GROUP TIME", "DEVICES", "PRIVILEGES", "NAMES"},
		Narrowing: output.Narrowing{First: []string{"PRIVILEGES", "DEVICES"}, Cut: "FOR"},
		CSV:       [][]string{{"suite", "for", "benchmarks", "nodeSeconds", "groupSeconds", "devices", "privileges", "names"}}}
	for _, s := range all {
		count := strconv.Itoa(len(s.Benchmarks))
		l.Names = append(l.Names, s.Name)
		l.Rows = append(l.Rows, []string{s.Name, s.For, count, took(s.NodeSeconds), took(s.GroupSeconds), strings.Join(s.Devices, ","),
			strings.Join(s.Privileges, ","), strings.Join(s.Benchmarks, ", ")})
		l.CSV = append(l.CSV, []string{s.Name, s.For, count, strconv.FormatInt(s.NodeSeconds, 10), strconv.FormatInt(s.GroupSeconds, 10),
			strings.Join(s.Devices, " "), strings.Join(s.Privileges, " "), strings.Join(s.Benchmarks, " ")})
	}
	return l
}

func took(seconds int64) string {
	if seconds == 0 {
		return ""
	}
	return message.Duration(time.Duration(seconds) * time.Second)
}
