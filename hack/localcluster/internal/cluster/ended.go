package cluster

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/assay-dev/assay/hack/localcluster/internal/daemon"
)

// ended says which of the daemons do not run, and why the first of them ended, so that nobody waits for what is dead.
func (m *Manager) ended(names []string) error {
	var dead []string
	for _, name := range names {
		if _, alive := daemon.Load(m.PIDFile(name)); !alive {
			dead = append(dead, name)
		}
	}
	if len(dead) == 0 {
		return nil
	}
	path := filepath.Join(m.Logs(), dead[0]+".log")
	content, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("ended: %s; %w", shorten(dead), err)
	}
	return fmt.Errorf("ended: %s; the last error in %s:\n  %s", shorten(dead), path, lastError(string(content)))
}

// isError finds what the daemons themselves call an error: klog's E and F, containerd's level=, etcd's "level": and Go's own end of a program.
var isError = regexp.MustCompile(`^[EF]\d{4} |level=(error|fatal|panic)|"level":"(error|fatal|panic)"|^(panic|fatal error): |^Error: |err="`)

// lastError is the last line of a log that is an error, or its last five lines where none is.
func lastError(log string) string {
	lines := strings.Split(strings.TrimSpace(log), "\n")
	lines = lines[max(0, len(lines)-1000):]
	for i := len(lines) - 1; i >= 0; i-- {
		if isError.MatchString(lines[i]) {
			return lines[i]
		}
	}
	return strings.Join(lines[max(0, len(lines)-5):], "\n  ")
}
