package runner

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"syscall"
	"time"

	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/measure/result"
)

// maxXidParts bounds how many kinds of error are counted apart.
const maxXidParts = 16

var xidLine = regexp.MustCompile(`NVRM: Xid \(PCI:([0-9a-fA-F:.]{4,16})\): ([0-9]{1,4})\b`)

// kernelLog counts the driver's Xid errors since the program started. Only a privileged container may read the log.
type kernelLog struct {
	file int // descriptor, -1: not readable
	xids map[string]int
}

// newKernelLog opens the log behind its last line. The file is read by system calls, because each read gives one record,
// and none must ever block.
func newKernelLog(root string) *kernelLog {
	k := &kernelLog{file: -1, xids: map[string]int{}}
	file, err := syscall.Open(filepath.Join(root, "dev/kmsg"), syscall.O_RDONLY|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	if err != nil {
		return k
	}
	if _, err := syscall.Seek(file, 0, io.SeekEnd); err != nil {
		_ = syscall.Close(file)
		return k
	}
	k.file = file
	return k
}

// sample reads what was logged since the last sample.
func (k *kernelLog) sample(phase, time.Time) {
	if k.file < 0 {
		return
	}
	buffer := make([]byte, 8192) // a record is never longer
	for range 10_000 {
		n, err := syscall.Read(k.file, buffer)
		if errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.EINTR) {
			continue // records were overwritten before they were read
		}
		if err != nil || n <= 0 {
			return
		}
		for _, match := range xidLine.FindAllSubmatch(buffer[:n], -1) {
			k.count(fmt.Sprintf("%s xid%s", match[1], match[2]))
		}
	}
}

func (k *kernelLog) count(at string) {
	if _, known := k.xids[at]; !known && len(k.xids) >= maxXidParts {
		at = "others"
	}
	k.xids[at]++
}

// telemetry has a 0 for the node where the log could be read and had no errors.
func (k *kernelLog) telemetry() []result.Measurement {
	if k.file < 0 {
		return nil
	}
	_ = syscall.Close(k.file)
	k.file = -1
	parts := list.Map(slices.Sorted(maps.Keys(k.xids)), func(at string) result.Part { return result.Part{At: at, Value: float64(k.xids[at])} })
	if len(parts) == 0 {
		parts = []result.Part{{At: result.NodePart}}
	}
	return []result.Measurement{measurement("xidErrors", "count", result.BetterLower, parts...)}
}
