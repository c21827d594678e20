// One rank's cells, wherever they are computed.
#pragma once

#include <vector>

#include "proxy/part.hpp"
#include "stencil/scheme.hpp"

namespace assay::stencil {

class Slab : public proxy::Part {
 public:
  virtual const Shape& shape() const = 0;
  virtual std::vector<double> field() = 0;
  virtual Factors factors() const = 0;  // by what its arithmetic multiplies constant and mode
  virtual void damage() = 0;            // for tests: one bit of a cell
};

}  // namespace assay::stencil
