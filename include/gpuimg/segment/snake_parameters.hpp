/// @file
/// What a region snake is told and what it tells.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "gpuimg/core/config.hpp"
#include "gpuimg/segment/polygon.hpp"
#include "gpuimg/segment/sample_encoding.hpp"

namespace gpuimg {

/// In which order the moves of a pass are made.
enum class move_rule : std::uint8_t {
  parity,      ///< all even nodes at once, then all odd ones
  sequential,  ///< node after node; host only
};

/// How a region snake searches. All lengths are in pixels, and the threshold in nats: nothing depends on the range of
/// the picture's values. The defaults converge for targets of a few pixels to a few thousand.
struct snake_parameters {
  /// Step of the first iteration; halved at each following one down to 1. 0: 1/24 of the longer side of the initial
  /// polygon, at least 4. Much larger steps tangle the contour.
  std::int32_t first_step = 0;
  /// Edges longer than this get a node in their middle after each iteration. At least 2; 0: by the longer side of
  /// the initial polygon: an eighth of it, but 4 to 16; 1/128 of it where that is more.
  std::int32_t longest_edge = 0;
  /// A move is made when it lowers the criterion by more than this. Not negative; below 1/4 the contour follows noise.
  double threshold = 0.5;
  std::int32_t max_iterations = 64;  ///< at least 1
  std::int32_t max_passes = 100;     ///< of one iteration; at least 1
  std::int32_t max_nodes = 4096;     ///< no node is added beyond; at least that of the initial polygon
  move_rule rule = move_rule::parity;
  /// While steps are long, sum only every (step / 4)-th row: several times less work. Off: all rows, always.
  bool coarse_rows = true;
  /// Once converged, descend again, from steps of 1/8 of longest_edge.
  bool refine = true;
  /// At the end, drop nodes that are worth less than their description: 2 log(2e) + log(mx my) nats for mean
  /// distances of mx and my between nodes (Martin, Refregier, Galland, Guerault 2006); then move the others once more.
  bool prune = false;
  /// Count the pairs of edges that cross.
  bool count_crossings = true;
};

/// A polygon to start from, and the part of the picture that is its world: statistics of the background are those of
/// the window outside of the polygon, and no node leaves it.
struct snake_start {
  polygon nodes;
  rectangle window;  ///< empty: the whole picture
};

/// Why a snake stopped.
enum class stop_reason : std::int32_t {
  converged,        ///< no node was added and no move of step 1 lowers the criterion by more than the threshold
  iteration_limit,  ///< max_iterations
  node_limit,       ///< converged, but max_nodes kept edges above longest_edge
  no_target,        ///< the initial polygon has no valid pixel: it is returned as it came
};

/// Name of a reason, as in its declaration.
constexpr std::string_view name(stop_reason reason) noexcept {
  switch (reason) {
    case stop_reason::converged: return "converged";
    case stop_reason::iteration_limit: return "iteration_limit";
    case stop_reason::node_limit: return "node_limit";
    case stop_reason::no_target: return "no_target";
  }
  return "unknown";
}

/// One iteration of a snake. The criterion is that of the sampled rows (see row_stride).
struct snake_iteration {
  std::int32_t number = 0;
  std::int32_t step = 0;
  std::int32_t row_stride = 1;  ///< one row in so many was summed
  std::int32_t passes = 0;
  std::int32_t moves = 0;  ///< that were made
  std::int32_t nodes = 0;  ///< during the iteration
  double criterion = 0;    ///< at its end
};

/// What a snake has found.
struct snake_result {
  polygon nodes;                 ///< positive
  double criterion = 0;          ///< in nats, up to a constant of the picture; all rows
  region_statistics target;      ///< of the polygon
  region_statistics background;  ///< of its window outside of it
  std::int32_t iterations = 0;   ///< also those after pruning
  std::int32_t passes = 0;       ///< of all iterations
  std::int32_t crossings = 0;    ///< pairs of edges that cross: 0 for a simple contour
  stop_reason reason = stop_reason::converged;
  std::vector<snake_iteration> trace;  ///< the first 128 iterations
};

}  // namespace gpuimg
