// Sustained matrix products on all GPUs at once, format by format.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/cuda/integrity.hpp"
#include "common/cuda/telemetry.hpp"
#include "common/document.hpp"
#include "gemm/worker.hpp"

namespace assay::gemm {

inline const std::vector<std::string> kNames(kPrecisionNames.begin(), kPrecisionNames.end());

struct Plan {
  std::int64_t n = 8192;
  double seconds = 1.5;         // length of each measurement; the second half counts
  double window_seconds = 0.1;  // at most; a half has six windows at least
  double tolerance = 0;         // a measurement ends earlier once the medians of all GPUs are known as closely as this; 0: never
  Library library = Library::Direct;
  bool alone = false;  // also every GPU while the others are idle
  bool inject_bitflip = false;
};

// What the products are made by and of.
void describe(const Plan& plan, Document& doc);

class Products {
 public:
  Products(const Plan& plan, const std::vector<cuda::Gpu>& gpus, cuda::Telemetry& telemetry, Document& doc, cuda::Integrity& integrity)
      : plan_(plan), gpus_(gpus), telemetry_(telemetry), doc_(doc), integrity_(integrity) {}

  // Where a GPU has no units for the format, a note says so. meanwhile: runs beside the products, on a thread of its own, while clocks
  // settle. Nothing counts before it has ended; its errors are thrown.
  void run(Precision precision, const std::function<void()>& meanwhile = {});

 private:
  using Workers = std::vector<std::unique_ptr<Worker>>;

  Workers make_workers(Precision precision) const;
  void choose_algorithms(Workers& workers) const;
  void measure(const std::vector<Worker*>& workers, Precision precision, double seconds_of_one, const std::string& suffix,
               const std::function<void()>& meanwhile);
  void describe_load(Precision precision, const std::vector<cuda::Averages>& averages);
  void verify(Workers& workers, Precision precision, const std::vector<std::uint64_t>& first);

  Plan plan_;
  const std::vector<cuda::Gpu>& gpus_;
  cuda::Telemetry& telemetry_;
  Document& doc_;
  cuda::Integrity& integrity_;
};

}  // namespace assay::gemm
