/// @file
/// Which of the proposed moves, or removals, are made.
#pragma once

#include <cstdint>

#include "gpuimg/core/config.hpp"
#include "gpuimg/segment/detail/contour_guard.hpp"
#include "gpuimg/segment/detail/move_proposals.hpp"
#include "gpuimg/segment/detail/node_moves.hpp"
#include "gpuimg/segment/detail/snake_state.hpp"
#include "gpuimg/segment/noise_model.hpp"
#include "gpuimg/segment/region_sums.hpp"
#include "gpuimg/simt/group.hpp"

namespace gpuimg::detail {

/// A turn that proposes moves.
struct move_turn {
  std::int32_t step;
  double threshold;  ///< by how much the criterion must fall

  /// What proposal i makes of the contour.
  GPUIMG_FUNCTION contour_change change_of(const snake_memory& memory, std::int32_t count,
                                           std::int32_t i) const noexcept {
    return move_of(memory.nodes, count, i, moved(memory.nodes[i], memory.move(i).direction, step));
  }
  /// Whether so many proposals together lead to a criterion that is good enough.
  GPUIMG_FUNCTION bool pays(double before, double after, std::int32_t, std::int32_t) const noexcept {
    return portable::add(before, -threshold) > after;
  }
};

/// A turn that proposes removals.
struct removal_turn {
  double price;  ///< by how much the criterion may grow, for each node

  GPUIMG_FUNCTION contour_change change_of(const snake_memory& memory, std::int32_t count,
                                           std::int32_t i) const noexcept {
    return removal_of(memory.nodes, count, i);
  }
  GPUIMG_FUNCTION bool pays(double before, double after, std::int32_t number, std::int32_t count) const noexcept {
    return count - number >= 3 &&
           portable::add(after, -before) < portable::multiply(price, static_cast<double>(number));
  }
};

/// Blocks the proposals that would make the contour touch itself, and counts in `blocked` that there are some.
template <class Block, class Turn>
GPUIMG_FUNCTION void block_touching(Block& block, const snake_memory& memory, std::int32_t count,
                                    std::uint32_t proposed, const Turn& turn, std::uint32_t& blocked) {
  constexpr int lanes = lanes_of<Block>;
  constexpr int warps = Block::size() / lanes;
  auto warp = block.warp();
  const int parts = shares_of(warps, proposed);
  const int part = block.warp_rank() % parts;
  for (auto k = static_cast<std::uint32_t>(block.warp_rank() / parts); k < proposed;
       k += static_cast<std::uint32_t>(warps / parts)) {
    const std::int32_t i = memory.proposals[k];
    const bool touching =
        touches(turn.change_of(memory, count, i), memory.nodes, count, part * lanes + warp.rank(), parts * lanes);
    if (warp.any(touching) && warp.rank() == 0) {
      memory.move(i).blocked = 1;
      take_place<Block>(blocked);
    }
  }
}

/// Whether proposal j, unless it is blocked, is in the way of proposal i, whose change is given: it is better, and
/// their edges would meet, or they are neighbours: the first and the last of an odd number of nodes.
template <class Turn>
GPUIMG_FUNCTION bool in_the_way(const snake_memory& memory, std::int32_t count, std::int32_t i,
                                const contour_change& change, std::int32_t j, const Turn& turn,
                                bool some_blocked) noexcept {
  const node_move& mine = memory.move(i);
  const node_move& other = memory.move(j);
  if (j == i || (some_blocked && other.blocked != 0)) { return false; }
  const bool better = other.criterion < mine.criterion || (other.criterion == mine.criterion && j < i);
  if (!better) { return false; }
  return after(i, count) == j || after(j, count) == i || collide(change, turn.change_of(memory, count, j));
}

/// Marks the proposals that stand: those that no better one is in the way of.
template <class Block, class Turn>
GPUIMG_FUNCTION void mark_standing(Block& block, const snake_memory& memory, std::int32_t count, std::uint32_t proposed,
                                   const Turn& turn, bool some_blocked) {
  constexpr int lanes = lanes_of<Block>;
  auto warp = block.warp();
  // The last warps have least to do with few proposals before.
  const int number = Block::size() / lanes - 1 - block.warp_rank();
  for (auto k = static_cast<std::uint32_t>(number); k < proposed; k += Block::size() / lanes) {
    const std::int32_t i = memory.proposals[k];
    const contour_change change = turn.change_of(memory, count, i);
    bool hindered = some_blocked && memory.move(i).blocked != 0;
    for (auto n = static_cast<std::uint32_t>(warp.rank()); n < proposed; n += lanes) {
      hindered = hindered || in_the_way(memory, count, i, change, memory.proposals[n], turn, some_blocked);
    }
    const bool stands = !warp.any(hindered);
    if (warp.rank() == 0) { memory.move(i).stands = stands ? 1 : 0; }
  }
}

/// The proposals that stand, taken together.
struct standing_moves {
  region_sums change;
  std::int32_t number;
  ranked_move best;
};

/// Adds up what stands, by the lanes of a warp. A proposal that is alone stands when it is not blocked.
template <class Warp>
GPUIMG_FUNCTION standing_moves gather(Warp& warp, const snake_memory& memory, std::uint32_t proposed) {
  if (proposed == 1) {
    const std::int32_t i = memory.proposals[0];
    const node_move& move = memory.move(i);
    return {move.change, move.blocked == 0 ? 1 : 0, {move.criterion, i}};
  }
  region_sums change;
  std::int32_t number = 0;
  ranked_move best{impossible, no_move};
  for (auto k = static_cast<std::uint32_t>(warp.rank()); k < proposed; k += Warp::size()) {
    const std::int32_t i = memory.proposals[k];
    const node_move& move = memory.move(i);
    if (move.stands == 0) { continue; }
    change += move.change;
    ++number;
    best = number == 1 ? ranked_move{move.criterion, i} : better_move{}(best, {move.criterion, i});
  }
  if constexpr (Warp::size() != 1) {
    number = warp.reduce(number, simt::plus{});
    change = add_lanes(warp, change, 1, simt::warp_size);
    best = warp.reduce(best, better_move{});
  }
  return {change, number, best};
}

/// The criterion of a target, by two lanes of a warp side by side.
template <class Warp, noise_model Model, class Cell>
GPUIMG_FUNCTION double criterion_of(Warp& warp, const snake_world<Model, Cell>& world, const region_sums& target,
                                    const region_sums& total) {
  if constexpr (Warp::size() == 1) {
    return world.criterion_of(target, total);
  } else {
    const bool outer = warp.rank() % 2 != 0;
    const double own = side_cost(world.model, outer ? total - target : target, world.unit, outer);
    return both_costs(own, warp.shuffle_xor(own, 1));
  }
}

/// Writes to the state what is made of the proposals: all that stand, if together they pay, else the best alone.
template <class Warp, noise_model Model, class Cell, int Threads, class Turn>
GPUIMG_FUNCTION GPUIMG_COLD void choose(Warp& warp, snake_state<Threads>& state, const snake_world<Model, Cell>& world,
                                        std::uint32_t proposed, const Turn& turn) {
  const snake_memory memory = state.memory;
  const std::int32_t count = state.count;
  const region_sums target = state.target.load();
  const region_sums total = state.total.load();
  const double current = state.current;
  standing_moves all = gather(warp, memory, proposed);
  double value = all.best.criterion;
  std::int32_t only = all.number == 1 ? static_cast<std::int32_t>(all.best.node) : no_move;
  if (all.number > 1) {
    const double together = criterion_of(warp, world, target + all.change, total);
    if (turn.pays(current, together, all.number, count)) {
      value = together;
    } else {
      only = static_cast<std::int32_t>(all.best.node);
      all.change = memory.move(only).change;
      all.number = 1;
    }
  }
  warp.sync();  // every lane has read the state
  if (warp.rank() != 0) { return; }
  state.made = all.number;
  state.only = only;
  if (all.number == 0) { return; }
  state.target.store(target + all.change);
  state.current = value;
}

/// Settles on what is made of the proposals; all threads of the block find it in the state.
/// @param blocked  a counter of the block, 0
template <class Block, noise_model Model, class Cell, class Turn>
GPUIMG_FUNCTION void settle(Block& block, snake_state<Block::size()>& state, const snake_world<Model, Cell>& world,
                            std::uint32_t proposed, const Turn& turn, std::uint32_t& blocked) {
  const snake_memory memory = state.memory;
  const std::int32_t count = state.count;
  block_touching(block, memory, count, proposed, turn, blocked);
  if constexpr (Block::size() == 1) {
    mark_standing(block, memory, count, proposed, turn, blocked != 0);
  } else {
    // Proposals are seldom blocked. While it is found out whether one is, other warps go on as if none were.
    if (proposed > 1) { mark_standing(block, memory, count, proposed, turn, false); }
    block.sync();
    if (blocked != 0 && proposed > 1) {
      mark_standing(block, memory, count, proposed, turn, true);
      block.sync();
    }
  }
  if (block.warp_rank() == 0) {
    auto warp = block.warp();
    choose(warp, state, world, proposed, turn);
  }
  block.sync();
}

}  // namespace gpuimg::detail
