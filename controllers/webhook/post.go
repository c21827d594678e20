package webhook

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"

	"github.com/assay-dev/assay/internal/operate/notice"
)

// Headers of a request. The signature is "sha256=" and the HMAC of the body in hexadecimal.
const (
	HeaderEvent     = "X-Assay-Event"
	HeaderDelivery  = "X-Assay-Delivery"
	HeaderSignature = "X-Assay-Signature-256"
)

// post a notice; any answer but 2xx is an error.
func (s *Sender) post(ctx context.Context, n notice.Notice) error {
	secret, err := s.secret()
	if err != nil {
		return err
	}
	body, err := json.Marshal(n)
	if err != nil {
		return fmt.Errorf("encoding: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.options.URL, bytes.NewReader(body))
	if err != nil {
		return bare(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "assay")
	req.Header.Set(HeaderEvent, n.Event)
	req.Header.Set(HeaderDelivery, n.ID)
	req.Header.Set(HeaderSignature, Sign(secret, body))
	res, err := s.client.Do(req)
	if err != nil {
		return bare(err)
	}
	defer res.Body.Close()                      //nolint:errcheck // nothing was written
	_, _ = io.CopyN(io.Discard, res.Body, 4096) // for the connection to be used again; the code has said all that counts
	if res.StatusCode/100 != 2 {
		return fmt.Errorf(answered, res.StatusCode, http.StatusText(res.StatusCode))
	}
	return nil
}

// Sign a body.
func Sign(secret, body []byte) string {
	mac := hmac.New(sha256.New, secret)
	mac.Write(body)
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

// secret without the newline that an editor leaves at the end.
func (s *Sender) secret() ([]byte, error) {
	secret, err := os.ReadFile(s.options.SecretFile)
	if err != nil {
		return nil, fmt.Errorf("reading the secret: %w", err)
	}
	secret = bytes.TrimRight(secret, "\r\n")
	if len(secret) == 0 {
		return nil, fmt.Errorf(emptySecret, s.options.SecretFile)
	}
	return secret, nil
}

// bare is an error without the URL: that may be a secret, too, and errors are shown in events.
func bare(err error) error {
	var of *url.Error
	if errors.As(err, &of) {
		return of.Err
	}
	return err
}
