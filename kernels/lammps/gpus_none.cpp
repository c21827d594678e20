#include "common/program.hpp"
#include "lammps/gpus.hpp"

namespace assay::lammps {

std::int64_t count_gpus(std::int64_t) { throw CannotRun("this program was built without CUDA, and sees no GPU"); }

std::unique_ptr<GpuWatch> watch_gpus(const Options& options, const std::filesystem::path&, Document&) {
  count_gpus(options.gpus);
  return nullptr;
}

}  // namespace assay::lammps
