package message

func init() {
	fast := Reach{Value: 8.043, Expected: 10.02, Unit: "GB/s"}
	slow := Reach{Value: 0.002928, Expected: 0.01078, Unit: "GB/s"}
	late := Reach{Value: 3965, Expected: 12.4, Unit: "us"}
	dead := Reach{Value: 0, Expected: 25, Unit: "GB/s"}
	leaf := Reach{Value: 7, Expected: 10, Unit: "GB/s"}
	rack := []string{"n00", "n01", "n02", "n03", "n04", "n05", "n06", "n07", "n08", "n09"}
	samples = append(samples,
		sample{"SlowNode", SlowNode("n01", "", fast, []float64{7.53, 8.043, 8.133}, Repeats{Measured: 2, Blamed: true})},
		sample{"SlowNode", SlowNode("node-2", "", slow, []float64{0.002928, 0.0031}, Repeats{Measured: 1, Blamed: true})},
		sample{"SlowNode", SlowNode("n01", "Sending", fast, []float64{8.043}, Repeats{Measured: 1})},
		sample{"SlowNode", SlowNode("n01", "", late, []float64{3000, 3965, 4100}, Repeats{})},
		sample{"SlowNode", SlowNode("n01", "Receiving", dead, []float64{0, 0}, Repeats{Measured: 2, Blamed: true})},
		sample{"SlowLink", SlowLink("n02", "-", "n05", fast, Repeats{Measured: 1, Blamed: true})},
		sample{"SlowLink", SlowLink("n05", "->", "n02", fast, Repeats{Measured: 2})},
		sample{"SlowBoundary", SlowBoundary([]string{"leaf-2"}, 16, leaf, Repeats{Measured: 3, Blamed: true})},
		sample{"SlowBoundary", SlowBoundary([]string{"leaf-1", "leaf-2"}, 4, leaf, Repeats{})},
		sample{"SlowFabric", SlowFabric([]string{"leaf-1", "leaf-2"}, leaf)},
		sample{"SlowSet", SlowSet(rack[:4], "leaf-1", leaf, Repeats{Measured: 1, Blamed: true})},
		sample{"NodeUnmeasured", NodeUnmeasured("n03", 4)},
		sample{"Suspects", Suspects(rack[:2], leaf)},
		sample{"SuspectMajority", SuspectMajority(rack, leaf)},
		sample{"SlowTogether", SlowTogether([]string{"n04", "n06"})},
		sample{"SlowAcross", SlowAcross("leaf-2", "leaf-4")},
		sample{"NoPairMeasured", NoPairMeasured()},
		sample{"TooFewNodes", TooFewNodes(3, 4)},
		sample{"TooFewPartners", TooFewPartners(4, 2)},
		sample{"NoMajority", NoMajority()},
	)
}
