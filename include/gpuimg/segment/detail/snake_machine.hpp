/// @file
/// The region snake, for one thread or for a thread block: the same decisions in the same order.
#pragma once

#include <cstdint>

#include "gpuimg/core/config.hpp"
#include "gpuimg/segment/detail/contour_guard.hpp"
#include "gpuimg/segment/detail/contour_measures.hpp"
#include "gpuimg/segment/detail/move_proposals.hpp"
#include "gpuimg/segment/detail/node_moves.hpp"
#include "gpuimg/segment/detail/proposal_choice.hpp"
#include "gpuimg/segment/detail/snake_state.hpp"
#include "gpuimg/segment/noise_model.hpp"
#include "gpuimg/segment/polygon.hpp"
#include "gpuimg/segment/region_sums.hpp"
#include "gpuimg/segment/snake_parameters.hpp"
#include "gpuimg/simt/group.hpp"

namespace gpuimg::detail {

/// Iterations that a trace holds.
inline constexpr std::int32_t longest_trace = 128;

/// What the machine ends with, beside the nodes.
struct snake_outcome {
  region_sums target;
  region_sums total;
  double criterion;
  std::int32_t nodes;
  std::int32_t iterations;
  std::int32_t passes;
  std::int32_t crossings;
  stop_reason reason;
};

/// Runs one snake. All threads of the block call the same members with the same arguments; scalar members have the
/// same values in all of them, and what changes from move to move is in the state that they share. One thread writes
/// there, between two barriers; members copy what they need of it before the first of their own.
///
/// Sums are exact integers and moves of one parity share no edge, so the criterion after any set of moves follows from
/// the sums of each, without another look at the picture. If the set does not lower the criterion, only its best
/// move is made. A node is looked at again when it or a neighbour has moved, and at the start of each iteration.
template <class Block, noise_model Model, class Cell, class Observer>
class snake_machine {
 public:
  using state_type = snake_state<Block::size()>;

  /// @param state  begun, and seen so by all threads
  GPUIMG_FUNCTION snake_machine(Block& block, state_type& state, const Model& model,
                                const prefix_view<const Cell>& picture, double unit, const rectangle& window,
                                const snake_parameters& parameters, const Observer& observer)
      : block_(block),
        state_(state),
        observer_(observer),
        parameters_(parameters),
        world_{picture, model, unit, window, {0, 0}, 1, parameters.threshold} {}

  /// The nodes, after run().
  GPUIMG_FUNCTION const point* nodes() const noexcept { return state_.memory.nodes; }

  GPUIMG_FUNCTION snake_outcome run() {
    resolve_lengths();
    measure(1);
    if (state_.current == impossible) { return outcome(stop_reason::no_target); }
    stop_reason reason = stop_reason::converged;
    for (descent now{first_step_, 0, false, false, false}; !now.ended;) {
      const std::int32_t moves = iterate(now.step());
      if (now.pruned) { break; }
      const std::int32_t dropped = drop_spikes();
      const bool full = !insert_nodes();
      const bool last = now.step() == 1 && moves == 0 && dropped == 0 && added_ == 0;
      if (last) {
        reason = full ? stop_reason::node_limit : stop_reason::converged;
      } else if (iterations_ >= parameters_.max_iterations) {
        reason = stop_reason::iteration_limit;
      } else {
        ++now.halvings;
        continue;
      }
      now = next(now, reason);
    }
    measure(1);
    return outcome(reason);
  }

 private:
  /// Iterations from a step down to 1, and on until nothing moves.
  struct descent {
    std::int32_t first_step;
    std::int32_t halvings;
    bool refined;
    bool pruned;
    bool ended;

    GPUIMG_FUNCTION std::int32_t step() const noexcept {
      return halvings < 31 && (first_step >> halvings) > 1 ? first_step >> halvings : 1;
    }
  };

  /// What follows a descent: another from smaller steps, then one iteration when nodes were pruned.
  GPUIMG_FUNCTION descent next(const descent& ended, stop_reason reason) {
    if (parameters_.refine && !ended.refined && reason != stop_reason::iteration_limit) {
      return {longest_edge_ / 8, 0, true, false, false};
    }
    bool pruned = false;
    if (parameters_.prune) {
      measure(1);
      pruned = prune();
    }
    return {1, 0, true, pruned, !pruned};
  }

  /// Moves nodes by `step` until none does; returns how many moves that took.
  GPUIMG_FUNCTION std::int32_t iterate(std::int32_t step) {
    world_.step = step;
    measure(row_stride(step));
    if (state_.current == impossible) { measure(1); }
    const std::int32_t count = state_.count;
    for (std::int32_t i = block_.rank(); i < count; i += Block::size()) { state_.memory.active[i] = 1; }
    block_.sync();
    snake_iteration record{iterations_, step, world_.rows.stride, 0, 0, count, 0};
    const snake_world<Model, Cell>& world = world_;
    most_parts_ = parts_for(2 * std::int64_t{height_} / (std::int64_t{count} * world.rows.stride));
    for (std::int32_t made = 1; made != 0 && record.passes < parameters_.max_passes; ++record.passes) {
      made = pass(world);
      record.moves += made;
    }
    record.criterion = state_.current;
    passes_ += record.passes;
    ++iterations_;
    observer_(record, state_.memory.nodes);
    return record.moves;
  }

  /// How many half-warps may share a node whose edges cross so many rows: with more than two, a barrier must be worth
  /// it.
  GPUIMG_FUNCTION static int parts_for(std::int64_t rows) noexcept {
    int parts = 2;
    while (8 * parts <= rows && parts < Block::size() / (2 * directions)) { parts *= 2; }
    return parts;
  }

  GPUIMG_FUNCTION std::int32_t pass(const snake_world<Model, Cell>& world) {
    if constexpr (Block::size() == 1) {
      if (parameters_.rule == move_rule::sequential) { return sequential_pass(world); }
    }
    std::int32_t made = 0;
    GPUIMG_NO_UNROLL
    for (int parity = 0; parity < 2; ++parity) { made += make_moves(world, parity); }
    return made;
  }

  GPUIMG_FUNCTION std::int32_t sequential_pass(const snake_world<Model, Cell>& world) {
    const snake_memory memory = state_.memory;
    const move_turn turn{world.step, world.threshold};
    std::int32_t made = 0;
    for (std::int32_t i = 0; i < state_.count; ++i) {
      if (memory.active[i] == 0) { continue; }
      memory.active[i] = 0;
      if (!propose_move(state_, world, i)) { continue; }
      const node_move move = memory.move(i);
      const auto change = turn.change_of(memory, state_.count, i);
      if (touches(change, memory.nodes, state_.count)) { continue; }
      state_.target.store(state_.target.load() + move.change);
      state_.current = move.criterion;
      place(memory, state_.count, i, world.step);
      ++made;
    }
    return made;
  }

  /// Moves a node, and has it and its neighbours looked at again.
  GPUIMG_FUNCTION static void place(const snake_memory& memory, std::int32_t count, std::int32_t i,
                                    std::int32_t step) noexcept {
    const node_move& move = memory.move(i);
    const std::int32_t u = before(i, count);
    const region_sums both = memory.edges[u] + memory.edges[i] + move.change;
    memory.edges[u] = move.first;
    memory.edges[i] = both - move.first;
    memory.nodes[i] = moved(memory.nodes[i], move.direction, step);
    memory.active[i] = 1;
    memory.active[u] = 1;
    memory.active[after(i, count)] = 1;
  }

  /// The lists of the turn that begins; they are empty.
  GPUIMG_FUNCTION turn_counts& lists() const noexcept { return state_.turns[turn_]; }

  /// After the barrier that follows the filling of a turn's first list. Three turns alternate: threads may still read
  /// this one's lists while others fill the next one's; nobody reads those of the one before.
  GPUIMG_FUNCTION void take_turns() noexcept {
    const int last = turn_ == 0 ? 2 : turn_ - 1;
    if (block_.rank() == 0) { state_.turns[last] = {0, 0, 0}; }
    turn_ = turn_ == 2 ? 0 : turn_ + 1;
  }

  GPUIMG_FUNCTION std::int32_t make_moves(const snake_world<Model, Cell>& world, int parity) {
    const snake_memory memory = state_.memory;
    const std::int32_t count = state_.count;
    turn_counts& turn = lists();
    auto warp = block_.warp();
    for (std::int32_t first = parity; first < count; first += 2 * Block::size()) {
      const std::int32_t i = first + 2 * block_.rank();
      const bool looks = i < count && memory.active[i] != 0;
      if (looks) { memory.active[i] = 0; }
      append(warp, memory.queue, turn.queued, looks, i);
    }
    block_.sync();
    const std::uint32_t queued = turn.queued;
    take_turns();
    if (queued == 0) { return 0; }
    propose_moves(block_, state_, world, queued, turn.proposed, most_parts_);
    block_.sync();
    const std::uint32_t proposed = turn.proposed;
    if (proposed == 0) { return 0; }
    settle(block_, state_, world, proposed, move_turn{world.step, world.threshold}, turn.blocked);
    const std::int32_t made = state_.made;
    if (made == 0) { return 0; }
    const std::int32_t only = state_.only;
    for (auto k = static_cast<std::uint32_t>(block_.rank()); k < proposed; k += Block::size()) {
      const std::int32_t i = memory.proposals[k];
      const node_move& move = memory.move(i);
      if (only == no_move ? move.stands != 0 : i == only) {
        place(memory, count, i, world.step);
      } else if (move.blocked == 0) {
        memory.active[i] = 1;
      }
    }
    block_.sync();
    return made;
  }

  /// Puts a node into the middle of every edge that is too long, unless rounding it to the lattice makes the contour
  /// touch itself; false, and none, if they do not all fit.
  GPUIMG_FUNCTION GPUIMG_COLD bool insert_nodes() {
    const snake_memory memory = state_.memory;
    const std::int32_t count = state_.count;
    added_ = 0;
    const std::int32_t inserted = find_insertions(memory, count);
    if (inserted == 0) { return true; }
    if (inserted > parameters_.max_nodes - count) { return false; }
    const bool fits = count + inserted <= memory.capacity;
    point* const to = fits ? memory.spare : state_.larger.nodes;
    std::int32_t before = 0;
    for (std::int32_t first = 0; first < count; first += Block::size()) {
      const std::int32_t i = first + block_.rank();
      const std::int32_t mine = i < count ? memory.active[i] : 0;
      std::int32_t total = 0;
      const std::int32_t at = i + before + block_.exclusive_scan(mine, simt::plus{}, total);
      if (i < count) { to[at] = memory.nodes[i]; }
      if (mine != 0) { to[at + 1] = middle_after(memory.nodes, count, i); }
      before += total;
    }
    if (!fits && block_.rank() == 0) { state_.memory = state_.larger; }
    replace_nodes(to, fits ? memory.nodes : nullptr, count + inserted);
    added_ = inserted;
    return true;
  }

  GPUIMG_FUNCTION static point middle_after(const point* nodes, std::int32_t count, std::int32_t i) noexcept {
    const point& a = nodes[i];
    const point& b = nodes[after(i, count)];
    return {(a.x + b.x) >> 1, (a.y + b.y) >> 1};
  }

  /// Sets the flags of the nodes after which one is to be inserted; returns their number.
  GPUIMG_FUNCTION std::int32_t find_insertions(const snake_memory& memory, std::int32_t count) {
    const std::int64_t limit = std::int64_t{longest_edge_} * longest_edge_;
    turn_counts& turn = lists();
    auto warp = block_.warp();
    for (std::int32_t first = 0; first < count; first += Block::size()) {
      const std::int32_t i = first + block_.rank();
      bool longer = false;
      if (i < count) {
        const point& a = memory.nodes[i];
        const point& b = memory.nodes[after(i, count)];
        const std::int64_t dx = b.x - a.x;
        const std::int64_t dy = b.y - a.y;
        longer = dx * dx + dy * dy > limit;
        memory.active[i] = 0;
      }
      append(warp, memory.queue, turn.queued, longer, i);
    }
    block_.sync();
    const std::uint32_t queued = turn.queued;
    take_turns();
    if (queued == 0) { return 0; }
    constexpr int lanes = lanes_of<Block>;
    for (auto k = static_cast<std::uint32_t>(block_.warp_rank()); k < queued; k += Block::size() / lanes) {
      const std::int32_t i = memory.queue[k];
      const auto change = insertion_of(memory.nodes, count, i, middle_after(memory.nodes, count, i));
      const bool touching = touches(change, memory.nodes, count, warp.rank(), lanes);
      if (!warp.any(touching) && warp.rank() == 0) {
        memory.active[i] = 1;
        take_place<Block>(turn.proposed);
      }
    }
    block_.sync();
    return static_cast<std::int32_t>(turn.proposed);
  }

  /// Takes `nodes` as those of the contour, and `spare`, unless it is null, as the place for others.
  GPUIMG_FUNCTION void replace_nodes(point* nodes, point* spare, std::int32_t count) {
    if (block_.rank() == 0) {
      state_.memory.nodes = nodes;
      if (spare != nullptr) { state_.memory.spare = spare; }
      state_.count = count;
    }
    stale_ = true;
    block_.sync();
  }

  /// Drops the tips of spikes that are worth no more than a move must be: they hold no pixels, so that no move shortens
  /// them, and are in the way of others.
  GPUIMG_FUNCTION std::int32_t drop_spikes() {
    std::int32_t dropped = 0;
    GPUIMG_NO_UNROLL
    for (int parity = 0; parity < 2; ++parity) { dropped += drop_nodes(parity, parameters_.threshold, true); }
    return dropped;
  }

  /// Drops nodes while one is worth less than its description; whether any was.
  GPUIMG_FUNCTION GPUIMG_COLD bool prune() {
    bool any = false;
    for (std::int32_t dropped = 1; dropped != 0;) {
      const double price = node_price(block_, state_.memory.nodes, state_.count);
      dropped = 0;
      GPUIMG_NO_UNROLL
      for (int parity = 0; parity < 2; ++parity) { dropped += drop_nodes(parity, price, false); }
      any = any || dropped != 0;
    }
    return any;
  }

  GPUIMG_FUNCTION GPUIMG_COLD std::int32_t drop_nodes(int parity, double price, bool spikes_only) {
    const snake_memory memory = state_.memory;
    const std::int32_t count = state_.count;
    if (count <= 3) { return 0; }
    turn_counts& turn = lists();
    auto warp = block_.warp();
    for (std::int32_t first = parity; first < count; first += 2 * Block::size()) {
      const std::int32_t i = first + 2 * block_.rank();
      const bool looks = i < count && (!spikes_only || around(memory.nodes, count, i).is_spike());
      append(warp, memory.queue, turn.queued, looks, i);
    }
    block_.sync();
    const std::uint32_t queued = turn.queued;
    take_turns();
    if (queued == 0) { return 0; }
    propose_removals(block_, state_, world_, queued, turn.proposed, price);
    block_.sync();
    const std::uint32_t proposed = turn.proposed;
    if (proposed == 0) { return 0; }
    settle(block_, state_, world_, proposed, removal_turn{price}, turn.blocked);
    if (state_.made == 0) { return 0; }
    const std::int32_t only = state_.only;
    for (std::int32_t i = block_.rank(); i < count; i += Block::size()) { memory.active[i] = 1; }
    block_.sync();
    for (auto k = static_cast<std::uint32_t>(block_.rank()); k < proposed; k += Block::size()) {
      const std::int32_t i = memory.proposals[k];
      if (only == no_move ? memory.move(i).stands != 0 : i == only) { memory.active[i] = 0; }
    }
    block_.sync();
    std::int32_t kept = 0;
    for (std::int32_t first = 0; first < count; first += Block::size()) {
      const std::int32_t i = first + block_.rank();
      const std::int32_t keep = i < count ? memory.active[i] : 0;
      std::int32_t total = 0;
      const std::int32_t at = kept + block_.exclusive_scan(keep, simt::plus{}, total);
      if (keep != 0) { memory.spare[at] = memory.nodes[i]; }
      kept += total;
    }
    replace_nodes(memory.spare, memory.nodes, kept);
    measure(world_.rows.stride);
    return count - kept;
  }

  /// Sums of edges, target and window over every `stride`-th row, and their criterion, unless these are known.
  GPUIMG_FUNCTION GPUIMG_COLD void measure(std::int32_t stride) {
    const bool other_rows = stride != world_.rows.stride;
    if (!other_rows && !stale_) { return; }
    world_.rows = {stride, stride / 2};
    stale_ = false;
    const region_sums target = measure_edges(block_, world_, state_.memory, state_.count);
    region_sums total;
    if (other_rows) {
      total = rectangle_sums(world_.picture, world_.window, world_.rows, block_.rank(), Block::size());
    }
    take_sums(block_, state_, world_, target, total, other_rows);
    block_.sync();
  }

  GPUIMG_FUNCTION void resolve_lengths() {
    const node_extent box = extent_of(block_, state_.memory.nodes, state_.count);
    height_ = box.height();
    const std::int32_t side = simt::maximum{}(box.width(), height_);
    first_step_ = parameters_.first_step != 0 ? parameters_.first_step : simt::maximum{}(4, side / 24);
    const std::int32_t short_edge = simt::minimum{}(16, simt::maximum{}(4, side / 8));
    longest_edge_ = parameters_.longest_edge != 0 ? parameters_.longest_edge : simt::maximum{}(short_edge, side / 128);
  }

  /// Rows that one sampled row stands for: a quarter of the step, but never less than 64 of the target.
  GPUIMG_FUNCTION std::int32_t row_stride(std::int32_t step) {
    if (!parameters_.coarse_rows || step < 8) { return 1; }
    const std::int32_t most = extent_of(block_, state_.memory.nodes, state_.count).height() / 64;
    const std::int32_t stride = step / 4 < most ? step / 4 : most;
    return stride < 1 ? 1 : stride;
  }

  GPUIMG_FUNCTION GPUIMG_COLD snake_outcome outcome(stop_reason reason) {
    const std::int32_t count = state_.count;
    std::int32_t crossings = 0;
    if (parameters_.count_crossings) { crossings = count_crossings(block_, state_.memory.nodes, count); }
    return {state_.target.load(), state_.total.load(), state_.current, count, iterations_, passes_, crossings, reason};
  }

  Block& block_;
  state_type& state_;
  const Observer& observer_;
  const snake_parameters& parameters_;
  snake_world<Model, Cell> world_;
  int turn_ = 0;
  int most_parts_ = 1;
  bool stale_ = true;  ///< whether the contour has other nodes than when it was measured
  std::int32_t added_ = 0;
  std::int32_t iterations_ = 0;
  std::int32_t passes_ = 0;
  std::int32_t height_ = 0;  ///< of the initial polygon
  std::int32_t first_step_ = 1;
  std::int32_t longest_edge_ = 2;
};

}  // namespace gpuimg::detail
