##@ CPU programs

KERNELS_BUILD ?= build/kernels

# What was compiled once, in any clone, is taken from the cache: its paths are relative to the clone.
CCACHE := CCACHE_DIR="$(ASSAY_CACHE)/ccache" CCACHE_BASEDIR="$(CURDIR)" CCACHE_NOHASHDIR=1
# ON makes warnings errors. Only `make test` does: another compiler than ours has false alarms of its own.
KERNELS_WERROR ?= OFF
KERNELS_CMAKE = -G Ninja -S kernels -B $(KERNELS_BUILD) -DCMAKE_CXX_COMPILER_LAUNCHER=ccache -DCMAKE_COMPILE_WARNING_AS_ERROR=$(KERNELS_WERROR)

.PHONY: kernels-cpu
kernels-cpu: ## Build the CPU programs (stream, dgemm, hpl, mpibench, npb, stencil) into build/kernels/bin
	@hack/setup/kernels.sh --hpl
	@hpl="$$(hack/setup/hpl-source.sh)" && \
	$(CCACHE) hack/step.sh kernels-cpu "Compiling the CPU programs" bash -ec \
	  'cmake $(KERNELS_CMAKE) -DASSAY_VERSION="$(VERSION)" -DASSAY_HPL_SOURCE="$$0"; cmake --build $(KERNELS_BUILD)' "$$hpl"

.PHONY: kernels-test
kernels-test: ## Build and run the host tests of the programs, if that is not done yet (needs no GPU; AGAIN=1)
	@hack/setup/kernels.sh
	@$(CCACHE) AGAIN=$(AGAIN) hack/kernels-test.sh $(KERNELS_BUILD) $(KERNELS_CMAKE)

.PHONY: bench-stream
bench-stream: kernels-cpu ## Compare our STREAM with hpcc's on this machine
	hack/bench/stream.sh $(KERNELS_BUILD)/bin/stream
