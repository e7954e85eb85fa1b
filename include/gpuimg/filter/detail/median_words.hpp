/// @file
/// How keys travel in a device's registers.
#pragma once

#include "gpuimg/core/config.hpp"
#include "gpuimg/filter/compare_exchange.hpp"

namespace gpuimg::filter::detail {

/// Two narrow keys to a word, or a wide one alone.
template <class Key>
struct device_word {
  using type = Key;
  static constexpr int lanes = 1;
  GPUIMG_FUNCTION static constexpr Key lane(Key word, int) noexcept { return word; }
};
template <class Key>
requires(sizeof(Key) <= 2) struct device_word<Key> {
  using type = u16x2;
  static constexpr int lanes = 2;
  GPUIMG_FUNCTION static constexpr Key lane(u16x2 word, int index) noexcept {
    return static_cast<Key>(word.lane(index));
  }
};

}  // namespace gpuimg::filter::detail
