// Sustained matrix products on all GPUs at once, format by format.
#pragma once

#include <cstdint>
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
  double seconds = 1.5;  // length of each measurement; the second half counts
  Library library = Library::Direct;
  bool alone = false;  // also every GPU while the others are idle
  bool inject_bitflip = false;
};

// How one format is measured.
struct Course {
  double window_seconds = 0.1;  // at most; a half has six windows at least
  double tolerance = 0;         // it ends earlier once the medians of all GPUs are known as closely as this; 0: never
  double settling = 0.5;        // the share of its length that does not count
};

// What the products are made by and of.
void describe(const Plan& plan, Document& doc);

// Has the libraries load what they compute these formats with, which takes longer than the products do.
void warm_up(const std::vector<cuda::Gpu>& gpus, const std::vector<Precision>& precisions, const Plan& plan);

class Products {
 public:
  Products(const Plan& plan, const std::vector<cuda::Gpu>& gpus, cuda::Telemetry& telemetry, Document& doc, cuda::Integrity& integrity)
      : plan_(plan), gpus_(gpus), telemetry_(telemetry), doc_(doc), integrity_(integrity) {}

  // Where a GPU has no units for the format, a note says so.
  void run(Precision precision, const Course& course = {});

 private:
  using Workers = std::vector<std::unique_ptr<Worker>>;

  Workers make_workers(Precision precision) const;
  void choose_algorithms(Workers& workers) const;
  void measure(const std::vector<Worker*>& workers, Precision precision, double seconds_of_one, const std::string& suffix,
               const Course& course);
  void describe_load(Precision precision, const std::vector<cuda::Averages>& averages);
  void verify(Workers& workers, Precision precision, const std::vector<std::uint64_t>& first);

  Plan plan_;
  const std::vector<cuda::Gpu>& gpus_;
  cuda::Telemetry& telemetry_;
  Document& doc_;
  cuda::Integrity& integrity_;
};

}  // namespace assay::gemm
