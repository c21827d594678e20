##@ Images

# Builds with Docker where a daemon answers, else with buildah; prints the path of the OCI archive. An image whose inputs did not
# change is not built again.
.PHONY: images
images: image-manager image-runner image-bench-cpu ## Build the images of a cluster without GPUs: manager, runner, bench-cpu

.PHONY: image-manager image-runner
image-manager: bin/manager ## Build the operator's image
image-runner: bin/runner ## Build the runner's image
.PHONY: image-bench-cpu
image-bench-cpu: ## Build the image of the CPU programs
# Not part of `images`: CUDA's libraries make it large, and nothing on a machine without GPUs runs it.
.PHONY: image-bench-cuda
image-bench-cuda: ## Build the image of the GPU programs (10 minutes on two cores, 1 GB)
# The applications: large, and only where they are to be run.
.PHONY: image-bench-gromacs
image-bench-gromacs: ## Build the image with GROMACS
.PHONY: image-bench-gromacs-gpu image-bench-host image-bench-lammps image-bench-lammps-gpu image-bench-openfoam image-bench-openmm image-bench-train
image-bench-gromacs-gpu: ## Build the image with GROMACS for GPUs (compiles it: 24 minutes on two cores; CUDA_ARCHITECTURE=90)
image-bench-host: ## Build the image with fio, stress-ng, hpcc and perftest
image-bench-lammps: ## Build the image with LAMMPS
image-bench-lammps-gpu: ## Build the image with LAMMPS for GPUs (compiles it: 15 minutes on two cores; CUDA_ARCHITECTURE=90)
image-bench-openmm: ## Build the image with OpenMM (840 MB)
image-bench-openfoam: ## Build the image with OpenFOAM (makes a mesh: 4 minutes on one core)
image-bench-train: ## Build the image with PyTorch (5 GB)
image-manager image-runner image-bench-cpu image-bench-cuda image-bench-gromacs image-bench-gromacs-gpu image-bench-host image-bench-lammps image-bench-lammps-gpu image-bench-openfoam image-bench-openmm image-bench-train:
	@hack/setup/images.sh
	@hack/images/build.sh $(@:image-%=%)
