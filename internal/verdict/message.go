package verdict

import (
	"fmt"
	"math"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
)

const (
	// maxMessage is the tightest bound of the API on a message, so that one text fits wherever it is shown.
	maxMessage = 1024
	// usualDigits of a number in a message; more where it would look equal to the bound it breaks.
	usualDigits = 4
)

// wording writes the numbers of one sentence in one unit and with one precision.
type wording struct {
	subject *subject
	factor  float64
	unit    string
	digits  int
}

// newWording picks the unit that suits the value, and as many digits as tell value and bound apart.
func newWording(s *subject, bound float64) *wording {
	w := &wording{subject: s, digits: usualDigits}
	level := math.Abs(s.value)
	if level == 0 {
		level = math.Abs(bound)
	}
	w.factor, w.unit = readableUnit(s.metric.Unit, level)
	for s.value != bound && w.digits < 12 && w.number(s.value) == w.number(bound) {
		w.digits++
	}
	return w
}

func (w *wording) number(v float64) string { return format(v*w.factor, w.digits) }

// percent writes a percentage with one digit less: the last of four would be noise.
func (w *wording) percent(v float64) string { return format(v, w.digits-1) + " %" }

func (w *wording) ofPeak() string {
	p, _ := w.subject.percentOfPeak()
	return fmt.Sprintf("%s of peak %s", w.percent(p), w.number(w.subject.peak.value))
}

// away says how far the value is from a centre: "17.6 % below".
func (w *wording) away(center float64) string {
	d, _ := deviation(w.subject.value, center)
	if d < 0 {
		return w.percent(-d) + " below"
	}
	return w.percent(d) + " above"
}

func (w *wording) atLeast() string {
	if w.subject.better() == v1alpha1.Lower {
		return "at most"
	}
	return "at least"
}

// sentence says what was measured, what the rule that objected expected (the zero rule: none did), and how the value
// compares otherwise: "gpu3 (GPU-4bce) hbmTriad 3.61 TB/s: 75 % of peak 4.814, expected at least 88 %; fleet median
// 4.38 (-17.6 %)".
func sentence(s *subject, r rule, bound float64) string {
	w := newWording(s, bound)
	var clauses []string
	if r.words != nil {
		clauses = append(clauses, r.words(s, bound, w))
	}
	if _, ok := s.percentOfPeak(); ok && r.name != ruleFractionOfPeak {
		clauses = append(clauses, w.ofPeak())
	}
	if d, ok := s.fromFleet(); ok && r.name != ruleFleetDeviation {
		clauses = append(clauses, fmt.Sprintf("fleet median %s (%s)", w.number(s.fleet.median), signed(w.percent(d))))
	} else if !ok && s.peak.reached > 0 {
		clauses = append(clauses, "healthy parts reach "+w.number(s.peak.reached))
	}
	text := fmt.Sprintf("%s %s %s", named(s.at, s.place, s.devices), s.metric.Name, strings.TrimSpace(w.number(s.value)+" "+w.unit))
	if len(clauses) > 0 {
		text += ": " + strings.Join(clauses, "; ")
	}
	return Clip(text, maxMessage)
}

func signed(number string) string {
	if strings.HasPrefix(number, "-") || strings.HasPrefix(number, "0 ") {
		return number
	}
	return "+" + number
}

// percentOfPeak is the share of the peak that the value reaches; for a metric that is better lower, of which the peak
// is the least possible, the share that the peak is of the value.
func (s *subject) percentOfPeak() (float64, bool) {
	if s.noPeak != "" {
		return 0, false
	}
	if s.better() == v1alpha1.Lower {
		return ratio(100*s.peak.value, s.value)
	}
	return ratio(100*s.value, s.peak.value)
}

// fromFleet is the deviation from the median of like parts in percent.
func (s *subject) fromFleet() (float64, bool) {
	if !s.fleetComplete || s.fleet.n < minLikeParts {
		return 0, false
	}
	return deviation(s.value, s.fleet.median)
}

// deviation of a value from a centre in percent of the centre's size.
func deviation(value, center float64) (float64, bool) {
	return ratio(100*(value-center), math.Abs(center))
}

// ratio is a / b, unless there is none.
func ratio(a, b float64) (float64, bool) {
	r := a / b
	if b == 0 || math.IsInf(r, 0) || math.IsNaN(r) {
		return 0, false
	}
	return r, true
}

// readableUnit is the unit in which a size has one to three digits before the point, and the factor to it. Units
// without prefixes stay, and nobody reads kiloseconds.
func readableUnit(unit string, size float64) (float64, string) {
	from, base := splitUnit(unit)
	if size == 0 || !takesPrefix(base) {
		return 1, unit
	}
	best, symbol := 0.0, ""
	for _, prefix := range []string{"n", "u", "m", "", "k", "M", "G", "T", "P", "E"} {
		factor := prefixes[prefix]
		if best == 0 || size*from >= factor && (base != "s" || factor <= 1) {
			best, symbol = factor, prefix
		}
	}
	return from / best, symbol + base
}

// named is a part with the UUIDs of the GPUs it mentions, which is what a technician looks for.
func named(at string, p place, devices []v1alpha1.Device) string {
	var uuids []string
	for _, index := range p.gpus {
		for i := range devices {
			if devices[i].Index == index && devices[i].UUID != "" {
				uuids = append(uuids, devices[i].UUID)
			}
		}
	}
	if len(uuids) == 0 {
		return partName(at)
	}
	return fmt.Sprintf("%s (%s)", at, strings.Join(uuids, ", "))
}

// praise is the message of a pass: its first headline, and that some rules could not judge.
func praise(headline string, unjudged int) string {
	if headline == "" {
		headline = "measured; nothing that is expected of it was broken"
	}
	switch unjudged {
	case 0:
		return headline
	case 1:
		return Clip(headline, maxMessage-64) + "; 1 rule had not enough data"
	default:
		return fmt.Sprintf("%s; %d rules had not enough data", Clip(headline, maxMessage-64), unjudged)
	}
}

// andMore appends how many other findings there are.
func andMore(worst string, others int) string {
	switch others {
	case 0:
		return worst
	case 1:
		return Clip(worst, maxMessage-64) + " (and 1 more finding)"
	default:
		return fmt.Sprintf("%s (and %d more findings)", Clip(worst, maxMessage-64), others)
	}
}

func colon(text string) string {
	if text == "" {
		return ""
	}
	return ": " + text
}

// partName names a part or a kind of part in a sentence.
func partName(at string) string {
	if at == "" {
		return "node"
	}
	return at
}

// Clip cuts a text to at most limit bytes, at a character's boundary, and shows that it did.
func Clip(text string, limit int) string {
	const mark = "..."
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:max(0, limit-len(mark))], "") + mark
}
