package message

import "time"

func init() {
	const who = "pid 4242 (python) used gpu0 with 12 GiB at 40%, and 3 of 20 samples were outliers"
	const less = "arrays of 1 GiB instead of 4 GiB, because pid 4242 (python) holds 130 GiB of gpu0"
	const stopped = "stopped by SIGTERM after 3.2 s, before all was measured"
	samples = append(samples,
		sample{"Disturbed", Disturbed(who)},
		sample{"Disturbed", Disturbed("")},
		sample{"NotComparable", NotComparable(less)},
		sample{"MeasuredAgain", MeasuredAgain(Disturbed(who), 1, 3)},
		sample{"StaysDisturbed", StaysDisturbed("Disturbed", Disturbed(who), 3)},
		sample{"StaysDisturbed", StaysDisturbed("NotComparable", NotComparable(less), 3)},
		sample{"StaysDisturbed", StaysDisturbed("Interrupted", Interrupted(stopped), 3)},
		sample{"Interrupted", Interrupted(stopped)},
		sample{"NotCompleted", NotCompleted("--gpus 8 asks for more GPUs than are visible: 2")},
		sample{"PausesAfter", PausesAfter(2, "Disturbed", time.Date(2026, 1, 1, 0, 0, 30, 0, time.UTC))},
		sample{"AttemptCountsNot", AttemptCountsNot(1, "Disturbed")},
	)
}
