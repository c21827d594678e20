package network

import "runtime"

// inFreshThread runs f, which changes its thread's namespace, on a thread that
// ends with it.
func inFreshThread(f func() error) error {
	result := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		result <- f()
	}()
	return <-result
}
