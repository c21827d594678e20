##@ Demo

.PHONY: demo
demo: setup ## Validate a real cluster of four nodes on this machine, one of them slow (root; see README.md)
	@CLUSTER=$(CLUSTER) hack/demo.sh
