/// @file
/// CDF 5/3 wavelet transform of a picture on the host, in place, in Mallat's layout (codec/subband.hpp). Source:
/// docs/paco-format.md section 3; the lifting steps are those of codec/cdf_5_3.hpp.
///
/// @code
/// std::vector<std::int16_t> samples(1920 * 1080);
/// const gpuimg::image_view<std::int16_t> plane(samples.data(), 1920, 1080);
/// gpuimg::codec::forward_cdf_5_3(gpuimg::host{}, plane, 5);  // plane(0, 0) .. plane(59, 33) are LL of level 5
/// gpuimg::codec::inverse_cdf_5_3(gpuimg::host{}, plane, 5);  // the samples again
/// @endcode
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gpuimg/codec/detail/lifting_rows.hpp"
#include "gpuimg/codec/sample_format.hpp"
#include "gpuimg/codec/subband.hpp"
#include "gpuimg/core/error.hpp"
#include "gpuimg/core/execution.hpp"
#include "gpuimg/core/image_view.hpp"
#include "gpuimg/core/parallel_for.hpp"

namespace gpuimg::codec {

/// Most levels of a decomposition: what halves 2^32 samples to one.
inline constexpr int max_wavelet_levels = 32;

/// Whether std::int16_t holds every coefficient of samples of `depth` bits, with or without the reversible colour
/// transform (one more bit), after any number of levels. The sums of absolute filter taps stay below 2.867 in each
/// direction, so a coefficient is below 8.25 times the largest sample.
constexpr bool coefficients_fit_int16(int depth, bool color_transform) noexcept {
  return depth + (color_transform ? 1 : 0) <= 12;
}

namespace detail {

/// Columns that are transformed together: a few lines of the cache, so that vertical steps run along rows.
template <coefficient_store T>
inline constexpr std::int64_t strip_width = 256 / sizeof(T);

inline constexpr std::int64_t rows_at_once = 16;           // handed to a thread
inline constexpr std::int64_t samples_a_thread = 1 << 16;  // fewer do not pay for starting one

/// Samples of scratch that a thread needs: half a strip, or a row and what continues it on either side.
template <coefficient_store T>
constexpr std::int64_t lifting_scratch(std::int64_t width, std::int64_t height) noexcept {
  return std::max(std::min(strip_width<T>, width) * high_size(height), width + 3);
}

/// One level along y. The high-pass rows gather in `scratch`, so that low-pass rows can move up behind those that are
/// still to be read.
template <coefficient_store T>
void forward_columns(const image_view<T>& strip, T* scratch) noexcept {
  using steps = lifting_steps<T>;
  const std::int64_t n = strip.height;
  if (n < 2) { return; }
  const std::int64_t high = high_size(n);
  const auto high_row = [&](std::int64_t i) {
    return scratch + std::clamp<std::int64_t>(i, 0, high - 1) * strip.width;
  };
  for (std::int64_t i = 0; i < low_size(n); ++i) {
    T* even = strip.row(2 * i);
    if (i < high) {
      std::copy_n(strip.row(2 * i + 1), strip.width, high_row(i));
      const T* next = 2 * i + 2 < n ? strip.row(2 * i + 2) : even;
      lift<typename steps::predict>(high_row(i), even, next, strip.width);
    }
    lift<typename steps::update>(even, high_row(i - 1), high_row(i), strip.width);
    if (i > 0) { std::copy_n(even, strip.width, strip.row(i)); }
  }
  for (std::int64_t i = 0; i < high; ++i) { std::copy_n(high_row(i), strip.width, strip.row(low_size(n) + i)); }
}

/// The inverse of forward_columns(): low-pass rows move down, the last one first.
template <coefficient_store T>
void inverse_columns(const image_view<T>& strip, T* scratch) noexcept {
  using steps = lifting_steps<T>;
  const std::int64_t n = strip.height;
  if (n < 2) { return; }
  const std::int64_t high = high_size(n);
  const auto high_row = [&](std::int64_t i) {
    return scratch + std::clamp<std::int64_t>(i, 0, high - 1) * strip.width;
  };
  for (std::int64_t i = 0; i < high; ++i) { std::copy_n(strip.row(low_size(n) + i), strip.width, high_row(i)); }
  for (std::int64_t i = low_size(n) - 1; i >= 0; --i) {
    T* even = strip.row(2 * i);
    if (i > 0) { std::copy_n(strip.row(i), strip.width, even); }
    lift<typename steps::undo_update>(even, high_row(i - 1), high_row(i), strip.width);
    if (i < high) {
      T* odd = strip.row(2 * i + 1);
      std::copy_n(high_row(i), strip.width, odd);
      const T* next = 2 * i + 2 < n ? strip.row(2 * i + 2) : even;
      lift<typename steps::undo_predict>(odd, even, next, strip.width);
    }
  }
}

/// A row taken apart in scratch: even or low-pass samples with room for one more, odd or high-pass ones with room for
/// one more on either side.
template <coefficient_store T>
struct split_halves {
  T* even;
  T* odd;
  std::int64_t low;
  std::int64_t high;

  split_halves(T* scratch, std::int64_t n) noexcept
      : even(scratch), odd(scratch + low_size(n) + 2), low(low_size(n)), high(high_size(n)) {}

  /// Continues the even samples past an odd last one.
  void extend_even() const noexcept { even[low] = even[low - 1]; }
  void extend_high() const noexcept {
    odd[-1] = odd[0];
    odd[high] = odd[high - 1];
  }
};

/// One level along x.
template <coefficient_store T>
void forward_row(T* row, std::int64_t n, T* scratch) noexcept {
  using steps = lifting_steps<T>;
  if (n < 2) { return; }
  const split_halves<T> s(scratch, n);
  split_row(row, s.even, s.odd, n);
  s.extend_even();
  lift<typename steps::predict>(s.odd, s.even, s.even + 1, s.high);
  s.extend_high();
  lift<typename steps::update>(s.even, s.odd - 1, s.odd, s.low);
  std::copy_n(s.even, s.low, row);
  std::copy_n(s.odd, s.high, row + s.low);
}

template <coefficient_store T>
void inverse_row(T* row, std::int64_t n, T* scratch) noexcept {
  using steps = lifting_steps<T>;
  if (n < 2) { return; }
  const split_halves<T> s(scratch, n);
  std::copy_n(row, s.low, s.even);
  std::copy_n(row + s.low, s.high, s.odd);
  s.extend_high();
  lift<typename steps::undo_update>(s.even, s.odd - 1, s.odd, s.low);
  s.extend_even();
  lift<typename steps::undo_predict>(s.odd, s.even, s.even + 1, s.high);
  merge_row(row, s.even, s.odd, n);
}

/// Scratch of every thread, and how many threads a rectangle deserves.
template <coefficient_store T>
class lifting_threads {
 public:
  lifting_threads(const host& execution, const image_view<T>& plane, std::vector<T>& scratch)
      : each_(lifting_scratch<T>(plane.width, plane.height)), most_(count(execution.thread_count(), plane)) {
    const auto samples = static_cast<std::size_t>(each_) * most_;
    if (scratch.size() < samples) { scratch.resize(samples); }
    scratch_ = scratch.data();
  }

  /// body(strip, scratch) for all strips of columns.
  template <class Body>
  void for_strips(const image_view<T>& plane, const Body& body) const {
    constexpr std::int64_t strip = strip_width<T>;
    parallel_for(count(most_, plane), (plane.width + strip - 1) / strip, [&](std::int64_t i, unsigned thread) {
      const std::int64_t x = i * strip;
      const image_view<T> columns(plane.data + x, std::min(strip, plane.width - x), plane.height, plane.pitch);
      body(columns, scratch_ + each_ * thread);
    });
  }

  /// body(row, width, scratch) for all rows.
  template <class Body>
  void for_rows(const image_view<T>& plane, const Body& body) const {
    const std::int64_t groups = (plane.height + rows_at_once - 1) / rows_at_once;
    parallel_for(count(most_, plane), groups, [&](std::int64_t i, unsigned thread) {
      const std::int64_t end = std::min((i + 1) * rows_at_once, plane.height);
      for (std::int64_t y = i * rows_at_once; y < end; ++y) {
        body(plane.row(y), plane.width, scratch_ + each_ * thread);
      }
    });
  }

 private:
  static unsigned count(unsigned most, const image_view<T>& plane) noexcept {
    return static_cast<unsigned>(std::clamp<std::int64_t>(plane.size() / samples_a_thread, 1, most));
  }

  std::int64_t each_;
  unsigned most_;
  T* scratch_ = nullptr;
};

inline void check_levels(int levels, int undone) {
  if (levels < 0 || levels > max_wavelet_levels) {
    throw error(errc::invalid_argument, "wavelet: " + std::to_string(levels) + " levels are outside of 0.." +
                                            std::to_string(max_wavelet_levels));
  }
  if (undone < 0 || undone > levels) {
    throw error(errc::invalid_argument,
                "wavelet: " + std::to_string(undone) + " levels to undo are outside of 0.." + std::to_string(levels));
  }
}

/// The low-pass rectangle after `level` levels.
template <class T>
image_view<T> low_pass(const image_view<T>& plane, int level) noexcept {
  return {plane.data, low_size(plane.width, level), low_size(plane.height, level), plane.pitch};
}

}  // namespace detail

/// Transforms `plane` in place: `levels` levels, columns before rows, sub-bands where subband() says. Any size, 0
/// included.
///
/// Coefficients are stored modulo T: see coefficients_fit_int16() for when that changes nothing. Padding of a pitched
/// view is neither read nor written. O(width x height) time. `scratch` may be empty and can be used again; it grows,
/// for each thread, to half a strip of 256 bytes x height or a row, whichever is more.
/// @throws error invalid_argument, when `levels` is outside of 0..32
template <coefficient_store T>
void forward_cdf_5_3(const host& execution, const image_view<T>& plane, int levels, std::vector<T>& scratch) {
  detail::check_levels(levels, 0);
  if (plane.empty()) { return; }
  const detail::lifting_threads<T> threads(execution, plane, scratch);
  for (int level = 0; level < levels; ++level) {
    const auto area = detail::low_pass(plane, level);
    if (area.size() == 1) { return; }
    threads.for_strips(area, detail::forward_columns<T>);
    threads.for_rows(area, detail::forward_row<T>);
  }
}

/// Undoes the last `undone` of `levels` levels in place. The picture of the resolution that is reached lies in the
/// rectangle low_size(width, levels - undone) x low_size(height, levels - undone); with undone = levels it is the
/// whole.
///
/// Exact for what forward_cdf_5_3() made with the same T; other coefficients wrap modulo T.
/// @throws error invalid_argument, when `levels` is outside of 0..32 or `undone` outside of 0..levels
template <coefficient_store T>
void inverse_cdf_5_3(const host& execution, const image_view<T>& plane, int levels, int undone,
                     std::vector<T>& scratch) {
  detail::check_levels(levels, undone);
  if (plane.empty()) { return; }
  const detail::lifting_threads<T> threads(execution, plane, scratch);
  for (int level = levels - 1; level >= levels - undone; --level) {
    const auto area = detail::low_pass(plane, level);
    if (area.size() == 1) { continue; }
    threads.for_rows(area, detail::inverse_row<T>);
    threads.for_strips(area, detail::inverse_columns<T>);
  }
}

/// forward_cdf_5_3() with scratch memory of its own.
template <coefficient_store T>
void forward_cdf_5_3(const host& execution, const image_view<T>& plane, int levels) {
  std::vector<T> scratch;
  forward_cdf_5_3(execution, plane, levels, scratch);
}

/// inverse_cdf_5_3() with scratch memory of its own.
template <coefficient_store T>
void inverse_cdf_5_3(const host& execution, const image_view<T>& plane, int levels, int undone) {
  std::vector<T> scratch;
  inverse_cdf_5_3(execution, plane, levels, undone, scratch);
}

/// Undoes all levels.
template <coefficient_store T>
void inverse_cdf_5_3(const host& execution, const image_view<T>& plane, int levels) {
  inverse_cdf_5_3(execution, plane, levels, levels);
}

}  // namespace gpuimg::codec
