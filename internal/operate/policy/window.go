package policy

import (
	"cmp"
	"fmt"
	"time"

	"github.com/robfig/cron/v3"
	"k8s.io/utils/ptr"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// defaultDeadline is how long runs may start after each time of the schedule.
const defaultDeadline = int64(3600)

// window says when recurring runs may start. The zero value: at any time.
type window struct {
	schedule cron.Schedule
	lasts    time.Duration
}

// newWindow reads the schedule as a CronJob's is read.
func newWindow(spec *v1alpha1.ValidationPolicySpec, now time.Time) (window, error) {
	if spec.Schedule == "" {
		return window{}, nil
	}
	zone := cmp.Or(spec.TimeZone, "UTC")
	if _, err := time.LoadLocation(zone); err != nil {
		return window{}, fmt.Errorf("spec.timeZone %q is no time zone of the IANA database: set one, for example Europe/Zurich", zone)
	}
	schedule, err := cron.ParseStandard("TZ=" + zone + " " + spec.Schedule)
	if err != nil {
		return window{}, fmt.Errorf("spec.schedule %q cannot be read: %w. Write it as for a CronJob, for example '0 2 * * 1-5'", spec.Schedule, err)
	}
	if schedule.Next(now).IsZero() {
		return window{}, fmt.Errorf("spec.schedule %q never comes: no run could ever start", spec.Schedule)
	}
	lasts := ptr.Deref(spec.StartingDeadlineSeconds, defaultDeadline)
	return window{schedule, seconds(lasts)}, nil
}

// open: runs may start. next is then when this has to be looked at again, else when it opens; zero: it is always open.
func (w window) open(at time.Time) (open bool, next time.Time) {
	if w.schedule == nil {
		return true, time.Time{}
	}
	last := w.schedule.Next(at.Add(-w.lasts))
	if !last.IsZero() && !last.After(at) {
		return true, last.Add(w.lasts).UTC()
	}
	return false, last.UTC()
}

func seconds[T int32 | int64](n T) time.Duration { return time.Duration(n) * time.Second }
