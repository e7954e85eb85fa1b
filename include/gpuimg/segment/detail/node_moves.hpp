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
  double criterion;        ///< if no other node moves
  std::int32_t direction;  ///< 0..7, or no_move
  std::int32_t stands;     ///< not 0: no better proposal is in its way
};

inline constexpr std::int32_t no_move = -1;

/// The node moved by `step` in a direction: row by row, the middle left out.
GPUIMG_FUNCTION constexpr point moved(const point& p, std::int32_t direction, std::int32_t step) noexcept {
  const std::int32_t place = direction < 4 ? direction : direction + 1;
  return {p.x + (place % 3 - 1) * step, p.y + (place / 3 - 1) * step};
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

}  // namespace gpuimg::detail
