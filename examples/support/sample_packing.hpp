/// @file
/// Conversions between samples as files store them and samples in memory (picture_format). Internal to the readers
/// and writers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gpuimg::examples::detail {

/// Unpacks `count` samples of `bits` bits (1..32, not a multiple of 8), most significant bit first, into samples of
/// `bytes_per_sample` bytes; signed ones are sign-extended. Reads (count * bits + 7) / 8 bytes.
void unpack_bits(const std::byte* packed, std::int64_t count, int bits, bool is_signed, int bytes_per_sample,
                 std::byte* samples);

/// The inverse: writes (count * bits + 7) / 8 bytes, unused bits 0.
void pack_bits(const std::byte* samples, std::int64_t count, int bits, int bytes_per_sample, std::byte* packed);

/// Samples of three bytes in native order, as libtiff hands them out, into samples of four bytes; and back.
void unpack_24_bits(const std::byte* packed, std::int64_t count, bool is_signed, std::byte* samples) noexcept;
void pack_24_bits(const std::byte* samples, std::int64_t count, std::byte* packed) noexcept;

/// The sample at `index`, zero-extended from `bytes_per_sample` bytes.
std::uint32_t load_sample(const std::byte* samples, std::int64_t index, int bytes_per_sample) noexcept;

/// Stores the low bytes of `value` as the sample at `index`.
void store_sample(std::byte* samples, std::int64_t index, int bytes_per_sample, std::uint32_t value) noexcept;

/// Index of the first of `count` samples that is not a `depth`-bit number (of at most `maxval`, unless that is 0);
/// `count` when there is none.
std::int64_t first_outside(const std::byte* samples, std::int64_t count, int bytes_per_sample, int depth,
                           bool is_signed, std::uint32_t maxval) noexcept;

/// `count` two-byte samples, their bytes swapped if this machine is little-endian (files here are big-endian).
void swap_to_big_endian(std::byte* samples, std::int64_t count) noexcept;

/// `bits` below 32 in ones.
constexpr std::uint32_t low_bits(int bits) noexcept { return bits >= 32 ? ~0U : (1U << bits) - 1U; }

/// A sample of `depth` bits scaled to `width` bits by repeating its bits downwards (PNG specification, 12.4).
constexpr std::uint32_t repeat_bits(std::uint32_t sample, int depth, int width) noexcept {
  std::uint32_t scaled = 0;
  for (int shift = width - depth; shift > -depth; shift -= depth) {
    scaled |= shift >= 0 ? sample << shift : sample >> -shift;
  }
  return scaled;
}

}  // namespace gpuimg::examples::detail
