package message

func init() {
	samples = append(samples,
		sample{"LAMMPSLostAtoms", LAMMPSLostAtoms(3)},
		sample{"NotFinite", NotFinite("TotEng")},
		sample{"LAMMPSDangerousBuilds", LAMMPSDangerousBuilds(2)},
		sample{"LAMMPSWarnings", LAMMPSWarnings(4)},
		sample{"HPCCResiduals", HPCCResiduals(3)},
		sample{"HPCCUpdates", HPCCUpdates(0.02, 0.01)},
		sample{"FIOWrongData", FIOWrongData("verify")},
		sample{"HPCCFailed", HPCCFailed()},
		sample{"PerfTestSlowCPU", PerfTestSlowCPU()},
		sample{"WRFUnstable", WRFUnstable(12)},
		sample{"FluentDiverged", FluentDiverged(5)},
	)
}
