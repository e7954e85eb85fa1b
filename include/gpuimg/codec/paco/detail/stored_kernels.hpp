/// @file
/// Kernels for tiles that are stored as they are, and for checksums.
#pragma once

#include <cstdint>
#include <type_traits>

#include "gpuimg/codec/bit_packing.hpp"
#include "gpuimg/codec/paco/detail/index_kernels.hpp"
#include "gpuimg/core/config.hpp"
#include "gpuimg/core/image_view.hpp"
#include "gpuimg/simt/atomic.hpp"
#include "gpuimg/simt/group.hpp"

namespace gpuimg::paco::detail {

/// Writes a tile's samples as they are, if the plan says so: a word of 16 bits a thread.
template <class S>
struct store_as_they_are_kernel {
  static constexpr int threads = 256;
  struct shared_storage {};

  const tile_plan* plan;
  cube_view<const S> tile;
  int depth;
  std::uint16_t* out;  ///< behind the tile's headers

  static constexpr simt::grid_extent grid(std::uint64_t bytes) noexcept {
    return {static_cast<std::int64_t>((bytes / 2 + threads - 1) / threads)};
  }

  template <simt::block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage&) const {
    if (plan->stored == 0) { return; }
    const std::int64_t word = block.index().x * threads + block.rank();
    const std::int64_t samples = tile.size();
    if (16 * word >= samples * depth) { return; }
    std::uint32_t bits = 0;
    for (std::int64_t i = 16 * word / depth; i < samples && i * depth < 16 * (word + 1); ++i) {
      const std::int64_t row = i / tile.width;
      const auto value = static_cast<std::uint32_t>(tile(i % tile.width, row % tile.height, row / tile.height)) &
                         codec::low_bits(depth);
      const auto shift = static_cast<int>(i * depth - 16 * word);
      bits |= shift >= 0 ? value << shift : value >> -shift;
    }
    out[word] = static_cast<std::uint16_t>(bits);
  }
};

/// Reads samples stored as they are: a sample a thread.
template <class S>
struct load_stored_kernel {
  static constexpr int threads = 256;
  struct shared_storage {};

  const std::uint16_t* words;
  std::uint64_t word_count;
  int depth;
  cube_view<S> tile;

  static constexpr simt::grid_extent grid(std::int64_t samples) noexcept { return {(samples + threads - 1) / threads}; }

  template <simt::block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage&) const {
    const std::int64_t i = block.index().x * threads + block.rank();
    if (i >= tile.size()) { return; }
    std::uint32_t bits =
        codec::read_bits(words, word_count, static_cast<std::uint64_t>(i) * static_cast<std::uint64_t>(depth), depth);
    if (std::is_signed_v<S> && (bits >> (depth - 1)) != 0) { bits |= ~codec::low_bits(depth); }
    const std::int64_t row = i / tile.width;
    tile(i % tile.width, row % tile.height, row / tile.height) = static_cast<S>(static_cast<std::int32_t>(bits));
  }
};

/// a * b in GF(2)[x] modulo CRC-32's polynomial, bits reflected: bit 31 is 1, bit 30 is x.
GPUIMG_FUNCTION constexpr std::uint32_t crc_product(std::uint32_t a, std::uint32_t b) noexcept {
  std::uint32_t product = 0;
  for (; a != 0; a <<= 1) {
    if ((a >> 31) != 0) { product ^= b; }
    b = (b >> 1) ^ ((b & 1u) != 0 ? 0xEDB88320u : 0u);
  }
  return product;
}

/// x^(8 n) modulo the polynomial. O(log n).
GPUIMG_FUNCTION constexpr std::uint32_t crc_of_zeros(std::uint64_t n) noexcept {
  std::uint32_t power = 0x80000000u;
  std::uint32_t square = 0x00800000u;  // x^8
  for (; n != 0; n >>= 1) {
    if ((n & 1u) != 0) { power = crc_product(power, square); }
    square = crc_product(square, square);
  }
  return power;
}

/// CRC-32 of a tile's segment, behind which it is added up in *sum (zeroed): a CRC is linear, so the parts' ones,
/// multiplied by x to the number of bits that follow, add up.
struct checksum_kernel {
  static constexpr int threads = 128;
  static constexpr std::uint64_t bytes_per_thread = 1024;
  struct shared_storage {};

  const tile_plan* plan;
  const std::uint16_t* out;
  std::uint32_t* sum;

  static constexpr simt::grid_extent grid(std::uint64_t largest_bytes) noexcept {
    return {static_cast<std::int64_t>(largest_bytes / (threads * bytes_per_thread) + 1)};
  }

  template <simt::block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage&) const {
    const std::uint64_t bytes = plan->segment_bytes;
    const std::uint64_t begin = bytes_per_thread * (static_cast<std::uint64_t>(block.index().x) * threads +
                                                    static_cast<std::uint64_t>(block.rank()));
    if (begin >= bytes) { return; }
    const std::uint64_t end = begin + bytes_per_thread < bytes ? begin + bytes_per_thread : bytes;
    std::uint32_t crc = begin == 0 ? ~0u : 0u;
    for (std::uint64_t at = begin; at < end; at += 2) {
      crc ^= out[at / 2];
      for (int i = 0; i < 16; ++i) { crc = (crc >> 1) ^ ((crc & 1u) != 0 ? 0xEDB88320u : 0u); }
    }
    simt::atomic_xor(*sum, crc_product(crc, crc_of_zeros(bytes - end)));
  }
};

/// Appends the checksum and says the segment's whole size. One block.
struct finish_segment_kernel {
  static constexpr int threads = simt::warp_size;
  struct shared_storage {};

  const tile_plan* plan;
  const std::uint32_t* sum;
  bool crc;
  std::uint16_t* out;
  std::uint64_t* size;

  template <simt::block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage&) const {
    if (block.rank() != 0) { return; }
    const std::uint64_t bytes = plan->segment_bytes;
    if (crc) {
      out[bytes / 2] = static_cast<std::uint16_t>(~*sum);
      out[bytes / 2 + 1] = static_cast<std::uint16_t>(~*sum >> 16);
    }
    *size = bytes + (crc ? 4 : 0);
  }
};

}  // namespace gpuimg::paco::detail
