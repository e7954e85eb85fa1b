/// @file
/// Lines of a picture for a convolution on a host: read in the type of its sums, kept as windows move down, and
/// written.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "gpuimg/core/image_view.hpp"
#include "gpuimg/filter/detail/convolution_tile.hpp"
#include "gpuimg/filter/detail/host_isa.hpp"

#if GPUIMG_HAS_AVX2_TARGET
#include <immintrin.h>
#endif

namespace gpuimg::filter::detail {

/// `value` rounded up to a multiple of `step`.
constexpr std::int64_t whole_blocks(std::int64_t value, std::int64_t step) noexcept {
  return (value + step - 1) / step * step;
}

template <class S, class A>
GPUIMG_ALWAYS_INLINE void convert_line_here(const S* __restrict from, std::int64_t count, A* __restrict to) noexcept {
  for (std::int64_t i = 0; i < count; ++i) { to[i] = static_cast<A>(from[i]); }
}

#if GPUIMG_HAS_AVX2_TARGET
template <class S, class A>
GPUIMG_TARGET_AVX2 void convert_line_avx2(const S* from, std::int64_t count, A* to) noexcept {
  if constexpr (std::is_same_v<A, float> && std::is_same_v<S, std::uint8_t>) {
    for (; count >= 8; count -= 8, from += 8, to += 8) {
      const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from));
      _mm256_storeu_ps(to, _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(bytes)));
    }
  }
  convert_line_here(from, count, to);
}
#endif

/// Samples side by side, in the type of sums.
template <class S, class A>
void convert_line([[maybe_unused]] host_isa isa, const S* from, std::int64_t count, A* to) noexcept {
#if GPUIMG_HAS_AVX2_TARGET
  if (isa == host_isa::avx2) { return convert_line_avx2(from, count, to); }
#endif
  convert_line_here(from, count, to);
}

/// The samples under a row of windows, in the type of the sum: `count` from x on of row `y`, wherever these lie.
template <class A, class S>
void read_line(host_isa isa, const tap_source<S>& source, std::int64_t x, std::int64_t y, std::int64_t band,
               std::int64_t count, A* to) {
  const auto& samples = source.samples;
  const std::int64_t line = map_near(source.mode, y, samples.height);
  if (line < 0) {
    std::fill_n(to, count, static_cast<A>(source.value));
    return;
  }
  const auto at = [&](std::int64_t i) {
    return static_cast<A>(source.at_mapped(map_near(source.mode, x + i, samples.width), line, band));
  };
  const std::int64_t first = std::clamp<std::int64_t>(-x, 0, count);
  const std::int64_t last = std::clamp<std::int64_t>(samples.width - x, first, count);
  for (std::int64_t i = 0; i < first; ++i) { to[i] = at(i); }
  if (first < last) {
    const S* from = &samples(x + first, line, band);
    if (samples.x_stride == static_cast<std::int64_t>(sizeof(S))) {
      convert_line(isa, from, last - first, to + first);
    } else {
      for (std::int64_t i = first; i < last; ++i) {
        to[i] = static_cast<A>(*gpuimg::detail::advance_bytes(from, (i - first) * samples.x_stride));
      }
    }
  }
  for (std::int64_t i = last; i < count; ++i) { to[i] = at(i); }
}

/// The last lines that windows need, as they move down.
template <class A>
class line_ring {
 public:
  line_ring(std::int64_t lines, std::int64_t line_size)
      : lines_(lines),
        values_(static_cast<std::size_t>(lines * line_size)),
        places_(2 * static_cast<std::size_t>(lines)) {
    for (std::size_t i = 0; i < places_.size(); ++i) {
      places_[i] = values_.data() + static_cast<std::int64_t>(i) % lines * line_size;
    }
  }
  A* line(std::int64_t y) noexcept { return places_[static_cast<std::size_t>(y % lines_)]; }
  /// Lines y, y + 1, ..., as many as there are.
  A* const* from(std::int64_t y) const noexcept { return places_.data() + y % lines_; }

 private:
  std::int64_t lines_;
  std::vector<A> values_;
  std::vector<A*> places_;
};

}  // namespace gpuimg::filter::detail
