#include "stream/kernels.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <limits>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace assay::stream {
namespace {

struct Share {
  std::size_t begin;
  std::size_t end;
};

// Whole cache lines, as even as possible.
Share share_of_this_thread(std::size_t n) {
  const auto threads = static_cast<std::size_t>(omp_get_num_threads());
  const auto thread = static_cast<std::size_t>(omp_get_thread_num());
  constexpr std::size_t kLine = 8;
  const std::size_t lines = n / kLine;
  return {lines * thread / threads * kLine, lines * (thread + 1) / threads * kLine};
}

// The loops of STREAM. `restrict` says what STREAM's static arrays say: they do not overlap. So here, too, the compiler may make a
// memcpy of Copy: its rate is that of STREAM as everybody builds it, not of one kind of store.
void regular(Kernel kernel, Share share, double* __restrict a, double* __restrict b, double* __restrict c) {
  switch (kernel) {
    case Kernel::Copy:
      for (std::size_t i = share.begin; i < share.end; ++i) c[i] = a[i];
      break;
    case Kernel::Scale:
      for (std::size_t i = share.begin; i < share.end; ++i) b[i] = kScalar * c[i];
      break;
    case Kernel::Add:
      for (std::size_t i = share.begin; i < share.end; ++i) c[i] = a[i] + b[i];
      break;
    case Kernel::Triad:
      for (std::size_t i = share.begin; i < share.end; ++i) a[i] = b[i] + kScalar * c[i];
      break;
  }
}

#if defined(__SSE2__)
// The same loops, storing past the cache: no line is read before it is overwritten.
void non_temporal(Kernel kernel, Share share, double* __restrict a, double* __restrict b, double* __restrict c) {
  const __m128d scalar = _mm_set1_pd(kScalar);
  switch (kernel) {
    case Kernel::Copy:
      for (std::size_t i = share.begin; i < share.end; i += 2) _mm_stream_pd(c + i, _mm_load_pd(a + i));
      break;
    case Kernel::Scale:
      for (std::size_t i = share.begin; i < share.end; i += 2) {
        _mm_stream_pd(b + i, _mm_mul_pd(scalar, _mm_load_pd(c + i)));
      }
      break;
    case Kernel::Add:
      for (std::size_t i = share.begin; i < share.end; i += 2) {
        _mm_stream_pd(c + i, _mm_add_pd(_mm_load_pd(a + i), _mm_load_pd(b + i)));
      }
      break;
    case Kernel::Triad:
      for (std::size_t i = share.begin; i < share.end; i += 2) {
        _mm_stream_pd(a + i, _mm_add_pd(_mm_load_pd(b + i), _mm_mul_pd(scalar, _mm_load_pd(c + i))));
      }
      break;
  }
  _mm_sfence();
}
#else
void non_temporal(Kernel kernel, Share share, double* a, double* b, double* c) { regular(kernel, share, a, b, c); }
#endif

double worst_error(const double* values, std::size_t n, double expected) {
  double worst = 0;
#pragma omp parallel reduction(max : worst)
  {
    const Share share = share_of_this_thread(n);
    for (std::size_t i = share.begin; i < share.end; ++i) {
      const double error = std::abs(values[i] - expected);
      // Written so that NaN counts as the worst error of all.
      if (!(error <= worst)) worst = std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
    }
  }
  return worst / std::abs(expected);
}

}  // namespace

bool has_non_temporal_stores() {
#if defined(__SSE2__)
  return true;
#else
  return false;
#endif
}

void Expected::apply(Kernel kernel) {
  switch (kernel) {
    case Kernel::Copy: c = a; break;
    case Kernel::Scale: b = kScalar * c; break;
    case Kernel::Add: c = a + b; break;
    case Kernel::Triad: a = b + kScalar * c; break;
  }
}

void initialise(const Arrays& arrays) {
  const Expected start;
#pragma omp parallel
  {
    const Share share = share_of_this_thread(arrays.n);
    for (std::size_t i = share.begin; i < share.end; ++i) {
      arrays.a[i] = start.a;
      arrays.b[i] = start.b;
      arrays.c[i] = start.c;
    }
  }
}

void run(Kernel kernel, Stores stores, const Arrays& arrays) {
#pragma omp parallel
  {
    const Share share = share_of_this_thread(arrays.n);
    (stores == Stores::Regular ? regular : non_temporal)(kernel, share, arrays.a, arrays.b, arrays.c);
  }
}

double worst_relative_error(const Arrays& arrays, const Expected& expected) {
  return std::max({worst_error(arrays.a, arrays.n, expected.a), worst_error(arrays.b, arrays.n, expected.b),
                   worst_error(arrays.c, arrays.n, expected.c)});
}

}  // namespace assay::stream
