package cluster

import (
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// Patience is for how long a server that does not answer is asked again: a control plane that is upgraded is away for minutes.
const Patience = 5 * time.Minute

// Lasting says of an error that to ask again brings nothing else.
func Lasting(err error) bool {
	return apierrors.IsForbidden(err) || apierrors.IsUnauthorized(err) || apierrors.IsMethodNotSupported(err)
}
