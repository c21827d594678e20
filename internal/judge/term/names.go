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

// against is what each rule compares a part or node with, for people, who need not know the rules by name.
var against = map[string]string{
	Min:               "the minimum that is expected",
	Max:               "the maximum that is expected",
	FractionOfPeak:    "its expected share of the peak",
	FractionOfReached: "what healthy hardware reaches",
	FleetDeviation:    "others like it",
	NodeDeviation:     "other nodes, all its parts together",
	Efficiency:        "what its smallest size predicts",
	Regression:        "its own past",
	Blame:             "other nodes, by all of their pairs",
	Drift:             "its first passes",
	Accepted:          "its own past",
	Unstable:          "itself, from one attempt to the next",
	Transport:         "messages that go over RDMA",
	DataCheck:         "what is right",
	Devices:           "the devices that it should have",
	Missing:           "what its program should report",
	FactEqual:         "the value that is expected",
	FactAtLeast:       "the least that is expected",
	FactUniform:       "most nodes of its kind",
}

// Against is what a rule compares with; a rule of a later release has its name.
func Against(rule string) string {
	if is, known := against[rule]; known {
		return is
	}
	return rule
}

// Says is what is wrong where a rule is broken: "worse than others like it".
func Says(rule string) string {
	switch {
	case InUnit[rule] || rule == Efficiency || rule == Drift:
		return "worse than " + Against(rule)
	case rule == Accepted:
		return "worse than its own past, as is accepted"
	case rule == DataCheck:
		return "wrong data"
	case rule == Devices || rule == Missing:
		return "missing"
	}
	return "differs from " + Against(rule)
}
