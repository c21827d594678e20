package message

import "fmt"

// What the outputs of NVIDIA's tools, of BabelStream and of gpu-burn say beside their numbers.

// TestsWaived is for nvbandwidth, where none of its tests can run on the node.
func TestsWaived(count int) string {
	return fmt.Sprintf("nvbandwidth waived all %d of its tests: they need more GPUs, or GPUs that reach each other", count)
}

// WrongCopy is for a test of nvbandwidth that found wrong data.
func WrongCopy(test string) string { return fmt.Sprintf("%s copied wrong data", test) }

// WrongElements is for a message of nccl-tests that arrived damaged.
func WrongElements(test, place, bytes, count string) string {
	return fmt.Sprintf("%s %s of %s bytes: %s elements are wrong", test, place, bytes, count)
}

// WrongSomewhere is for wrong data in nccl-tests where no row says which.
func WrongSomewhere(test, count string) string {
	return fmt.Sprintf("%s: %s values are out of bounds", test, count)
}

// FaultyGPU is for a GPU that gpu-burn found computing wrongly. It counts errors in 32 bits, which overflow: 0 or less is no number of them.
func FaultyGPU(at string, errors int64) string {
	if errors <= 0 {
		return at + ": FAULTY"
	}
	return fmt.Sprintf("%s: FAULTY, %d wrong elements in one of its reports", at, errors)
}
