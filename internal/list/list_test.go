package list

import (
	"reflect"
	"slices"
	"strconv"
	"testing"
	"time"
)

func even(n int) bool { return n%2 == 0 }

func number(text string) (int, bool) {
	n, err := strconv.Atoi(text)
	return n, err == nil
}

// What is made of nothing is nil, as what is appended to nothing would be; and nothing is lost, doubled or put into another order.
func TestLists(t *testing.T) {
	some := []int{3, 4, 1, 8, 4}
	for name, tt := range map[string]struct{ got, want any }{
		"map":               {Map(some, strconv.Itoa), []string{"3", "4", "1", "8", "4"}},
		"map of nothing":    {Map([]int{}, strconv.Itoa), []string(nil)},
		"where":             {Where(some, even), []int{4, 8, 4}},
		"where none is":     {Where(some[:1], even), []int(nil)},
		"some":              {Some([]string{"3", "x", "8"}, number), []int{3, 8}},
		"some of none":      {Some([]string{"x"}, number), []int(nil)},
		"those":             {Those(some, func(n *int) bool { return even(*n) }), []*int{&some[1], &some[3], &some[4]}},
		"count":             {Count(some, even), 3},
		"sum":               {Sum(some, func(n *int) int { return 2 * *n }), 40},
		"groups":            {Groups(some, even), [][]int{{3, 1}, {4, 8, 4}}},
		"groups of nothing": {Groups(nil, even), [][]int(nil)},
	} {
		if !reflect.DeepEqual(tt.got, tt.want) {
			t.Errorf("%s: got %v, want %v", name, tt.got, tt.want)
		}
	}
	if got := First(some, func(n *int) bool { return even(*n) }); got != &some[1] {
		t.Errorf("first: got %v, not the element itself", got)
	}
	few := slices.Clone(some[:2])
	if got := Among(&few, func(n *int) bool { return even(*n) }, 9); got != &few[1] || len(few) != 2 {
		t.Errorf("among others: got %v of %v, not the element itself", *got, few)
	}
	if got := Among(&few, func(n *int) bool { return *n > 8 }, 9); got != &few[2] || !slices.Equal(few, []int{3, 4, 9}) {
		t.Errorf("among others that it is none of: got %v of %v", *got, few)
	}
	if got := First(some, func(n *int) bool { return *n > 8 }); got != nil {
		t.Errorf("first of none: got %v", *got)
	}
}

// What is true comes first, and two times are put in order.
func TestOrder(t *testing.T) {
	bools := []bool{false, true, false, true}
	slices.SortFunc(bools, Before)
	if !slices.Equal(bools, []bool{true, true, false, false}) || Before(true, true) != 0 || Before(false, false) != 0 {
		t.Errorf("got %v", bools)
	}
	first, second := time.Unix(1, 0), time.Unix(2, 0)
	if Latest(first, second) != second || Latest(second, first) != second || Earliest(first, second) != first || Earliest(second, first) != first {
		t.Error("the order of times is another one")
	}
}

// Each element may be changed, and the loop may be left.
func TestEachIsTheElementItself(t *testing.T) {
	some := []int{3, 4, 1}
	for n := range Each(some) {
		if *n *= 2; *n == 8 {
			break
		}
	}
	if !reflect.DeepEqual(some, []int{6, 8, 1}) {
		t.Errorf("got %v", some)
	}
}
