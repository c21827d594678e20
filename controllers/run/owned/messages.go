package owned

const (
	eventsUnread = "its events cannot be listed (%s)"
	// NameTaken says what, of which name and in which namespace.
	NameTaken = "creating %s %s: namespace %s already has one of this name that Assay did not create: delete it"
)
