#include "common/cuda/device.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <thread>

#include "common/cuda/buffer.hpp"
#include "common/cuda/counters.hpp"
#include "common/cuda/error.hpp"
#include "common/cuda/nvml.hpp"
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

std::string version_text(int version) { return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10); }

}  // namespace

Gpu open_gpu(int index) {
  check(cudaSetDevice(index), "opening gpu" + std::to_string(index));
  check(cudaFree(nullptr), "opening gpu" + std::to_string(index));  // makes the context
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, index), "reading the properties of gpu" + std::to_string(index));
  char pci[32] = "";
  check(cudaDeviceGetPCIBusId(pci, sizeof pci, index), "reading the PCI address of gpu" + std::to_string(index));
  Gpu gpu;
  gpu.index = index;
  gpu.pci = pci;
  gpu.product = properties.name;
  gpu.is_mig = gpu.product.find(" MIG ") != std::string::npos;
  gpu.uuid = (gpu.is_mig ? "MIG-" : "GPU-") + format_uuid(properties.uuid);
  gpu.major = properties.major;
  gpu.minor = properties.minor;
  gpu.multiprocessors = properties.multiProcessorCount;
  gpu.memory_bytes = properties.totalGlobalMem;
  gpu.l2_bytes = static_cast<std::size_t>(properties.l2CacheSize);
  gpu.numa_node = read_numa_node(gpu.pci);
  return gpu;
}

int count_gpus(std::int64_t limit) {
  setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID", 0);
  int count = 0;
  const cudaError_t code = cudaGetDeviceCount(&count);
  if (code == cudaErrorNoDevice || code == cudaErrorInsufficientDriver || (code == cudaSuccess && count == 0)) {
    cudaGetLastError();
    throw CannotRun(std::string("no usable GPU: ") + (count == 0 && code == cudaSuccess ? "none visible" : cudaGetErrorString(code)));
  }
  check(code, "counting the GPUs");
  return limit > 0 ? static_cast<int>(std::min<std::int64_t>(count, limit)) : count;
}

std::vector<Gpu> open_gpus(std::int64_t limit) {
  const int count = count_gpus(limit);

  // A context takes a good part of a second; the GPUs make theirs at the same time.
  std::vector<Gpu> gpus(static_cast<std::size_t>(count));
  std::vector<std::exception_ptr> errors(gpus.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    threads.emplace_back([&, i] {
      try {
        gpus[i] = open_gpu(static_cast<int>(i));
      } catch (...) {
        errors[i] = std::current_exception();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  for (const auto& error : errors) {
    if (error) std::rethrow_exception(error);
  }
  check(cudaSetDevice(0), "selecting gpu0");
  return gpus;
}

void describe(const std::vector<Gpu>& gpus, Document& doc) {
  std::string addresses;
  for (const auto& gpu : gpus) {
    doc.device(gpu.index, gpu.uuid, gpu.product);
    addresses += (addresses.empty() ? "" : ",") + gpu.pci;
    report_memory(gpu.name(), free_bytes(gpu.index), gpu.memory_bytes, doc);
  }
  doc.parameter("pciAddresses", addresses);
  int runtime = 0;
  check(cudaRuntimeGetVersion(&runtime), "reading CUDA's version");
  doc.parameter("cuda", version_text(runtime));
  const std::string driver = Nvml::instance().driver_version();
  if (!driver.empty()) doc.parameter("driver", driver);
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
