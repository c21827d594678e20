package message

import "fmt"

// NPBUnsuccessful is for a NAS Parallel Benchmark whose result is not the published one.
func NPBUnsuccessful(kernel, class string) string {
	return fmt.Sprintf("%s of class %s did not compute the published result (Verification = UNSUCCESSFUL)", kernel, class)
}
