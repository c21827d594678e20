package tournament

import (
	"slices"
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// TestADisturbedPairIsPlayedAgain: an attempt that was disturbed counts only where its round had no other one, as often as it may be tried.
func TestADisturbedPairIsPlayedAgain(t *testing.T) {
	disturbed := func(number, round int32) v1alpha1.Attempt {
		return v1alpha1.Attempt{Number: number, Round: round, Verdict: v1alpha1.VerdictError, Reason: v1alpha1.ReasonDisturbed}
	}
	calm := func(number, round int32) v1alpha1.Attempt {
		return v1alpha1.Attempt{Number: number, Round: round, Verdict: v1alpha1.VerdictPass}
	}
	for sentence, c := range map[string]struct {
		attempts []v1alpha1.Attempt
		most     int
		want     []int32 // numbers of those that count
	}{
		"calm ones count":                        {[]v1alpha1.Attempt{calm(1, 1), calm(2, 2)}, 3, []int32{1, 2}},
		"a disturbed one does not":               {[]v1alpha1.Attempt{disturbed(1, 1)}, 3, nil},
		"the last of three stands for the round": {[]v1alpha1.Attempt{disturbed(1, 1), disturbed(2, 1), disturbed(3, 1)}, 3, []int32{3}},
		"each round has tries of its own":        {[]v1alpha1.Attempt{disturbed(1, 1), disturbed(2, 1), calm(3, 1), disturbed(4, 2)}, 3, []int32{3}},
		"one try, and it was disturbed":          {[]v1alpha1.Attempt{disturbed(1, 1)}, 1, []int32{1}},
		"one try, and the second was calm":       {[]v1alpha1.Attempt{disturbed(1, 1), calm(2, 1)}, 1, []int32{2}},
	} {
		g := &Group{Attempts: c.attempts}
		var got []int32
		for _, a := range g.counted(c.most) {
			got = append(got, a.Number)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: attempts %v count, want %v", sentence, got, c.want)
		}
	}
}

// TestWhyAPairIsPlayedAgain is told with the attempt that is due.
func TestWhyAPairIsPlayedAgain(t *testing.T) {
	s := pairScope(4, 1, bandwidth(v1alpha1.Expectation{MaxFleetDeviation: "0.05"}))
	s.due()
	for _, g := range s.sorted() {
		if g.due {
			s.addAttempt(g, v1alpha1.Attempt{Round: g.Round, Verdict: v1alpha1.VerdictError, Reason: v1alpha1.ReasonDisturbed})
		}
	}
	s.pass()
	if len(s.out.Due) != 2 || s.out.Due[0].Reason != AttemptCountsNot(1, v1alpha1.ReasonDisturbed) {
		t.Errorf("due are %+v", s.out.Due)
	}
}
