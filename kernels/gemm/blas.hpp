// One matrix product through cuBLASLt, with the algorithm that proved fastest, or through cuBLAS's own choice.
#pragma once

#include <cublasLt.h>
#include <cublas_v2.h>

#include <memory>
#include <string>
#include <vector>

#include "common/cuda/buffer.hpp"
#include "gemm/operands.hpp"

namespace assay::gemm {

enum class Library { Lt, Direct };

// FP64 and FP32 are to be computed by the units of that name, not emulated by others: clears the environment's opt-ins.
// Call it before the first handle is made.
void forbid_emulation();

std::string library_version();

class Multiplier {
 public:
  Multiplier(Operands& operands, Precision precision, Library library, const cuda::Stream& stream);
  ~Multiplier();
  Multiplier(const Multiplier&) = delete;
  Multiplier& operator=(const Multiplier&) = delete;

  // Candidates of the heuristic, best guess first; one for Library::Direct.
  std::size_t candidates() const;
  void choose(std::size_t candidate);

  void queue();

 private:
  struct Lt;
  Operands& operands_;
  Precision precision_;
  const cuda::Stream& stream_;
  cuda::DeviceBuffer<std::byte> workspace_;
  cublasHandle_t direct_ = nullptr;
  std::unique_ptr<Lt> lt_;
};

}  // namespace assay::gemm
