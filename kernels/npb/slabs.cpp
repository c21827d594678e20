#include "npb/slabs.hpp"

namespace assay::npb {
namespace {

// Transforms kLines lines that begin at `first`: their elements are `step` apart, and the lines `apart`.
void transform_lines(Fft& fft, Complex* first, std::size_t step, std::size_t apart, bool is_forward) {
  for (std::size_t line = 0; line < kLines; ++line) {
    const Complex* from = first + line * apart;
    double *real = fft.real() + line, *imaginary = fft.imaginary() + line;
    for (std::size_t i = 0; i < fft.length(); ++i) {
      real[i * kLines] = from[i * step].real();
      imaginary[i * kLines] = from[i * step].imag();
    }
  }
  fft.transform(is_forward);
  const double *real = fft.real(), *imaginary = fft.imaginary();
  for (std::size_t line = 0; line < kLines; ++line) {
    Complex* to = first + line * apart;
    for (std::size_t i = 0; i < fft.length(); ++i) to[i * step] = {real[i * kLines + line], imaginary[i * kLines + line]};
  }
}

}  // namespace

Slabs::Slabs(const Team& team, int nx, int ny, int nz)
    : team_(team), nx_(static_cast<std::size_t>(nx)), ny_(static_cast<std::size_t>(ny)), nz_(static_cast<std::size_t>(nz)),
      own_y_(ny_ / static_cast<std::size_t>(team.size())), own_z_(nz_ / static_cast<std::size_t>(team.size())), along_x_(nx), along_y_(ny),
      along_z_(nz), blocks_(nx_ * ny_ * own_z_) {}

void Slabs::forward(Slab& slab) {
  transform_x(slab, true);
  transform_y(slab, true);
  Complex* block = blocks_.data();  // to each rank: its planes y, as [y][x][z]
  for (std::size_t y = 0; y < ny_; ++y, block += nx_ * own_z_) {
    for (std::size_t z = 0; z < own_z_; ++z) {
      const Complex* from = &slab[(z * ny_ + y) * nx_];
      for (std::size_t x = 0; x < nx_; ++x) block[x * own_z_ + z] = from[x];
    }
  }
  swap_blocks(slab);
  const Complex* received = slab.data();
  for (std::size_t rank = 0; rank < nz_ / own_z_; ++rank) {
    for (std::size_t line = 0; line < own_y_ * nx_; ++line) {
      for (std::size_t z = 0; z < own_z_; ++z) blocks_[line * nz_ + rank * own_z_ + z] = *received++;
    }
  }
  slab.swap(blocks_);
  transform_z(slab, true);
}

void Slabs::backward(Slab& slab) {
  transform_z(slab, false);
  Complex* block = blocks_.data();
  for (std::size_t rank = 0; rank < nz_ / own_z_; ++rank) {
    for (std::size_t line = 0; line < own_y_ * nx_; ++line) {
      for (std::size_t z = 0; z < own_z_; ++z) *block++ = slab[line * nz_ + rank * own_z_ + z];
    }
  }
  swap_blocks(slab);
  const Complex* received = slab.data();
  for (std::size_t y = 0; y < ny_; ++y, received += nx_ * own_z_) {
    for (std::size_t z = 0; z < own_z_; ++z) {
      Complex* to = &blocks_[(z * ny_ + y) * nx_];
      for (std::size_t x = 0; x < nx_; ++x) to[x] = received[x * own_z_ + z];
    }
  }
  slab.swap(blocks_);
  transform_y(slab, false);
  transform_x(slab, false);
}

// Sends block k of blocks_ to rank k; what comes is in `slab`. A line of x is the unit, because MPI counts in int.
void Slabs::swap_blocks(Slab& slab) {
  if (team_.size() == 1) {
    slab.swap(blocks_);
    return;
  }
  MPI_Datatype line = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(static_cast<int>(nx_), MPI_C_DOUBLE_COMPLEX, &line);
  MPI_Type_commit(&line);
  const auto lines = static_cast<int>(own_y_ * own_z_);
  MPI_Alltoall(blocks_.data(), lines, line, slab.data(), lines, line, team_.communicator());
  MPI_Type_free(&line);
}

void Slabs::transform_x(Slab& slab, bool is_forward) {
  for (std::size_t line = 0; line < own_z_ * ny_; line += kLines) transform_lines(along_x_, &slab[line * nx_], 1, nx_, is_forward);
}

void Slabs::transform_y(Slab& slab, bool is_forward) {
  for (std::size_t z = 0; z < own_z_; ++z) {
    for (std::size_t x = 0; x < nx_; x += kLines) transform_lines(along_y_, &slab[z * ny_ * nx_ + x], nx_, 1, is_forward);
  }
}

void Slabs::transform_z(Slab& slab, bool is_forward) {
  for (std::size_t line = 0; line < own_y_ * nx_; line += kLines) transform_lines(along_z_, &slab[line * nz_], 1, nz_, is_forward);
}

}  // namespace assay::npb
