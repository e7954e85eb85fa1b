/// @file
/// Little-endian integers in byte strings.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstring>

namespace gpuimg {

// Bit strings are words of memory, in kernels too, so the library is for little-endian machines only.
static_assert(std::endian::native == std::endian::little, "gpuimg needs a little-endian machine");

/// The integer stored at `from`, of any alignment.
template <std::integral T>
T load_little(const std::byte* from) noexcept {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

/// Stores an integer at `to`, of any alignment.
template <std::integral T>
void store_little(std::byte* to, T value) noexcept {
  std::memcpy(to, &value, sizeof(T));
}

}  // namespace gpuimg
