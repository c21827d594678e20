//go:build e2e

package e2e_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// checkMetrics reads what the running operator tells Prometheus, and only who may read it.
func checkMetrics(t *testing.T) {
	t.Helper()
	token := readerToken(t)
	url := "https://" + forward(t, "assay-system", "deployment/assay-manager", "8080") + "/metrics"
	var text string
	eventually(t, "the metrics, by somebody who may read them", func(ctx context.Context) (bool, string) {
		code, body := scrape(ctx, url, token) // the operator learns of the new role a moment later
		text = body
		return code == http.StatusOK, fmt.Sprintf("%d: %s", code, body)
	})
	if code, body := scrape(t.Context(), url, ""); code != http.StatusUnauthorized {
		t.Errorf("who says not who they are gets %d, want 401: %.200s", code, body)
	}
	for _, series := range []string{
		`assay_runs{verdict="Pass"} `, `assay_nodes{verdict="Pass"} `, `assay_runs_finished_total{verdict="Pass"} `,
		`assay_attempts_total{benchmark="rate",verdict="Pass"} `, `assay_benchmark_duration_seconds_count{benchmark="rate"} `,
		`assay_node_benchmark_value{benchmark="rate",metric="rate",node="node-1",unit="GB/s"} 42`,
	} {
		if !strings.Contains(text, "\n"+series) {
			t.Errorf("metrics lack %s", series)
		}
	}
}

// readerToken of Prometheus' service account, which may read the metrics and nothing else.
func readerToken(t *testing.T) string {
	t.Helper()
	if err := applyFile(t.Context(), filepath.Join("testdata", "monitoring.yaml")); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(kubectl(t, "-n", "monitoring", "create", "token", "prometheus-k8s", "--duration=3h"))
}

// scrape reads metrics as Prometheus does; the operator signs its certificate itself.
func scrape(ctx context.Context, url, token string) (int, string) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, err.Error()
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	defer transport.CloseIdleConnections()
	answer, err := (&http.Client{Transport: transport}).Do(request)
	if err != nil {
		return 0, err.Error()
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return 0, err.Error()
	}
	return answer.StatusCode, string(body)
}

// forward makes a port of a workload one of this machine until the test ends, and returns its address.
func forward(t *testing.T, namespace, workload, port string) string {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, filepath.Join(root, "bin", "kubectl"), "-n", namespace, "port-forward", workload, ":"+port)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		cancel()
		t.Fatalf("kubectl port-forward: %v", err)
	}
	lines := bufio.NewReader(out)
	line, err := lines.ReadString('\n')
	drained := make(chan struct{})
	go func() { // it says something for each connection
		defer close(drained)
		_, _ = io.Copy(io.Discard, lines)
	}()
	t.Cleanup(func() {
		cancel()
		<-drained
		_ = cmd.Wait()
	})
	address := regexp.MustCompile(`127\.0\.0\.1:[0-9]+`).FindString(line)
	if address == "" {
		t.Fatalf("kubectl port-forward says %q: %v", line, err)
	}
	return address
}
