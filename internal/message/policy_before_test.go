package message

import "time"

func init() {
	moment := time.Date(2026, 11, 22, 2, 0, 0, 0, time.UTC)
	samples = append(samples,
		sample{"NodeRecordTooOld", NodeRecordTooOld("gemm", moment)},
		sample{"WithOldCounts", WithOldCounts(ValidForTooShort(300, 840))},
	)
}
