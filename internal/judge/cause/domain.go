package cause

import (
	"regexp"
	"slices"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/fact"
	"github.com/assay-dev/assay/internal/judge/term"
	"github.com/assay-dev/assay/internal/quantity"
)

// domain is what a metric depends on most.
type domain string

const (
	compute    domain = "compute"    // of GPUs: their clock
	memory     domain = "memory"     // of GPUs
	hostLink   domain = "hostLink"   // from the host to its GPUs
	peerLink   domain = "peerLink"   // between GPUs
	processor  domain = "processor"  // CPUs
	hostMemory domain = "hostMemory" // of CPUs
	network    domain = "network"    // between nodes
	plain      domain = "plain"      // a fact, a check, a count: the finding itself says what it is
	several    domain = "several"    // all of these: a collective, an application
)

// byName are the domains that the names of metrics tell.
var byName = []struct {
	metric *regexp.Regexp
	domain domain
}{
	{regexp.MustCompile(`^hostStaged`), several},
	{regexp.MustCompile(`(?i)hostToDevice|deviceToHost|bothWays`), hostLink},
	{regexp.MustCompile(`^(reachablePeers|bisectionBandwidth)$`), peerLink},
	{regexp.MustCompile(`^hbm`), memory},
	{regexp.MustCompile(`^(triad|triadBest|copy|scale|add)$`), hostMemory},
}

// domainOf a finding about a metric with this unit and such parts.
func domainOf(f *v1alpha1.Finding, unit, kind string) domain {
	switch {
	case fact.FactRules[f.Rule] || slices.Contains([]string{term.DataCheck, term.Devices, term.Missing}, f.Rule):
		return plain
	case f.Rule == term.Blame:
		return network
	}
	for _, of := range byName {
		if of.metric.MatchString(f.Metric) {
			return of.domain
		}
	}
	switch _, computes := quantity.Factor(unit, "FLOP/s"); {
	case strings.HasPrefix(kind, "gpu->") || strings.HasPrefix(kind, "gpu<->"):
		return peerLink
	case computes && strings.HasPrefix(kind, "gpu"):
		return compute
	case computes && f.Rule != term.Efficiency:
		return processor
	}
	return several
}
