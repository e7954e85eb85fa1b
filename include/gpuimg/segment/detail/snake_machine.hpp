/// @file
/// The region snake, for one thread or for a thread block: the same decisions in the same order.
#pragma once

#include <cstdint>

#include "gpuimg/core/config.hpp"
#include "gpuimg/segment/detail/contour_guard.hpp"
#include "gpuimg/segment/detail/move_proposals.hpp"
#include "gpuimg/segment/detail/node_moves.hpp"
#include "gpuimg/segment/noise_model.hpp"
#include "gpuimg/segment/polygon.hpp"
#include "gpuimg/segment/region_sums.hpp"
#include "gpuimg/segment/snake_parameters.hpp"
#include "gpuimg/simt/group.hpp"

// Keeps a member that is called from several places, and seldom, out of the hot code of a kernel: one copy is compiled.
#if defined(__CUDACC__)
#define GPUIMG_OUT_OF_LINE __noinline__
#else
#define GPUIMG_OUT_OF_LINE
#endif

namespace gpuimg::detail {

/// Iterations that a trace holds.
inline constexpr std::int32_t longest_trace = 128;

/// Where a snake keeps its nodes; each array has room for `capacity` of them.
struct snake_memory {
  point* nodes;
  point* spare;
  node_move* moves;
  std::uint8_t* active;
  std::int32_t capacity;
};

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
/// same values in all of them.
///
/// Sums are exact integers and moves of one parity share no edge, so the criterion after any set of moves follows from
/// the sums of each, without another look at the picture. If the set does not lower the criterion, only its best
/// move is made. A node is looked at again when it or a neighbour has moved, and at the start of each iteration.
template <class Block, noise_model Model, class Cell, class Observer>
class snake_machine {
 public:
  GPUIMG_FUNCTION snake_machine(Block& block, proposal_scratch<Block::size()>& scratch, const Model& model,
                                const prefix_view<const Cell>& picture, double unit, const rectangle& window,
                                const snake_parameters& parameters, const snake_memory& memory, std::int32_t node_count,
                                const Observer& observer)
      : block_(block),
        scratch_(scratch),
        observer_(observer),
        parameters_(parameters),
        memory_(memory),
        world_{picture, model, unit, window, {}, {}, {}, 0, 1, parameters.threshold},
        count_(node_count) {}

  /// The nodes, after run().
  GPUIMG_FUNCTION const point* nodes() const noexcept { return memory_.nodes; }

  GPUIMG_FUNCTION snake_outcome run() {
    resolve_lengths();
    measure(1);
    if (world_.current == impossible) { return outcome(stop_reason::no_target); }
    stop_reason reason = descend(first_step_);
    if (parameters_.refine && reason != stop_reason::iteration_limit) { reason = descend(longest_edge_ / 8); }
    if (parameters_.prune) {
      measure(1);
      if (prune()) { iterate(1); }
    }
    measure(1);
    return outcome(reason);
  }

 private:
  /// Iterations from `first_step` down to 1, and on until nothing moves.
  GPUIMG_FUNCTION stop_reason descend(std::int32_t first_step) {
    for (std::int32_t i = 0;; ++i) {
      const std::int32_t step = i < 31 && (first_step >> i) > 1 ? first_step >> i : 1;
      const std::int32_t moves = iterate(step);
      const std::int32_t dropped = drop_spikes();
      const bool full = !insert_nodes();
      const bool last = step == 1 && moves == 0 && dropped == 0 && added_ == 0;
      if (last) { return full ? stop_reason::node_limit : stop_reason::converged; }
      if (iterations_ >= parameters_.max_iterations) { return stop_reason::iteration_limit; }
    }
  }

  /// Moves nodes by `step` until none does; returns how many moves that took.
  GPUIMG_FUNCTION GPUIMG_OUT_OF_LINE std::int32_t iterate(std::int32_t step) {
    world_.step = step;
    measure(row_stride(step));
    if (world_.current == impossible) { measure(1); }
    for (std::int32_t i = block_.rank(); i < count_; i += Block::size()) { memory_.active[i] = 1; }
    block_.sync();
    snake_iteration record{iterations_, step, world_.rows.stride, 0, 0, count_, 0};
    for (std::int32_t made = 1; made != 0 && record.passes < parameters_.max_passes; ++record.passes) {
      made = pass();
      record.moves += made;
    }
    record.criterion = world_.current;
    passes_ += record.passes;
    ++iterations_;
    observer_(record, memory_.nodes);
    return record.moves;
  }

  GPUIMG_FUNCTION std::int32_t pass() {
    if constexpr (Block::size() == 1) {
      if (parameters_.rule == move_rule::sequential) { return sequential_pass(); }
    }
    std::int32_t made = 0;
    for (int parity = 0; parity < 2; ++parity) {
      propose_moves(block_, scratch_, world_, memory_.nodes, count_, memory_.active, memory_.moves, parity);
      made += make_moves(parity);
    }
    return made;
  }

  GPUIMG_FUNCTION std::int32_t sequential_pass() {
    std::int32_t made = 0;
    for (std::int32_t i = 0; i < count_; ++i) {
      propose_move(world_, memory_.nodes, count_, memory_.active, memory_.moves, i);
      if (memory_.moves[i].direction == no_move) { continue; }
      accept(memory_.moves[i].change, memory_.moves[i].criterion);
      place(i);
      ++made;
    }
    return made;
  }

  GPUIMG_FUNCTION void accept(const region_sums& change, double criterion) noexcept {
    world_.target += change;
    world_.current = criterion;
  }

  /// Moves a node, and has it and its neighbours looked at again.
  GPUIMG_FUNCTION void place(std::int32_t i) noexcept {
    memory_.nodes[i] = moved(memory_.nodes[i], memory_.moves[i].direction, world_.step);
    memory_.active[i] = 1;
    memory_.active[before(i, count_)] = 1;
    memory_.active[after(i, count_)] = 1;
  }

  /// What proposal i makes of the contour.
  GPUIMG_FUNCTION contour_change change_of(std::int32_t i, bool removal) const noexcept {
    if (removal) { return removal_of(memory_.nodes, count_, i); }
    return move_of(memory_.nodes, count_, i, moved(memory_.nodes[i], memory_.moves[i].direction, world_.step));
  }

  /// Marks the proposals of a parity that stand: those that no better one is in the way of, because their edges would
  /// meet, or because they are neighbours: the first and the last of an odd number of nodes.
  GPUIMG_FUNCTION GPUIMG_OUT_OF_LINE void settle(int parity, bool removal) {
    node_move* moves = memory_.moves;
    for (std::int32_t i = 2 * block_.rank() + parity; i < count_; i += 2 * Block::size()) {
      moves[i].stands = 0;
      if (moves[i].direction == no_move) { continue; }
      const contour_change own = change_of(i, removal);
      bool free = true;
      for (std::int32_t j = parity; j < count_ && free; j += 2) {
        if (j == i || moves[j].direction == no_move) { continue; }
        const bool better =
            moves[j].criterion < moves[i].criterion || (moves[j].criterion == moves[i].criterion && j < i);
        if (!better) { continue; }
        free = after(i, count_) != j && after(j, count_) != i && !collide(own, change_of(j, removal));
      }
      moves[i].stands = free ? 1 : 0;
    }
    block_.sync();
  }

  /// Sum of the changes of a parity's proposals; their number through `number`.
  GPUIMG_FUNCTION GPUIMG_OUT_OF_LINE region_sums gather(int parity, std::int32_t& number) {
    region_sums change;
    std::int64_t standing = 0;
    for (std::int32_t i = 2 * block_.rank() + parity; i < count_; i += 2 * Block::size()) {
      if (memory_.moves[i].stands != 0) {
        change += memory_.moves[i].change;
        ++standing;
      }
    }
    const auto rest = block_.reduce(sum_pair{change.square, standing}, add_pairs{});
    number = static_cast<std::int32_t>(rest.second);
    if (number == 0) { return {}; }
    const auto sums = block_.reduce(sum_pair{change.count, change.sum}, add_pairs{});
    return {sums.first, sums.second, rest.first};
  }

  /// The best of a parity's proposals.
  GPUIMG_FUNCTION GPUIMG_OUT_OF_LINE std::int32_t best_proposal(int parity) {
    ranked_move best{impossible, count_};
    for (std::int32_t i = 2 * block_.rank() + parity; i < count_; i += 2 * Block::size()) {
      if (memory_.moves[i].stands != 0) { best = better_move{}(best, {memory_.moves[i].criterion, i}); }
    }
    return static_cast<std::int32_t>(block_.reduce(best, better_move{}).node);
  }

  GPUIMG_FUNCTION std::int32_t make_moves(int parity) {
    std::int32_t number = 0;
    settle(parity, false);
    const region_sums change = gather(parity, number);
    if (number == 0) { return 0; }
    const double together = world_.criterion_with(change);
    std::int32_t only = no_move;
    if (portable::add(world_.current, -world_.threshold) > together) {
      accept(change, together);
    } else {
      only = best_proposal(parity);
      accept(memory_.moves[only].change, memory_.moves[only].criterion);
      number = 1;
    }
    for (std::int32_t i = 2 * block_.rank() + parity; i < count_; i += 2 * Block::size()) {
      if (memory_.moves[i].direction == no_move) { continue; }
      if (only == no_move ? memory_.moves[i].stands != 0 : i == only) {
        place(i);
      } else {
        memory_.active[i] = 1;
      }
    }
    block_.sync();
    return number;
  }

  /// Puts a node into the middle of every edge that is too long, unless rounding it to the lattice makes the contour
  /// touch itself; false, and none, if they do not all fit.
  GPUIMG_FUNCTION GPUIMG_OUT_OF_LINE bool insert_nodes() {
    const std::int64_t limit = std::int64_t{longest_edge_} * longest_edge_;
    const std::int32_t most = memory_.capacity < parameters_.max_nodes ? memory_.capacity : parameters_.max_nodes;
    std::int32_t before = 0;
    for (std::int32_t first = 0; first < count_; first += Block::size()) {
      const std::int32_t i = first + block_.rank();
      const bool present = i < count_;
      const point a = present ? memory_.nodes[i] : point{};
      const point b = present ? memory_.nodes[i + 1 == count_ ? 0 : i + 1] : point{};
      const std::int64_t dx = b.x - a.x;
      const std::int64_t dy = b.y - a.y;
      const point middle{(a.x + b.x) >> 1, (a.y + b.y) >> 1};
      const bool longer = present && dx * dx + dy * dy > limit;
      const std::int32_t added =
          longer && !touches(insertion_of(memory_.nodes, count_, i, middle), memory_.nodes, count_) ? 1 : 0;
      std::int32_t total = 0;
      const std::int32_t at = i + before + block_.exclusive_scan(added, simt::plus{}, total);
      if (present && at < most) { memory_.spare[at] = a; }
      if (added != 0 && at + 1 < most) { memory_.spare[at + 1] = middle; }
      before += total;
    }
    added_ = 0;
    if (before > most - count_) { return false; }
    added_ = before;
    count_ += before;
    swap_nodes();
    return true;
  }

  GPUIMG_FUNCTION void swap_nodes() {
    point* const old = memory_.nodes;
    memory_.nodes = memory_.spare;
    memory_.spare = old;
    block_.sync();
  }

  /// Drops the tips of spikes that are worth no more than a move must be: they hold no pixels, so that no move shortens
  /// them, and are in the way of others.
  GPUIMG_FUNCTION std::int32_t drop_spikes() {
    std::int32_t dropped = 0;
    for (int parity = 0; parity < 2; ++parity) { dropped += drop_nodes(parity, parameters_.threshold, true); }
    return dropped;
  }

  /// Drops nodes while one is worth less than its description; whether any was.
  GPUIMG_FUNCTION GPUIMG_OUT_OF_LINE bool prune() {
    bool any = false;
    for (std::int32_t dropped = 1; dropped != 0;) {
      const double price = node_price();
      dropped = 0;
      for (int parity = 0; parity < 2; ++parity) { dropped += drop_nodes(parity, price, false); }
      any = any || dropped != 0;
    }
    return any;
  }

  /// 2 log(2e) + log(mx my).
  GPUIMG_FUNCTION double node_price() {
    sum_pair spans{0, 0};
    for (std::int32_t i = block_.rank(); i < count_; i += Block::size()) {
      const point& a = memory_.nodes[i];
      const point& b = memory_.nodes[i + 1 == count_ ? 0 : i + 1];
      spans.first += a.x < b.x ? b.x - a.x : a.x - b.x;
      spans.second += a.y < b.y ? b.y - a.y : a.y - b.y;
    }
    spans = block_.reduce(spans, add_pairs{});
    const auto number = static_cast<double>(count_);
    const double mx = at_least(portable::divide(static_cast<double>(spans.first), number), 1);
    const double my = at_least(portable::divide(static_cast<double>(spans.second), number), 1);
    constexpr double two_log_2e = 3.3862943611198906;
    return portable::add(two_log_2e, portable::log(portable::multiply(mx, my)));
  }

  GPUIMG_FUNCTION GPUIMG_OUT_OF_LINE std::int32_t drop_nodes(int parity, double price, bool spikes_only) {
    for (std::int32_t i = 2 * block_.rank() + parity; i < count_; i += 2 * Block::size()) {
      propose_removal(world_, memory_.nodes, count_, memory_.moves, i, price, spikes_only);
    }
    block_.sync();
    std::int32_t number = 0;
    settle(parity, true);
    const region_sums change = gather(parity, number);
    if (number == 0 || count_ <= 3) { return 0; }
    const double together = world_.criterion_with(change);
    std::int32_t only = no_move;
    const double worth = portable::add(together, -world_.current);
    if (count_ - number >= 3 && worth < portable::multiply(price, static_cast<double>(number))) {
      accept(change, together);
    } else {
      only = best_proposal(parity);
      accept(memory_.moves[only].change, memory_.moves[only].criterion);
    }
    std::int32_t kept = 0;
    for (std::int32_t first = 0; first < count_; first += Block::size()) {
      const std::int32_t i = first + block_.rank();
      const bool proposed = i < count_ && i % 2 == parity && memory_.moves[i].stands != 0;
      const bool keep = i < count_ && !(only == no_move ? proposed : i == only);
      std::int32_t total = 0;
      const std::int32_t at = kept + block_.exclusive_scan(keep ? 1 : 0, simt::plus{}, total);
      if (keep) { memory_.spare[at] = memory_.nodes[i]; }
      kept += total;
    }
    number = count_ - kept;
    count_ = kept;
    swap_nodes();
    return number;
  }

  /// Sums of target and window over every `stride`-th row, and their criterion.
  GPUIMG_FUNCTION GPUIMG_OUT_OF_LINE void measure(std::int32_t stride) {
    world_.rows = {stride, stride / 2};
    const region_sums target = contour_sums(block_, world_, memory_.nodes, count_);
    const region_sums total = rectangle_sums(world_.picture, world_.window, world_.rows, block_.rank(), Block::size());
    world_.target = reduce_sums(target);
    world_.total = reduce_sums(total);
    world_.current = world_.criterion_with({});
  }

  GPUIMG_FUNCTION region_sums reduce_sums(const region_sums& s) {
    const auto a = block_.reduce(sum_pair{s.count, s.sum}, add_pairs{});
    const auto b = block_.reduce(sum_pair{s.square, 0}, add_pairs{});
    return {a.first, a.second, b.first};
  }

  /// Extent of the nodes along x (first) and y (second).
  GPUIMG_FUNCTION GPUIMG_OUT_OF_LINE sum_pair extents() {
    point low{max_snake_side, max_snake_side};
    point high{0, 0};
    for (std::int32_t i = block_.rank(); i < count_; i += Block::size()) {
      const point& p = memory_.nodes[i];
      low = {simt::minimum{}(low.x, p.x), simt::minimum{}(low.y, p.y)};
      high = {simt::maximum{}(high.x, p.x), simt::maximum{}(high.y, p.y)};
    }
    const std::int64_t width =
        block_.reduce(high.x, simt::maximum{}) - std::int64_t{block_.reduce(low.x, simt::minimum{})};
    const std::int64_t height =
        block_.reduce(high.y, simt::maximum{}) - std::int64_t{block_.reduce(low.y, simt::minimum{})};
    return {width, height};
  }

  GPUIMG_FUNCTION void resolve_lengths() {
    const auto [width, height] = extents();
    const auto side = static_cast<std::int32_t>(width < height ? height : width);
    first_step_ = parameters_.first_step != 0 ? parameters_.first_step : simt::maximum{}(4, side / 24);
    const std::int32_t short_edge = simt::minimum{}(16, simt::maximum{}(4, side / 8));
    longest_edge_ = parameters_.longest_edge != 0 ? parameters_.longest_edge : simt::maximum{}(short_edge, side / 128);
  }

  /// Rows that one sampled row stands for: a quarter of the step, but never less than 64 of the target.
  GPUIMG_FUNCTION std::int32_t row_stride(std::int32_t step) {
    if (!parameters_.coarse_rows || step < 8) { return 1; }
    const auto most = static_cast<std::int32_t>(extents().second / 64);
    const std::int32_t stride = step / 4 < most ? step / 4 : most;
    return stride < 1 ? 1 : stride;
  }

  GPUIMG_FUNCTION GPUIMG_OUT_OF_LINE snake_outcome outcome(stop_reason reason) {
    std::int32_t crossings = 0;
    if (parameters_.count_crossings) {
      for (std::int32_t i = block_.rank(); i < count_; i += Block::size()) { crossings += crossings_after(i); }
      crossings = block_.reduce(crossings, simt::plus{});
    }
    return {world_.target, world_.total, world_.current, count_, iterations_, passes_, crossings, reason};
  }

  /// Edges after edge i that cross it.
  GPUIMG_FUNCTION std::int32_t crossings_after(std::int32_t i) const noexcept {
    const point* nodes = memory_.nodes;
    std::int32_t crossings = 0;
    for (std::int32_t j = i + 1; j < count_; ++j) {
      crossings +=
          segments_cross(nodes[i], nodes[i + 1 == count_ ? 0 : i + 1], nodes[j], nodes[j + 1 == count_ ? 0 : j + 1])
              ? 1
              : 0;
    }
    return crossings;
  }

  Block& block_;
  proposal_scratch<Block::size()>& scratch_;
  const Observer& observer_;
  const snake_parameters& parameters_;
  snake_memory memory_;
  snake_world<Model, Cell> world_;
  std::int32_t count_;
  std::int32_t added_ = 0;
  std::int32_t iterations_ = 0;
  std::int32_t passes_ = 0;
  std::int32_t first_step_ = 1;
  std::int32_t longest_edge_ = 2;
};

}  // namespace gpuimg::detail

#undef GPUIMG_OUT_OF_LINE
