package cgroup

import (
	"math"
	"testing"
	"time"
)

func TestQuotaFor(t *testing.T) {
	const ms = time.Millisecond
	for name, test := range map[string]struct {
		cores float64
		want  Quota
	}{
		"half a core":                            {0.5, Quota{2500 * time.Microsecond, 5 * ms}},
		"more than one core":                     {1.5, Quota{7500 * time.Microsecond, 5 * ms}},
		"the least that a short period allows":   {0.2, Quota{1 * ms, 5 * ms}},
		"less stretches the period, not the cut": {0.1, Quota{1 * ms, 10 * ms}},
		"a thousandth":                           {0.001, Quota{1 * ms, 1000 * ms}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := QuotaFor(test.cores)
			if err != nil || got != test.want {
				t.Errorf("QuotaFor(%v) = %v, %v; want %v", test.cores, got, err, test.want)
			}
		})
	}
}

func TestQuotaForRefusesWhatTheKernelWould(t *testing.T) {
	for _, cores := range []float64{0, -1, 0.0001, math.NaN(), math.Inf(1), math.Inf(-1)} {
		if q, err := QuotaFor(cores); err == nil {
			t.Errorf("QuotaFor(%v) = %v, want an error", cores, q)
		}
	}
}

func TestParseQuota(t *testing.T) {
	for text, limited := range map[string]bool{
		"2500 5000": true, "max 100000": false, "-1 5000": false, "": false, " ": false, "1": false,
	} {
		if q, ok := parseQuota(text); ok != limited {
			t.Errorf("parseQuota(%q) = %v, %v", text, q, ok)
		}
	}
	if q, _ := parseQuota("2500 5000"); q.Cores() != 0.5 {
		t.Errorf("2500 of 5000 is %v cores", q.Cores())
	}
}

func TestParseMounts(t *testing.T) {
	for name, test := range map[string]struct {
		mounts string
		v2     bool
		roots  int
	}{
		"v1":     {"cgroup /sys/fs/cgroup/cpu cgroup rw,cpu 0 0\ncgroup /sys/fs/cgroup/pids cgroup rw,pids 0 0\n", false, 2},
		"v2":     {"cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n", true, 1},
		"hybrid": {"cgroup /sys/fs/cgroup/cpu cgroup rw,cpu 0 0\ncgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0\n", false, 2},
		"none":   {"proc /proc proc rw 0 0\n", false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			h := parseMounts(test.mounts)
			if h.V2 != test.v2 || len(h.Roots) != test.roots {
				t.Errorf("got %+v", h)
			}
		})
	}
}
