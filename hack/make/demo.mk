##@ Demo

.PHONY: demo
demo: setup ## Validate a real cluster of four nodes on this machine, one of them slow, and let a fifth one in (root; see README.md)
	@CLUSTER=$(CLUSTER) hack/demo.sh
