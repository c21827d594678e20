package message

func init() {
	samples = append(samples,
		sample{"RunNameTaken", RunNameTaken("h200-expired-1f0c8a37")},
		sample{"PolicyRefused", PolicyRefused(`creating run h200-expired-1f0c8a37: validationruns.assay.dev "h200-expired-1f0c8a37" is forbidden: exceeded quota`)},
		sample{"PolicyEventsLeftOut", PolicyEventsLeftOut(970, "GateOpened", 30)},
	)
}
