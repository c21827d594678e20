# The GPU programs: compiled and linked without a GPU, with the toolkit of CUDA_HOME or with wheels (hack/gpu/setup-cuda.sh).

CUDA_ARCHITECTURES ?= 75-real;80-real;86-real;89-real;90-real;100-real;120
KERNELS_CUDA_BUILD ?= build/kernels-cuda

.PHONY: kernels
kernels: ## Compile and link all GPU programs (needs no GPU)
	@hack/setup/kernels.sh
	@cuda="$$(hack/gpu/setup-cuda.sh)" && \
	hack/step.sh kernels-cuda "Compiling the GPU programs" bash -ec \
	  'cmake -S kernels -B $(KERNELS_CUDA_BUILD) -DASSAY_CUDA=ON -DASSAY_CPU=OFF -DASSAY_TESTS=OFF -DCMAKE_COMPILE_WARNING_AS_ERROR=$(KERNELS_WERROR) \
	    -DCMAKE_CUDA_COMPILER="$$0/bin/nvcc" -DCMAKE_CUDA_ARCHITECTURES="$(CUDA_ARCHITECTURES)" $(KERNELS_CMAKE_FLAGS); \
	  cmake --build $(KERNELS_CUDA_BUILD) --parallel "$$(nproc)"' "$$cuda"

.PHONY: kernels-measure
kernels-measure: ## Build, test and measure the GPU programs on this machine's GPUs
	hack/gpu/run.sh

# A real Kubernetes with NVIDIA's own components on a machine with GPUs: hack/gpu/cluster.sh, for which this builds everything.
GPU_BUNDLE ?= build/gpu-cluster/bundle

.PHONY: gpu-cluster
gpu-cluster: cluster-dra kernels build ## Build what hack/gpu/cluster.sh needs
	@hack/setup/images.sh
	@hack/step.sh gpu-programs "Compiling NVIDIA's device plugin and what belongs to it" hack/gpu/cluster/programs.sh
	@mkdir -p build/gpu-cluster
	@hack/step.sh openmpi-cuda "Compiling a CUDA-aware Open MPI" hack/gpu/cluster/openmpi.sh build/gpu-cluster/openmpi.tar
	@hack/step.sh gpu-base "Collecting the files of the image" hack/gpu/cluster/base.sh build/gpu-cluster/base.tar

.PHONY: gpu-cluster-bundle
gpu-cluster-bundle: gpu-cluster ## Pack it for a machine with GPUs and no network (GPU_BUNDLE=folder)
	@hack/step.sh gpu-bundle "Packing" hack/gpu/cluster/bundle.sh $(GPU_BUNDLE)
