#include <algorithm>
#include <chrono>
#include <fstream>
#include <map>

#include "common/cuda/device.hpp"
#include "common/cuda/watch.hpp"
#include "lammps/gpus.hpp"
#include "lammps/timed.hpp"

namespace assay::lammps {
namespace {

class CudaGpus : public GpuWatch {
 public:
  CudaGpus(const std::vector<cuda::Gpu>& gpus, const std::filesystem::path& mark, double seconds)
      : mark_(mark), seconds_(seconds), watch_(gpus) {}

  void look() override {
    watch_.look();
    std::string text;
    std::ifstream file(mark_);
    std::getline(file, text);
    const std::chrono::duration<double> now = std::chrono::steady_clock::now().time_since_epoch();
    if (const auto over = timed_.look(text, now.count())) watts_[over->name] = watch_.watts(std::min(over->seconds, seconds_));
  }

  std::vector<std::optional<double>> watts(const std::string& name) const override {
    const auto found = watts_.find(name);
    return found == watts_.end() ? std::vector<std::optional<double>>{} : found->second;
  }

  void report(Document& doc) override { watch_.report(doc); }

 private:
  std::filesystem::path mark_;
  double seconds_;
  cuda::Watch watch_;
  Timed timed_;
  std::map<std::string, std::vector<std::optional<double>>> watts_;
};

}  // namespace

std::int64_t count_gpus(std::int64_t limit) { return cuda::count_gpus(limit); }

std::unique_ptr<GpuWatch> watch_gpus(const Options& options, const std::filesystem::path& mark, Document& doc) {
  const auto gpus = cuda::open_gpus(options.gpus);
  cuda::describe(gpus, doc);
  return std::make_unique<CudaGpus>(gpus, mark, static_cast<double>(options.seconds));
}

}  // namespace assay::lammps
