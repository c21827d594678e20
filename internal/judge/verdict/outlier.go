package verdict

import (
	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/rule"
)

// addOutliers adds the parts that the findings are about, but for pairs that a slow GPU explains.
func addOutliers(found map[rule.PartRule]*outlier, j *rule.Sheet) {
	for _, f := range j.Findings {
		if f.Verdict != v1alpha1.VerdictFail || j.Explains(f.Finding, nil) {
			continue
		}
		key := f.Of()
		if found[key] == nil {
			found[key] = &outlier{PartRule: key, worst: f}
		} else if f.Shortfall > found[key].worst.Shortfall {
			found[key].worst = f
		}
	}
}

// outlier is a part that was suspect in at least one attempt.
type outlier struct {
	rule.PartRule
	// worst finding about it; told: attempts had one, not their mean alone.
	worst rule.Scored
	told  bool
	// seen, fine and suspect count the attempts; least and most are its values in them.
	seen, fine, suspect int
	least, most         float64
	// reach of the bound that raises suspicion.
	reach float64
	// mean of all attempts, by bounds that healthy hardware does not break; slow: it is beyond them, and nothing else explains that;
	// doubted: it is beyond those that raise suspicion.
	mean          rule.Standing
	slow, doubted bool
}

func (a *outlier) count(s rule.Standing) {
	if s.Grade == rule.Unseen {
		return
	}
	if a.seen == 0 {
		a.least, a.most = s.Value.Value, s.Value.Value
	}
	a.seen++
	a.least, a.most, a.reach = min(a.least, s.Value.Value), max(a.most, s.Value.Value), max(a.reach, s.By.Reach())
	switch s.Grade {
	case rule.Fine:
		a.fine++
	case rule.Suspect:
		a.suspect++
	}
}

// agree says whether the attempts are about as slow. Where they are further apart than what raises suspicion, one of them may have been
// disturbed, and the mean says little.
func (a *outlier) agree() bool { return a.reach == 0 || a.most-a.least <= a.reach }

// conclusion about an outlier.
type conclusion int

const (
	open conclusion = iota
	confirmed
	cleared
	lost // later attempts do not have it
)

// conclusion by so many measured attempts, of at most so many. One that an attempt found fine comes and goes at the worst, and its mean says
// nothing; else the mean decides as soon as it is plain, and at the end in any case.
func (a *outlier) conclusion(measured, most int) conclusion {
	atEnd := measured >= most
	switch {
	case a.fine > 0:
		return cleared
	case a.seen < measured:
		if atEnd {
			return lost
		}
		return open
	case measured == 1 && !atEnd:
		return open
	case a.slow && (a.suspect == measured && a.agree() || atEnd && 2*a.suspect > measured):
		return confirmed
	case !a.slow && !a.doubted, atEnd:
		return cleared
	}
	return open
}

// unsteady: a part that is cleared comes and goes. What is never quite fine and never slow is only at the edge of what is healthy.
func (a *outlier) unsteady() bool { return a.fine > 0 || a.slow }
