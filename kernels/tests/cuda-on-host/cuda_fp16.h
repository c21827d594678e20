// Stands in for CUDA's header, as cuda_runtime_api.h does.
#pragma once

#include "cuda_runtime_api.h"

inline _Float16 __float2half_rn(float value) { return static_cast<_Float16>(value); }
inline unsigned short __half_as_ushort(_Float16 value) { return bits_as<unsigned short>(value); }
