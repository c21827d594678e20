##@ Images

# Builds with Docker where a daemon answers, else with buildah; prints the path of the OCI archive. An image whose inputs did not
# change is not built again.
.PHONY: images
images: image-manager image-runner image-bench-cpu ## Build all images: manager, runner, bench-cpu

.PHONY: image-manager image-runner
image-manager: bin/manager ## Build the operator's image
image-runner: bin/runner ## Build the runner's image
.PHONY: image-bench-cpu
image-bench-cpu: ## Build the image of the CPU programs
image-manager image-runner image-bench-cpu:
	@hack/setup/images.sh
	@hack/images/build.sh $(@:image-%=%)
