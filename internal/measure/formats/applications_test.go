package formats

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-dev/assay/internal/measure/result"
)

// reads requires figures of the node and parameters of an output, whatever else is in it.
func reads(t *testing.T, d result.Document, version string, parameters map[string]any, figures map[string]float64) {
	t.Helper()
	got := map[string]float64{}
	for _, m := range d.Measurements {
		for _, part := range m.Parts {
			name := m.Name + " " + m.Unit
			if part.At != result.NodePart {
				name += " " + part.At
			}
			got[name], _ = strconv.ParseFloat(fmt.Sprintf("%.6g", part.Value), 64)
		}
	}
	if diff := cmp.Diff(figures, got); diff != "" {
		t.Errorf("figures -want +got:\n%s", diff)
	}
	if diff := cmp.Diff(parameters, d.Parameters); diff != "" {
		t.Errorf("parameters -want +got:\n%s", diff)
	}
	if d.Version != version {
		t.Errorf("version %q, want %q", d.Version, version)
	}
	for _, check := range d.FailedChecks() {
		t.Errorf("check %s failed: %s", check.Name, check.Message)
	}
}

// says requires one failed check, with this text.
func says(t *testing.T, d result.Document, name, text string) {
	t.Helper()
	failed := d.FailedChecks()
	if len(failed) != 1 || failed[0].Name != name || !strings.Contains(failed[0].Message, text) {
		t.Errorf("failed checks are %+v, want %s, which says %q", failed, name, text)
	}
}
