package message

import (
	"fmt"
	"strconv"
)

// ExportNotOne says that a file is something else.
func ExportNotOne() string {
	return "this is no saved run: its first line is not the header that \"kubectl assay export\" writes"
}

// ExportEmpty says that a file has nothing in it.
func ExportEmpty() string {
	return "the file is empty: save a run to it with \"kubectl assay export RUN\""
}

// ExportOtherSchema says that a file is of a version that this program cannot read.
func ExportOtherSchema(schema, known, tool string) string {
	return fmt.Sprintf("the file has the schema %s, and this program reads %s: use kubectl-assay %s, which wrote it, or a later one",
		strconv.Quote(schema), known, strconv.Quote(tool))
}

// ExportOtherDocument says that a file is another of Assay's documents, or of somebody else's.
func ExportOtherDocument(schema string) string {
	return fmt.Sprintf("this is no saved run but a document with the schema %s: \"kubectl assay export\" saves runs", strconv.Quote(schema))
}

// ExportDamaged says that a compressed file cannot be unpacked beyond a line.
func ExportDamaged(line int) string {
	return fmt.Sprintf("the compressed file is damaged or cut off at line %d: export the run again, or copy the file again", line)
}

// ExportCutOff says that a file ends too early.
func ExportCutOff(line int) string {
	return fmt.Sprintf("the file is cut off: it ends at line %d, without the last line that counts what is in it. Export the run again, or copy the file again", line)
}

// ExportIncomplete says that lines are missing, or too many: what a file has, and what its last line says it has.
func ExportIncomplete(runs, saidRuns, results, saidResults, records, saidRecords int) string {
	return fmt.Sprintf("the file is not whole: it has %d runs, %d results and %d records of nodes, and was written with %d, %d and %d: export the run again, or copy the file again",
		runs, results, records, saidRuns, saidResults, saidRecords)
}

// ExportLineTooLong says that a line is longer than any that is ever written.
func ExportLineTooLong(line int, most int64) string {
	return fmt.Sprintf("line %d is longer than %d MiB, which no saved run is: this is another file, or a damaged one", line, most>>20)
}

// ExportTooLarge says that a file has more in it than is read.
func ExportTooLarge(most int64) string {
	return fmt.Sprintf("the file has more than %d MiB when it is unpacked: export fewer runs to one file", most>>20)
}

// ExportUnreadable begins what is wrong with a line.
func ExportUnreadable(line int) string { return fmt.Sprintf("reading line %d", line) }

// ExportWithoutRun says that a line belongs to no run.
func ExportWithoutRun(line int) string {
	return fmt.Sprintf("line %d comes before the run that it belongs to: the file was changed since it was written", line)
}

// ExportNameless says that a run has no name.
func ExportNameless(line int) string {
	return fmt.Sprintf("the run in line %d has no name: the file was changed since it was written", line)
}

// ExportOtherRun says that a result stands among those of another run.
func ExportOtherRun(line int, of, under string) string {
	return fmt.Sprintf("line %d is a result of run %s and stands among those of run %s: the file was changed since it was written",
		line, strconv.Quote(of), strconv.Quote(under))
}

// ExportHelp is the help of the one metric of an export as OpenMetrics.
func ExportHelp() string {
	return "Value of a part of a node by one attempt of a benchmark, in the unit that its label says."
}

// ExportNoRuns says that none is as the flags say.
func ExportNoRuns() string {
	return "no run matches the flags: kubectl get validationruns --show-labels lists all runs"
}

// ExportNeedsChoice says that it is not said which runs to export.
func ExportNeedsChoice() string {
	return "no run is named: kubectl assay export RUN..., or choose with --all, --selector or --since"
}

// ExportEitherOr says that runs are chosen in two ways at once.
func ExportEitherOr() string {
	return "runs are named and chosen by flags: give either names, or --all, --selector and --since"
}

// ExportCatalogueUnknown says what an export lacks.
func ExportCatalogueUnknown(run string) string {
	return fmt.Sprintf("run %s is exported without its catalogue: what the operator kept of it is gone or may not be read, and the Benchmarks have changed since", run)
}

// ExportGoesOn says that an export has a part of a run.
func ExportGoesOn(run string) string {
	return fmt.Sprintf("run %s is not over, and is exported as it stands: export it again when it is", run)
}

// ExportGone says that a run was deleted while runs were exported.
func ExportGone(run string) string {
	return fmt.Sprintf("run %s was deleted meanwhile and is not exported", run)
}

// ExportSince says how an age is written.
func ExportSince(given string) string {
	return fmt.Sprintf("--since %s is no duration: write it as 12h, 30d or 2w", strconv.Quote(given))
}

// ExportWriting is what an error of writing a file begins with.
func ExportWriting(file string) string { return "writing " + file }

// ExportListing is what an error of listing runs begins with.
func ExportListing() string { return "listing runs" }
