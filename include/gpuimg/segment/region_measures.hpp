/// @file
/// Masks of polygons, and how well two masks agree.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "gpuimg/core/error.hpp"
#include "gpuimg/core/image_view.hpp"
#include "gpuimg/segment/polygon.hpp"
#include "gpuimg/segment/region_sums.hpp"

namespace gpuimg {

/// Writes 255 to the pixels that the polygon winds around and 0 to the others; what leaves the mask is cut off. For a
/// contour that does not cross itself these are the pixels whose sums a snake compares. O(pixels + crossings log).
inline void fill_polygon(const polygon& nodes, const image_view<std::uint8_t>& mask) {
  struct crossing {
    std::int64_t y;
    std::int64_t x;
    int sign;
  };
  std::vector<crossing> crossings;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const point& a = nodes[i];
    const point& b = nodes[i + 1 == nodes.size() ? 0 : i + 1];
    const auto [top, bottom] = a.y < b.y ? std::pair(a, b) : std::pair(b, a);
    const std::int64_t low = std::max<std::int64_t>(top.y, 0);
    const std::int64_t high = std::min<std::int64_t>(bottom.y, mask.height);
    for (auto y = low; y < high; ++y) {
      const std::int64_t left =
          detail::floor_quotient((y - top.y) * (std::int64_t{top.x} - bottom.x), std::int64_t{bottom.y} - top.y);
      crossings.push_back({y, std::clamp<std::int64_t>(top.x - left, 0, mask.width), a.y < b.y ? 1 : -1});
    }
  }
  std::sort(crossings.begin(), crossings.end(),
            [](const crossing& a, const crossing& b) { return std::tie(a.y, a.x) < std::tie(b.y, b.x); });
  auto next = crossings.cbegin();
  for (std::int64_t y = 0; y < mask.height; ++y) {
    std::uint8_t* row = mask.row(y);
    int winding = 0;
    std::int64_t x = 0;
    for (; next != crossings.cend() && next->y == y; ++next) {
      std::fill(row + x, row + next->x, winding != 0 ? std::uint8_t{255} : std::uint8_t{0});
      x = next->x;
      winding += next->sign;
    }
    std::fill(row + x, row + mask.width, std::uint8_t{0});
  }
}

/// How two masks agree; a pixel is in a mask when it is not 0.
struct mask_agreement {
  std::int64_t first = 0;   ///< pixels of the first mask
  std::int64_t second = 0;  ///< of the second
  std::int64_t both = 0;    ///< of both

  /// 2 |A and B| / (|A| + |B|), 1 for two empty masks.
  double dice() const noexcept {
    return first + second == 0 ? 1 : 2 * static_cast<double>(both) / static_cast<double>(first + second);
  }
  /// Pixels of one mask alone.
  std::int64_t differing() const noexcept { return first + second - 2 * both; }
};

namespace detail {

inline void check_same_size(const image_view<const std::uint8_t>& a, const image_view<const std::uint8_t>& b) {
  if (a.width != b.width || a.height != b.height) {
    throw error(errc::invalid_argument, "masks: " + std::to_string(a.width) + "x" + std::to_string(a.height) +
                                            " against " + std::to_string(b.width) + "x" + std::to_string(b.height));
  }
}

/// Squared distance of every pixel to the nearest one of the mask: columns, then lower envelopes of parabolas along
/// rows (Felzenszwalb, Huttenlocher 2012).
inline std::vector<double> squared_distances(const image_view<const std::uint8_t>& mask) {
  const auto width = static_cast<std::size_t>(mask.width);
  const auto height = static_cast<std::size_t>(mask.height);
  const double far = 4.0 * static_cast<double>(std::max(width, height)) * static_cast<double>(std::max(width, height));
  std::vector<double> distance(width * height);
  for (std::size_t x = 0; x < width; ++x) {
    double gap = std::sqrt(far);
    const auto visit = [&](std::size_t y, bool up) {
      gap = mask(static_cast<std::int64_t>(x), static_cast<std::int64_t>(y)) != 0 ? 0 : gap + 1;
      double& d = distance[y * width + x];
      d = up ? std::min(d, gap * gap) : std::min(far, gap * gap);
    };
    for (std::size_t y = 0; y < height; ++y) { visit(y, false); }
    gap = std::sqrt(far);
    for (std::size_t y = height; y-- > 0;) { visit(y, true); }
  }
  std::vector<double> row(width);
  std::vector<std::size_t> apex(width);
  std::vector<double> from(width + 1);
  for (std::size_t y = 0; y < height; ++y) {
    double* out = distance.data() + y * width;
    std::copy(out, out + width, row.begin());
    const auto meet = [&](std::size_t a, std::size_t b) {
      const auto u = static_cast<double>(a);
      const auto v = static_cast<double>(b);
      return ((row[b] + v * v) - (row[a] + u * u)) / (2 * (v - u));
    };
    std::size_t top = 0;
    apex[0] = 0;
    from[0] = -std::numeric_limits<double>::infinity();
    for (std::size_t x = 1; x < width; ++x) {
      while (top > 0 && meet(apex[top], x) <= from[top]) { --top; }
      const double start = meet(apex[top], x);
      if (top == 0 && start <= from[0]) { continue; }
      apex[++top] = x;
      from[top] = start;
    }
    std::size_t k = 0;
    for (std::size_t x = 0; x < width; ++x) {
      while (k < top && from[k + 1] <= static_cast<double>(x)) { ++k; }
      const auto gap = static_cast<double>(x) - static_cast<double>(apex[k]);
      out[x] = gap * gap + row[apex[k]];
    }
  }
  return distance;
}

}  // namespace detail

/// Counts of two masks of one size. O(pixels).
/// @throws error invalid_argument when the sizes differ
inline mask_agreement compare_masks(const image_view<const std::uint8_t>& a, const image_view<const std::uint8_t>& b) {
  detail::check_same_size(a, b);
  mask_agreement result;
  for (std::int64_t y = 0; y < a.height; ++y) {
    const std::uint8_t* first = a.row(y);
    const std::uint8_t* second = b.row(y);
    for (std::int64_t x = 0; x < a.width; ++x) {
      result.first += first[x] != 0 ? 1 : 0;
      result.second += second[x] != 0 ? 1 : 0;
      result.both += first[x] != 0 && second[x] != 0 ? 1 : 0;
    }
  }
  return result;
}

/// Hausdorff distance of two masks of one size, in pixels: how far a pixel of one mask is from the other mask, at most.
/// 0 for two empty masks, infinite when one is empty. O(pixels).
/// @throws error invalid_argument when the sizes differ
inline double hausdorff_distance(const image_view<const std::uint8_t>& a, const image_view<const std::uint8_t>& b) {
  const auto counts = compare_masks(a, b);
  if (counts.first == 0 || counts.second == 0) {
    return counts.first == counts.second ? 0 : std::numeric_limits<double>::infinity();
  }
  const auto to_a = detail::squared_distances(a);
  const auto to_b = detail::squared_distances(b);
  double worst = 0;
  for (std::int64_t y = 0; y < a.height; ++y) {
    for (std::int64_t x = 0; x < a.width; ++x) {
      const auto i = static_cast<std::size_t>(y * a.width + x);
      if (a(x, y) != 0) { worst = std::max(worst, to_b[i]); }
      if (b(x, y) != 0) { worst = std::max(worst, to_a[i]); }
    }
  }
  return std::sqrt(worst);
}

}  // namespace gpuimg
