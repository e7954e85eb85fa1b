/// @file
/// Finds the best move of each node: by one thread, or by warps.
#pragma once

#include <cstdint>

#include "gpuimg/core/config.hpp"
#include "gpuimg/segment/detail/contour_guard.hpp"
#include "gpuimg/segment/detail/node_moves.hpp"
#include "gpuimg/segment/noise_model.hpp"
#include "gpuimg/segment/polygon.hpp"
#include "gpuimg/segment/region_sums.hpp"
#include "gpuimg/simt/group.hpp"

namespace gpuimg::detail {

/// What a node must know to find its best move.
template <noise_model Model, class Cell>
struct snake_world {
  prefix_view<const Cell> picture;
  Model model;
  double unit;
  rectangle window;
  row_sampling rows;
  region_sums target;  ///< of the polygon, now
  region_sums total;   ///< of the window
  double current;      ///< the criterion, now
  std::int32_t step;
  double threshold;

  GPUIMG_FUNCTION double criterion_with(const region_sums& change) const noexcept {
    return criterion(model, target + change, total, unit);
  }
};

/// A share of the sums of the two edges at p.
template <noise_model Model, class Cell>
GPUIMG_FUNCTION region_sums corner_sums(const snake_world<Model, Cell>& world, const point& before, const point& p,
                                        const point& after, int part = 0, int parts = 1) noexcept {
  return edge_sums(world.picture, world.rows, before, p, part, parts) +
         edge_sums(world.picture, world.rows, p, after, part, parts);
}

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

/// The move of a node when `best` of its directions has the given change and criterion.
template <noise_model Model, class Cell>
GPUIMG_FUNCTION node_move judge(const snake_world<Model, Cell>& world, const region_sums& change,
                                const ranked_move& best) noexcept {
  const bool better = portable::add(world.current, -world.threshold) > best.criterion;
  return {change, best.criterion, better ? static_cast<std::int32_t>(best.node) : no_move, 0};
}

/// Writes the best move of node i, by one thread.
template <noise_model Model, class Cell>
GPUIMG_FUNCTION void propose_move(const snake_world<Model, Cell>& world, const point* nodes, std::int32_t count,
                                  std::uint8_t* active, node_move* moves, std::int32_t i) noexcept {
  moves[i].direction = no_move;
  if (active[i] == 0) { return; }
  active[i] = 0;
  const neighbourhood at = around(nodes, count, i);
  const region_sums now = corner_sums(world, at.before, at.node, at.after);
  ranked_move best{impossible, directions};
  region_sums best_change;
  for (std::int32_t direction = 0; direction < directions; ++direction) {
    const point p = moved(at.node, direction, world.step);
    if (!inside(world.window, p)) { continue; }
    const region_sums change = corner_sums(world, at.before, p, at.after) - now;
    const double value = world.criterion_with(change);
    if (value < best.criterion) {
      best = {value, direction};
      best_change = change;
    }
  }
  moves[i] = judge(world, best_change, best);
  if (moves[i].direction == no_move) { return; }
  const point p = moved(at.node, moves[i].direction, world.step);
  if (touches(move_of(nodes, count, i, p), nodes, count)) { moves[i].direction = no_move; }
}

/// Writes what node i is worth: its removal is proposed when the criterion grows by less than `price`, and if only
/// spikes are asked for, the node is the tip of one.
template <noise_model Model, class Cell>
GPUIMG_FUNCTION void propose_removal(const snake_world<Model, Cell>& world, const point* nodes, std::int32_t count,
                                     node_move* moves, std::int32_t i, double price, bool spikes_only) noexcept {
  const neighbourhood at = around(nodes, count, i);
  moves[i].direction = no_move;
  if (spikes_only && !at.is_spike()) { return; }
  const region_sums change =
      edge_sums(world.picture, world.rows, at.before, at.after) - corner_sums(world, at.before, at.node, at.after);
  const double value = world.criterion_with(change);
  const bool cheap = value != impossible && portable::add(value, -world.current) < price &&
                     !touches(removal_of(nodes, count, i), nodes, count);
  moves[i] = {change, value, cheap ? 0 : no_move, 0};
}

/// Shared memory for proposals: sums of each direction, and of the node where it is, by each warp.
template <int Threads>
class proposal_scratch {
 public:
  GPUIMG_FUNCTION void store(int warp, int direction, const region_sums& s) noexcept {
    auto& cell = cells_[warp][direction];
    cell[0] = s.count;
    cell[1] = s.sum;
    cell[2] = s.square;
  }
  GPUIMG_FUNCTION region_sums load(int warp, int direction) const noexcept {
    const auto& cell = cells_[warp][direction];
    return {cell[0], cell[1], cell[2]};
  }

 private:
  std::int64_t cells_[(Threads + simt::warp_size - 1) / simt::warp_size][directions + 1][3];
};

template <simt::warp_group Warp>
GPUIMG_FUNCTION region_sums add_across(Warp& warp, const region_sums& s, int mask) {
  return {s.count + warp.shuffle_xor(s.count, mask), s.sum + warp.shuffle_xor(s.sum, mask),
          s.square + warp.shuffle_xor(s.square, mask)};
}

/// Writes the best moves of all nodes of a parity, by the threads of a block.
///
/// A warp has four lanes for each of the eight directions, which take every fourth row; lanes of one row are side by
/// side, where their crossings are neighbours in memory. When there are more warps than nodes, several share a node.
template <class Block, noise_model Model, class Cell>
GPUIMG_FUNCTION void propose_moves(Block& block, proposal_scratch<Block::size()>& scratch,
                                   const snake_world<Model, Cell>& world, const point* nodes, std::int32_t count,
                                   std::uint8_t* active, node_move* moves, int parity) {
  if constexpr (Block::size() == 1) {
    for (std::int32_t i = parity; i < count; i += 2) { propose_move(world, nodes, count, active, moves, i); }
  } else {
    constexpr int warps = Block::size() / simt::warp_size;
    constexpr int rows_at_once = simt::warp_size / directions;
    const std::int32_t members = (count + 1 - parity) / 2;
    int parts = 1;
    while (2 * parts * members <= warps) { parts *= 2; }
    auto warp = block.warp();
    const int part = block.warp_rank() % parts;
    const int lane = warp.rank();
    const std::int32_t direction = lane % directions;
    for (std::int32_t first = 0; first < members; first += warps / parts) {
      const std::int32_t member = first + block.warp_rank() / parts;
      const std::int32_t i = 2 * member + parity;
      const bool looks = member < members && active[i] != 0;
      neighbourhood at{};
      point p{};
      region_sums now;
      region_sums then;
      bool possible = false;
      if (looks) {
        at = around(nodes, count, i);
        p = moved(at.node, direction, world.step);
        possible = inside(world.window, p);
        if (possible) {
          then =
              corner_sums(world, at.before, p, at.after, part * rows_at_once + lane / directions, parts * rows_at_once);
        }
        now = corner_sums(world, at.before, at.node, at.after, part * simt::warp_size + lane, parts * simt::warp_size);
        GPUIMG_UNROLL
        for (int mask = directions; mask < simt::warp_size; mask *= 2) { then = add_across(warp, then, mask); }
        GPUIMG_UNROLL
        for (int mask = 1; mask < simt::warp_size; mask *= 2) { now = add_across(warp, now, mask); }
      }
      if (parts > 1) {
        if (lane < directions) { scratch.store(block.warp_rank(), lane, then); }
        if (lane == directions) { scratch.store(block.warp_rank(), directions, now); }
        block.sync();
        if (part == 0) {
          for (int other = 1; other < parts; ++other) {
            then += scratch.load(block.warp_rank() + other, direction);
            now += scratch.load(block.warp_rank() + other, directions);
          }
        }
      }
      if (part == 0 && member < members) {
        const region_sums change = then - now;
        ranked_move best{possible ? world.criterion_with(change) : impossible, direction};
        const ranked_move own = best;
        GPUIMG_UNROLL
        for (int mask = 1; mask < directions; mask *= 2) { best = better_move{}(best, warp.shuffle_xor(best, mask)); }
        node_move move = judge(world, change, best);
        if (looks && move.direction != no_move) {
          const auto made = move_of(nodes, count, i, moved(at.node, move.direction, world.step));
          if (warp.any(touches(made, nodes, count, lane, simt::warp_size))) { move.direction = no_move; }
        }
        if (!looks) {
          if (lane == 0) { moves[i].direction = no_move; }
        } else if (lane < directions && own.node == best.node) {
          moves[i] = move;
        }
      }
      warp.sync();  // every lane of every warp of the node has read the flag: of other warps, by the block's barrier
      if (looks && part == 0 && lane == 0) { active[i] = 0; }
    }
    block.sync();
  }
}

/// The calling thread's share of the sums of a whole polygon.
template <class Block, noise_model Model, class Cell>
GPUIMG_FUNCTION region_sums contour_sums(Block& block, const snake_world<Model, Cell>& world, const point* nodes,
                                         std::int32_t count) {
  region_sums sums;
  constexpr int lanes = Block::size() == 1 ? 1 : simt::warp_size;
  for (std::int32_t i = block.rank() / lanes; i < count; i += Block::size() / lanes) {
    sums +=
        edge_sums(world.picture, world.rows, nodes[i], nodes[i + 1 == count ? 0 : i + 1], block.rank() % lanes, lanes);
  }
  return sums;
}

}  // namespace gpuimg::detail
