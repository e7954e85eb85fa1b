/// @file
/// Where a variable-length result goes among those of all warps, in one pass: decoupled look-back (Merrill and Garland,
/// Single-pass Parallel Prefix Scan with Decoupled Look-back, NVIDIA, 2016).
#pragma once

#include <cstdint>

#include "gpuimg/core/config.hpp"
#include "gpuimg/simt/atomic.hpp"
#include "gpuimg/simt/bits.hpp"
#include "gpuimg/simt/group.hpp"

namespace gpuimg::codec {

/// Exclusive prefix sum over warps that finish in any order.
///
/// `states` is one zeroed word for each warp's number. Numbers must be handed out in the order in which warps start to
/// run (take_number()), so that a warp only waits for others that run already. Sums are below 2^62.
class look_back {
 public:
  GPUIMG_FUNCTION explicit look_back(std::uint64_t* states) noexcept : states_(states) {}

  /// The sum of the values of the warps first .. number - 1. A collective of the warp; `value`, `number` and `first`
  /// are the same in all lanes.
  template <class Warp>
  GPUIMG_FUNCTION std::uint64_t exclusive_sum(Warp& warp, std::uint64_t value, std::int64_t number,
                                              std::int64_t first) const {
    if (warp.rank() == 0) { publish(number, number == first ? inclusive : own, value); }
    std::uint64_t sum = 0;
    std::int64_t next = number - 1 - warp.rank();  // lane 0 looks at the warp just before
    bool found = number == first;
    while (!found) {
      const bool exists = next >= first;
      std::uint64_t state = exists ? read(next) : std::uint64_t{inclusive} << flag_shift;
      while (warp.any((state >> flag_shift) == 0)) {
        if ((state >> flag_shift) == 0) { state = read(next); }
      }
      // The nearest warp that knows its inclusive sum ends the search; those behind it do not count.
      const std::uint32_t ends = warp.ballot((state >> flag_shift) == inclusive);
      const int last = ends == 0 ? simt::warp_size - 1 : simt::lowest_bit(ends);
      const std::uint64_t counted = warp.rank() <= last ? state & value_mask : 0;
      sum += warp.reduce(counted, simt::plus{});
      found = ends != 0;
      next -= simt::warp_size;
    }
    if (warp.rank() == 0 && number != first) { publish(number, inclusive, sum + value); }
    return sum;
  }

 private:
  static constexpr int flag_shift = 62;
  static constexpr std::uint64_t value_mask = (std::uint64_t{1} << flag_shift) - 1;
  static constexpr std::uint64_t own = 1;        // the warp's value
  static constexpr std::uint64_t inclusive = 2;  // the sum up to and with the warp's value

  /// Flags ascend, so a maximum stores; the word holds all there is to say and needs no fence.
  GPUIMG_FUNCTION void publish(std::int64_t number, std::uint64_t flag, std::uint64_t value) const {
    simt::atomic_max(states_[number], flag << flag_shift | value);
  }
  GPUIMG_FUNCTION std::uint64_t read(std::int64_t number) const { return simt::atomic_add(states_[number], 0u); }

  std::uint64_t* states_;
};

/// The next number of a counter, the same for all lanes: numbers ascend in the order in which warps start. A
/// collective.
template <class Warp>
GPUIMG_FUNCTION std::int64_t take_number(Warp& warp, std::uint64_t& counter) {
  std::uint64_t number = 0;
  if (warp.rank() == 0) { number = simt::atomic_add(counter, 1u); }
  return static_cast<std::int64_t>(warp.shuffle(number, 0));
}

}  // namespace gpuimg::codec
