// The GPUs that this process may use, and how a document names them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/cuda/counters.hpp"
#include "common/cuda/neighbours.hpp"
#include "common/document.hpp"

namespace assay::cuda {

struct Gpu {
  int index = 0;        // CUDA's
  int number = 0;       // as in "gpu0": by PCI address, whatever order CUDA was told to use
  std::string uuid;     // "GPU-..." or, for a slice, "MIG-..."
  std::string pci;      // "0000:1b:00.0"
  std::string product;  // "NVIDIA H200"
  int major = 0;        // compute capability
  int minor = 0;
  int multiprocessors = 0;
  std::size_t memory_bytes = 0;
  std::size_t l2_bytes = 0;
  int numa_node = -1;  // -1: the kernel does not say
  bool is_mig = false;
  Occupancy at_start;  // before this process had a context on it

  std::string name() const { return "gpu" + std::to_string(number); }
};

// How many GPUs there are, or `limit` of them (0: all). Throws as refuse() of usable.hpp when there is none that can
// be used, and fails where fewer than `limit` are visible.
int count_gpus(std::int64_t limit = 0);

// The one with this number, without touching the others; a context was made on it.
Gpu open_gpu(int number);

// The first `limit` GPUs (0: all), by PCI address. Throws as count_gpus(). A context was made on each of them, so that its cost is
// not in what follows.
std::vector<Gpu> open_gpus(std::int64_t limit = 0);

// Who else holds memory of CUDA's device `index` now: as holders() says it.
std::string holders_now(int index);

// Writes devices, PCI addresses, CUDA and driver version into the document, which GPUs' memory is not free, and what of the
// environment CUDA did not follow. To be called before memory is allocated.
void describe(const std::vector<Gpu>& gpus, Document& doc);

// How many bytes each of the `what` ("arrays") may have, of which each may take `share` of a GPU's free memory: those that were asked
// for, or what fits on the fullest GPU. Check `comparable`: not ok where it would have been more if nobody else held memory. Where it is
// less than size.least: throws NotComparable if somebody else is why, else CannotRun. To be called before memory is allocated.
std::size_t fit_memory(const std::vector<Gpu>& gpus, const BufferSize& size, const Share& share, const std::string& what, Document& doc);

// NUMA nodes of this machine that have memory, ascending; empty when the system does not say.
std::vector<int> numa_nodes();

}  // namespace assay::cuda
