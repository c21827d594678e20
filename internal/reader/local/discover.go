package local

import (
	"context"
	"encoding/csv"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// smiTimeout is the time that nvidia-smi may take: it hangs when a GPU does.
const smiTimeout = 30 * time.Second

// Discover looks at this host. What cannot be read stays empty.
func Discover(ctx context.Context) (Host, error) {
	name, err := os.Hostname()
	if err != nil {
		return Host{}, fmt.Errorf("reading the host's name: %w", err)
	}
	h := Host{Name: strings.ToLower(name), CPUs: runtime.NumCPU(), MachineID: line("/etc/machine-id"),
		BootID: line("/proc/sys/kernel/random/boot_id"), Kernel: line("/proc/sys/kernel/osrelease")}
	if fields := strings.Fields(line("/proc/meminfo")); len(fields) == 3 && fields[0] == "MemTotal:" {
		kib, _ := strconv.ParseInt(fields[1], 10, 64)
		h.MemoryBytes = kib << 10
	}
	h.Trouble = h.discoverGPUs(ctx)
	return h, nil
}

// discoverGPUs asks nvidia-smi. Where there is none, the host has no GPU that could be measured.
func (h *Host) discoverGPUs(ctx context.Context) error {
	program, err := exec.LookPath("nvidia-smi")
	if err != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, smiTimeout)
	defer cancel()
	output, err := exec.CommandContext(ctx, program, "--query-gpu=name,driver_version", "--format=csv,noheader,nounits").Output()
	if err != nil {
		return fmt.Errorf("asking nvidia-smi for GPUs: %w", err)
	}
	reader := csv.NewReader(strings.NewReader(string(output)))
	reader.TrimLeadingSpace, reader.FieldsPerRecord = true, 2
	rows, err := reader.ReadAll()
	if err != nil {
		return fmt.Errorf("reading the answer of nvidia-smi: %w", err)
	}
	for _, row := range rows {
		h.GPUs, h.Driver = append(h.GPUs, row[0]), row[1]
	}
	return nil
}

// line is the first one of a file; empty where there is none.
func line(path string) string {
	data, _ := os.ReadFile(path)
	first, _, _ := strings.Cut(string(data), "\n")
	return strings.TrimSpace(first)
}
