package message

// VerdictPostponed is for a node that is judged while so many others are that not all verdicts are stored at once.
func VerdictPostponed() string {
	return "all is measured; the verdict is being stored, after those of other nodes"
}
