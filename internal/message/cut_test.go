package message

import "time"

func init() {
	for _, by := range []Cut{CutByDeadline, CutOnHost, CutByUser} {
		samples = append(samples,
			sample{"NotMeasuredInTime", NotMeasuredInTime(by, "", 40)},
			sample{"NotMeasuredInTime", NotMeasuredInTime(by, ProgramRan(38*time.Second, 300*time.Second), 40)},
			sample{"DeadlineCutShort", DeadlineCutShort(by)},
			sample{"DeadlinePassed", DeadlinePassed(by)},
		)
	}
}
