// The GPUs that LAMMPS computes on, and what they draw meanwhile. A build without CUDA sees none.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/document.hpp"
#include "lammps/cases.hpp"

namespace assay::lammps {

// `limit` of them, or all (0). Throws CannotRun where there is none.
std::int64_t count_gpus(std::int64_t limit);

class GpuWatch {
 public:
  virtual ~GpuWatch() = default;

  // To be called a few times a second, and once when LAMMPS has ended.
  virtual void look() = 0;

  // The power of each GPU while the steps of a case were timed, W; absent where it is not read.
  virtual std::vector<std::optional<double>> watts(const std::string& name) const = 0;

  // Counters of the GPUs that changed, and check `undisturbed`.
  virtual void report(Document& doc) = 0;
};

// Writes into the document what GPUs there are. `mark`: the file in which LAMMPS says which case it times (cases.hpp), of which the last so
// many seconds count: the first ones are still the preparation.
std::unique_ptr<GpuWatch> watch_gpus(const Options& options, const std::filesystem::path& mark, Document& doc);

}  // namespace assay::lammps
