// STREAM by place: Copy, Scale, Add and Triad in FP64 on the node, each socket, each NUMA domain and between domains.
// A variant of John McCalpin's STREAM benchmark: its kernels and byte counts, with own placement, sampling and checks.
#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <iostream>

#include "common/args.hpp"
#include "common/host/cgroup.hpp"
#include "common/host/pinning.hpp"
#include "common/program.hpp"
#include "stream/kernels.hpp"
#include "stream/places.hpp"
#include "stream/report.hpp"

namespace {

using namespace assay;
using namespace assay::stream;

struct Options {
  std::int64_t bytes = 0;  // of each array
  double seconds = 10;
  std::string stores = "regular";
};

// Three arrays, on the NUMA domain of the run where it names one.
class Memory {
 public:
  Memory(const Topology& topology, const Run& run) : topology_(topology), bytes_(3 * padded(run.array_bytes)) {
    start_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start_ == MAP_FAILED) throw std::runtime_error(run.at + ": allocating the arrays failed");
    madvise(start_, bytes_, MADV_HUGEPAGE);  // whatever the node's default is, so that nodes compare
    if (run.memory) bind(*run.memory);
    auto* first = static_cast<double*>(start_);
    const std::size_t stride = padded(run.array_bytes) / sizeof(double);
    arrays_ = {first, first + stride, first + 2 * stride, static_cast<std::size_t>(run.array_bytes) / sizeof(double)};
  }
  ~Memory() { munmap(start_, bytes_); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  const Arrays& arrays() const { return arrays_; }
  bool is_bound() const { return bound_; }

 private:
  static std::size_t padded(std::int64_t bytes) {
    constexpr std::size_t kHugePage = std::size_t{2} << 20;
    return (static_cast<std::size_t>(bytes) + kHugePage - 1) / kHugePage * kHugePage;
  }
  void bind(const Place& memory) {
    hwloc_bitmap_t nodes = hwloc_bitmap_alloc();
    for (unsigned domain : memory.memory) hwloc_bitmap_set(nodes, domain);
    // A container may be denied this call; first touch by that domain's threads then has to do.
    bound_ = hwloc_set_area_membind(topology_.handle(), start_, bytes_, nodes, HWLOC_MEMBIND_BIND,
                                    HWLOC_MEMBIND_BYNODESET) == 0;
    hwloc_bitmap_free(nodes);
  }

  const Topology& topology_;
  std::size_t bytes_;
  void* start_ = nullptr;
  bool bound_ = false;
  Arrays arrays_{};
};

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Sampled sample(const Run& run, Stores stores, const Arrays& arrays, double budget_seconds) {
  const std::size_t min_rounds = run.remote ? 6 : 10;  // STREAM's NTIMES
  Sampled sampled{StoppingRule(min_rounds, 200, 0.005, budget_seconds), {}, 0};
  Expected expected;
  while (sampled.rule.wants_more()) {
    const auto round_start = std::chrono::steady_clock::now();
    for (const auto& [kernel, name, bytes_per_element] : kKernels) {
      if (run.remote && kernel != Kernel::Triad) continue;
      const auto start = std::chrono::steady_clock::now();
      stream::run(kernel, stores, arrays);
      const double seconds = seconds_since(start);
      sampled.rates[kernel].push_back(bytes_per_element * static_cast<double>(arrays.n) / seconds / 1e9);
      expected.apply(kernel);
    }
    sampled.rule.add(sampled.rates[Kernel::Triad].back(), seconds_since(round_start));
  }
  sampled.worst_error = worst_relative_error(arrays, expected);
  return sampled;
}

// Memory that is bound to a domain is not taken from another one when it runs out: the kernel ends the program instead.
void require_memory(const Run& run) {
  const std::int64_t needed = 3 * run.array_bytes;
  std::int64_t usable = usable_memory_bytes();
  if (run.memory && run.memory->memory_bytes > 0) usable = std::min(usable, run.memory->memory_bytes / 10 * 9);
  if (needed > usable) {
    throw CannotRun(run.at + ": the arrays need " + std::to_string(needed) + " bytes of memory, " + std::to_string(usable) +
                    " can be used: give the container more or set --bytes");
  }
}

void measure(const Options& options, Document& doc) {
  const Stores stores = options.stores == "nontemporal" ? Stores::NonTemporal : Stores::Regular;
  if (stores == Stores::NonTemporal && !has_non_temporal_stores()) {
    throw CannotRun("this build has no non-temporal stores for this processor");
  }
  const Topology topology;
  const auto runs = plan(topology, options.bytes);
  const Place& node = runs.front().threads;
  doc.parameter("bytes", runs.front().array_bytes);
  doc.parameter("threads", node.cpus.size());
  doc.parameter("stores", options.stores);
  doc.note("a variant of the STREAM benchmark; bytes counted as STREAM does, without write-allocate reads");
  if (options.bytes > 0 && options.bytes < kCacheMultiple * node.last_level_cache_bytes) {
    doc.note("arrays of " + std::to_string(options.bytes) + " bytes are less than 4 times the node's last-level cache of " +
             std::to_string(node.last_level_cache_bytes) + " bytes and may partly stay in it");
  }
  if (const auto quota = cpu_quota(); quota && *quota < static_cast<double>(node.cpus.size())) {
    doc.note("the container's CPU quota is below its number of cores: the threads are throttled");
  }
  for (const Run& run : runs) require_memory(run);

  constexpr double kTolerance = 1e-13;  // STREAM's, for FP64
  double worst = 0;
  bool unbound = false;
  for (const Run& run : runs) {
    std::cerr << "stream: " << run.at << ", " << run.threads.cpus.size() << " threads" << std::endl;
    const Memory memory(topology, run);
    unbound = unbound || (run.remote && !memory.is_bound());
    pin_team(topology, run.memory.value_or(run.threads));
    initialise(memory.arrays());
    pin_team(topology, run.threads);
    const Sampled sampled = sample(run, stores, memory.arrays(), options.seconds / static_cast<double>(runs.size()));
    worst = std::max(worst, sampled.worst_error);
    report(run, sampled, doc);
  }
  if (unbound) doc.note("binding memory is not permitted here: remote arrays were placed by first touch");
  char message[64];
  std::snprintf(message, sizeof message, "worst relative error %.1e, at most %.0e", worst, kTolerance);
  doc.check("dataIntegrity", worst <= kTolerance, message);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  Args args("stream", "Memory bandwidth by place: STREAM's four kernels on the node, each socket, each NUMA domain and "
                      "between domains.");
  args.bytes(options.bytes, 0, std::int64_t{1} << 40, "size of each of the three arrays; 0: 4 times the last-level cache");
  args.number("--seconds", options.seconds, 0.1, 600, "sampling time, shared by all places");
  args.choice("--stores", options.stores, {"regular", "nontemporal"}, "kind of store instructions");
  if (const auto code = args.parse(argc, argv)) return *code;
  return run_program("stream", std::cout, std::cerr, [&](Document& doc) { measure(options, doc); });
}
