// Marks a function that both the host and the GPU compile, so that a reference on the host is the very same formula.
#pragma once

#ifdef __CUDACC__
#define ASSAY_HOST_DEVICE __host__ __device__
#else
#define ASSAY_HOST_DEVICE
#endif
