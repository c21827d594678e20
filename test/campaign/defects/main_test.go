package main

import "testing"

// TestEachDefectApplies: the table is about the code as it is.
func TestEachDefectApplies(t *testing.T) {
	names, promises := map[string]bool{}, map[string]bool{}
	for _, d := range table {
		if names[d.name] {
			t.Errorf("two defects are called %s", d.name)
		}
		names[d.name], promises[d.promise] = true, true
		if _, err := d.broken("../../.."); err != nil {
			t.Error(err)
		}
	}
	if len(table) < 30 || len(promises) < 11 {
		t.Errorf("there are %d defects, of %d promises", len(table), len(promises))
	}
}
