// Package campaign plays cases: clusters in which nearly everything goes wrong, made up from a seed, in which the whole operator is at work and every
// promise of docs/reliability.md is checked at every write. Each package knows only those above it:
//
//	sim       the clock, chance that follows from the seed, and the story of what happens: one seed is one history, byte for byte
//	cases     what a case is, and the generator of cases
//	kube      the API server and its watch caches
//	admission the admission policies, and the schemas of its kinds, that Assay ships
//	cluster   the rest of Kubernetes: machines, kubelets, drivers (claims), scheduler, programs and what they leave (hostile); what is true of them
//	operator  the real reconcilers, in processes that lead, die, stall and meet; they stop at each of their calls
//	oracle    the promises, checked by what is true of the cluster, and not by what the operator says
//
// Here they are put together (world.go). What happens, people do (happenings.go, people.go, pods.go), or befalls calls of the operator (faults.go). A case
// is played to its end (play.go), and one that breaks a promise is cut down to what it takes (shrink.go), and told:
//
//	make campaign CASES=5000 SEED=1
//
// Every fourth case, from seed 1 on, takes single devices out of service, and every 24th, from seed 10 on, brings nodes up together. In every ninth,
// from seed 8 on, come three leaders at once, profiles and terms that change, several liars, and marks that are stripped. These alone:
//
//	go test ./test/campaign -run 'TestCampaign$' -args -cases 1000 -seed 1 -step 4
//	go test ./test/campaign -run 'TestCampaign$' -args -cases 1000 -seed 10 -step 24
//	go test ./test/campaign -run 'TestCampaign$' -args -cases 1000 -seed 8 -step 9
package campaign
