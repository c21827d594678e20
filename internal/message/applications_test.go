package message

func init() {
	samples = append(samples,
		sample{"LAMMPSLostAtoms", LAMMPSLostAtoms(3)},
		sample{"LAMMPSNotFinite", LAMMPSNotFinite("TotEng")},
		sample{"LAMMPSDangerousBuilds", LAMMPSDangerousBuilds(2)},
		sample{"LAMMPSWarnings", LAMMPSWarnings(4)},
	)
}
