package result

// toolLog is what was read of a program's output so far.
type toolLog interface {
	// read takes the next line, and refuses one that is garbled.
	read(line string) error
	// complete refuses an output that lacks something at its end.
	complete() error
	document() Document
}

// readLog reads an output line by line.
func readLog(log toolLog, lines []string) (Document, error) {
	for _, line := range lines {
		if err := log.read(line); err != nil {
			return Document{}, err
		}
	}
	if err := log.complete(); err != nil {
		return Document{}, err
	}
	return log.document(), nil
}
