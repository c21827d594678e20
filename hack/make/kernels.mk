##@ CPU programs

KERNELS_BUILD ?= build/kernels

.PHONY: kernels-cpu
kernels-cpu: ## Build the CPU programs (stream, dgemm, hpl, mpibench) into build/kernels/bin
	@hack/setup/kernels.sh --hpl
	hpl="$$(hack/setup/hpl-source.sh)" && \
	cmake -G Ninja -S kernels -B $(KERNELS_BUILD) -DASSAY_VERSION="$(VERSION)" -DASSAY_HPL_SOURCE="$$hpl" && \
	cmake --build $(KERNELS_BUILD)

.PHONY: kernels-test
kernels-test: ## Build and run the host tests of the programs (needs no GPU)
	@hack/setup/kernels.sh
	@cmake -G Ninja -S kernels -B $(KERNELS_BUILD) >/dev/null
	@cmake --build $(KERNELS_BUILD) | grep -v '^ninja: no work' || [[ $${PIPESTATUS[0]} -eq 0 ]]
	ctest --test-dir $(KERNELS_BUILD) --output-on-failure --progress

.PHONY: bench-stream
bench-stream: kernels-cpu ## Compare our STREAM with hpcc's on this machine
	hack/bench/stream.sh $(KERNELS_BUILD)/bin/stream
