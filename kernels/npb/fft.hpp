// One-dimensional FFTs of a power of two, of several lines at once: element i of line l lies at i * kLines + l.
#pragma once

#include <cstddef>
#include <vector>

namespace assay::npb {

inline constexpr std::size_t kLines = 16;  // so that the compiler's vectors run across lines

class Fft {
 public:
  explicit Fft(int length);

  std::size_t length() const { return length_; }
  double* real() { return real_.data(); }
  double* imaginary() { return imaginary_.data(); }

  // Of the lines in real() and imaginary(), in place. Not scaled: forward and back multiply by the length.
  void transform(bool is_forward);

 private:
  void step(std::size_t groups, std::size_t run, double sign);

  std::size_t length_;
  std::vector<double> cosines_, sines_;  // of 2 pi i / length
  std::vector<double> real_, imaginary_, other_real_, other_imaginary_;
};

}  // namespace assay::npb
