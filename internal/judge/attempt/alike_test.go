package attempt

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// attemptsOf are attempts as "verdict configuration", numbered from 1.
func attemptsOf(of ...[2]string) []v1alpha1.Attempt {
	var out []v1alpha1.Attempt
	for i, a := range of {
		out = append(out, v1alpha1.Attempt{Number: int32(i + 1), Verdict: v1alpha1.Verdict(a[0]), Configuration: a[1]})
	}
	return out
}

func TestAlike(t *testing.T) {
	tests := map[string]struct {
		attempts []v1alpha1.Attempt
		want     []int32
	}{
		"none":                     {nil, nil},
		"all of one configuration": {attemptsOf([2]string{"Fail", "x"}, [2]string{"Pass", "x"}), []int32{1, 2}},
		"another image since":      {attemptsOf([2]string{"Fail", "x"}, [2]string{"Fail", "y"}), []int32{2}},
		"back to the first image":  {attemptsOf([2]string{"Fail", "x"}, [2]string{"Fail", "y"}, [2]string{"Pass", "x"}), []int32{1, 3}},
		"what measured nothing stays, whatever it ran": {attemptsOf([2]string{"Error", "z"}, [2]string{"Fail", "x"}, [2]string{"Fail", "y"}, [2]string{"Error", "x"}), []int32{1, 3, 4}},
		"what measured nothing decides nothing":        {attemptsOf([2]string{"Fail", "x"}, [2]string{"Error", "y"}), []int32{1, 2}},
		"nothing was measured":                         {attemptsOf([2]string{"Error", "x"}, [2]string{"Skipped", "y"}), []int32{1, 2}},
	}
	for sentence, c := range tests {
		t.Run(sentence, func(t *testing.T) {
			before := append([]v1alpha1.Attempt(nil), c.attempts...)
			var got []int32
			for _, a := range Alike(c.attempts) {
				got = append(got, a.Number)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(before, c.attempts); diff != "" {
				t.Errorf("the attempts themselves were changed (-before +after):\n%s", diff)
			}
		})
	}
}
