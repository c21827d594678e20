package controllers

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// IsDenied: the API server, or a webhook that it asks, has said no, and will say so again. A webhook that gives no code is passed on as 400.
func IsDenied(err error) bool {
	var said apierrors.APIStatus
	return errors.As(err, &said) && slices.Contains([]int32{http.StatusBadRequest, http.StatusForbidden, http.StatusRequestEntityTooLarge,
		http.StatusUnprocessableEntity}, said.Status().Code)
}

// IsRefused: what was to be written is invalid or too large, so that trying again is of no use. The API server passes on in
// words only what etcd, or its own connection to etcd, finds too large.
func IsRefused(err error) bool {
	return apierrors.IsInvalid(err) || apierrors.IsRequestEntityTooLargeError(err) ||
		err != nil && (strings.Contains(err.Error(), "etcdserver: request is too large") ||
			strings.Contains(err.Error(), "trying to send message larger than max"))
}
