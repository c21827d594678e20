package runner

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/assay-dev/assay/internal/result"
)

// bootID of the kernel that the program ran on, which the node's kubelet reports, too: it says whether the node was rebooted since. Empty
// where it cannot be read.
func bootID(root string) string {
	text, err := os.ReadFile(filepath.Join(root, "proc/sys/kernel/random/boot_id"))
	if id := strings.TrimSpace(string(text)); err == nil && result.IsBootID(id) {
		return id
	}
	return ""
}
