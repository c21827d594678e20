package verdict

import "math"

// partRule is one rule at one part of a metric.
type partRule struct{ metric, at, rule string }

// standing of a part under a rule in one attempt.
type standing struct {
	grade
	value, bound float64
	// reach is how far the bound is from what it was drawn from; 0: it is fixed.
	reach float64
}

// grade of a standing; the worse, the greater.
type grade int

const (
	unseen  grade = iota // not measured, or the rule had no bound
	fine                 // on the good side of the middle between what is expected and the bound
	unclear              // within the bound, but no better than that
	suspect
)

// stand notes how a part stands under a rule, the worst where it is compared with several.
func (j *judgement) stand(metric, at, rule string, ruled *ruling, value float64) {
	if j.standings == nil {
		return
	}
	now := standing{grade: fine, value: value, bound: ruled.bound}
	if ruled.centered {
		now.reach = math.Abs(ruled.bound - ruled.center)
	}
	switch {
	case ruled.shortfall(value) > 0:
		now.grade = suspect
	case ruled.inDoubt(value):
		now.grade = unclear
	}
	j.noteWorst(partRule{metric, at, rule}, now)
}

// noteWorst keeps the worse of what is known of a part and a standing: a program may report a part that a GPU's pairs also speak of.
func (j *judgement) noteWorst(key partRule, now standing) {
	if j.standings != nil && now.grade > j.standings[key].grade {
		j.standings[key] = now
	}
}

// inDoubt: a value is nearer to the bound than to what the bound was drawn from. Fixed bounds leave no doubt.
func (r *ruling) inDoubt(value float64) bool {
	middle := *r
	middle.bound += (r.center - r.bound) / 2
	return r.centered && middle.shortfall(value) > 0
}
