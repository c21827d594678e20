##@ Benchmarks

BENCH_NODES ?= 1000
BENCH_REPEATS ?= 3
BENCH_KEPT ?= 10
BENCH_KEPT_MB ?= 500
BENCH_IDLE ?= 10m
BENCH_SAMPLES ?= 100
BENCH_RESTARTS ?= 50

.PHONY: bench-operator
bench-operator: bin/manager cluster-packages cluster-kwok ## Time and count the operator on simulated nodes, and beside finished runs (BENCH_NODES=1000 BENCH_REPEATS=3 BENCH_KEPT=10)
	@BENCH_NODES=$(BENCH_NODES) CLUSTERCTL=$(CLUSTERCTL) hack/bench/scale.sh --repeats $(BENCH_REPEATS) --kept $(BENCH_KEPT) --kept-mb $(BENCH_KEPT_MB)

.PHONY: bench-policy
bench-policy: bin/manager cluster-packages cluster-kwok ## Time and count the operator under a ValidationPolicy over simulated nodes (BENCH_NODES=10000 BENCH_IDLE=10m)
	@BENCH_NODES=$(if $(filter file,$(origin BENCH_NODES)),10000,$(BENCH_NODES)) CLUSTERCTL=$(CLUSTERCTL) hack/bench/scale.sh --policy --idle $(BENCH_IDLE)

.PHONY: bench-devices
bench-devices: bin/manager cluster-packages cluster-kwok ## Time how single GPUs of simulated nodes go out of service, and check that exactly those do (BENCH_NODES=1000 BENCH_SAMPLES=100 BENCH_RESTARTS=50)
	@BENCH_NODES=$(BENCH_NODES) CLUSTERCTL=$(CLUSTERCTL) hack/bench/scale.sh --devices --samples $(BENCH_SAMPLES) --restarts $(BENCH_RESTARTS)

.PHONY: bench-taints
bench-taints: cluster-binaries ## Time how long 1,000 of 10,000 nodes take to be tainted, on a real API server (goal: 5 s)
	@go test ./controllers/quarantine -run '^$$' -bench '^BenchmarkTaints$$' -benchtime 3x

.PHONY: bench-stores
bench-stores: cluster-binaries ## Measure what the results of 1,000 nodes cost, on a real API server, when nobody measures or judges
	@go test ./controllers/quarantine -run '^$$' -bench '^BenchmarkStores$$' -benchtime 3x

.PHONY: bench-blame
bench-blame: ## Print how often blame is right on simulated fleets, and what planning costs (a minute)
	@go run ./hack/bench/blame

.PHONY: bench-verdict
bench-verdict: ## Print how often verdicts are right on fleets drawn from recordings (BENCH_QUICK=1, BENCH_TRIALS=400, BENCH_ONLY=goals, BENCH_FAULT=HBM, BENCH_SUITE=quick)
	@BENCH_QUICK=$(BENCH_QUICK) BENCH_TRIALS=$(BENCH_TRIALS) BENCH_ONLY=$(BENCH_ONLY) BENCH_FAULT="$(BENCH_FAULT)" BENCH_SUITE=$(BENCH_SUITE) go run ./hack/bench/verdict

CORPUS ?= build/corpus.jsonl.gz

.PHONY: corpus
corpus: ## Write the labelled cases of docs/scoreboard.md (CORPUS=file, SEED=1, RECORDINGS=runs that kubectl assay export wrote)
	@mkdir -p $(dir $(CORPUS))
	@CORPUS=$(CORPUS) SEED=$(SEED) RECORDINGS=$(RECORDINGS) go run ./hack/bench/verdict

.PHONY: scoreboard
scoreboard: corpus ## Let Assay and the rules of others judge them (RULE="python3 mine.py" joins in; the curves are in build/scoreboard.html)
	@go run ./hack/bench/scoreboard -corpus $(CORPUS) -curve build/scoreboard.html $(if $(RULE),-rule '$(RULE)')

.PHONY: bench-noise
bench-noise: ## Print the noise of the catalogue's metrics from recordings (RECORDINGS="a.json.gz b.json.gz", made by hack/record.sh)
	@go run ./hack/bench/noise $(RECORDINGS)

.PHONY: bench-compare
bench-compare: ## Print how often comparisons of simulated fleets are right (five minutes; BENCH_TRIALS=400)
	@go run ./hack/bench/compare --trials $(or $(BENCH_TRIALS),400)

.PHONY: bench-causes
bench-causes: ## Write into docs how often the cause is right of faults that are put into recorded machines (a minute)
	@go test -v -count=1 -run '^TestInjectedCauses$$' ./internal/judge/cause -update

.PHONY: bench-mutants
bench-mutants: modules ## Break the code that judges and taints, in one place at a time, and say which tests find it (MUTANTS=100 SEED=1; hours)
	@CGO_ENABLED=0 GOGC=400 go run ./hack/bench/mutants -n $(or $(MUTANTS),100) -seed $(or $(SEED),1)
