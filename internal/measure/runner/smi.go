package runner

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/assay-dev/assay/internal/measure/result"
)

// query runs nvidia-smi once, in a process group of its own. When it does not end in time it is killed and never run
// again: a GPU hangs, and so does whoever asks for it, sometimes beyond the reach of SIGKILL.
func (g *gpus) query(fields string) ([]byte, error) {
	cmd := exec.Command(g.program, "--query-gpu="+fields, "--format=csv,noheader,nounits")
	var output bytes.Buffer
	cmd.Stdout = &output
	cmd.WaitDelay = time.Second
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := g.processes.start(cmd); err != nil {
		g.program = ""
		return nil, err
	}
	ended := make(chan error, 1)
	go func() { ended <- g.processes.wait(cmd) }()
	select {
	case err := <-ended:
		if err != nil {
			return output.Bytes(), fmt.Errorf("querying GPUs: %w", err)
		}
		return output.Bytes(), nil
	case <-time.After(g.timeout):
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		g.program = ""
		return nil, fmt.Errorf("querying GPUs: no answer within %v", g.timeout)
	}
}

// read parses the answer: one line per GPU, fields that a GPU does not have as [N/A]. A line of any other shape (a GPU
// that fell off the bus gives one) is passed over.
func (g *gpus) read(p phase, output []byte) {
	reader := csv.NewReader(bytes.NewReader(output))
	reader.FieldsPerRecord, reader.TrimLeadingSpace, reader.LazyQuotes = -1, true, true
	for {
		row, err := reader.Read()
		if err != nil {
			return
		}
		if len(row) != strings.Count(queryFields, ",")+1 {
			continue
		}
		index, err := strconv.ParseInt(row[0], 10, 32)
		known := g.seen[int32(index)]
		if err != nil || index < 0 || (known == nil && len(g.seen) >= maxGPUs) {
			continue
		}
		if known == nil {
			device := result.Device{Index: int32(index), UUID: result.Clean(row[1], result.MaxDeviceText), Product: result.Clean(row[2], result.MaxDeviceText)}
			known = &gpu{device: device, throttled: make([]series, len(throttleReasons))}
			g.seen[int32(index)] = known
		}
		known.read(p, row[3:])
	}
}

// read parses the fields after the product name, in the order of queryFields.
func (g *gpu) read(p phase, fields []string) {
	for i, target := range []*series{&g.temperature, &g.power, &g.smClock, &g.memClock} {
		if value, ok := sensorNumber(fields[i]); ok {
			target.add(p, value)
		}
	}
	if errors, ok := sensorNumber(fields[4]); ok {
		g.ecc = append(g.ecc, errors)
	}
	mask, err := strconv.ParseUint(strings.TrimPrefix(strings.TrimSpace(fields[5]), "0x"), 16, 64)
	if err != nil {
		return
	}
	for i, reason := range throttleReasons {
		active := 0.0
		if mask&reason.bit != 0 {
			active = 1
		}
		g.throttled[i].add(p, active)
	}
}

// sensorNumber reads a finite number; [N/A] and its kin are none.
func sensorNumber(text string) (float64, bool) {
	value, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	return value, err == nil && !math.IsNaN(value) && !math.IsInf(value, 0)
}
