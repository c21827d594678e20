package message

func init() {
	const who = "pid 4242 (python) used gpu0 with 12 GiB at 40 %, and 3 of 20 samples were outliers"
	const less = "arrays of 1 GiB instead of 4 GiB, because pid 4242 (python) holds 130 GiB of gpu0"
	samples = append(samples,
		sample{"Disturbed", Disturbed(who)},
		sample{"Disturbed", Disturbed("")},
		sample{"NotComparable", NotComparable(less)},
		sample{"MeasuredAgain", MeasuredAgain(Disturbed(who), 1, 3)},
		sample{"StaysDisturbed", StaysDisturbed(Disturbed(who), 3)},
		sample{"StaysDisturbed", StaysDisturbed(NotComparable(less), 3)},
		sample{"AttemptCountsNot", AttemptCountsNot(1, "Disturbed")},
	)
}
