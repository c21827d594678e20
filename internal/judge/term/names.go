// Package term has the rules by name, what is remembered of one that was held or broken, and which later measurement refutes it.
package term

// The names of the rules, as findings and convictions carry them. Those about what was measured:
const (
	Min               = "Min"
	Max               = "Max"
	FractionOfPeak    = "FractionOfPeak"
	FractionOfReached = "FractionOfReached"
	FleetDeviation    = "FleetDeviation"
	NodeDeviation     = "NodeDeviation" // of all like parts of a node together
	Efficiency        = "Efficiency"
	// Regression compares a part with its own past.
	Regression = "Regression"
	// Blame compares nodes by their pairs.
	Blame = "Blame"
	// Drift warns of a part that has left the level of its first passes.
	Drift = "Drift"
	// Unstable warns of a part that is suspect again and again.
	Unstable = "Unstable"
	// Accepted warns that a part is excused for a loss.
	Accepted = "AcceptedLoss"
	// Transport warns of messages between nodes that did not go over RDMA.
	Transport = "Transport"
)

// Those about what is right or wrong, present or missing:
const (
	// DataCheck is that data is right.
	DataCheck = "DataCheck"
	// Devices is that a node offers all devices that it has, and DevicesMetric what it judges. It is applied before anything is measured.
	Devices       = "DevicesMissing"
	DevicesMetric = "devices"

	Missing     = "Missing"
	FactEqual   = "FactEqual"
	FactAtLeast = "FactAtLeast"
	// FactUniform compares facts with those of other nodes.
	FactUniform = "FactUniform"
)

// InUnit are the rules that bound the values of a metric themselves.
var InUnit = map[string]bool{Min: true, Max: true, FractionOfPeak: true, FractionOfReached: true, FleetDeviation: true, NodeDeviation: true,
	Regression: true, Blame: true}

// relative rules take their bound from others, which may be as slow. All like parts have about the same bound, so that the worst of them
// speaks for the one that was convicted. That of an efficiency is a smaller size, which may have become slower; each size is a kind.
var relative = map[string]bool{FleetDeviation: true, NodeDeviation: true, Blame: true, Efficiency: true}
