package webhook

import (
	"fmt"
	"net/http"

	"github.com/assay-dev/assay/internal/quantity"
)

const (
	badURL     = "--webhook-url is no URL that begins with http:// or https://"
	unsigned   = "--webhook-url needs --webhook-secret-file: whoever is told has to know by whom"
	recentLost = "what happened before this process led may not be told to the webhook"
	toldLater  = "the webhook was not told, and is told again until it is, or an hour has passed"
)

func answered(code int) string {
	return fmt.Sprintf("the receiver answered %d %s", code, http.StatusText(code))
}

func emptySecret(file string) string { return "the secret in " + file + " is empty" }

func noRoom() string { return fmt.Sprintf("%d others wait already", most) }

func notTold(event string, why error) string {
	return quantity.Clip(fmt.Sprintf("the webhook was not told of %s: %s", event, why), 1000)
}
