/// @file
/// What a filter reads outside of the picture.
///
/// A row `abcd` continues on both sides as:
/// @code
///   constant     k k k k k k | a b c d | k k k k k k      k is the border's value
///   replicate    a a a a a a | a b c d | d d d d d d
///   reflect      c d d c b a | a b c d | d c b a a b      the edge sample is repeated
///   reflect101   a b c d c b | a b c d | c b a b c d      the edge sample is not
///   wrap         c d a b c d | a b c d | a b c d a b
/// @endcode
/// The same modes elsewhere:
/// | gpuimg       | SciPy, CuPy (ndimage) | NumPy (pad) | OpenCV               | NPP                      |
/// |--------------|-----------------------|-------------|----------------------|--------------------------|
/// | `constant`   | `constant`            | `constant`  | `BORDER_CONSTANT`    | `NPP_BORDER_CONSTANT`    |
/// | `replicate`  | `nearest`             | `edge`      | `BORDER_REPLICATE`   | `NPP_BORDER_REPLICATE`   |
/// | `reflect`    | `reflect`             | `symmetric` | `BORDER_REFLECT`     | `NPP_BORDER_MIRROR_REFL` |
/// | `reflect101` | `mirror`              | `reflect`   | `BORDER_REFLECT_101` | `NPP_BORDER_MIRROR`      |
/// | `wrap`       | `wrap`                | `wrap`      | `BORDER_WRAP`        | `NPP_BORDER_WRAP`        |
///
/// Beware of `reflect` and `mirror`: SciPy and OpenCV mean the repeated edge by `reflect`, NumPy does not; NPP's mirror
/// does not repeat it, as its documentation says since the two are told apart there. Most of NPP's filters take
/// `NPP_BORDER_REPLICATE` alone, whatever the type has names for.
#pragma once

#include <cstdint>

#include "gpuimg/core/config.hpp"
#include "gpuimg/core/image_view.hpp"

namespace gpuimg::filter {

/// How a picture continues beyond its edges; the file's documentation draws each.
enum class border : std::uint8_t {
  constant,    ///< a value of the caller's
  replicate,   ///< the nearest sample
  reflect,     ///< mirrored, with the edge sample repeated
  reflect101,  ///< mirrored about the edge sample
  wrap,        ///< periodic
};

/// What map_coordinate returns for a coordinate that has no sample.
inline constexpr std::int64_t no_sample = -1;

namespace detail {

/// i modulo n, in 0..n-1 for negative i too. Most numbers are small, for which devices have a shorter way.
GPUIMG_FUNCTION constexpr std::int64_t floor_modulo(std::int64_t i, std::int64_t n) noexcept {
  if (i < 0 && i >= -n) { return i + n; }
  if (i >= 0 && i - n < n) { return i < n ? i : i - n; }
  const std::int64_t remainder = i % n;
  return remainder < 0 ? remainder + n : remainder;
}

}  // namespace detail

/// The coordinate in 0..n-1 whose sample stands at coordinate `i` of a row of `n` samples, or no_sample: for a
/// `constant` border outside of the row, and for an empty row.
///
/// Any `i` is valid, however far outside; `n` is below 2^62. A row of one sample continues with that sample.
GPUIMG_FUNCTION constexpr std::int64_t map_coordinate(border mode, std::int64_t i, std::int64_t n) noexcept {
  if (n <= 0) { return no_sample; }
  if (i >= 0 && i < n) { return i; }
  switch (mode) {
    case border::constant: return no_sample;
    case border::replicate: return i < 0 ? 0 : n - 1;
    case border::reflect: {
      const std::int64_t at = detail::floor_modulo(i, 2 * n);
      return at < n ? at : 2 * n - 1 - at;
    }
    case border::reflect101: {
      if (n == 1) { return 0; }
      const std::int64_t at = detail::floor_modulo(i, 2 * n - 2);
      return at < n ? at : 2 * n - 2 - at;
    }
    case border::wrap: return detail::floor_modulo(i, n);
  }
  return no_sample;
}

namespace detail {

/// map_coordinate for coordinates a picture away or more: seldom called, with a division that is long on devices.
GPUIMG_FUNCTION GPUIMG_COLD inline std::int64_t map_far(border mode, std::int64_t i, std::int64_t n) noexcept {
  return map_coordinate(mode, i, n);
}

/// As map_coordinate, without a division for coordinates less than a picture away.
GPUIMG_FUNCTION inline std::int64_t map_near(border mode, std::int64_t i, std::int64_t n) noexcept {
  if (i >= 0 && i < n) { return i; }
  std::int64_t at = -1;
  switch (mode) {
    case border::constant: return no_sample;
    case border::replicate: break;
    case border::reflect: at = i < 0 ? -1 - i : 2 * n - 1 - i; break;
    case border::reflect101: at = i < 0 ? -i : 2 * n - 2 - i; break;
    case border::wrap: at = i < 0 ? i + n : i - n; break;
  }
  return at >= 0 && at < n ? at : map_far(mode, i, n);
}

}  // namespace detail

/// A picture that may be read at any coordinate. Trivially copyable; works in kernels.
///
/// @code
/// const gpuimg::filter::bordered_image<std::uint8_t> picture{source, gpuimg::filter::border::reflect};
/// int sum = 0;
/// for (int dy = -1; dy <= 1; ++dy) {
///   for (int dx = -1; dx <= 1; ++dx) { sum += picture(x + dx, y + dy); }
/// }
/// @endcode
template <class T>
struct bordered_image {
  image_view<const T> image;
  border mode = border::reflect;
  T value{};  ///< what a `constant` border reads

  /// The sample at (x, y); `value` where there is none.
  GPUIMG_FUNCTION constexpr T operator()(std::int64_t x, std::int64_t y) const noexcept {
    const std::int64_t column = map_coordinate(mode, x, image.width);
    const std::int64_t line = map_coordinate(mode, y, image.height);
    return column < 0 || line < 0 ? value : image(column, line);
  }
};

}  // namespace gpuimg::filter
