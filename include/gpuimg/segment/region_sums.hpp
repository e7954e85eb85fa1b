/// @file
/// Sums over the pixels of a polygon from prefix sums of the picture's rows: building blocks for any kernel.
///
/// Cumulated images reduce a sum over a region to a sum over its contour (Chesnaud, Refregier, Boulet 1999). Here the
/// contour is cut by the scanline rule: each edge is half-open in y and adds, for each row that it crosses, the prefix
/// sum up to its crossing, with the sign of its direction. It is exact for any polygon, also a self-crossing one, whose
/// pixels then count as often as it winds around them; it is a sum over edges, so that moving a node changes two terms.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "gpuimg/core/config.hpp"
#include "gpuimg/segment/polygon.hpp"

namespace gpuimg {

/// Number, sum and sum of squares of the encoded samples of a region. Exact, as long as none exceeds 64 bits.
struct region_sums {
  std::int64_t count = 0;
  std::int64_t sum = 0;
  std::int64_t square = 0;

  GPUIMG_FUNCTION constexpr region_sums& operator+=(const region_sums& b) noexcept {
    count += b.count;
    sum += b.sum;
    square += b.square;
    return *this;
  }
  GPUIMG_FUNCTION constexpr region_sums& operator-=(const region_sums& b) noexcept {
    count -= b.count;
    sum -= b.sum;
    square -= b.square;
    return *this;
  }
  GPUIMG_FUNCTION friend constexpr region_sums operator+(region_sums a, const region_sums& b) noexcept {
    return a += b;
  }
  GPUIMG_FUNCTION friend constexpr region_sums operator-(region_sums a, const region_sums& b) noexcept {
    return a -= b;
  }
  GPUIMG_FUNCTION friend constexpr bool operator==(const region_sums& a, const region_sums& b) noexcept {
    return a.count == b.count && a.sum == b.sum && a.square == b.square;
  }
};

/// A prefix sum of a row of 8-bit samples without a mask; rows of up to 66051 pixels.
struct alignas(8) compact_cell {
  std::uint32_t sum;
  std::uint32_t square;

  /// Longest row whose sums fit.
  static constexpr std::int64_t max_width = 66051;
  static constexpr bool has_count = false;

  GPUIMG_FUNCTION region_sums prefix(std::int64_t x) const noexcept { return {x, sum, square}; }
  GPUIMG_FUNCTION static compact_cell make(const region_sums& s) noexcept {
    return {static_cast<std::uint32_t>(s.sum), static_cast<std::uint32_t>(s.square)};
  }
};

/// A prefix sum of a row of wider samples without a mask.
struct alignas(16) wide_cell {
  std::int64_t sum;
  std::int64_t square;

  static constexpr std::int64_t max_width = max_snake_side;
  static constexpr bool has_count = false;

  GPUIMG_FUNCTION region_sums prefix(std::int64_t x) const noexcept { return {x, sum, square}; }
  GPUIMG_FUNCTION static wide_cell make(const region_sums& s) noexcept { return {s.sum, s.square}; }
};

/// A prefix sum of a row with pixels that do not count. Fills one 32-byte sector of memory.
struct alignas(32) masked_cell {
  std::int64_t sum;
  std::int64_t square;
  std::int64_t count;
  std::int64_t unused;

  static constexpr std::int64_t max_width = max_snake_side;
  static constexpr bool has_count = true;

  GPUIMG_FUNCTION region_sums prefix(std::int64_t) const noexcept { return {count, sum, square}; }
  GPUIMG_FUNCTION static masked_cell make(const region_sums& s) noexcept { return {s.sum, s.square, s.count, 0}; }
};

/// Exclusive prefix sums of every row of a picture: width + 1 cells a row, cell x sums the samples left of x.
template <class Cell>
struct prefix_view {
  Cell* data = nullptr;
  std::int32_t width = 0;
  std::int32_t height = 0;
  std::int64_t pitch = 0;  ///< cells from a row to the next, at least width + 1

  /// Cells from row to row that builders use: rows start on a 128-byte line.
  static constexpr std::int64_t pitch_for(std::int64_t width) noexcept {
    constexpr auto line = static_cast<std::int64_t>(128 / sizeof(Cell));
    return (width + 1 + line - 1) / line * line;
  }

  GPUIMG_FUNCTION Cell* row(std::int64_t y) const noexcept { return data + y * pitch; }
  /// Sums of the samples left of x in row y; 0 <= x <= width.
  GPUIMG_FUNCTION region_sums prefix(std::int64_t x, std::int64_t y) const noexcept { return row(y)[x].prefix(x); }

  /// The same cells, read-only.
  template <class C = Cell>
  requires(!std::is_const_v<C>) GPUIMG_FUNCTION operator prefix_view<const C>() const noexcept {
    return {data, width, height, pitch};
  }
};

/// The rows that take part in a sum: those whose number is `phase` modulo `stride`.
struct row_sampling {
  std::int32_t stride = 1;
  std::int32_t phase = 0;

  /// The first such row that is not above y.
  GPUIMG_FUNCTION constexpr std::int32_t next(std::int32_t y) const noexcept {
    if (stride == 1) { return y; }
    const std::int32_t behind = (y - phase) % stride;
    return behind == 0 ? y : behind > 0 ? y + stride - behind : y - behind;
  }
};

namespace detail {

/// The largest integer not above n / d, for d > 0 and |n| < 2^52. The quotient of two such doubles, when it is not an
/// integer, is further from one than it can be rounded: no integer division is needed, which devices lack.
GPUIMG_FUNCTION inline std::int64_t floor_quotient(std::int64_t n, std::int64_t d) noexcept {
  const double quotient = static_cast<double>(n) / static_cast<double>(d);
  const auto truncated = static_cast<std::int64_t>(quotient);
  return truncated - (static_cast<double>(truncated) > quotient ? 1 : 0);
}

/// 1 / d to a few units in the last place.
GPUIMG_FUNCTION inline float near_reciprocal(std::int32_t d) noexcept {
#if defined(GPUIMG_DEVICE_PASS)
  return __fdividef(1.0f, static_cast<float>(d));
#else
  return 1.0f / static_cast<float>(d);
#endif
}

/// Rows whose cells are read before any is added: a device waits once for all of them.
template <class Cell>
inline constexpr int rows_at_once =
#if defined(GPUIMG_DEVICE_PASS)
    sizeof(Cell) == 32 ? 2 : 4;
#else
    1;
#endif

/// a b = quotient d + remainder, 0 <= remainder < d; for sizes below 2^26 and a quotient that is as small. A product
/// with the reciprocal tells the quotient to a few units in the last place of a float; what that misses follows from
/// the remainder, again to within one. Devices lack integer division, and wait long for one of doubles.
struct floor_division {
  std::int32_t quotient = 0;
  std::int32_t remainder = 0;

  floor_division() = default;
  GPUIMG_FUNCTION floor_division(std::int32_t a, std::int32_t b, std::int32_t d, float reciprocal) noexcept
      : quotient(static_cast<std::int32_t>(static_cast<float>(a) * static_cast<float>(b) * reciprocal)) {
    std::int64_t left = std::int64_t{a} * b - std::int64_t{quotient} * d;
    const auto missing = static_cast<std::int32_t>(static_cast<float>(left) * reciprocal);
    quotient += missing;
    remainder = static_cast<std::int32_t>(left - std::int64_t{missing} * d);
    const std::int32_t correction = remainder < 0 ? -1 : remainder >= d ? 1 : 0;
    quotient += correction;
    remainder -= correction * d;
  }
};

}  // namespace detail

/// What the edge a -> b adds to the sums of its polygon, or a share of it: of the rows that it crosses and that are
/// sampled, every `parts`-th from the `part`-th on. The shares of part = 0 .. parts - 1 add up to the whole: a warp
/// takes one lane a share. O(|b.y - a.y| / stride / parts).
template <class Cell>
GPUIMG_FUNCTION region_sums edge_sums(const prefix_view<const Cell>& picture, const row_sampling& rows, const point& a,
                                      const point& b, int part = 0, int parts = 1) noexcept {
  const bool down = a.y < b.y;
  const point top = down ? a : b;
  const point bottom = down ? b : a;
  const std::int32_t dy = bottom.y - top.y;
  const std::int32_t slope = top.x - bottom.x;  // negated: a ceiling is a floor of the negative
  const std::int32_t step = rows.stride * parts;
  std::int32_t y = rows.next(top.y) + rows.stride * part;
  region_sums sums;
  if (y >= bottom.y) { return sums; }
  // The crossing is top.x - quotient, with quotient * dy + remainder = (y - top.y) * slope.
  const float reciprocal = detail::near_reciprocal(dy);
  detail::floor_division crossing(y - top.y, slope, dy, reciprocal);
  detail::floor_division advance;
  if (y + step < bottom.y) { advance = detail::floor_division(step, slope, dy, reciprocal); }
  const Cell* row = picture.row(y);
  const std::int64_t to_next = step * picture.pitch;
  constexpr int at_once = detail::rows_at_once<Cell>;
  GPUIMG_NO_UNROLL
  while (y < bottom.y) {
    Cell cells[at_once];
    std::int32_t crossed[at_once];
    GPUIMG_UNROLL
    for (int k = 0; k < at_once; ++k) {
      const bool present = k == 0 || y < bottom.y;
      crossed[k] = present ? top.x - crossing.quotient : 0;
      cells[k] = present ? row[crossed[k]] : Cell{};
      y += step;
      row += to_next;
      crossing.quotient += advance.quotient;
      crossing.remainder += advance.remainder;
      const bool carry = crossing.remainder >= dy;
      crossing.quotient += carry ? 1 : 0;
      crossing.remainder -= carry ? dy : 0;
    }
    GPUIMG_UNROLL
    for (int k = 0; k < at_once; ++k) { sums += cells[k].prefix(crossed[k]); }
  }
  return down ? sums : region_sums{} - sums;
}

/// Sums over the pixels of a polygon with nodes in 0 .. width, 0 .. height; negative polygons give negative sums.
/// O(height of the contour).
template <class Cell>
GPUIMG_FUNCTION region_sums polygon_sums(const prefix_view<const Cell>& picture, const point* nodes, std::int64_t count,
                                         const row_sampling& rows = {}) noexcept {
  region_sums sums;
  for (std::int64_t i = 0; i < count; ++i) {
    sums += edge_sums(picture, rows, nodes[i], nodes[i + 1 == count ? 0 : i + 1]);
  }
  return sums;
}

/// Sums over the pixels of a rectangle inside of the picture, of the sampled rows. A share as in edge_sums.
template <class Cell>
GPUIMG_FUNCTION region_sums rectangle_sums(const prefix_view<const Cell>& picture, const rectangle& area,
                                           const row_sampling& rows = {}, int part = 0, int parts = 1) noexcept {
  region_sums sums;
  const std::int32_t step = rows.stride * parts;
  for (auto y = rows.next(area.y) + rows.stride * part; y < area.bottom(); y += step) {
    sums += picture.prefix(area.right(), y) - picture.prefix(area.x, y);
  }
  return sums;
}

}  // namespace gpuimg
