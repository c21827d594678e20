// Package campaign plays cases: clusters in which nearly everything goes wrong, made up from a seed, in which the whole operator is at work and every
// promise of docs/reliability.md is checked at every write.
//
// The operator is the real one: the reconcilers of runs and policies, woken by their own handlers, with all that decides for them. Around it
// everything is simulated, and on one clock: the API server (package kube), scheduler, kubelets, programs, garbage collector and node
// lifecycle (kubelet.go, machine.go), people and other controllers (happenings.go), and leaders that die, stall and meet (leaders.go). A pass
// stops at each of its calls to the API server until the world lets it go on, so that calls of several passes come in any order, and may fail in
// any way (faults.go). Only one pass is at work at a time, and all that is left to chance is drawn from the seed: one seed is one history, byte for
// byte.
//
// The promises are checked by what is true of the world, which machine is slow and who put which taint where, and not by what the operator
// says (oracle.go, writes.go, budget.go, end.go). A case that breaks one is cut down to what it takes (shrink.go), and told (story.go):
//
//	make campaign CASES=5000 SEED=1
//
// Every fourth case, from seed 1 on, takes single devices out of service (onegpu.go, devices.go; marks.go, rules.go). These alone:
//
//	go test ./test/campaign -run 'TestCampaign$' -args -cases 1000 -seed 1 -step 4
package campaign
