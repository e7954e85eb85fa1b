/// @file
/// What the threads of one snake share: where its nodes are, its sums, and what they have agreed on.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpuimg/core/config.hpp"
#include "gpuimg/segment/detail/node_moves.hpp"
#include "gpuimg/segment/noise_model.hpp"
#include "gpuimg/segment/polygon.hpp"
#include "gpuimg/segment/region_sums.hpp"
#include "gpuimg/simt/atomic.hpp"
#include "gpuimg/simt/bits.hpp"
#include "gpuimg/simt/group.hpp"

namespace gpuimg::detail {

/// Moves that a snake of so many nodes has room for.
GPUIMG_FUNCTION constexpr std::int64_t moves_for(std::int64_t nodes) noexcept { return (nodes + 1) / 2; }

/// Where a snake keeps its nodes; each array has room for `capacity` of them.
struct snake_memory {
  point* nodes;
  point* spare;
  region_sums* edges;       ///< sums of the edge from each node to the next
  node_move* moves;         ///< moves_for(capacity): of every other node
  std::int32_t* queue;      ///< nodes to look at
  std::int32_t* proposals;  ///< nodes that have a move
  std::uint8_t* active;
  std::int32_t capacity;

  /// The move of a node; only nodes of one parity have one at a time.
  GPUIMG_FUNCTION node_move& move(std::int32_t i) const noexcept { return moves[i >> 1]; }
};

/// Sums in memory that nobody initialises.
struct stored_sums {
  std::int64_t count;
  std::int64_t sum;
  std::int64_t square;

  GPUIMG_FUNCTION void store(const region_sums& s) noexcept {
    count = s.count;
    sum = s.sum;
    square = s.square;
  }
  GPUIMG_FUNCTION region_sums load() const noexcept { return {count, sum, square}; }
};

/// Lengths of the two lists of a turn, and how many proposals are blocked.
struct turn_counts {
  std::uint32_t queued;
  std::uint32_t proposed;
  std::uint32_t blocked;
};

/// In shared memory, one for a snake.
template <int Threads>
struct snake_state {
  static constexpr int warps = (Threads + simt::warp_size - 1) / simt::warp_size;

  snake_memory memory;
  snake_memory larger;  ///< where the nodes go when they are too many for it
  stored_sums target;   ///< of the polygon, now
  stored_sums total;    ///< of the window
  double current;       ///< the criterion, now
  std::int32_t count;   ///< of nodes
  std::int32_t made;    ///< moves that were chosen last
  std::int32_t only;    ///< the one of them, or no_move for all that stand
  turn_counts turns[3];
  stored_sums partial[warps][2 * directions];  ///< of the two edges of each direction, by each warp

  /// By one thread, before any other reads the state.
  GPUIMG_FUNCTION void begin(const snake_memory& own, const snake_memory& other, std::int32_t nodes) noexcept {
    memory = own;
    larger = other;
    count = nodes;
    for (auto& turn : turns) { turn = {0, 0, 0}; }
  }
};

/// Room for a snake of up to `Nodes` nodes in shared memory, where what a thread has just written costs the next one
/// no way through the cache of the whole device.
template <int Nodes>
class node_arena {
 public:
  GPUIMG_FUNCTION snake_memory memory() noexcept {
    std::byte* at = bytes_;
    const auto take = [&at](std::size_t size) {
      std::byte* const part = at;
      at += size * Nodes;
      return part;
    };
    snake_memory m{};
    m.edges = reinterpret_cast<region_sums*>(take(sizeof(region_sums)));
    m.moves = reinterpret_cast<node_move*>(take(sizeof(node_move) / 2));
    m.nodes = reinterpret_cast<point*>(take(sizeof(point)));
    m.spare = reinterpret_cast<point*>(take(sizeof(point)));
    m.queue = reinterpret_cast<std::int32_t*>(take(sizeof(std::int32_t)));
    m.proposals = reinterpret_cast<std::int32_t*>(take(sizeof(std::int32_t)));
    m.active = reinterpret_cast<std::uint8_t*>(take(1));
    m.capacity = Nodes;
    return m;
  }

 private:
  static_assert(Nodes % 2 == 0);
  alignas(16) std::byte
      bytes_[Nodes * (sizeof(region_sums) + sizeof(node_move) / 2 + 2 * sizeof(point) + 2 * sizeof(std::int32_t) + 1)];
};

/// Threads that share a part of the work: a warp, or the only one.
template <class Block>
inline constexpr int lanes_of = Block::size() == 1 ? 1 : simt::warp_size;

/// Counts one up among the threads of a block; returns how many there were.
template <class Block>
GPUIMG_FUNCTION std::uint32_t take_place(std::uint32_t& counter) noexcept {
  if constexpr (Block::size() == 1) {
    return counter++;
  } else {
    return simt::atomic_add(counter, 1);
  }
}

/// Puts the values of the lanes that have one at the end of a list, in one piece. All lanes of the warp call it.
template <class Warp>
GPUIMG_FUNCTION void append(Warp& warp, std::int32_t* list, std::uint32_t& length, bool present, std::int32_t value) {
  if constexpr (Warp::size() == 1) {
    if (present) { list[length++] = value; }
  } else {
    const std::uint32_t lanes = warp.ballot(present);
    if (lanes == 0) { return; }
    std::uint32_t first = 0;
    if (warp.rank() == 0) { first = simt::atomic_add(length, static_cast<std::uint32_t>(simt::popcount(lanes))); }
    first = warp.shuffle(first, 0);
    if (present) {
      list[first + static_cast<std::uint32_t>(simt::popcount(lanes & simt::lanes_below(warp.rank())))] = value;
    }
  }
}

/// How many warps may share each of `items`: a power of two.
GPUIMG_FUNCTION constexpr int shares_of(int workers, std::uint32_t items) noexcept {
  int shares = 1;
  while (2 * static_cast<std::uint32_t>(shares) * items <= static_cast<std::uint32_t>(workers)) { shares *= 2; }
  return shares;
}

/// Adds sums among lanes whose ranks differ in the bits from `first` up to below `end`, powers of two.
template <class Warp>
GPUIMG_FUNCTION region_sums add_lanes(Warp& warp, region_sums s, int first, int end) {
  if constexpr (Warp::size() != 1) {
    for (int mask = first; mask < end; mask *= 2) {
      s +=
          region_sums{warp.shuffle_xor(s.count, mask), warp.shuffle_xor(s.sum, mask), warp.shuffle_xor(s.square, mask)};
    }
  }
  return s;
}

}  // namespace gpuimg::detail
