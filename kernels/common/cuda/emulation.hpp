// Products of doubles must be computed by the FP64 units: a library that emulates them measures something else.
#pragma once

#include <cstdlib>

namespace assay::cuda {

// Call it before cuBLAS starts: it takes whatever its environment says that would change what is computed.
inline void forbid_emulation() {
  for (const char* name : {"CUBLAS_EMULATE_DOUBLE_PRECISION", "CUBLAS_EMULATE_SINGLE_PRECISION", "CUBLAS_EMULATION_STRATEGY",
                           "NVIDIA_TF32_OVERRIDE"}) {
    unsetenv(name);
  }
}

}  // namespace assay::cuda
