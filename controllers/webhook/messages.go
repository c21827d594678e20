package webhook

const (
	badURL      = "--webhook-url is no URL that begins with http:// or https://"
	unsigned    = "--webhook-url needs --webhook-secret-file: whoever is told has to know by whom"
	recentLost  = "what happened before this process led may not be told to the webhook"
	answered    = "the receiver answered %d %s"
	emptySecret = "the secret in %s is empty"
	noRoom      = "%d others wait already"
	notTold     = "the webhook was not told of %s: %s"
	toldLater   = "the webhook was not told, and is told again until it is, or an hour has passed"
)
