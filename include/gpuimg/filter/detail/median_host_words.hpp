/// @file
/// Words of many keys for the vector unit of a host.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstring>
#include <limits>

#include "gpuimg/core/config.hpp"
#include "gpuimg/filter/detail/host_isa.hpp"

// What holds such words is different code in a .cu file and in a .cpp file, and both may be in one program.
#if defined(__GNUC__) && !defined(__CUDACC__)
#define GPUIMG_HAS_KEY_VECTORS 1
#define GPUIMG_KEY_WORDS key_vectors
#else
#define GPUIMG_HAS_KEY_VECTORS 0
#define GPUIMG_KEY_WORDS key_arrays
#endif

namespace gpuimg::filter::detail {
inline namespace GPUIMG_KEY_WORDS {

/// `Count` keys side by side; a power of two.
template <std::integral Key, int Count>
struct key_vector {
  static constexpr int lanes = Count;
  static constexpr Key most = std::numeric_limits<Key>::max();

#if GPUIMG_HAS_KEY_VECTORS
  // Compilers keep this type in vector registers; an array would go through memory. Where nvcc
  // compiles networks they are functions for devices too, and there it knows no vectors.
  // NOLINTNEXTLINE(modernize-use-using): the attribute of a dependent type does not survive an alias
  typedef Key storage __attribute__((vector_size(sizeof(Key) * static_cast<std::size_t>(Count))));
#else
  struct alignas(sizeof(Key) * static_cast<std::size_t>(Count)) storage {
    Key of[static_cast<std::size_t>(Count)];
    GPUIMG_FUNCTION Key operator[](int i) const { return of[i]; }
    GPUIMG_FUNCTION Key& operator[](int i) { return of[i]; }
  };
#endif
  storage keys;

  /// From and to wherever a key may be.
  GPUIMG_FUNCTION void load(const Key* from) noexcept { memcpy(&keys, from, sizeof(keys)); }
  GPUIMG_FUNCTION void store(Key* to) const noexcept { memcpy(to, &keys, sizeof(keys)); }

  /// Each key ^ flip, and before that, if Turned, negative ones with all other bits inverted.
  template <bool Turned>
  GPUIMG_FUNCTION key_vector unordered(Key flip) const noexcept {
#if GPUIMG_HAS_KEY_VECTORS
    return {(Turned ? keys ^ ((keys >> (8 * sizeof(Key) - 1)) & most) : keys) ^ flip};
#else
    key_vector result;
    for (int i = 0; i < Count; ++i) {
      const Key key = keys[i];
      result.keys[i] = static_cast<Key>((Turned && key < 0 ? key ^ most : key) ^ flip);
    }
    return result;
#endif
  }

  GPUIMG_FUNCTION friend key_vector minimum(const key_vector& a, const key_vector& b) noexcept {
#if GPUIMG_HAS_KEY_VECTORS
    return {a.keys < b.keys ? a.keys : b.keys};
#else
    key_vector result;
    for (int i = 0; i < Count; ++i) { result.keys[i] = b.keys[i] < a.keys[i] ? b.keys[i] : a.keys[i]; }
    return result;
#endif
  }
  GPUIMG_FUNCTION friend key_vector maximum(const key_vector& a, const key_vector& b) noexcept {
#if GPUIMG_HAS_KEY_VECTORS
    return {a.keys > b.keys ? a.keys : b.keys};
#else
    key_vector result;
    for (int i = 0; i < Count; ++i) { result.keys[i] = a.keys[i] < b.keys[i] ? b.keys[i] : a.keys[i]; }
    return result;
#endif
  }

  static key_vector all(Key value) noexcept {
    key_vector result;
    for (int i = 0; i < Count; ++i) { result.keys[i] = value; }
    return result;
  }
  friend key_vector operator|(const key_vector& a, const key_vector& b) noexcept {
#if GPUIMG_HAS_KEY_VECTORS
    return {a.keys | b.keys};
#else
    key_vector result;
    for (int i = 0; i < Count; ++i) { result.keys[i] = static_cast<Key>(a.keys[i] | b.keys[i]); }
    return result;
#endif
  }
  /// Adds 1 to the lanes of `counts` where `a` is less than `b`.
  friend void count_less(const key_vector& a, const key_vector& b, key_vector& counts) noexcept {
#if GPUIMG_HAS_KEY_VECTORS
    counts.keys -= reinterpret_cast<storage>(a.keys < b.keys);  // all ones where it is
#else
    for (int i = 0; i < Count; ++i) { counts.keys[i] = static_cast<Key>(counts.keys[i] + (a.keys[i] < b.keys[i])); }
#endif
  }
  /// Lane by lane `value` where `count` is at most `limit`, or else `other`.
  friend key_vector choose_at_most(const key_vector& count, const key_vector& limit, const key_vector& value,
                                   const key_vector& other) noexcept {
#if GPUIMG_HAS_KEY_VECTORS
    return {count.keys <= limit.keys ? value.keys : other.keys};
#else
    key_vector result;
    for (int i = 0; i < Count; ++i) { result.keys[i] = count.keys[i] <= limit.keys[i] ? value.keys[i] : other.keys[i]; }
    return result;
#endif
  }
};

/// Keys of a vector of 16 bytes, which every 64-bit host has.
template <std::integral Key>
using host_word = key_vector<Key, 16 / static_cast<int>(sizeof(Key))>;

#if GPUIMG_HAS_AVX2_TARGET
/// Keys of a vector of 32 bytes, for functions of that instruction set.
template <std::integral Key>
struct avx2_word {
  static constexpr int lanes = 32 / static_cast<int>(sizeof(Key));
  static constexpr Key most = std::numeric_limits<Key>::max();

  // NOLINTNEXTLINE(modernize-use-using): as above
  typedef Key storage __attribute__((vector_size(32)));
  // For single instructions: g++ copies 32 bytes by halves.
  // NOLINTNEXTLINE(modernize-use-using): as above
  typedef Key anywhere __attribute__((vector_size(32), aligned(sizeof(Key)), may_alias));
  storage keys;

  GPUIMG_AVX2_INLINE void load(const Key* from) noexcept { keys = *reinterpret_cast<const anywhere*>(from); }
  GPUIMG_AVX2_INLINE void store(Key* to) const noexcept { *reinterpret_cast<anywhere*>(to) = keys; }

  template <bool Turned>
  GPUIMG_AVX2_INLINE avx2_word unordered(Key flip) const noexcept {
    return {(Turned ? keys ^ ((keys >> (8 * sizeof(Key) - 1)) & most) : keys) ^ flip};
  }

  GPUIMG_AVX2_INLINE friend avx2_word minimum(const avx2_word& a, const avx2_word& b) noexcept {
    return {a.keys < b.keys ? a.keys : b.keys};
  }
  GPUIMG_AVX2_INLINE friend avx2_word maximum(const avx2_word& a, const avx2_word& b) noexcept {
    return {a.keys > b.keys ? a.keys : b.keys};
  }
};
#endif

}  // namespace GPUIMG_KEY_WORDS
}  // namespace gpuimg::filter::detail
