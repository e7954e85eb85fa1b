/// @file
/// Polygons with nodes on the pixel lattice, and what can be told of them without a picture.
///
/// The point (x, y) is the upper left corner of pixel (x, y) for the purpose of rectangles: the rectangle with corners
/// (x0, y0) and (x1, y1) holds the pixels x0 <= x < x1, y0 <= y < y1. In general an edge crosses row y at the smallest
/// pixel that is not to its left, and edges are half-open in y, so that polygons which share an edge share no pixel. A
/// polygon is positive when its nodes go clockwise on the screen (x to the right, y down).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpuimg/core/config.hpp"

namespace gpuimg {

/// Largest width or height of a picture that region snakes take: contour arithmetic is exact up to it.
inline constexpr std::int64_t max_snake_side = std::int64_t{1} << 25;

/// A node of a polygon.
struct alignas(8) point {
  std::int32_t x = 0;
  std::int32_t y = 0;

  GPUIMG_FUNCTION friend constexpr bool operator==(const point& a, const point& b) noexcept {
    return a.x == b.x && a.y == b.y;
  }
  GPUIMG_FUNCTION friend constexpr bool operator!=(const point& a, const point& b) noexcept { return !(a == b); }
};

/// The pixels x .. x + width - 1 of the rows y .. y + height - 1.
struct rectangle {
  std::int32_t x = 0;
  std::int32_t y = 0;
  std::int32_t width = 0;
  std::int32_t height = 0;

  GPUIMG_FUNCTION constexpr bool empty() const noexcept { return width <= 0 || height <= 0; }
  GPUIMG_FUNCTION constexpr std::int32_t right() const noexcept { return x + width; }
  GPUIMG_FUNCTION constexpr std::int32_t bottom() const noexcept { return y + height; }
  GPUIMG_FUNCTION friend constexpr bool operator==(const rectangle& a, const rectangle& b) noexcept {
    return a.x == b.x && a.y == b.y && a.width == b.width && a.height == b.height;
  }
};

/// Nodes in order; the last is joined to the first.
using polygon = std::vector<point>;

/// The rectangle as a positive polygon of four nodes.
inline polygon to_polygon(const rectangle& r) {
  return {{r.x, r.y}, {r.right(), r.y}, {r.right(), r.bottom()}, {r.x, r.bottom()}};
}

/// Twice the area that the polygon encloses: each part as often as the polygon winds around it, negative when it is
/// negative. Exact.
inline std::int64_t doubled_area(const polygon& nodes) noexcept {
  std::int64_t area = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const point& a = nodes[i];
    const point& b = nodes[i + 1 == nodes.size() ? 0 : i + 1];
    area += std::int64_t{a.x} * b.y - std::int64_t{b.x} * a.y;
  }
  return area;
}

/// Length of the contour in pixels.
inline double contour_length(const polygon& nodes) noexcept {
  double length = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const point& a = nodes[i];
    const point& b = nodes[i + 1 == nodes.size() ? 0 : i + 1];
    length += std::hypot(static_cast<double>(b.x - a.x), static_cast<double>(b.y - a.y));
  }
  return length;
}

/// The smallest rectangle whose corners enclose all nodes; empty without nodes.
inline rectangle bounding_box(const polygon& nodes) noexcept {
  if (nodes.empty()) { return {}; }
  point low = nodes.front();
  point high = low;
  for (const point& p : nodes) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y)};
  }
  return {low.x, low.y, high.x - low.x, high.y - low.y};
}

/// On which side of the line a -> b the point c is: positive on the right hand (on the screen), 0 on the line.
GPUIMG_FUNCTION constexpr std::int64_t side_of(const point& a, const point& b, const point& c) noexcept {
  return std::int64_t{b.x - a.x} * (c.y - a.y) - std::int64_t{b.y - a.y} * (c.x - a.x);
}

namespace detail {

/// Whether the boxes around two segments have a point in common.
GPUIMG_FUNCTION constexpr bool boxes_meet(const point& a, const point& b, const point& c, const point& d) noexcept {
  const auto low = [](std::int32_t u, std::int32_t v) { return u < v ? u : v; };
  const auto high = [](std::int32_t u, std::int32_t v) { return u < v ? v : u; };
  return high(a.y, b.y) >= low(c.y, d.y) && high(c.y, d.y) >= low(a.y, b.y) && high(a.x, b.x) >= low(c.x, d.x) &&
         high(c.x, d.x) >= low(a.x, b.x);
}

}  // namespace detail

/// Whether two segments cross at a point that is inside of both. Segments that only touch do not.
GPUIMG_FUNCTION constexpr bool segments_cross(const point& a, const point& b, const point& c, const point& d) noexcept {
  if (!detail::boxes_meet(a, b, c, d)) { return false; }
  const auto differ = [](std::int64_t u, std::int64_t v) { return (u < 0 && v > 0) || (u > 0 && v < 0); };
  return differ(side_of(a, b, c), side_of(a, b, d)) && differ(side_of(c, d, a), side_of(c, d, b));
}

/// Whether two segments have a point in common.
GPUIMG_FUNCTION constexpr bool segments_meet(const point& a, const point& b, const point& c, const point& d) noexcept {
  if (!detail::boxes_meet(a, b, c, d)) { return false; }
  const auto agree = [](std::int64_t u, std::int64_t v) { return (u < 0 && v < 0) || (u > 0 && v > 0); };
  return !agree(side_of(a, b, c), side_of(a, b, d)) && !agree(side_of(c, d, a), side_of(c, d, b));
}

}  // namespace gpuimg
