/// @file
/// What the threads of a snake find out about its contour together.
#pragma once

#include <cstdint>

#include "gpuimg/core/config.hpp"
#include "gpuimg/segment/detail/contour_guard.hpp"
#include "gpuimg/segment/detail/move_proposals.hpp"
#include "gpuimg/segment/detail/node_moves.hpp"
#include "gpuimg/segment/detail/proposal_choice.hpp"
#include "gpuimg/segment/detail/snake_state.hpp"
#include "gpuimg/segment/noise_model.hpp"
#include "gpuimg/segment/polygon.hpp"
#include "gpuimg/segment/portable_real.hpp"
#include "gpuimg/segment/region_sums.hpp"
#include "gpuimg/simt/group.hpp"

namespace gpuimg::detail {

/// Writes the sums of every edge; returns the calling thread's share of their sum.
template <class Block, noise_model Model, class Cell>
GPUIMG_FUNCTION region_sums measure_edges(Block& block, const snake_world<Model, Cell>& world,
                                          const snake_memory& memory, std::int32_t count) {
  auto warp = block.warp();
  int lanes = shares_of(Block::size(), static_cast<std::uint32_t>(count));
  if (lanes > lanes_of<Block>) { lanes = lanes_of<Block>; }
  const int lane = block.rank() % lanes;
  region_sums sums;
  for (std::int32_t first = 0; first < count; first += Block::size() / lanes) {
    const std::int32_t i = first + block.rank() / lanes;
    region_sums part;
    if (i < count) {
      part = edge_sums(world.picture, world.rows, memory.nodes[i], memory.nodes[after(i, count)], lane, lanes);
      sums += part;
    }
    part = add_lanes(warp, part, 1, lanes);
    if (i < count && lane == 0) { memory.edges[i] = part; }
  }
  return sums;
}

/// Writes the sums of all threads' shares to the state, and their criterion; without `with_total` the total stays.
/// Another barrier has to follow.
template <class Block, noise_model Model, class Cell>
GPUIMG_FUNCTION void take_sums(Block& block, snake_state<Block::size()>& state, const snake_world<Model, Cell>& world,
                               const region_sums& target, const region_sums& total, bool with_total) {
  constexpr int lanes = lanes_of<Block>;
  auto warp = block.warp();
  const region_sums part = add_lanes(warp, target, 1, lanes);
  const region_sums other = with_total ? add_lanes(warp, total, 1, lanes) : total;
  if (warp.rank() == 0) {
    state.partial[block.warp_rank()][0].store(part);
    state.partial[block.warp_rank()][1].store(other);
  }
  block.sync();
  if (block.warp_rank() != 0) { return; }
  region_sums all;
  region_sums window;
  if (warp.rank() < state.warps) {
    all = state.partial[warp.rank()][0].load();
    window = state.partial[warp.rank()][1].load();
  }
  all = add_lanes(warp, all, 1, lanes);
  window = with_total ? add_lanes(warp, window, 1, lanes) : state.total.load();
  const double current = criterion_of(warp, world, all, window);
  warp.sync();  // every lane has read the total
  if (warp.rank() == 0) {
    state.target.store(all);
    state.total.store(window);
    state.current = current;
  }
}

/// The box around the nodes.
template <class Block>
GPUIMG_FUNCTION GPUIMG_COLD node_extent extent_of(Block& block, const point* nodes, std::int32_t count) {
  node_extent all{max_snake_side, max_snake_side, 0, 0};
  for (std::int32_t i = block.rank(); i < count; i += Block::size()) {
    const point& p = nodes[i];
    all = widest{}(all, {p.x, p.y, p.x, p.y});
  }
  return block.reduce(all, widest{});
}

/// 2 log(2e) + log(mx my).
template <class Block>
GPUIMG_FUNCTION double node_price(Block& block, const point* nodes, std::int32_t count) {
  sum_pair spans{0, 0};
  for (std::int32_t i = block.rank(); i < count; i += Block::size()) {
    const point& a = nodes[i];
    const point& b = nodes[after(i, count)];
    spans.first += a.x < b.x ? b.x - a.x : a.x - b.x;
    spans.second += a.y < b.y ? b.y - a.y : a.y - b.y;
  }
  spans = block.reduce(spans, add_pairs{});
  const auto number = static_cast<double>(count);
  const double mx = at_least(portable::divide(static_cast<double>(spans.first), number), 1);
  const double my = at_least(portable::divide(static_cast<double>(spans.second), number), 1);
  constexpr double two_log_2e = 3.3862943611198906;
  return portable::add(two_log_2e, portable::log(portable::multiply(mx, my)));
}

/// Pairs of edges that cross.
template <class Block>
GPUIMG_FUNCTION std::int32_t count_crossings(Block& block, const point* nodes, std::int32_t count) {
  constexpr int lanes = lanes_of<Block>;
  std::int32_t crossings = 0;
  for (std::int32_t i = block.warp_rank(); i < count; i += Block::size() / lanes) {
    const point a = nodes[i];
    const point b = nodes[after(i, count)];
    visit_near_edges(box_of(a, b), nodes, count, i + 1 + block.rank() % lanes, lanes, [&](std::int32_t j) {
      crossings += segments_cross(a, b, nodes[j], nodes[after(j, count)]) ? 1 : 0;
      return false;
    });
  }
  return block.reduce(crossings, simt::plus{});
}

}  // namespace gpuimg::detail
