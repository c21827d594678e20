package formats

import (
	"regexp"
	"slices"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/result"
)

var (
	ncclChannel = regexp.MustCompile(` NCCL INFO Channel .* via NET/([A-Za-z][A-Za-z0-9_. -]{0,31})/[0-9]`)
	ncclNetwork = regexp.MustCompile(` NCCL INFO Using network ([A-Za-z][A-Za-z0-9_. -]{0,31})`)
)

const (
	// ncclInfo is in each line of NCCL's log.
	ncclInfo = " NCCL INFO "
	// maxTransports is more than one job has.
	maxTransports = 4
)

// Transports are what NCCL's log says of its way between nodes. The zero value has read nothing.
type Transports struct{ channels, networks []string }

// Read a line of a program's output.
func (t *Transports) Read(line string) {
	if !strings.Contains(line, ncclInfo) {
		return
	}
	if m := ncclChannel.FindStringSubmatch(line); m != nil {
		t.channels = noted(t.channels, m[1])
	} else if m := ncclNetwork.FindStringSubmatch(line); m != nil {
		t.networks = noted(t.networks, strings.TrimSpace(m[1]))
	}
}

func noted(known []string, name string) []string {
	if len(known) == maxTransports || slices.Contains(known, name) {
		return known
	}
	return append(known, name)
}

// AddTo a document the fact. A channel that was opened tells more than a network that was found.
func (t *Transports) AddTo(d *result.Document) {
	names := t.channels
	if len(names) == 0 {
		names = t.networks
	}
	if len(names) == 0 || slices.ContainsFunc(d.Facts, func(f result.Fact) bool { return f.Name == v1alpha1.FactTransport }) {
		return
	}
	value := "NET/" + strings.Join(slices.Sorted(slices.Values(names)), ", NET/")
	d.Facts = append([]result.Fact{{Name: v1alpha1.FactTransport, Value: result.Clean(value, result.MaxFact)}}, d.Facts...)
}

// WithoutNCCLLog is an output without NCCL's log, which comes to stdout where it cannot be sent elsewhere.
func WithoutNCCLLog(output []byte) []byte {
	lines := strings.SplitAfter(string(output), "\n")
	return []byte(strings.Join(slices.DeleteFunc(lines, func(line string) bool { return strings.Contains(line, ncclInfo) }), ""))
}
