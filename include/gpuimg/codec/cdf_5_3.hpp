/// @file
/// The lifting steps of the reversible wavelet CDF 5/3, one sample at a time. Source: docs/paco-format.md section 3; Le
/// Gall and Tabatabai 1988, as lifting by Calderbank, Daubechies, Sweldens and Yeo 1998.
///
/// One level of x[0..n-1] gives ceil(n/2) low-pass samples a and floor(n/2) high-pass samples d:
///
///     d[i] = x[2i+1] - ((x[2i] + x[2i+2]) >> 1)
///     a[i] = x[2i]   + ((d[i-1] + d[i] + 2) >> 2)
///
/// Beyond its ends a signal goes on as its mirror image: x[-i] is x[i], x[n-1+i] is x[n-1-i]. A single sample stays as
/// it is.
///
/// In a kernel of your own, eight samples of a lane and the two on either side of them:
/// @code
/// using gpuimg::codec::cdf_5_3;
/// // std::int32_t x[12] holds x[-2] .. x[9]; the results are a[0..3] and d[0..3]
/// std::int32_t before = cdf_5_3::predict(x[1], x[0], x[2]);
/// for (int i = 0; i < 4; ++i) {
///   const std::int32_t* pair = x + 2 + 2 * i;
///   d[i] = cdf_5_3::predict(pair[1], pair[0], pair[2]);
///   a[i] = cdf_5_3::update(pair[0], before, d[i]);
///   before = d[i];
/// }
/// @endcode
#pragma once

#include <cstdint>

#include "gpuimg/core/config.hpp"
#include "gpuimg/core/wrapping.hpp"

namespace gpuimg::codec {

/// Each step changes one sample by its two neighbours, so it is undone exactly, whatever the neighbours hold. All
/// arithmetic is modulo 2^32: no argument is undefined.
struct cdf_5_3 {
  /// d[i] of x[2i+1], x[2i] and x[2i+2].
  GPUIMG_FUNCTION static constexpr std::int32_t predict(std::int32_t odd, std::int32_t left,
                                                        std::int32_t right) noexcept {
    return wrapping_subtract(odd, prediction(left, right));
  }
  /// x[2i+1] of d[i], x[2i] and x[2i+2].
  GPUIMG_FUNCTION static constexpr std::int32_t undo_predict(std::int32_t high, std::int32_t left,
                                                             std::int32_t right) noexcept {
    return wrapping_add(high, prediction(left, right));
  }
  /// a[i] of x[2i], d[i-1] and d[i].
  GPUIMG_FUNCTION static constexpr std::int32_t update(std::int32_t even, std::int32_t left,
                                                       std::int32_t right) noexcept {
    return wrapping_add(even, correction(left, right));
  }
  /// x[2i] of a[i], d[i-1] and d[i].
  GPUIMG_FUNCTION static constexpr std::int32_t undo_update(std::int32_t low, std::int32_t left,
                                                            std::int32_t right) noexcept {
    return wrapping_subtract(low, correction(left, right));
  }

 private:
  GPUIMG_FUNCTION static constexpr std::int32_t prediction(std::int32_t left, std::int32_t right) noexcept {
    return wrapping_add(left, right) >> 1;
  }
  GPUIMG_FUNCTION static constexpr std::int32_t correction(std::int32_t left, std::int32_t right) noexcept {
    return wrapping_add(wrapping_add(left, right), 2) >> 2;
  }
};

}  // namespace gpuimg::codec
