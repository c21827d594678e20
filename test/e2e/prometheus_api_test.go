//go:build e2e

package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"testing"
	"time"
)

// hasData: the expression had a number at some moment since Prometheus started.
func (s *server) hasData(t *testing.T, expr string) bool {
	for _, series := range s.query(t, expr) {
		for _, v := range series.Values {
			if v[1] != "NaN" {
				return true
			}
		}
	}
	return false
}

// series of an answer; a value is a time and a text.
type series struct {
	Metric map[string]string
	Values [][2]any
}

func (s series) last() any { return s.Values[len(s.Values)-1][1] }

// query what an expression was at any time since Prometheus started.
func (s *server) query(t *testing.T, expr string) []series {
	t.Helper()
	var answer struct{ Result []series }
	since := s.since
	if since.IsZero() {
		since = time.Now().Add(-time.Minute)
	}
	s.get(t, "query_range", url.Values{"query": {expr}, "step": {"2"}, "start": {stamp(since)}, "end": {stamp(time.Now())}}, &answer)
	return answer.Result
}

// values of a label of these series.
func (s *server) values(t *testing.T, selector, label string) (found []string) {
	t.Helper()
	s.get(t, "label/"+label+"/values", url.Values{"match[]": {selector}, "start": {stamp(s.since)}, "end": {stamp(time.Now())}}, &found)
	return found
}

func stamp(at time.Time) string { return fmt.Sprintf("%.3f", float64(at.UnixMilli())/1000) }

// get an answer of Prometheus' API.
func (s *server) get(t *testing.T, path string, parameters url.Values, into any) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/api/v1/"+path+"?"+parameters.Encode(), nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var body struct {
		Error string
		Data  json.RawMessage
	}
	if err := json.NewDecoder(answer.Body).Decode(&body); err != nil || body.Error != "" {
		t.Fatalf("Prometheus says %q to %s %v; %v", body.Error, path, parameters, err)
	}
	if err := json.Unmarshal(body.Data, into); err != nil {
		t.Fatalf("reading what Prometheus says to %s: %v", path, err)
	}
}

func answers(ctx context.Context, address string) (bool, string) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return false, err.Error()
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return false, err.Error()
	}
	answer.Body.Close()
	return answer.StatusCode == http.StatusOK, answer.Status
}

// freeAddress of this machine.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
