// One matrix product by cuBLAS's own choice of algorithm, or by one of those that cuBLASLt offers.
#pragma once

#include <cublasLt.h>
#include <cublas_v2.h>

#include <memory>
#include <string>
#include <vector>

#include "common/cuda/buffer.hpp"
#include "common/cuda/emulation.hpp"
#include "gemm/operands.hpp"

namespace assay::gemm {

// Direct: cuBLAS's own choice. Any: the candidates of cuBLASLt, too.
enum class Library { Any, Direct };

using cuda::forbid_emulation;

std::string library_version();

class Multiplier {
 public:
  Multiplier(Operands& operands, Precision precision, Library library, const cuda::Stream& stream);
  ~Multiplier();
  Multiplier(const Multiplier&) = delete;
  Multiplier& operator=(const Multiplier&) = delete;

  // cuBLAS's own choice, which is the one chosen at first; then, for Library::Any, those of cuBLASLt's heuristic, its best guess
  // first. FP8 has only these.
  std::size_t candidates() const;
  void choose(std::size_t candidate) { chosen_ = candidate; }

  // Of the candidate chosen: "cuBLAS", or cuBLASLt's numbers "Lt66/20/36/1" (algorithm, tile, stages, parts of k).
  std::string algorithm() const;

  void queue();

 private:
  struct Lt;
  bool is_direct() const { return direct_ != nullptr && chosen_ == 0; }
  std::size_t lt_index() const { return chosen_ - (direct_ != nullptr ? 1 : 0); }

  Operands& operands_;
  Precision precision_;
  const cuda::Stream& stream_;
  cuda::DeviceBuffer<std::byte> workspace_;
  cublasHandle_t direct_ = nullptr;
  std::unique_ptr<Lt> lt_;
  std::size_t chosen_ = 0;
};

}  // namespace assay::gemm
