/// @file
/// The rectangles of a grid over a picture, numbered.
#pragma once

#include <cstdint>

#include "gpuimg/core/config.hpp"
#include "gpuimg/segment/polygon.hpp"
#include "gpuimg/segment/region_sums.hpp"

namespace gpuimg {

/// A rectangle and the criterion of the picture with it as the target.
struct found_rectangle {
  rectangle area;
  double criterion = 0;
};

namespace detail {

/// Whether two rectangles share a pixel.
GPUIMG_FUNCTION constexpr bool overlap(const rectangle& a, const rectangle& b) noexcept {
  return a.x < b.right() && b.x < a.right() && a.y < b.bottom() && b.y < a.bottom();
}

/// A rectangle whose left (0), right (1), upper (2) or lower (3) side is moved to the right or down.
GPUIMG_FUNCTION constexpr rectangle with_side_moved(const rectangle& r, int side, std::int32_t move) noexcept {
  switch (side) {
    case 0: return {r.x + move, r.y, r.width - move, r.height};
    case 1: return {r.x, r.y, r.width + move, r.height};
    case 2: return {r.x, r.y + move, r.width, r.height - move};
    default: return {r.x, r.y, r.width, r.height + move};
  }
}

/// Lines of a grid that bound a rectangle: left < right, upper < lower.
struct grid_rectangle {
  std::int32_t left;
  std::int32_t right;
  std::int32_t upper;
  std::int32_t lower;
};

/// `columns` x `rows` cells of a picture, as equal as can be.
struct rectangle_grid {
  std::int32_t width;
  std::int32_t height;
  std::int32_t columns;
  std::int32_t rows;

  /// Where line i is, 0..columns.
  GPUIMG_FUNCTION constexpr std::int32_t x(std::int32_t i) const noexcept {
    return static_cast<std::int32_t>(std::int64_t{width} * i / columns);
  }
  GPUIMG_FUNCTION constexpr std::int32_t y(std::int32_t j) const noexcept {
    return static_cast<std::int32_t>(std::int64_t{height} * j / rows);
  }

  GPUIMG_FUNCTION constexpr std::int64_t corners() const noexcept { return std::int64_t{columns + 1} * (rows + 1); }
  GPUIMG_FUNCTION constexpr std::int64_t corner(std::int32_t i, std::int32_t j) const noexcept {
    return std::int64_t{j} * (columns + 1) + i;
  }

  GPUIMG_FUNCTION constexpr std::int64_t column_pairs() const noexcept {
    return std::int64_t{columns} * (columns + 1) / 2;
  }
  GPUIMG_FUNCTION constexpr std::int64_t row_pairs() const noexcept { return std::int64_t{rows} * (rows + 1) / 2; }
  GPUIMG_FUNCTION constexpr std::int64_t rectangles() const noexcept { return column_pairs() * row_pairs(); }

  /// Pair number n of `count` + 1 lines: (0,1), (0,2), (1,2), (0,3), ...
  GPUIMG_FUNCTION static constexpr void pair(std::int64_t n, std::int32_t& low, std::int32_t& high) noexcept {
    high = 1;
    while (n >= high) {
      n -= high;
      ++high;
    }
    low = static_cast<std::int32_t>(n);
  }

  GPUIMG_FUNCTION constexpr grid_rectangle at(std::int64_t n) const noexcept {
    grid_rectangle r{};
    pair(n / row_pairs(), r.left, r.right);
    pair(n % row_pairs(), r.upper, r.lower);
    return r;
  }

  GPUIMG_FUNCTION constexpr rectangle area(const grid_rectangle& r) const noexcept {
    return {x(r.left), y(r.upper), x(r.right) - x(r.left), y(r.lower) - y(r.upper)};
  }

  /// Sums of a rectangle from those of all rectangles that start in the picture's corner.
  GPUIMG_FUNCTION constexpr region_sums sums(const region_sums* at_corner, const grid_rectangle& r) const noexcept {
    return (at_corner[corner(r.right, r.lower)] - at_corner[corner(r.left, r.lower)]) -
           (at_corner[corner(r.right, r.upper)] - at_corner[corner(r.left, r.upper)]);
  }
};

GPUIMG_FUNCTION constexpr rectangle_grid make_rectangle_grid(std::int32_t width, std::int32_t height,
                                                             std::int32_t columns, std::int32_t rows) noexcept {
  return {width, height, columns < width ? columns : width, rows < height ? rows : height};
}

/// Whether no rectangle of a list shares a pixel with r.
GPUIMG_FUNCTION inline bool is_free(const rectangle& r, const found_rectangle* taken, std::int64_t count) noexcept {
  for (std::int64_t i = 0; i < count; ++i) {
    if (overlap(r, taken[i].area)) { return false; }
  }
  return true;
}

/// Moves the sides one after another by `step` while that lowers the criterion; steps are halved down to 1.
/// @param value_of  the criterion of a rectangle
template <class ValueOf>
GPUIMG_FUNCTION found_rectangle refine_rectangle(found_rectangle found, const rectangle_grid& grid,
                                                 const found_rectangle* taken, std::int64_t count,
                                                 const ValueOf& value_of) {
  const std::int32_t dx = grid.x(1) - grid.x(0);
  const std::int32_t dy = grid.y(1) - grid.y(0);
  for (std::int32_t step = (dx < dy ? dy : dx) / 2; step >= 1; step /= 2) {
    for (bool better = true; better;) {
      better = false;
      for (int move = 0; move < 8; ++move) {
        const rectangle r = with_side_moved(found.area, move / 2, move % 2 == 0 ? -step : step);
        if (r.empty() || r.x < 0 || r.y < 0 || r.right() > grid.width || r.bottom() > grid.height ||
            !is_free(r, taken, count)) {
          continue;
        }
        const double value = value_of(r);
        if (value < found.criterion) {
          found = {r, value};
          better = true;
        }
      }
    }
  }
  return found;
}

}  // namespace detail
}  // namespace gpuimg
