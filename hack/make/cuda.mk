# The GPU programs: compiled and linked without a GPU, with the toolkit of CUDA_HOME or with wheels (hack/gpu/setup-cuda.sh).

CUDA_ARCHITECTURES ?= 75-real;80-real;86-real;89-real;90-real;100-real;120
KERNELS_CUDA_BUILD ?= build/kernels-cuda

.PHONY: kernels
kernels: ## Compile and link all GPU programs (needs no GPU)
	@cuda="$$(hack/gpu/setup-cuda.sh)" && \
	hack/step.sh kernels-cuda "Compiling the GPU programs" bash -ec \
	  'cmake -S kernels -B $(KERNELS_CUDA_BUILD) -DASSAY_CUDA=ON -DASSAY_CPU=OFF -DASSAY_TESTS=OFF \
	    -DCMAKE_CUDA_COMPILER="$$0/bin/nvcc" -DCMAKE_CUDA_ARCHITECTURES="$(CUDA_ARCHITECTURES)" $(KERNELS_CMAKE_FLAGS); \
	  cmake --build $(KERNELS_CUDA_BUILD) --parallel "$$(nproc)"' "$$cuda"

.PHONY: kernels-measure
kernels-measure: ## Build, test and measure the GPU programs on this machine's GPUs
	hack/gpu/run.sh
