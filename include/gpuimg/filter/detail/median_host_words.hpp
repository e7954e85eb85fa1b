/// @file
/// Words of many keys for the vector unit of a host.
#pragma once

#include <concepts>
#include <cstddef>

namespace gpuimg::filter::detail {

/// `Count` keys side by side; a power of two.
template <std::unsigned_integral Key, int Count>
struct key_vector {
#if defined(__GNUC__)
  // Compilers keep this type in vector registers; an array would go through memory.
  // NOLINTNEXTLINE(modernize-use-using): the attribute of a dependent type does not survive an alias
  typedef Key storage __attribute__((vector_size(sizeof(Key) * static_cast<std::size_t>(Count))));
#else
  struct storage {
    Key of[static_cast<std::size_t>(Count)];
    Key operator[](int i) const { return of[i]; }
    Key& operator[](int i) { return of[i]; }
  };
#endif
  storage keys;

  friend key_vector minimum(const key_vector& a, const key_vector& b) noexcept {
#if defined(__GNUC__)
    return {a.keys < b.keys ? a.keys : b.keys};
#else
    key_vector result;
    for (int i = 0; i < Count; ++i) { result.keys[i] = b.keys[i] < a.keys[i] ? b.keys[i] : a.keys[i]; }
    return result;
#endif
  }
  friend key_vector maximum(const key_vector& a, const key_vector& b) noexcept {
#if defined(__GNUC__)
    return {a.keys > b.keys ? a.keys : b.keys};
#else
    key_vector result;
    for (int i = 0; i < Count; ++i) { result.keys[i] = a.keys[i] < b.keys[i] ? b.keys[i] : a.keys[i]; }
    return result;
#endif
  }
};

/// Keys of a vector of 16 bytes, which every 64-bit host has.
template <std::unsigned_integral Key>
using host_word = key_vector<Key, 16 / static_cast<int>(sizeof(Key))>;

}  // namespace gpuimg::filter::detail
