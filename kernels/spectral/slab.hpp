// A slab on a GPU.
#pragma once

#include <memory>
#include <vector>

#include "common/cuda/buffer.hpp"
#include "common/cuda/stream.hpp"
#include "proxy/gpu_ranks.hpp"
#include "proxy/part.hpp"
#include "spectral/kernels.hpp"
#include "spectral/solution.hpp"

namespace assay::spectral {

class Slab : public proxy::Part {
 public:
  virtual const Shape& shape() const = 0;
  virtual Deviation deviation(int steps) = 0;  // from the exact solution after so many steps
  virtual double energy() = 0;                 // of this slab
  virtual Fields fields() = 0;
  virtual void damage() = 0;  // for tests: one bit of a displacement
};

std::unique_ptr<Slab> make_slab(const proxy::Rank& rank, int edge, int layers, bool is_double);

}  // namespace assay::spectral
