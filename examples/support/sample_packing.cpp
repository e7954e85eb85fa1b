#include "sample_packing.hpp"

#include <bit>
#include <cstring>
#include <utility>

namespace gpuimg::examples::detail {

std::uint32_t load_sample(const std::byte* samples, std::int64_t index, int bytes_per_sample) noexcept {
  switch (bytes_per_sample) {
    case 1: return std::to_integer<std::uint32_t>(samples[index]);
    case 2: {
      std::uint16_t value = 0;
      std::memcpy(&value, samples + index * 2, sizeof value);
      return value;
    }
    default: {
      std::uint32_t value = 0;
      std::memcpy(&value, samples + index * 4, sizeof value);
      return value;
    }
  }
}

void store_sample(std::byte* samples, std::int64_t index, int bytes_per_sample, std::uint32_t value) noexcept {
  switch (bytes_per_sample) {
    case 1: samples[index] = static_cast<std::byte>(value); break;
    case 2: {
      const auto narrow = static_cast<std::uint16_t>(value);
      std::memcpy(samples + index * 2, &narrow, sizeof narrow);
      break;
    }
    default: std::memcpy(samples + index * 4, &value, sizeof value); break;
  }
}

void unpack_bits(const std::byte* packed, std::int64_t count, int bits, bool is_signed, int bytes_per_sample,
                 std::byte* samples) {
  const std::uint32_t sign = is_signed ? 1U << (bits - 1) : 0U;
  std::uint64_t window = 0;
  int held = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    while (held < bits) {
      window = window << 8 | std::to_integer<std::uint64_t>(*packed++);
      held += 8;
    }
    held -= bits;
    const std::uint32_t value = static_cast<std::uint32_t>(window >> held) & low_bits(bits);
    store_sample(samples, i, bytes_per_sample, (value ^ sign) - sign);
  }
}

void pack_bits(const std::byte* samples, std::int64_t count, int bits, int bytes_per_sample, std::byte* packed) {
  std::uint64_t window = 0;
  int held = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    window = window << bits | (load_sample(samples, i, bytes_per_sample) & low_bits(bits));
    held += bits;
    while (held >= 8) {
      held -= 8;
      *packed++ = static_cast<std::byte>(window >> held);
    }
  }
  if (held > 0) *packed = static_cast<std::byte>(window << (8 - held));
}

namespace {

/// Where the low three bytes of a native 32-bit number begin.
constexpr std::size_t low_bytes_at = std::endian::native == std::endian::little ? 0 : 1;

}  // namespace

void unpack_24_bits(const std::byte* packed, std::int64_t count, bool is_signed, std::byte* samples) noexcept {
  const std::uint32_t sign = is_signed ? 1U << 23 : 0U;
  for (std::int64_t i = 0; i < count; ++i) {
    std::uint32_t value = 0;
    std::memcpy(reinterpret_cast<std::byte*>(&value) + low_bytes_at, packed + 3 * i, 3);
    store_sample(samples, i, 4, (value ^ sign) - sign);
  }
}

void pack_24_bits(const std::byte* samples, std::int64_t count, std::byte* packed) noexcept {
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint32_t value = load_sample(samples, i, 4);
    std::memcpy(packed + 3 * i, reinterpret_cast<const std::byte*>(&value) + low_bytes_at, 3);
  }
}

std::int64_t first_outside(const std::byte* samples, std::int64_t count, int bytes_per_sample, int depth,
                           bool is_signed, std::uint32_t maxval) noexcept {
  const std::uint32_t container = low_bits(8 * bytes_per_sample);
  // A signed sample fits when moving it by half of the range makes it a depth-bit number.
  const std::uint32_t shift = is_signed ? 1U << (depth - 1) : 0U;
  const std::uint32_t largest = maxval != 0 ? maxval : low_bits(depth);
  if (largest == container) return count;
  std::int64_t index = 0;
  while (index < count && ((load_sample(samples, index, bytes_per_sample) + shift) & container) <= largest) ++index;
  return index;
}

void swap_to_big_endian(std::byte* samples, std::int64_t count) noexcept {
  if constexpr (std::endian::native == std::endian::little) {
    for (std::int64_t i = 0; i < count; ++i) std::swap(samples[2 * i], samples[2 * i + 1]);
  }
}

}  // namespace gpuimg::examples::detail
