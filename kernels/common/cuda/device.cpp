#include "common/cuda/device.hpp"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "common/cuda/buffer.hpp"
#include "common/cuda/counters.hpp"
#include "common/cuda/error.hpp"
#include "common/cuda/nvml.hpp"
#include "common/cuda/on_all.hpp"
#include "common/cuda/usable.hpp"
#include "common/program.hpp"

namespace assay::cuda {
namespace {

std::string format_uuid(const cudaUUID_t& uuid) {
  std::string text;
  for (std::size_t i = 0; i < sizeof uuid.bytes; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    char hex[3];
    std::snprintf(hex, sizeof hex, "%02x", static_cast<unsigned char>(uuid.bytes[i]));
    text += hex;
  }
  return text;
}

int read_numa_node(std::string pci) {
  std::transform(pci.begin(), pci.end(), pci.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  std::ifstream file("/sys/bus/pci/devices/" + pci + "/numa_node");
  int node = -1;
  file >> node;
  return file ? node : -1;
}

// CUDA's indices of the visible GPUs, by PCI address. Makes no context.
std::vector<int> by_address() {
  int count = 0;
  check(cudaGetDeviceCount(&count), "counting the GPUs");
  std::vector<std::pair<std::string, int>> addresses;
  for (int index = 0; index < count; ++index) {
    char pci[32] = "";
    check(cudaDeviceGetPCIBusId(pci, sizeof pci, index), "reading the PCI address of CUDA's device " + std::to_string(index));
    addresses.emplace_back(pci, index);
  }
  std::sort(addresses.begin(), addresses.end());
  std::vector<int> indices;
  for (const auto& address : addresses) indices.push_back(address.second);
  return indices;
}

// With it every launch waits for the GPU: nothing could be timed, and a held latch would never be released.
bool refuse_blocking_launches() {
  static const bool refused = [] {
    const char* value = std::getenv("CUDA_LAUNCH_BLOCKING");
    if (value == nullptr || std::string(value).empty() || std::string(value) == "0") return false;
    unsetenv("CUDA_LAUNCH_BLOCKING");
    return true;
  }();
  return refused;
}

void note_environment(Document& doc) {
  if (refuse_blocking_launches()) doc.note("CUDA_LAUNCH_BLOCKING is set and was ignored: with it, launches cannot be timed");
  const auto indices = by_address();
  if (const char* visible = std::getenv("CUDA_VISIBLE_DEVICES")) {
    const std::string list = visible;
    const auto named = static_cast<std::size_t>(std::count(list.begin(), list.end(), ',')) + 1;
    if (named > indices.size()) {
      doc.note("CUDA_VISIBLE_DEVICES=" + list + " names " + std::to_string(named) + " GPUs, CUDA shows " +
               std::to_string(indices.size()) + ": it ends at the first that is not there");
    }
  }
  if (!std::is_sorted(indices.begin(), indices.end())) {
    doc.note("CUDA was told another order of the GPUs: here gpu0 has the lowest PCI address");
  }
}

bool is_slice(const cudaDeviceProp& properties) { return std::string(properties.name).find(" MIG ") != std::string::npos; }

std::string version_text(int version) { return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10); }

}  // namespace

Gpu open_gpu(int number) {
  const int index = by_address().at(static_cast<std::size_t>(number));
  Gpu gpu;
  gpu.index = index;
  gpu.number = number;
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, index), "reading the properties of " + gpu.name());
  char pci[32] = "";
  check(cudaDeviceGetPCIBusId(pci, sizeof pci, index), "reading the PCI address of " + gpu.name());
  gpu.pci = pci;
  gpu.product = properties.name;
  gpu.is_mig = is_slice(properties);
  gpu.uuid = (gpu.is_mig ? "MIG-" : "GPU-") + format_uuid(properties.uuid);
  gpu.major = properties.major;
  gpu.minor = properties.minor;
  gpu.multiprocessors = properties.multiProcessorCount;
  gpu.memory_bytes = properties.totalGlobalMem;
  gpu.l2_bytes = static_cast<std::size_t>(properties.l2CacheSize);
  gpu.numa_node = read_numa_node(gpu.pci);
  // A slice's memory and processes are told with those of the other slices: nobody could be named.
  if (!gpu.is_mig) gpu.at_start = Nvml::instance().occupancy(gpu.uuid);
  choose_device(index, "opening " + gpu.name());
  check(cudaFree(nullptr), "opening " + gpu.name(), index);  // makes the context
  return gpu;
}

int count_gpus(std::int64_t limit) {
  setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID", 0);
  refuse_blocking_launches();
  int count = 0;
  cudaError_t code = cudaGetDeviceCount(&count);
  if (code == cudaSuccess && count == 0) code = cudaErrorNoDevice;
  check(code, "counting the GPUs");
  if (limit > count) {
    throw std::runtime_error("--gpus " + std::to_string(limit) + " asks for more GPUs than are visible: " + std::to_string(count));
  }
  return limit > 0 ? static_cast<int>(limit) : count;
}

std::vector<Gpu> open_gpus(std::int64_t limit) {
  const int count = count_gpus(limit);

  // A context takes a good part of a second; the GPUs make theirs at the same time.
  std::vector<Gpu> gpus(static_cast<std::size_t>(count));
  on_all(gpus.size(), [&](std::size_t i) { gpus[i] = open_gpu(static_cast<int>(i)); });
  choose_device(gpus.front().index, "selecting gpu0");
  return gpus;
}

std::string holders_now(int index) {
  cudaDeviceProp properties{};
  if (cudaGetDeviceProperties(&properties, index) != cudaSuccess || is_slice(properties)) return "";
  return holders(Nvml::instance().occupancy("GPU-" + format_uuid(properties.uuid)), static_cast<unsigned>(getpid()));
}

void describe(const std::vector<Gpu>& gpus, Document& doc) {
  std::string addresses;
  for (const auto& gpu : gpus) {
    doc.device(gpu.number, gpu.uuid, gpu.product);
    addresses += (addresses.empty() ? "" : ",") + gpu.pci;
    report_memory(gpu.name(), free_bytes(gpu.index), gpu.memory_bytes, doc);
  }
  doc.parameter("pciAddresses", addresses);
  int runtime = 0;
  check(cudaRuntimeGetVersion(&runtime), "reading CUDA's version");
  doc.parameter("cuda", version_text(runtime));
  const std::string driver = Nvml::instance().driver_version();
  if (!driver.empty()) doc.parameter("driver", driver);
  note_environment(doc);
}

std::size_t fit_memory(const std::vector<Gpu>& gpus, const BufferSize& size, const Share& share, const std::string& what, Document& doc) {
  std::vector<MemoryOfGpu> memory;
  for (const auto& gpu : gpus) {
    memory.push_back({gpu.name(), free_bytes(gpu.index), gpu.memory_bytes, holders(gpu.at_start, static_cast<unsigned>(getpid()))});
  }
  return fit_memory(memory, size, share, what, doc);
}

std::vector<int> numa_nodes() {
  namespace fs = std::filesystem;
  std::vector<int> nodes;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/sys/devices/system/node", error)) {
    int node = -1;
    if (std::sscanf(entry.path().filename().c_str(), "node%d", &node) != 1) continue;
    std::ifstream meminfo(entry.path() / "meminfo");
    std::string line;
    while (std::getline(meminfo, line)) {
      unsigned long long kilobytes = 0;
      if (std::sscanf(line.c_str(), "Node %*d MemTotal: %llu kB", &kilobytes) == 1 && kilobytes > 0) nodes.push_back(node);
    }
  }
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

}  // namespace assay::cuda
