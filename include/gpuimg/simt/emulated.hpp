/// @file
/// A warp and a block on the host: the groups that simt::emulate hands to a kernel.
///
/// Every collective checks that all threads of its group are at the same call, with operands of the same size. The last
/// two parameters of each name the call in the report; leave them out.
#pragma once

#include <cstdint>

#include "gpuimg/simt/detail/collectives.hpp"
#include "gpuimg/simt/detail/fiber_scheduler.hpp"
#include "gpuimg/simt/detail/one_target.hpp"
#include "gpuimg/simt/group.hpp"

// The end of a parameter list that takes the caller's place in its source.
#define GPUIMG_CALL_SITE \
  [[maybe_unused]] const char *file = __builtin_FILE(), [[maybe_unused]] int line = __builtin_LINE()

namespace gpuimg::simt {

/// A warp of an emulated block; models warp_group.
class emulated_warp {
 public:
  GPUIMG_FUNCTION emulated_warp(detail::fiber_scheduler& scheduler, int thread) noexcept
      : scheduler_(&scheduler), thread_(thread) {}

  GPUIMG_FUNCTION static constexpr int size() noexcept { return warp_size; }
  GPUIMG_FUNCTION int rank() const noexcept { return thread_ % warp_size; }

  GPUIMG_FUNCTION void sync(GPUIMG_CALL_SITE) const { GPUIMG_ON_HOST(gather().vote({"warp.sync", 0, file, line}, 0);) }

  template <collective_operand T>
  GPUIMG_FUNCTION T shuffle(T value, int lane, GPUIMG_CALL_SITE) const {
    GPUIMG_ON_HOST(return gather().exchange({"warp.shuffle", sizeof(T), file, line}, value, lane & (warp_size - 1));)
  }
  template <collective_operand T>
  GPUIMG_FUNCTION T shuffle_up(T value, int distance, GPUIMG_CALL_SITE) const {
    GPUIMG_ON_HOST(return gather().shuffle_by({"warp.shuffle_up", sizeof(T), file, line}, value, distance, -distance);)
  }
  template <collective_operand T>
  GPUIMG_FUNCTION T shuffle_down(T value, int distance, GPUIMG_CALL_SITE) const {
    GPUIMG_ON_HOST(return gather().shuffle_by({"warp.shuffle_down", sizeof(T), file, line}, value, distance, distance);)
  }
  template <collective_operand T>
  GPUIMG_FUNCTION T shuffle_xor(T value, int mask, GPUIMG_CALL_SITE) const {
    GPUIMG_ON_HOST(
        return gather().shuffle_by({"warp.shuffle_xor", sizeof(T), file, line}, value, mask, (rank() ^ mask) - rank());)
  }

  GPUIMG_FUNCTION std::uint32_t ballot(bool p, GPUIMG_CALL_SITE) const {
    GPUIMG_ON_HOST(return gather().vote({"warp.ballot", 0, file, line}, lane_bit(p));)
  }
  GPUIMG_FUNCTION bool any(bool p, GPUIMG_CALL_SITE) const {
    GPUIMG_ON_HOST(return gather().vote({"warp.any", 0, file, line}, lane_bit(p)) != 0;)
  }
  GPUIMG_FUNCTION bool all(bool p, GPUIMG_CALL_SITE) const {
    GPUIMG_ON_HOST(return gather().vote({"warp.all", 0, file, line}, lane_bit(!p)) == 0;)
  }
  template <match_operand T>
  GPUIMG_FUNCTION std::uint32_t match_any(T value, GPUIMG_CALL_SITE) const {
    GPUIMG_ON_HOST(return gather().match({"warp.match_any", sizeof(T), file, line}, value);)
  }

  template <collective_operand T, class Operator>
  GPUIMG_FUNCTION T reduce(T value, Operator op, GPUIMG_CALL_SITE) const {
    GPUIMG_ON_HOST(return gather().reduce({"warp.reduce", sizeof(T), file, line}, value, op);)
  }
  template <collective_operand T, class Operator>
  GPUIMG_FUNCTION T inclusive_scan(T value, Operator op, GPUIMG_CALL_SITE) const {
    GPUIMG_ON_HOST(return gather().inclusive_scan({"warp.inclusive_scan", sizeof(T), file, line}, value, op);)
  }
  template <collective_operand T, class Operator>
  GPUIMG_FUNCTION T exclusive_scan(T value, Operator op, GPUIMG_CALL_SITE) const {
    T total;
    return exclusive_scan(value, op, total, file, line);
  }
  template <collective_operand T, class Operator>
  GPUIMG_FUNCTION T exclusive_scan(T value, Operator op, T& total, GPUIMG_CALL_SITE) const {
    GPUIMG_ON_HOST(return gather().exclusive_scan({"warp.exclusive_scan", sizeof(T), file, line}, value, op, total);)
  }

 private:
  detail::emulated_collective gather() const noexcept { return {*scheduler_, scheduler_->warp_of(thread_), thread_}; }
  std::uint32_t lane_bit(bool p) const noexcept { return std::uint32_t{p} << rank(); }

  detail::fiber_scheduler* scheduler_;
  int thread_;
};

/// A block of `Threads` emulated threads; models block_group.
template <int Threads>
class emulated_block {
  static_assert(Threads > 0 && Threads % warp_size == 0 && Threads <= max_block_size);

 public:
  emulated_block(detail::fiber_scheduler& scheduler, int thread, const grid_index& index,
                 const grid_extent& grid) noexcept
      : scheduler_(&scheduler), thread_(thread), index_(index), grid_(grid) {}

  GPUIMG_FUNCTION static constexpr int size() noexcept { return Threads; }
  GPUIMG_FUNCTION int rank() const noexcept { return thread_; }
  GPUIMG_FUNCTION int warp_rank() const noexcept { return thread_ / warp_size; }
  GPUIMG_FUNCTION emulated_warp warp() const noexcept { return {*scheduler_, thread_}; }
  GPUIMG_FUNCTION grid_index index() const noexcept { return index_; }
  GPUIMG_FUNCTION grid_extent grid() const noexcept { return grid_; }

  GPUIMG_FUNCTION void sync(GPUIMG_CALL_SITE) const { GPUIMG_ON_HOST(gather().vote({"block.sync", 0, file, line}, 0);) }
  GPUIMG_FUNCTION bool any(bool p, GPUIMG_CALL_SITE) const {
    GPUIMG_ON_HOST(return gather().vote({"block.any", 0, file, line}, p) != 0;)
  }
  GPUIMG_FUNCTION bool all(bool p, GPUIMG_CALL_SITE) const {
    GPUIMG_ON_HOST(return gather().vote({"block.all", 0, file, line}, !p) == 0;)
  }
  template <collective_operand T, class Operator>
  GPUIMG_FUNCTION T reduce(T value, Operator op, GPUIMG_CALL_SITE) const {
    GPUIMG_ON_HOST(return gather().reduce({"block.reduce", sizeof(T), file, line}, value, op);)
  }
  template <collective_operand T, class Operator>
  GPUIMG_FUNCTION T inclusive_scan(T value, Operator op, GPUIMG_CALL_SITE) const {
    GPUIMG_ON_HOST(return gather().inclusive_scan({"block.inclusive_scan", sizeof(T), file, line}, value, op);)
  }
  template <collective_operand T, class Operator>
  GPUIMG_FUNCTION T exclusive_scan(T value, Operator op, GPUIMG_CALL_SITE) const {
    T total;
    return exclusive_scan(value, op, total, file, line);
  }
  template <collective_operand T, class Operator>
  GPUIMG_FUNCTION T exclusive_scan(T value, Operator op, T& total, GPUIMG_CALL_SITE) const {
    GPUIMG_ON_HOST(return gather().exclusive_scan({"block.exclusive_scan", sizeof(T), file, line}, value, op, total);)
  }

 private:
  detail::emulated_collective gather() const noexcept { return {*scheduler_, scheduler_->block(), thread_}; }

  detail::fiber_scheduler* scheduler_;
  int thread_;
  grid_index index_;
  grid_extent grid_;
};

static_assert(warp_group<emulated_warp> && block_group<emulated_block<64>>);

}  // namespace gpuimg::simt

#undef GPUIMG_CALL_SITE
