// A cube of complex numbers in slabs, and its FFT. In space each rank has some planes z, ordered [z][y][x]; in frequency some planes y,
// ordered [y][x][z].
#pragma once

#include <complex>
#include <cstddef>
#include <vector>

#include "npb/fft.hpp"
#include "npb/team.hpp"

namespace assay::npb {

using Complex = std::complex<double>;
using Slab = std::vector<Complex>;

class Slabs {
 public:
  Slabs(const Team& team, int nx, int ny, int nz);

  std::size_t own_planes_z() const { return own_z_; }
  std::size_t own_planes_y() const { return own_y_; }
  std::size_t size() const { return nx_ * ny_ * own_z_; }

  // From space to frequency; `slab` changes its order.
  void forward(Slab& slab);

  // From frequency to space, not scaled.
  void backward(Slab& slab);

 private:
  void transform_x(Slab& slab, bool is_forward);
  void transform_y(Slab& slab, bool is_forward);
  void transform_z(Slab& slab, bool is_forward);
  void swap_blocks(Slab& slab);

  const Team& team_;
  std::size_t nx_, ny_, nz_, own_y_, own_z_;
  Fft along_x_, along_y_, along_z_;
  Slab blocks_;
};

}  // namespace assay::npb
