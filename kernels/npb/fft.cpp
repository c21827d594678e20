#include "npb/fft.hpp"

#include <cmath>

namespace assay::npb {

Fft::Fft(int length)
    : length_(static_cast<std::size_t>(length)), cosines_(length_), sines_(length_), real_(length_ * kLines), imaginary_(length_ * kLines),
      other_real_(length_ * kLines), other_imaginary_(length_ * kLines) {
  for (std::size_t i = 0; i < length_; ++i) {
    const double angle = 2 * M_PI * static_cast<double>(i) / static_cast<double>(length_);
    cosines_[i] = std::cos(angle);
    sines_[i] = std::sin(angle);
  }
}

// Stockham's order: each step halves the groups and leaves the result sorted.
void Fft::transform(bool is_forward) {
  std::size_t run = kLines;
  for (std::size_t groups = length_ / 2; groups > 0; groups /= 2, run *= 2) step(groups, run, is_forward ? -1.0 : 1.0);
}

void Fft::step(std::size_t groups, std::size_t run, double sign) {
  const std::size_t turn = length_ / (2 * groups);
  for (std::size_t group = 0; group < groups; ++group) {
    const double cosine = cosines_[group * turn], sine = sign * sines_[group * turn];
    const double *ar = &real_[group * run], *ai = &imaginary_[group * run];
    const double *br = &real_[(group + groups) * run], *bi = &imaginary_[(group + groups) * run];
    double *sum_r = &other_real_[2 * group * run], *sum_i = &other_imaginary_[2 * group * run];
    double *turned_r = sum_r + run, *turned_i = sum_i + run;
    for (std::size_t i = 0; i < run; ++i) {
      const double real = ar[i] - br[i], imaginary = ai[i] - bi[i];
      sum_r[i] = ar[i] + br[i];
      sum_i[i] = ai[i] + bi[i];
      turned_r[i] = real * cosine - imaginary * sine;
      turned_i[i] = real * sine + imaginary * cosine;
    }
  }
  real_.swap(other_real_);
  imaginary_.swap(other_imaginary_);
}

}  // namespace assay::npb
