##@ Local cluster

# A real Kubernetes on this machine. See hack/localcluster/README.md.

NODES ?= 4
KWOK_NODES ?= 0
KWOK_STAGES ?=
CLUSTER ?= assay
CPU ?= 0.5

CLUSTERCTL := bin/clusterctl
CLUSTER_SOURCES := $(shell find hack/localcluster -name '*.go' -o -path '*/templates/*' -type f) \
	hack/localcluster/go.mod hack/localcluster/go.sum

# With the flags of the cluster's own programs, so that what both use is
# compiled once.
$(CLUSTERCTL): $(CLUSTER_SOURCES)
	@mkdir -p $(@D)
	@cd hack/localcluster && CGO_ENABLED=0 GOWORK=off $(FAST_GO) ../step.sh clusterctl "Compiling $@" ../compile.sh -ldflags "-s -w" -o $(CURDIR)/$@ -- ./cmd/clusterctl

# What the demo and the end-to-end tests run on it. Images wait for downloads while Kubernetes is compiled: made by two jobs.
.PHONY: cluster-needs
cluster-needs: cluster-binaries images bin/kubectl-assay

.PHONY: cluster-packages
cluster-packages:
	@hack/setup/cluster.sh

.PHONY: cluster-binaries
cluster-binaries: $(CLUSTERCTL) ## Build the local cluster's programs (minutes once, then cached); links bin/kubectl
	@hack/step.sh cluster-binaries "Compiling the cluster's programs, Kubernetes above all" $(CLUSTERCTL) build --link bin

# Only clusters with pretended nodes run kwok.
.PHONY: cluster-kwok
cluster-kwok: cluster-binaries
	@hack/step.sh cluster-kwok "Compiling kwok" $(CLUSTERCTL) build --link bin --kwok

# Only nodes of which `clusterctl dra start` asks it have a DRA driver.
.PHONY: cluster-dra
cluster-dra: cluster-binaries ## Build the DRA driver, by which nodes of the local cluster offer GPUs that are claimed: clusterctl dra start
	@hack/step.sh cluster-dra "Compiling the DRA driver" $(CLUSTERCTL) build --link bin --dra

.PHONY: cluster-up
cluster-up: cluster-packages cluster-binaries $(if $(filter-out 0,$(KWOK_NODES)),cluster-kwok) ## Start or repair the local cluster, with the MPI Operator (NODES=4 KWOK_NODES=0 CLUSTER=assay)
	@$(CLUSTERCTL) up --name $(CLUSTER) --nodes $(NODES) --kwok-nodes $(KWOK_NODES) $(if $(KWOK_STAGES),--kwok-stages $(KWOK_STAGES))

.PHONY: cluster-down
cluster-down: $(CLUSTERCTL) ## Remove the local cluster and everything of it
	@$(CLUSTERCTL) down --name $(CLUSTER)

.PHONY: cluster-status
cluster-status: $(CLUSTERCTL) ## Show the local cluster's daemons and nodes
	@$(CLUSTERCTL) status --name $(CLUSTER)

.PHONY: cluster-load
cluster-load: $(CLUSTERCTL) ## Import images into every node (IMAGE_ARCHIVE=file, IMAGE=name to rename)
	@$(if $(IMAGE_ARCHIVE),,$(error set IMAGE_ARCHIVE to an OCI archive))$(CLUSTERCTL) load --name $(CLUSTER) $(if $(IMAGE),--image $(IMAGE)) $(IMAGE_ARCHIVE)

.PHONY: cluster-degrade
cluster-degrade: $(CLUSTERCTL) ## Make a node's pods slow for real (NODE=node-3 CPU=0.5)
	@$(if $(NODE),,$(error set NODE to the node to degrade))$(CLUSTERCTL) degrade --name $(CLUSTER) --cpu $(CPU) $(NODE)

.PHONY: cluster-restore
cluster-restore: $(CLUSTERCTL) ## Give a degraded node all its cores again (NODE=node-3)
	@$(if $(NODE),,$(error set NODE to the node to restore))$(CLUSTERCTL) restore --name $(CLUSTER) $(NODE)
