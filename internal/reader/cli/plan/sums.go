package plan

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/operate/forecast"
)

// sums of runs: how often they measure a node, and what that takes.
func sums(runs []forecast.Run) (measured int, nodeHours, gpus float64) {
	for r := range list.Each(runs) {
		measured, nodeHours, gpus = measured+len(r.Nodes), nodeHours+r.NodeHours, gpus+gpuHours(r)
	}
	return measured, nodeHours, gpus
}

// hours as they are shown; few of them to the half minute.
func hours(h float64) string {
	if h < 10 {
		return strconv.FormatFloat(h, 'f', 2, 64)
	}
	return strconv.FormatFloat(h, 'f', 0, 64)
}

// gpuHours are those of devices that are GPUs, of whatever vendor.
func gpuHours(r *forecast.Run) (sum float64) {
	for resource, h := range r.DeviceHours {
		if workload.IsGPU(resource) {
			sum += h
		}
	}
	return sum
}

// summary of a forecast, in paragraphs.
func summary(p *v1alpha1.ValidationPolicy, f *forecast.Forecast, zone *time.Location) []string {
	var all []string
	for _, l := range f.Lacks {
		all = append(all, fmt.Sprintf("%s: %s (%s): %s", l.Reason, message.Several(len(l.Nodes), "node"), message.Nodes(l.Nodes), l.Message))
	}
	all = append(all, total(f, zone))
	if limit := p.Spec.GPUSecondsPerDay; limit != nil {
		all = append(all, budget(*limit, f))
	}
	switch {
	case p.Spec.Suspend:
		all = append(all, "The policy is suspended: this is what it will do once spec.suspend is false.")
	case p.Spec.ValidForSeconds == nil:
		all = append(all, "spec.validForSeconds is not set: no pass expires, and a node is measured again only after a change.")
	}
	if f.Cut {
		all = append(all, "There is more to come than a plan foresees: it ends at "+message.At(f.Until)+".")
	}
	return all
}

// budget of a policy, and who waits for it.
func budget(limit int64, f *forecast.Forecast) string {
	text := fmt.Sprintf("Within 24 hours, %d GPU-seconds may be spent (spec.gpuSecondsPerDay)", limit)
	if b := f.Budget; b != nil {
		text += fmt.Sprintf("; %d are spent now", b.SpentGPUSeconds)
	}
	if f.WaitingUntil == nil {
		return text + ". No node waits for that."
	}
	return fmt.Sprintf("%s. Up to %s at once wait for that, the last until %s.", text, message.Several(int(f.MostWaiting), "node"), message.At(*f.WaitingUntil))
}

// total of all runs.
func total(f *forecast.Forecast, zone *time.Location) string {
	period := message.Duration(f.Until.Sub(f.From))
	if days := f.Until.Sub(f.From).Hours() / 24; days >= 1 {
		period = fmt.Sprintf("%.0f days", days)
	}
	if len(f.Runs) == 0 {
		return fmt.Sprintf("Nothing is measured in the next %s. Nothing was written.", period)
	}
	measured, nodeHours, gpus := sums(f.Runs)
	return fmt.Sprintf("In the next %s: %s, %s of a node, %s node-hours and %s GPU-hours; runs begin between %s (%s). Every node is taken to be idle, "+
		"and everything to pass. Nothing was written.", period, message.Several(len(f.Runs), "run"), message.Several(measured, "measurement"), hours(nodeHours), hours(gpus),
		hoursOfDay(f.Runs, zone), zone)
}

// hoursOfDay in which runs begin, such as 02 and 04, or 22 and 24.
func hoursOfDay(runs []forecast.Run, zone *time.Location) string {
	var used [24]bool
	for i := range runs {
		used[runs[i].At.In(zone).Hour()] = true
	}
	var all []string
	for h := 0; h < 24; h++ {
		if !used[h] {
			continue
		}
		first := h
		for h < 23 && used[h+1] {
			h++
		}
		all = append(all, fmt.Sprintf("%02d:00 and %02d:00", first, h+1))
	}
	return strings.Join(all, ", ")
}
