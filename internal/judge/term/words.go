package term

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
