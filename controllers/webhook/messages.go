package webhook

const (
	badURL       = "--webhook-url is no URL that begins with http:// or https://: give it one, for example https://hooks.example.com/assay"
	unsigned     = "--webhook-url needs --webhook-secret-file: whoever is told has to know by whom"
	recentUnread = "what happened before this process led is not told to the webhook yet: it is read again until it can be, within minutes"
	answered     = "the receiver answered %d %s"
	emptySecret  = "the secret in %s is empty: put the key there that the receiver checks signatures by"
	noRoom       = "%d others wait already, which is the most: look why the receiver does not take them"
	notTold      = "the webhook was not told of %s: %s"
	toldLater    = "the webhook was not told, and is told again until it is, or an hour has passed"
)
