// The GPUs that this process may use, and how a document names them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/document.hpp"

namespace assay::cuda {

struct Gpu {
  int index = 0;        // CUDA's, as in "gpu0"
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

  std::string name() const { return "gpu" + std::to_string(index); }
};

// How many GPUs there are, at most `limit` (0: all). Throws CannotRun when there is none or the driver is missing.
int count_gpus(std::int64_t limit = 0);

// One of them, without touching the others; a context was made on it.
Gpu open_gpu(int index);

// The first `limit` GPUs (0: all), in CUDA's order by PCI address. Throws CannotRun when there is none or the driver is
// missing, and a context was made on each of them, so that its cost is not in what follows.
std::vector<Gpu> open_gpus(std::int64_t limit = 0);

// Writes devices, PCI addresses, CUDA and driver version into the document, and which GPUs' memory is not free. To be called
// before memory is allocated.
void describe(const std::vector<Gpu>& gpus, Document& doc);

// NUMA nodes of this machine that have memory, ascending; empty when the system does not say.
std::vector<int> numa_nodes();

}  // namespace assay::cuda
