/// @file
/// A warp and a block on the host: the groups that simt::emulate hands to a kernel.
///
/// Every collective checks that all threads of its group are at the same call, with operands of the same size. The last
/// two parameters of each name the call in the report; leave them out.
#pragma once

#include <cstdint>
#include <string>

#include "gpuimg/simt/detail/collectives.hpp"
#include "gpuimg/simt/detail/fiber_scheduler.hpp"
#include "gpuimg/simt/group.hpp"

namespace gpuimg::simt {

/// A warp of an emulated block; models warp_group.
class emulated_warp {
 public:
  emulated_warp(detail::fiber_scheduler& scheduler, int thread) noexcept : scheduler_(&scheduler), thread_(thread) {}

  static constexpr int size() noexcept { return warp_size; }
  int rank() const noexcept { return thread_ % warp_size; }

  void sync(const char* file = __builtin_FILE(), int line = __builtin_LINE()) const {
    gather().vote({"warp.sync", 0, file, line}, 0);
  }

  template <collective_operand T>
  T shuffle(T value, int lane, const char* file = __builtin_FILE(), int line = __builtin_LINE()) const {
    return gather().exchange({"warp.shuffle", sizeof(T), file, line}, value, lane & (warp_size - 1));
  }
  template <collective_operand T>
  T shuffle_up(T value, int distance, const char* file = __builtin_FILE(), int line = __builtin_LINE()) const {
    check_distance("warp.shuffle_up", distance);
    const int source = rank() - distance;
    return gather().exchange({"warp.shuffle_up", sizeof(T), file, line}, value, source >= 0 ? source : rank());
  }
  template <collective_operand T>
  T shuffle_down(T value, int distance, const char* file = __builtin_FILE(), int line = __builtin_LINE()) const {
    check_distance("warp.shuffle_down", distance);
    const int source = rank() + distance;
    return gather().exchange({"warp.shuffle_down", sizeof(T), file, line}, value, source < size() ? source : rank());
  }
  template <collective_operand T>
  T shuffle_xor(T value, int mask, const char* file = __builtin_FILE(), int line = __builtin_LINE()) const {
    check_distance("warp.shuffle_xor", mask);
    return gather().exchange({"warp.shuffle_xor", sizeof(T), file, line}, value, rank() ^ mask);
  }

  std::uint32_t ballot(bool p, const char* file = __builtin_FILE(), int line = __builtin_LINE()) const {
    return vote("warp.ballot", p, file, line);
  }
  bool any(bool p, const char* file = __builtin_FILE(), int line = __builtin_LINE()) const {
    return vote("warp.any", p, file, line) != 0;
  }
  bool all(bool p, const char* file = __builtin_FILE(), int line = __builtin_LINE()) const {
    return vote("warp.all", p, file, line) == ~std::uint32_t{0};
  }
  template <match_operand T>
  std::uint32_t match_any(T value, const char* file = __builtin_FILE(), int line = __builtin_LINE()) const {
    return gather().match({"warp.match_any", sizeof(T), file, line}, value);
  }

  template <collective_operand T, class Operator>
  T reduce(T value, Operator op, const char* file = __builtin_FILE(), int line = __builtin_LINE()) const {
    return gather().reduce({"warp.reduce", sizeof(T), file, line}, value, op);
  }
  template <collective_operand T, class Operator>
  T inclusive_scan(T value, Operator op, const char* file = __builtin_FILE(), int line = __builtin_LINE()) const {
    return gather().inclusive_scan({"warp.inclusive_scan", sizeof(T), file, line}, value, op);
  }
  template <collective_operand T, class Operator>
  T exclusive_scan(T value, Operator op, const char* file = __builtin_FILE(), int line = __builtin_LINE()) const {
    T total;
    return exclusive_scan(value, op, total, file, line);
  }
  template <collective_operand T, class Operator>
  T exclusive_scan(T value, Operator op, T& total, const char* file = __builtin_FILE(),
                   int line = __builtin_LINE()) const {
    return gather().exclusive_scan({"warp.exclusive_scan", sizeof(T), file, line}, value, op, total);
  }

 private:
  detail::emulated_collective gather() const noexcept { return {*scheduler_, scheduler_->warp_of(thread_), thread_}; }
  std::uint32_t vote(const char* collective, bool p, const char* file, int line) const {
    return gather().vote({collective, 0, file, line}, std::uint32_t{p} << rank());
  }
  void check_distance(const char* collective, int distance) const {
    if (distance < 0 || distance >= warp_size) {
      scheduler_->record_failure(errc::invalid_argument, detail::describe_thread(thread_) + ": " + collective +
                                                             ": distance or mask " + std::to_string(distance) +
                                                             " is outside of 0..31");
      scheduler_->drop(thread_);
    }
  }

  detail::fiber_scheduler* scheduler_;
  int thread_;
};

/// A block of `Threads` emulated threads; models block_group.
template <int Threads>
class emulated_block {
  static_assert(Threads > 0 && Threads % warp_size == 0 && Threads <= max_block_size);

 public:
  emulated_block(detail::fiber_scheduler& scheduler, int thread, const grid_extent& grid) noexcept
      : scheduler_(&scheduler), thread_(thread), grid_(grid) {}

  static constexpr int size() noexcept { return Threads; }
  int rank() const noexcept { return thread_; }
  int warp_rank() const noexcept { return thread_ / warp_size; }
  emulated_warp warp() const noexcept { return {*scheduler_, thread_}; }
  grid_index index() const noexcept { return scheduler_->index(); }
  grid_extent grid() const noexcept { return grid_; }

  void sync(const char* file = __builtin_FILE(), int line = __builtin_LINE()) const {
    gather().vote({"block.sync", 0, file, line}, 0);
  }
  bool any(bool p, const char* file = __builtin_FILE(), int line = __builtin_LINE()) const {
    return gather().vote({"block.any", 0, file, line}, p) != 0;
  }
  bool all(bool p, const char* file = __builtin_FILE(), int line = __builtin_LINE()) const {
    return gather().vote({"block.all", 0, file, line}, p) == Threads;
  }
  template <collective_operand T, class Operator>
  T reduce(T value, Operator op, const char* file = __builtin_FILE(), int line = __builtin_LINE()) const {
    return gather().reduce({"block.reduce", sizeof(T), file, line}, value, op);
  }
  template <collective_operand T, class Operator>
  T inclusive_scan(T value, Operator op, const char* file = __builtin_FILE(), int line = __builtin_LINE()) const {
    return gather().inclusive_scan({"block.inclusive_scan", sizeof(T), file, line}, value, op);
  }
  template <collective_operand T, class Operator>
  T exclusive_scan(T value, Operator op, const char* file = __builtin_FILE(), int line = __builtin_LINE()) const {
    T total;
    return exclusive_scan(value, op, total, file, line);
  }
  template <collective_operand T, class Operator>
  T exclusive_scan(T value, Operator op, T& total, const char* file = __builtin_FILE(),
                   int line = __builtin_LINE()) const {
    return gather().exclusive_scan({"block.exclusive_scan", sizeof(T), file, line}, value, op, total);
  }

 private:
  detail::emulated_collective gather() const noexcept { return {*scheduler_, scheduler_->block(), thread_}; }

  detail::fiber_scheduler* scheduler_;
  int thread_;
  grid_extent grid_;
};

static_assert(warp_group<emulated_warp> && block_group<emulated_block<64>>);

}  // namespace gpuimg::simt
