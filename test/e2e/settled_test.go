//go:build e2e

package e2e_test

import "testing"

func testSettled(t *testing.T) {}
