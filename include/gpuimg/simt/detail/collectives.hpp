/// @file
/// The collectives of the emulator, written once for warps and blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "gpuimg/simt/detail/fiber_scheduler.hpp"
#include "gpuimg/simt/detail/meeting_point.hpp"

namespace gpuimg::simt::detail {

/// One thread's part in the next collective of its warp or block.
class emulated_collective {
 public:
  emulated_collective(fiber_scheduler& scheduler, meeting_point& point, int thread) noexcept
      : scheduler_(&scheduler), point_(&point), thread_(thread) {}

  /// The sum of all threads' votes.
  std::uint32_t vote(const call_site& site, std::uint32_t contribution) const {
    scheduler_->arrive(*point_, thread_, site);
    auto& votes = point_->votes();
    votes += contribution;
    scheduler_->wait(*point_, thread_, [] {});
    return votes;
  }

  /// The value of the thread that has rank `source` in the group.
  template <collective_operand T>
  T exchange(const call_site& site, const T& value, int source) const {
    const auto* slots = gather(site, value, [](operand_slot*) {});
    return load<T>(slots[source]);
  }

  /// The value of the lane `step` above the caller's, or the caller's own where there is none. `distance` is what the
  /// kernel asked for, which must be a lane.
  template <collective_operand T>
  T shuffle_by(const call_site& site, const T& value, int distance, int step) const {
    if (distance < 0 || distance >= warp_size) {
      scheduler_->record_failure(errc::invalid_argument, describe_thread(thread_) + " reached " + describe(site) +
                                                             " with a distance or mask of " + std::to_string(distance) +
                                                             ", outside of 0..31");
      scheduler_->drop(thread_);
    }
    const int source = rank() + step;
    return exchange(site, value, source >= 0 && source < warp_size ? source : rank());
  }

  /// A bit for each thread (of a warp) whose value has the same bits.
  template <collective_operand T>
  std::uint32_t match(const call_site& site, const T& value) const {
    const auto* slots = gather(site, value, [](operand_slot*) {});
    std::uint32_t equal = 0;
    for (int i = 0; i < warp_size; ++i) {
      equal |= std::uint32_t{std::memcmp(slots[i].bytes, &value, sizeof(T)) == 0} << i;
    }
    return equal;
  }

  /// Combines lanes that are 16, 8, 4, 2, 1 apart, and the warps of a block in ascending order: on a device every lane
  /// of a warp gets there by the same operations.
  template <collective_operand T, class Operator>
  T reduce(const call_site& site, const T& value, Operator op) const {
    const auto* slots = gather(site, value, [&](operand_slot* all) {
      const int count = point_->size();
      for (int first = 0; first < count; first += warp_size) {
        for (int distance = warp_size / 2; distance != 0; distance /= 2) {
          for (int i = first; i < first + distance; ++i) { combine<T>(all[i], all[i + distance], all[i], op); }
        }
        if (first != 0) { combine<T>(all[0], all[first], all[0], op); }
      }
    });
    return load<T>(slots[0]);
  }

  template <collective_operand T, class Operator>
  T inclusive_scan(const call_site& site, const T& value, Operator op) const {
    const auto* slots = gather(site, value, [&](operand_slot* all) { scan<T>(all, op); });
    return load<T>(slots[rank()]);
  }

  template <collective_operand T, class Operator>
  T exclusive_scan(const call_site& site, const T& value, Operator op, T& total) const {
    const auto* slots = gather(site, value, [&](operand_slot* all) { scan<T>(all, op); });
    total = load<T>(slots[point_->size() - 1]);
    return rank() == 0 ? T{} : op(T{}, load<T>(slots[rank() - 1]));
  }

 private:
  int rank() const noexcept { return thread_ - point_->first_thread(); }

  /// Deposits `value`, lets the last thread `complete` the slots, and returns them.
  template <collective_operand T, class Complete>
  const operand_slot* gather(const call_site& site, const T& value, const Complete& complete) const {
    scheduler_->arrive(*point_, thread_, site);
    auto* slots = point_->slots();
    store(slots[rank()], value);
    scheduler_->wait(*point_, thread_, [&] { complete(slots); });
    return slots;
  }

  template <collective_operand T, class Operator>
  static void combine(const operand_slot& a, const operand_slot& b, operand_slot& result, Operator op) {
    store(result, T(op(load<T>(a), load<T>(b))));
  }

  /// Sums over distances 1, 2, 4, 8, 16 in each warp, then each warp is added to all before it.
  template <collective_operand T, class Operator>
  void scan(operand_slot* all, Operator op) const {
    const int count = point_->size();
    for (int first = 0; first < count; first += warp_size) {
      for (int distance = 1; distance < warp_size; distance *= 2) {
        for (int i = first + warp_size - 1; i >= first + distance; --i) {
          combine<T>(all[i - distance], all[i], all[i], op);
        }
      }
      for (int i = first; first != 0 && i < first + warp_size; ++i) { combine<T>(all[first - 1], all[i], all[i], op); }
    }
  }

  fiber_scheduler* scheduler_;
  meeting_point* point_;
  int thread_;
};

}  // namespace gpuimg::simt::detail
