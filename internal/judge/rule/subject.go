package rule

import (
	"fmt"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/bounds"
	"github.com/assay-dev/assay/internal/judge/fleet"
	"github.com/assay-dev/assay/internal/judge/part"
	"github.com/assay-dev/assay/internal/judge/past"
	"github.com/assay-dev/assay/internal/judge/peak"
	"github.com/assay-dev/assay/internal/message"
)

// percentOfPeak is the share of the peak that the value reaches; for a metric that is better lower, of which the peak
// is the least possible, the share that the peak is of the value.
func (s *subject) percentOfPeak() (float64, bool) {
	if s.noPeak != "" {
		return 0, false
	}
	return s.percentOf(s.peak.Value)
}

func (s *subject) percentOf(whole float64) (float64, bool) {
	if s.better() == v1alpha1.Lower {
		return bounds.Ratio(100*whole, s.value)
	}
	return bounds.Ratio(100*s.value, whole)
}

// besides is the deviation in percent from other nodes, or else from the other like parts of its own.
func (s *subject) besides() (percent float64, with fleet.Comparison, ok bool) {
	switch {
	case s.peers == nil:
		return 0, fleet.Comparison{}, false
	case s.peers.HasOthers():
		with = s.peers.Whole()
	case s.peers.HasOwn():
		with = s.peers.AmongOwn(s.at, s.value)
	}
	percent, ok = bounds.Deviation(s.value, with.Center)
	return percent, with, ok
}

// subject is all that a rule may look at: one metric at one part of one node.
type subject struct {
	metric  *v1alpha1.Metric
	limits  map[string]v1alpha1.Decimal // by rule
	at      string
	place   part.Place
	attempt *v1alpha1.Attempt // that measured it
	value   float64
	// certainty that a bound needs: it decides how wide bounds are that follow from noise.
	certainty bounds.Certainty

	peak   peak.Reference
	noPeak string // why there is no peak

	peers    *fleet.Peers // nil: the fleet is not complete
	hardware string

	past past.PartPast

	curve *curve // of which it is the value at size; nil: it is no size
	size  int

	aside bool // it is one of several sizes of messages, and not the one that stands for the metric
}

func (s *subject) called() string             { return message.PartWith(s.at, s.place.UUIDs(s.attempt.Devices)) }
func (s *subject) better() v1alpha1.Direction { return bounds.Better(s.metric) }
func (s *subject) sign() float64              { return bounds.Sign(s.metric.Better) }

// isSmaller: it is a size of a curve that has greater ones, or of messages, of which another one is the metric's. Fixed bounds and peaks are
// about that: all together reach them, and long messages do; fewer or shorter need not.
func (s *subject) isSmaller() bool {
	return s.curve != nil && s.size < s.curve.points[len(s.curve.points)-1].size || s.aside
}

// unjudged is no bound: why says that there is too little data to compare with.
func (s *subject) unjudged(against, why string) bounds.Bound {
	return bounds.Bound{State: bounds.NoData,
		Why: fmt.Sprintf("%s of %s was not judged against %s: %s", s.metric.Name, message.PartName(s.place.Kind), against, why)}
}
