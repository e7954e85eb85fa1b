/// @file
/// Probability tables: their shape, the ladder, fitting them to counted symbols, and the inline form.
/// Source: docs/paco-format.md section 6. All arithmetic is in integers, so that host and device fit the same tables.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "gpuimg/codec/bit_packing.hpp"
#include "gpuimg/codec/bitplane_block.hpp"
#include "gpuimg/codec/subband.hpp"
#include "gpuimg/core/config.hpp"
#include "gpuimg/core/error.hpp"

namespace gpuimg::paco {

inline constexpr int table_classes = 4;
inline constexpr int table_sets = 16;
inline constexpr int table_rows = codec::largest_plane_count;
inline constexpr int set_cells = table_rows * codec::cells_per_row;
inline constexpr int class_cells = table_sets * set_cells;

/// Probabilities of symbol 0 for one class of components: [set][plane][cell].
using class_table = std::array<std::uint8_t, class_cells>;

/// Luma and chroma defaults.
struct default_table_set {
  std::uint32_t id = 0;
  std::uint32_t checksum = 0;  ///< CRC-32 of luma, then chroma
  class_table luma{};
  class_table chroma{};
};

/// Class of a component (docs/paco-format.md section 6.1).
GPUIMG_FUNCTION constexpr int table_class(int component, bool color_transform, int c0, int c1, int c2) noexcept {
  if (!color_transform) { return component < 3 ? component : 3; }
  return component == c0 ? 0 : component == c1 ? 1 : component == c2 ? 2 : 3;
}

/// Set of a sub-band: 0 for LL, else by level (1 is the finest) and orientation.
GPUIMG_FUNCTION constexpr int table_set(int level, codec::orientation o) noexcept {
  return o == codec::orientation::ll ? 0 : 1 + 3 * ((level < 5 ? level : 5) - 1) + static_cast<int>(o);
}

/// The 64 probabilities that inline tables choose from.
struct probability_ladder {
  std::uint8_t step[64] = {1,   2,   3,   4,   5,   6,   8,   10,  12,  15,  18,  20,  22,  25,  28,  32,
                           36,  40,  45,  49,  55,  61,  67,  74,  81,  88,  96,  104, 112, 120, 128, 137,
                           145, 153, 161, 168, 176, 183, 189, 196, 201, 207, 212, 216, 220, 224, 228, 231,
                           234, 236, 238, 240, 242, 244, 245, 247, 248, 249, 250, 251, 252, 253, 254, 255};

  /// Index of the step nearest to `p` (the lower of two).
  GPUIMG_FUNCTION constexpr int level_of(int p) const noexcept {
    int low = 0;
    int high = 63;
    while (high - low > 1) {
      const int middle = (low + high) / 2;
      if (step[middle] <= p) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return p - step[low] <= step[high] - p ? low : high;
  }
};

/// Cost of a symbol in 1/4096 bit: of[p] = -log2(p / 256). Entry 0 is not used.
struct symbol_costs {
  std::uint32_t of[257] = {};

  constexpr symbol_costs() {
    for (std::uint32_t p = 1; p <= 256; ++p) { of[p] = 8 * 4096 - log2_4096(p); }
  }

 private:
  /// floor(4096 log2(p)) by squaring, exact in 12 fractional bits.
  static constexpr std::uint32_t log2_4096(std::uint32_t p) {
    std::uint32_t whole = 0;
    while ((p >> (whole + 1)) != 0) { ++whole; }
    std::uint64_t x = (std::uint64_t{p} << 30) >> whole;
    std::uint32_t result = whole;
    for (int i = 0; i < 12; ++i) {
      x = (x * x) >> 30;
      const bool carry = (x >> 31) != 0;
      result = 2 * result + (carry ? 1 : 0);
      if (carry) { x >>= 1; }
    }
    return result;
  }
};

/// Bits of the code of a delta.
GPUIMG_FUNCTION constexpr int delta_bits(int delta) noexcept {
  int u = (delta >= 0 ? 2 * delta : -2 * delta - 1) + 1;
  int z = 0;
  for (; u > 1; u >>= 1) { ++z; }
  return 2 * z + 1;
}

/// The code of a delta, least significant bit first: z zeros, a one, z low bits of u + 1.
GPUIMG_FUNCTION constexpr std::uint32_t delta_code(int delta) noexcept {
  const auto u = static_cast<std::uint32_t>((delta >= 0 ? 2 * delta : -2 * delta - 1) + 1);
  const int z = (delta_bits(delta) - 1) / 2;
  return (1u << z) | ((u & ((1u << z) - 1)) << (z + 1));
}

/// A row as fitted: what to send, and what it saves.
struct fitted_row {
  std::int8_t delta[codec::cells_per_row] = {};
  bool sent = false;
  int bits = 1;             ///< of the row in its chunk
  std::int64_t saving = 0;  ///< against the defaults, in 1/4096 bit, the row's own bits paid
};

/// Tables of constants that fitting needs, to be handed to kernels by value or by pointer.
struct fitting_constants {
  probability_ladder ladder{};
  symbol_costs cost{};
};

/// Of how many blocks an encoder counts one for fitting. Counting half of a large tile's blocks costs 0.03 % of rate
/// (dandelion, flower and sunset of benchmarks/rate), a quarter 0.08 %.
GPUIMG_FUNCTION constexpr std::int64_t counting_stride(std::int64_t blocks) noexcept { return blocks >= 768 ? 2 : 1; }

/// Blocks that are counted.
GPUIMG_FUNCTION constexpr std::int64_t counted_blocks(std::int64_t blocks) noexcept {
  return blocks / counting_stride(blocks);
}

/// The i-th counted block. Its place among its `stride` neighbours changes from one to the next, lest whole columns of
/// a picture be left out.
GPUIMG_FUNCTION constexpr std::int64_t counted_block(std::int64_t i, std::int64_t stride) noexcept {
  return i * stride + (i + i / stride) % stride;
}

/// Fits one row: for each cell the step of the ladder with the least total of symbols and delta.
/// `counts` is [cell][symbol], each standing for `stride` symbols. O(16 x distance between default and best step).
GPUIMG_FUNCTION inline fitted_row fit_row(const fitting_constants& constants, const std::uint64_t* counts,
                                          std::int64_t stride, const std::uint8_t* defaults) {
  fitted_row row;
  std::int64_t saving = 0;
  int bits = 1;
  bool changed = false;
  for (int c = 0; c < codec::cells_per_row; ++c) {
    const std::uint64_t zeros = counts[2 * c] * static_cast<std::uint64_t>(stride);
    const std::uint64_t ones = counts[2 * c + 1] * static_cast<std::uint64_t>(stride);
    const std::uint64_t n = zeros + ones;
    ++bits;
    saving -= 4096;
    if (n == 0) { continue; }
    const auto cost = [&](int p) {
      return static_cast<std::int64_t>(zeros * constants.cost.of[p] + ones * constants.cost.of[256 - p]);
    };
    const int start = constants.ladder.level_of(defaults[c]);
    const auto likeliest = static_cast<int>((zeros * 256 + n / 2) / n);
    const int goal = constants.ladder.level_of(likeliest < 1 ? 1 : likeliest > 255 ? 255 : likeliest);
    const std::int64_t as_it_is = cost(defaults[c]);
    std::int64_t best = 0;
    int best_delta = 0;
    // The cost falls from the default's step to the likeliest one, so the best lies between them.
    for (int level = start; level != goal;) {
      level += goal > start ? 1 : -1;
      const std::int64_t gain = as_it_is - cost(constants.ladder.step[level]) - 4096 * (delta_bits(level - start) - 1);
      if (gain > best) {
        best = gain;
        best_delta = level - start;
      }
    }
    if (best_delta != 0) {
      row.delta[c] = static_cast<std::int8_t>(best_delta);
      bits += delta_bits(best_delta) - 1;
      saving += best;
      changed = true;
    }
  }
  if (changed && saving > 0) {
    row.sent = true;
    row.bits = bits;
    row.saving = saving;
  } else {
    for (auto& d : row.delta) { d = 0; }
  }
  return row;
}

/// Applies a row's deltas.
GPUIMG_FUNCTION inline void apply_row(const probability_ladder& ladder, const fitted_row& row, std::uint8_t* cells) {
  for (int c = 0; c < codec::cells_per_row; ++c) {
    if (row.delta[c] != 0) { cells[c] = ladder.step[ladder.level_of(cells[c]) + row.delta[c]]; }
  }
}

/// Result of reading a chunk of inline tables.
enum class chunk_fault : std::uint8_t { none, too_many_rows, ends_inside_row, delta_too_long, level_outside };

/// Reads the chunk of `length` bits at bit `at` into the 24 rows of a set, which hold the defaults.
/// Reads only words below `word_count`.
GPUIMG_FUNCTION inline chunk_fault read_chunk(const probability_ladder& ladder, const std::uint16_t* words,
                                              std::uint64_t word_count, std::uint64_t at, std::uint32_t length,
                                              std::uint8_t* rows) {
  const std::uint64_t end = at + length;
  for (int plane = 0; at < end; ++plane) {
    if (plane >= table_rows) { return chunk_fault::too_many_rows; }
    const bool sent = codec::read_bits(words, word_count, at++, 1) != 0;
    for (int c = 0; sent && c < codec::cells_per_row; ++c) {
      int z = 0;
      while (codec::read_bits(words, word_count, at, 1) == 0) {
        ++at;
        if (++z > 6) { return chunk_fault::delta_too_long; }
        if (at >= end) { return chunk_fault::ends_inside_row; }
      }
      const auto u = static_cast<int>((1u << z) | codec::read_bits(words, word_count, at + 1, z)) - 1;
      at += static_cast<std::uint64_t>(z) + 1;
      if (at > end) { return chunk_fault::ends_inside_row; }
      const int delta = u % 2 == 0 ? u / 2 : -(u + 1) / 2;
      std::uint8_t& cell = rows[plane * codec::cells_per_row + c];
      const int level = ladder.level_of(cell) + delta;
      if (level < 0 || level > 63) { return chunk_fault::level_outside; }
      if (delta != 0) { cell = ladder.step[level]; }
    }
  }
  return chunk_fault::none;
}

/// What a chunk fault means, for messages.
constexpr const char* text_of(chunk_fault fault) noexcept {
  switch (fault) {
    case chunk_fault::none: return "sound";
    case chunk_fault::too_many_rows: return "more than 24 rows";
    case chunk_fault::ends_inside_row: return "ends inside of a row";
    case chunk_fault::delta_too_long: return "a delta of more than 6 leading zeros";
    case chunk_fault::level_outside: return "a level outside of 0..63";
  }
  return "unknown";
}

}  // namespace gpuimg::paco
