package main

// spread is how far healthy parts of one metric lie apart for good, as standard deviations and shares of the level. What comes and goes
// from run to run is not here: it is resampled from the recordings.
type spread struct {
	benchmark, metric string
	part, node        float64
	source            string
}

// model is a metric that nothing was recorded of: its noise is normal.
type model struct {
	level, run float64
	parts      []string
}

const (
	recordedSpread = "test/testdata/h200: 26 GPUs of 9 machines"
	fewSpread      = "as gemm; test/testdata/h200 has 12 GPUs of 3 machines"
	assumedWider   = "assumed; test/testdata/h200 has less: its machines are alike"
	givenNoise     = "assumed, as no quiet machine was recorded"
)

// spreads are wider than the recordings where those come from few machines that are too much alike. The limits of the goals are in
// proportion to them, so change them here to see what your own hardware allows.
var spreads = []spread{
	{"gpustream", "hbmTriad", 0.0013, 0.0027, "part: " + assumedWider + " (0.01%); node: " + recordedSpread},
	{"p2p", "writeBandwidth", 0.0002, 0.0004, recordedSpread},
	{"p2p", "readBandwidth", 0.0002, 0.0002, assumedWider + " (0.00%)"},
	{"p2p", "bidirectionalBandwidth", 0.0003, 0.0003, recordedSpread},
	{"p2p", "reachablePeers", 0, 0, "a count"},
	{"hostlink", "hostToDeviceBandwidth", 0.01, 0.003, assumedWider + " (0.01%)"},
	{"hostlink", "deviceToHostBandwidth", 0.01, 0.003, assumedWider + " (0.01%)"},
	{"gemm", "fp64", 0.0095, 0.001, recordedSpread},
	{"gemm", "fp32", 0.001, 0.001, assumedWider + " (0.02%)"},
	{"gemm", "fp16", 0.009, 0.002, recordedSpread},
	{"gemm-fp64", "fp64", 0.0095, 0.001, fewSpread},
	{"collectives", "allReduceBusBandwidth", 0, 0.005, assumedWider + " (0.1%)"},
	{"collectives", "allGatherBusBandwidth", 0, 0.005, assumedWider},
	{"collectives", "reduceScatterBusBandwidth", 0, 0.005, assumedWider},
	{"collectives", "allToAllBusBandwidth", 0, 0.005, assumedWider},
	{"collectives", "sendRecvBusBandwidth", 0, 0.005, assumedWider},
	{"collectives", "broadcastBusBandwidth", 0, 0.005, assumedWider},
	{"stream", "triad", 0.002, 0.005, givenNoise},
	{"dgemm", "dgemm", 0.002, 0.005, givenNoise},
	{"hpl", "hpl", 0, 0.005, givenNoise},
}

// models of the CPU's metrics: 0.5% from run to run.
var models = map[[2]string]model{
	{"stream", "triad"}: {level: 400, run: 0.005, parts: []string{"node", "socket0", "socket1"}},
	{"dgemm", "dgemm"}:  {level: 4000, run: 0.005, parts: []string{"node", "socket0", "socket1"}},
	{"hpl", "hpl"}:      {level: 3500, run: 0.005, parts: []string{"node"}},
}
