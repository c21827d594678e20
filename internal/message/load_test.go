package message

func init() {
	samples = append(samples,
		sample{"CommandReadingFile", CommandReadingFile("rack-7.jsonl.gz")},
		sample{"CommandReadingOfNodes", CommandReadingOfNodes("NodeValidation")},
		sample{"CommandNotInFiles", CommandNotInFiles("rack-8", []string{"a.jsonl", "b.jsonl"})},
		sample{"CommandNeedsRuns", CommandNeedsRuns("kubectl assay report")},
		sample{"CommandInProgress", CommandInProgress("rack-7", "3/7")},
		sample{"CommandInProgress", CommandInProgress("rack-7", "")},
	)
}
