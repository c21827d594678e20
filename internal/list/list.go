// Package list is what package slices has no word for.
package list

import (
	"iter"
	"slices"
	"time"
)

// Each element by its place, for elements that are large or are changed.
func Each[T any](all []T) iter.Seq[*T] {
	return func(yield func(*T) bool) {
		for i := range all {
			if !yield(&all[i]) {
				return
			}
		}
	}
}

// Map is what a function makes of each element; nil of none.
func Map[T, U any](all []T, of func(T) U) []U {
	if len(all) == 0 {
		return nil
	}
	out := make([]U, len(all))
	for i, one := range all {
		out[i] = of(one)
	}
	return out
}

// Some is what a function makes of each element of which it makes anything; nil where it does of none.
func Some[T, U any](all []T, of func(T) (U, bool)) (out []U) {
	for _, one := range all {
		if made, ok := of(one); ok {
			out = append(out, made)
		}
	}
	return out
}

// Where are the elements of which something is true; nil where it is of none.
func Where[T any](all []T, is func(T) bool) (out []T) {
	for _, one := range all {
		if is(one) {
			out = append(out, one)
		}
	}
	return out
}

// Those are the elements of which something is true, by their places; nil where it is of none.
func Those[T any](all []T, is func(*T) bool) (out []*T) {
	for one := range Each(all) {
		if is(one) {
			out = append(out, one)
		}
	}
	return out
}

// Groups of the elements of which a function makes the same, in the order of their first ones.
func Groups[T any, K comparable](all []T, of func(T) K) (out [][]T) {
	at := map[K]int{}
	for _, one := range all {
		key := of(one)
		i, known := at[key]
		if !known {
			i, out = len(out), append(out, nil)
			at[key] = i
		}
		out[i] = append(out[i], one)
	}
	return out
}

// Count of the elements of which something is true.
func Count[T any](all []T, is func(T) bool) (n int) {
	for _, one := range all {
		if is(one) {
			n++
		}
	}
	return n
}

// Before orders those first of which something is true.
func Before(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// Latest of some times.
func Latest(times ...time.Time) time.Time { return slices.MaxFunc(times, time.Time.Compare) }

// Earliest of some times.
func Earliest(times ...time.Time) time.Time { return slices.MinFunc(times, time.Time.Compare) }

// Sooner puts a time in the place of a later one, or of none; zero: it is none.
func Sooner(first *time.Time, at time.Time) {
	if !at.IsZero() && (first.IsZero() || at.Before(*first)) {
		*first = at
	}
}

// Sum of what a function makes of each element, by its place.
func Sum[T any, N ~int | ~int64](all []T, of func(*T) N) (sum N) {
	for one := range Each(all) {
		sum += of(one)
	}
	return sum
}

// Among others, the first element of which something is true, by its place; where there is none, this one is added.
func Among[T any](all *[]T, is func(*T) bool, otherwise T) *T {
	if known := First(*all, is); known != nil {
		return known
	}
	*all = append(*all, otherwise)
	return &(*all)[len(*all)-1]
}

// First element of which something is true, by its place; nil where it is of none.
func First[T any](all []T, is func(*T) bool) *T {
	for one := range Each(all) {
		if is(one) {
			return one
		}
	}
	return nil
}
