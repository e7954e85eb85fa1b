/// @file
/// Where a node may go, and what is thought of its best move.
#pragma once

#include <cstdint>

#include "gpuimg/core/config.hpp"
#include "gpuimg/segment/noise_model.hpp"
#include "gpuimg/segment/polygon.hpp"
#include "gpuimg/segment/region_sums.hpp"

namespace gpuimg::detail {

/// Number of places where a node may go.
inline constexpr int directions = 8;

/// Best move of a node, or its removal.
struct node_move {
  region_sums change;      ///< of the target's sums
  region_sums first;       ///< of the first edge that it makes
  double criterion;        ///< if no other node moves
  std::int32_t direction;  ///< 0..7
  std::int16_t blocked;    ///< not 0: it would make the contour touch itself
  std::int16_t stands;     ///< not 0: no better proposal is in its way
};

inline constexpr std::int32_t no_move = -1;

/// The node moved by `step` in a direction: row by row, the middle left out.
GPUIMG_FUNCTION constexpr point moved(const point& p, std::int32_t direction, std::int32_t step) noexcept {
  // Two bits a direction: 0 for -1, 1 for 0, 2 for 1.
  constexpr std::uint32_t along_x = 0b10'01'00'10'00'10'01'00;
  constexpr std::uint32_t along_y = 0b10'10'10'01'01'00'00'00;
  const auto sign = [direction](std::uint32_t codes) {
    return static_cast<std::int32_t>((codes >> (2 * direction)) & 3) - 1;
  };
  return {p.x + sign(along_x) * step, p.y + sign(along_y) * step};
}

GPUIMG_FUNCTION constexpr bool inside(const rectangle& window, const point& p) noexcept {
  return p.x >= window.x && p.x <= window.right() && p.y >= window.y && p.y <= window.bottom();
}

/// A value to minimise, and whose it is.
struct ranked_move {
  double criterion;
  std::int64_t node;
};

/// The lower criterion; of equals the lower node.
struct better_move {
  GPUIMG_FUNCTION ranked_move operator()(const ranked_move& a, const ranked_move& b) const noexcept {
    return b.criterion < a.criterion || (b.criterion == a.criterion && b.node < a.node) ? b : a;
  }
};

/// Two sums that a block adds at once.
struct sum_pair {
  std::int64_t first;
  std::int64_t second;
};

struct add_pairs {
  GPUIMG_FUNCTION sum_pair operator()(const sum_pair& a, const sum_pair& b) const noexcept {
    return {a.first + b.first, a.second + b.second};
  }
};

/// The box around nodes.
struct node_extent {
  std::int32_t left;
  std::int32_t upper;
  std::int32_t right;
  std::int32_t lower;

  GPUIMG_FUNCTION std::int32_t width() const noexcept { return right - left; }
  GPUIMG_FUNCTION std::int32_t height() const noexcept { return lower - upper; }
};

struct widest {
  GPUIMG_FUNCTION node_extent operator()(const node_extent& a, const node_extent& b) const noexcept {
    return {a.left < b.left ? a.left : b.left, a.upper < b.upper ? a.upper : b.upper,
            a.right < b.right ? b.right : a.right, a.lower < b.lower ? b.lower : a.lower};
  }
};

}  // namespace gpuimg::detail
