package message

func init() {
	samples = append(samples,
		sample{"NodesNone", NodesNone()},
		sample{"NodesNoPolicy", NodesNoPolicy("gpu")},
		sample{"NodesForbidden", NodesForbidden()},
		sample{"NodesForbiddenSelector", NodesForbiddenSelector()},
		sample{"NodeOfExpected", NodeOfExpected("stream socket0 triad 5.09 GB/s", 27.83)},
		sample{"NodeVersusFleet", NodeVersusFleet("stream triad 182 GB/s", -3.14)},
		sample{"NodesIn", NodesIn(2, "Unfit")},
		sample{"NodesIn", NodesIn(3, "")},
		sample{"NodesCounted", NodesCounted(5, []string{NodesIn(2, "Unfit"), NodesIn(3, "")})},
		sample{"NodesCounted", NodesCounted(1, []string{NodesIn(1, "Passed")})},
	)
}
