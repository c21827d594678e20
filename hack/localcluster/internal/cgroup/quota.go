package cgroup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

const (
	// shortPeriod is as short as it can be for half a core, so that even a
	// kernel of 10 ms runs evenly slower instead of stopping for the rest of
	// the usual 100 ms.
	shortPeriod = 5 * time.Millisecond

	// The kernel refuses anything shorter or longer.
	minQuota  = time.Millisecond
	maxPeriod = time.Second
)

// Quota is how much processor time a cgroup gets in each period.
type Quota struct {
	Quota, Period time.Duration
}

// QuotaFor computes the quota for so many cores in total.
func QuotaFor(cores float64) (Quota, error) {
	period := shortPeriod
	if cores > 0 && cores*float64(period) < float64(minQuota) {
		period = time.Duration(float64(minQuota) / cores).Round(time.Microsecond)
	}
	// Written so that NaN is refused too.
	if !(cores > 0) || cores > 10000 || period > maxPeriod {
		return Quota{}, fmt.Errorf("cpu %v: want between 0.001 and 10000 cores", cores)
	}
	quota := time.Duration(cores * float64(period)).Round(time.Microsecond)
	return Quota{Quota: max(quota, minQuota), Period: period}, nil
}

// Limit gives the cgroup, with all below it, no more than the quota.
func (h Hierarchies) Limit(path string, q Quota) error {
	if h.V2 {
		return h.write(path, "cpu.max", fmt.Sprintf("%d %d", q.Quota.Microseconds(), q.Period.Microseconds()))
	}
	// Lifted first: the old quota may be too large for the new period.
	if err := h.Unlimit(path); err != nil {
		return err
	}
	if err := h.write(path, "cpu.cfs_period_us", strconv.FormatInt(q.Period.Microseconds(), 10)); err != nil {
		return err
	}
	return h.write(path, "cpu.cfs_quota_us", strconv.FormatInt(q.Quota.Microseconds(), 10))
}

// Unlimit gives the cgroup all processors again.
func (h Hierarchies) Unlimit(path string) error {
	if h.V2 {
		return h.write(path, "cpu.max", "max 100000")
	}
	return h.write(path, "cpu.cfs_quota_us", "-1")
}

// Limited returns the quota in force, and whether there is one.
func (h Hierarchies) Limited(path string) (Quota, bool) {
	var text string
	if h.V2 {
		text = h.read(path, "cpu.max")
	} else {
		text = h.read(path, "cpu.cfs_quota_us") + " " + h.read(path, "cpu.cfs_period_us")
	}
	return parseQuota(text)
}

func parseQuota(text string) (Quota, bool) {
	fields := strings.Fields(text)
	if len(fields) != 2 {
		return Quota{}, false
	}
	quota, errQuota := strconv.ParseInt(fields[0], 10, 64) // "max" under v2
	period, errPeriod := strconv.ParseInt(fields[1], 10, 64)
	if errQuota != nil || errPeriod != nil || quota <= 0 || period <= 0 {
		return Quota{}, false
	}
	return Quota{time.Duration(quota) * time.Microsecond, time.Duration(period) * time.Microsecond}, true
}

// Cores is the quota as a number of processors.
func (q Quota) Cores() float64 { return float64(q.Quota) / float64(q.Period) }

func (h Hierarchies) write(path, file, value string) error {
	for _, root := range h.Roots {
		err := os.WriteFile(filepath.Join(root, path, file), []byte(value), 0o644)
		if err == nil {
			return nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("setting %s of cgroup %s to %q: %w", file, path, value, err)
		}
	}
	return fmt.Errorf("setting %s of cgroup %s: no hierarchy has it", file, path)
}

func (h Hierarchies) read(path, file string) string {
	for _, root := range h.Roots {
		if content, err := os.ReadFile(filepath.Join(root, path, file)); err == nil {
			return strings.TrimSpace(string(content))
		}
	}
	return ""
}
