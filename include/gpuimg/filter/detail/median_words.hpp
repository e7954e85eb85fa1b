/// @file
/// How keys travel in a device's registers.
#pragma once

#include <cstdint>

#include "gpuimg/core/config.hpp"
#include "gpuimg/filter/compare_exchange.hpp"
#include "gpuimg/filter/median_key.hpp"

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

/// What a register_window's words are of samples of type T.
template <class T>
struct register_word : device_word<typename sample_order<T>::key_type> {
  using key_type = typename sample_order<T>::key_type;
  using typename device_word<key_type>::type;

  /// The word of one wide key.
  GPUIMG_FUNCTION static constexpr type word(key_type key) noexcept { return key; }
  GPUIMG_FUNCTION static constexpr T sample(type word, int index) noexcept {
    return sample_order<T>::sample(device_word<key_type>::lane(word, index));
  }
};
template <>
struct register_word<float> {
  using type = float_word;
  static constexpr int lanes = 1;
  GPUIMG_FUNCTION static constexpr type word(std::uint32_t bits) noexcept { return {__builtin_bit_cast(float, bits)}; }
  GPUIMG_FUNCTION static constexpr float sample(type word, int) noexcept { return word.value; }
};

}  // namespace gpuimg::filter::detail
