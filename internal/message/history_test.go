package message

import "time"

func init() {
	since := time.Date(2026, 1, 18, 12, 0, 0, 0, time.UTC)
	samples = append(samples,
		sample{"CommandNeedsNode", CommandNeedsNode("kubectl assay history", 0)},
		sample{"CommandNeedsNode", CommandNeedsNode("kubectl assay history", 3)},
		sample{"CommandNoNode", CommandNoNode("node-9", nil)},
		sample{"CommandNoNode", CommandNoNode("node-9", []string{"a.jsonl", "b.jsonl"})},
		sample{"CommandNodeOfClusters", CommandNodeOfClusters("node-1", []string{"dc1", "dc2"})},
		sample{"HistoryNothing", HistoryNothing("node-4", "hbmTriade", "gpu9", "gpustream", []string{"hbmCopy", "hbmTriad"})},
		sample{"HistoryNothing", HistoryNothing("node-4", "", "", "", nil)},
		sample{"HistoryWorstPart", HistoryWorstPart()},
		sample{"HistoryYoungBaseline", HistoryYoungBaseline("4.37 TB/s", 3)},
		sample{"HistoryOf", HistoryOf("gpustream", "hbmTriad", "gpu3", "2026-01-18", "2026-03-01")},
		sample{"HistoryBaseline", HistoryBaseline("4.37 TB/s", 3, false, since)},
		sample{"HistoryBaseline", HistoryBaseline("4.37 TB/s", 1, false, since)},
		sample{"HistoryBaseline", HistoryBaseline("4.37 TB/s", 8, true, since)},
	)
}
