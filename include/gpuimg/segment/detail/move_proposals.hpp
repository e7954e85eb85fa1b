/// @file
/// Finds the best move of each node: by one thread, or by half-warps.
#pragma once

#include <cstdint>

#include "gpuimg/core/config.hpp"
#include "gpuimg/segment/detail/contour_guard.hpp"
#include "gpuimg/segment/detail/node_moves.hpp"
#include "gpuimg/segment/detail/snake_state.hpp"
#include "gpuimg/segment/noise_model.hpp"
#include "gpuimg/segment/polygon.hpp"
#include "gpuimg/segment/region_sums.hpp"
#include "gpuimg/simt/group.hpp"

namespace gpuimg::detail {

/// What stays the same during a pass.
template <noise_model Model, class Cell>
struct snake_world {
  prefix_view<const Cell> picture;
  Model model;
  double unit;
  rectangle window;
  row_sampling rows;
  std::int32_t step;
  double threshold;

  GPUIMG_FUNCTION double criterion_of(const region_sums& target, const region_sums& total) const noexcept {
    return criterion(model, target, total, unit);
  }
};

/// A node and its neighbours.
struct neighbourhood {
  point before;
  point node;
  point after;

  /// Whether the edges make an angle whose tangent is below 1/2.
  GPUIMG_FUNCTION constexpr bool is_spike() const noexcept {
    const std::int64_t ux = before.x - node.x;
    const std::int64_t uy = before.y - node.y;
    const std::int64_t vx = after.x - node.x;
    const std::int64_t vy = after.y - node.y;
    const std::int64_t along = ux * vx + uy * vy;
    const std::int64_t across = ux * vy - uy * vx;
    return along > 0 && 2 * (across < 0 ? -across : across) < along;
  }
};

GPUIMG_FUNCTION inline neighbourhood around(const point* nodes, std::int32_t count, std::int32_t i) noexcept {
  return {nodes[before(i, count)], nodes[i], nodes[after(i, count)]};
}

/// The sums of the two edges at a node, as they are.
GPUIMG_FUNCTION inline region_sums corner_sums(const region_sums* edges, std::int32_t count, std::int32_t i) noexcept {
  return edges[before(i, count)] + edges[i];
}

/// Writes the best move of node i, by one thread; whether it has one.
template <noise_model Model, class Cell>
GPUIMG_FUNCTION bool propose_move(const snake_state<1>& state, const snake_world<Model, Cell>& world,
                                  std::int32_t i) noexcept {
  const point* nodes = state.memory.nodes;
  const neighbourhood at = around(nodes, state.count, i);
  const region_sums rest = state.target.load() - corner_sums(state.memory.edges, state.count, i);
  const region_sums total = state.total.load();
  node_move best{{}, {}, impossible, no_move, 0, 0};
  for (std::int32_t direction = 0; direction < directions; ++direction) {
    const point p = moved(at.node, direction, world.step);
    if (!inside(world.window, p)) { continue; }
    const region_sums first = edge_sums(world.picture, world.rows, at.before, p);
    const region_sums target = rest + first + edge_sums(world.picture, world.rows, p, at.after);
    const double value = world.criterion_of(target, total);
    if (value < best.criterion) { best = {target - state.target.load(), first, value, direction, 0, 0}; }
  }
  if (!(portable::add(state.current, -world.threshold) > best.criterion)) { return false; }
  state.memory.move(i) = best;
  return true;
}

/// The best move of a node whose half-warp, or whose warps' first one, calls this. A lane holds the sums of one edge
/// of one direction: of the edge before the node in the lower eight lanes of each half-warp, of the one after it in the
/// others. The lane that returns true has the node's move.
template <class Warp, noise_model Model, class Cell>
GPUIMG_FUNCTION bool judge(Warp& warp, const snake_world<Model, Cell>& world, const region_sums& target,
                           const region_sums& total, double current, const region_sums& corner, const region_sums& own,
                           bool possible, node_move& move) {
  const std::int32_t direction = warp.rank() % directions;
  const bool second = (warp.rank() & directions) != 0;
  move.first = own;
  move.change = add_lanes(warp, own, directions, 2 * directions) - corner;
  const region_sums then = target + move.change;
  double cost = impossible;
  if (possible) { cost = side_cost(world.model, second ? total - then : then, world.unit, second); }
  ranked_move best{both_costs(cost, warp.shuffle_xor(cost, directions)), direction};
  GPUIMG_UNROLL
  for (int mask = 1; mask < directions; mask *= 2) { best = better_move{}(best, warp.shuffle_xor(best, mask)); }
  move.criterion = best.criterion;
  move.direction = direction;
  move.blocked = 0;
  move.stands = 0;
  return !second && best.node == direction && portable::add(current, -world.threshold) > best.criterion;
}

/// Writes the best moves of the queued nodes, and lists those that have one.
///
/// A half-warp has a lane for each edge of each direction. When there are few nodes, up to `most_parts` half-warps
/// share the rows of one.
template <class Block, noise_model Model, class Cell>
GPUIMG_FUNCTION void propose_moves(Block& block, snake_state<Block::size()>& state,
                                   const snake_world<Model, Cell>& world, std::uint32_t queued, std::uint32_t& proposed,
                                   int most_parts) {
  const snake_memory memory = state.memory;
  if constexpr (Block::size() == 1) {
    for (std::uint32_t k = 0; k < queued; ++k) {
      if (propose_move(state, world, memory.queue[k])) { memory.proposals[proposed++] = memory.queue[k]; }
    }
  } else {
    constexpr int lanes = 2 * directions;
    constexpr int halves = Block::size() / lanes;
    const std::int32_t count = state.count;
    const region_sums target = state.target.load();
    const region_sums total = state.total.load();
    const double current = state.current;
    const int parts = simt::minimum{}(shares_of(halves, queued), most_parts);
    const auto at_once = static_cast<std::uint32_t>(halves / parts);
    auto warp = block.warp();
    const int lane = warp.rank() % lanes;
    const bool second = lane >= directions;
    const int half = block.rank() / lanes;
    const int part = half % parts;
    for (std::uint32_t first = 0; first < queued; first += at_once) {
      const std::uint32_t member = first + static_cast<std::uint32_t>(half / parts);
      const bool looks = member < queued;
      const std::int32_t i = looks ? memory.queue[member] : 0;
      const neighbourhood at = around(memory.nodes, count, i);
      const point p = moved(at.node, lane % directions, world.step);
      const bool possible = looks && inside(world.window, p);
      region_sums own;
      if (possible) {
        own = edge_sums(world.picture, world.rows, second ? p : at.before, second ? at.after : p, part, parts);
      }
      if (parts > 1) { own = add_lanes(warp, own, lanes, simt::warp_size); }
      if (parts > 2) {
        if (warp.rank() < lanes) { state.partial[block.warp_rank()][lane].store(own); }
        block.sync();
        if (part < 2) {
          GPUIMG_NO_UNROLL
          for (int other = 1; other < parts / 2; ++other) {
            own += state.partial[block.warp_rank() + other][lane].load();
          }
        }
      }
      if (part < 2) {
        node_move move;
        const region_sums corner = corner_sums(memory.edges, count, i);
        const bool found = judge(warp, world, target, total, current, corner, own, possible, move);
        if (found && part == 0) {
          memory.move(i) = move;
          memory.proposals[take_place<Block>(proposed)] = i;
        }
      }
    }
  }
}

/// Writes what the queued nodes are worth, a warp a node, and lists those whose removal lets the criterion grow by
/// less than `price`.
template <class Block, noise_model Model, class Cell>
GPUIMG_FUNCTION void propose_removals(Block& block, const snake_state<Block::size()>& state,
                                      const snake_world<Model, Cell>& world, std::uint32_t queued,
                                      std::uint32_t& proposed, double price) {
  constexpr int lanes = lanes_of<Block>;
  const snake_memory memory = state.memory;
  const std::int32_t count = state.count;
  auto warp = block.warp();
  for (auto k = static_cast<std::uint32_t>(block.warp_rank()); k < queued; k += Block::size() / lanes) {
    const std::int32_t i = memory.queue[k];
    const neighbourhood at = around(memory.nodes, count, i);
    const region_sums part = edge_sums(world.picture, world.rows, at.before, at.after, warp.rank(), lanes);
    const region_sums joined = add_lanes(warp, part, 1, lanes);
    const region_sums change = joined - corner_sums(memory.edges, count, i);
    const double value = world.criterion_of(state.target.load() + change, state.total.load());
    if (warp.rank() == 0 && value != impossible && portable::add(value, -state.current) < price) {
      memory.move(i) = {change, joined, value, 0, 0, 0};
      memory.proposals[take_place<Block>(proposed)] = i;
    }
  }
}

}  // namespace gpuimg::detail
