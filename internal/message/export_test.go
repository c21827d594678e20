package message

func init() {
	samples = append(samples,
		sample{"ExportNotOne", ExportNotOne()},
		sample{"ExportEmpty", ExportEmpty()},
		sample{"ExportOtherSchema", ExportOtherSchema("assay.dev/export/v2", "assay.dev/export/v1", "v2.0.0")},
		sample{"ExportOtherDocument", ExportOtherDocument("assay.dev/report/v1")},
		sample{"ExportDamaged", ExportDamaged(12)},
		sample{"ExportCutOff", ExportCutOff(12)},
		sample{"ExportIncomplete", ExportIncomplete(1, 1, 7, 8, 2, 2)},
		sample{"ExportLineTooLong", ExportLineTooLong(3, 8<<20)},
		sample{"ExportTooLarge", ExportTooLarge(4 << 30)},
		sample{"ExportUnreadable", ExportUnreadable(4)},
		sample{"ExportWithoutRun", ExportWithoutRun(2)},
		sample{"ExportNameless", ExportNameless(2)},
		sample{"ExportOtherRun", ExportOtherRun(5, "rack-6", "rack-7")},
		sample{"ExportListing", ExportListing()},
		sample{"ExportHelp", ExportHelp()},
		sample{"ExportNoRuns", ExportNoRuns()},
		sample{"ExportNeedsChoice", ExportNeedsChoice()},
		sample{"ExportEitherOr", ExportEitherOr()},
		sample{"ExportCatalogueUnknown", ExportCatalogueUnknown("rack-7")},
		sample{"ExportGoesOn", ExportGoesOn("rack-7")},
		sample{"ExportGone", ExportGone("rack-7")},
		sample{"ExportSince", ExportSince("soon")},
		sample{"ExportWriting", ExportWriting("rack-7.jsonl.gz")},
	)
}
