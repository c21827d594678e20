package message

import "time"

func init() {
	samples = append(samples,
		sample{"WatchFinding", WatchFinding("Link", []string{"node-1", "node-2"}, "mpibench", "node-1->node-2 reaches 6.1 GB/s, expected 12.2 GB/s")},
		sample{"WatchAttempt", WatchAttempt("stream", 2)},
		sample{"WatchRound", WatchRound("mpibench", 3)},
		sample{"WatchElapsed", WatchElapsed(12*time.Second, 40*time.Second)},
		sample{"WatchElapsed", WatchElapsed(75*time.Second, 0)},
		sample{"WatchValue", WatchValue("hbmTriad", "4.37 TB/s", 91.04, true)},
		sample{"WatchValue", WatchValue("triad", "182 GB/s", 0, false)},
		sample{"WatchLeft", WatchLeft(0.476, 130*time.Second)},
		sample{"WatchLeft", WatchLeft(0.1, 3*time.Hour+130*time.Second)},
		sample{"WatchLeft", WatchLeft(1, 0)},
	)
}
