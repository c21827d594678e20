package message

import (
	"fmt"
	"strings"
)

// CommandReadingFile is what an error of reading a saved run begins with.
func CommandReadingFile(file string) string { return "reading " + file }

// CommandReadingOfNodes is what an error of reading a kind begins with that has an object for each node.
func CommandReadingOfNodes(kind string) string { return "reading the " + kind + " of each node" }

// CommandNotInFiles says why a cluster was asked for a run, which failed.
func CommandNotInFiles(run string, files []string) string {
	return fmt.Sprintf("no run %q is in %s, and no cluster could be asked", run, strings.Join(files, ", "))
}

// CommandNeedsRuns says that a command is about runs, of the cluster or of files.
func CommandNeedsRuns(command string) string {
	return fmt.Sprintf("no run is named: %[1]s RUN..., or %[1]s -f FILE for saved ones", command)
}

// CommandInProgress says that a report will change.
func CommandInProgress(run, progress string) string {
	done := ""
	if progress != "" {
		done = " (" + progress + " nodes done)"
	}
	return fmt.Sprintf("run %s is not over%s, so this report will still change: kubectl assay watch %s follows it", run, done, run)
}
