/// @file
/// Kernels for the probability tables of a tile: fitting and writing them, reading them.
#pragma once

#include <cstdint>

#include "gpuimg/codec/bit_packing.hpp"
#include "gpuimg/codec/paco/detail/tile_coding.hpp"
#include "gpuimg/codec/paco/tables.hpp"
#include "gpuimg/core/config.hpp"
#include "gpuimg/simt/atomic.hpp"
#include "gpuimg/simt/group.hpp"

namespace gpuimg::paco::detail {

/// Bytes of the tables of all classes.
inline constexpr int all_cells = table_classes * class_cells;
/// Most words of inline tables: a length a chunk, and 24 rows of 1 + 16 x 13 bits.
inline constexpr int most_table_words =
    table_classes * table_sets * (2 + table_rows * (1 + codec::cells_per_row * 13) / 16);

/// Fits the tile's rows to counted symbols, a row a thread. Small blocks, so that many multiprocessors share 1152 rows
/// or so.
struct fit_rows_kernel {
  static constexpr int threads = simt::warp_size;
  struct shared_storage {};

  const fitting_constants* constants;
  const std::uint64_t* totals;  ///< [class][set][plane][cell][symbol]
  std::int64_t stride;          ///< symbols that each stands for
  const int* chunks;
  int chunk_count;
  const std::uint8_t* tables;  ///< the defaults
  fitted_row* rows;

  static constexpr simt::grid_extent grid(int chunks) noexcept {
    return {(chunks * table_rows + threads - 1) / threads};
  }

  template <simt::block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage&) const {
    const auto i = static_cast<int>(block.index().x) * threads + block.rank();
    if (i >= chunk_count * table_rows) { return; }
    const int row = chunks[i / table_rows] * table_rows + i % table_rows;
    rows[row] = fit_row(*constants, totals + static_cast<std::int64_t>(row) * codec::cells_per_row * 2, stride,
                        tables + row * codec::cells_per_row);
  }
};

/// Applies fitted rows to the tables and writes the inline form, if that pays. One block.
struct write_tables_kernel {
  static constexpr int threads = 256;
  struct shared_storage {
    std::uint32_t chunk_bits[table_classes * table_sets];
    std::uint32_t chunk_at[table_classes * table_sets];
  };

  const fitting_constants* constants;
  const int* chunks;
  int chunk_count;
  std::uint8_t* tables;  ///< the defaults, which become the tables
  const fitted_row* rows;
  std::uint32_t* words;        ///< the inline form, zeroed: chunk lengths, then the bit string
  std::uint32_t* table_words;  ///< number of 16-bit words written; 0 when the defaults stay

  template <simt::block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage& shared) const {
    const int count = chunk_count * table_rows;
    std::int64_t saving = 0;
    for (int i = block.rank(); i < count; i += threads) { saving += rows[row_at(i)].saving; }
    saving = block.reduce(saving, simt::plus{}) - 16 * 4096 * static_cast<std::int64_t>(chunk_count);
    if (saving <= 0) {
      if (block.rank() == 0) { *table_words = 0; }
      return;
    }
    for (int i = block.rank(); i < count; i += threads) {
      const int row = row_at(i);
      apply_row(constants->ladder, rows[row], tables + row * codec::cells_per_row);
    }
    for (int c = block.rank(); c < chunk_count; c += threads) {
      std::uint32_t bits = 0;
      std::uint32_t upto_last_sent = 0;
      for (int plane = 0; plane < table_rows; ++plane) {
        const fitted_row& row = rows[chunks[c] * table_rows + plane];
        bits += static_cast<std::uint32_t>(row.bits);
        if (row.sent) { upto_last_sent = bits; }
      }
      shared.chunk_bits[c] = upto_last_sent;
      codec::deposit_bits(words, 16 * static_cast<std::uint64_t>(c), upto_last_sent, 16);
    }
    block.sync();
    if (block.rank() == 0) {
      std::uint32_t at = 16 * static_cast<std::uint32_t>(chunk_count);
      for (int c = 0; c < chunk_count; ++c) {
        shared.chunk_at[c] = at;
        at += shared.chunk_bits[c];
      }
      *table_words = static_cast<std::uint32_t>(codec::words_of_bits(at));
    }
    block.sync();
    for (int c = block.rank(); c < chunk_count; c += threads) {
      std::uint32_t at = shared.chunk_at[c];
      const std::uint32_t end = at + shared.chunk_bits[c];
      for (int plane = 0; at < end; ++plane) {
        const fitted_row& row = rows[chunks[c] * table_rows + plane];
        codec::deposit_bits(words, at++, row.sent ? 1 : 0, 1);
        for (int cell = 0; row.sent && cell < codec::cells_per_row; ++cell) {
          const int n = delta_bits(row.delta[cell]);
          codec::deposit_bits(words, at, delta_code(row.delta[cell]), n);
          at += static_cast<std::uint32_t>(n);
        }
      }
    }
  }

 private:
  /// The i-th row of those that the tile has.
  GPUIMG_FUNCTION int row_at(int i) const { return chunks[i / table_rows] * table_rows + i % table_rows; }
};

/// Why a tile's tables or index are refused; 0 when they are not.
enum class front_fault : std::uint32_t { none, tables, index };

/// Reads inline tables over the defaults. One block, a thread a chunk.
struct read_tables_kernel {
  static constexpr int threads = 64;
  static_assert(threads == table_classes * table_sets);
  struct shared_storage {};

  const std::uint16_t* words;
  std::uint64_t word_count;
  const int* chunks;
  int chunk_count;
  std::uint8_t* tables;
  std::uint32_t* fault;

  template <simt::block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage&) const {
    const int c = block.rank();
    const bool has_lengths = word_count >= static_cast<std::uint64_t>(chunk_count);
    const std::uint32_t length = has_lengths && c < chunk_count ? words[c] : 0;
    std::uint32_t total = 0;
    const std::uint32_t before = block.exclusive_scan(length, simt::plus{}, total);
    const auto lengths = static_cast<std::uint64_t>(chunk_count);
    bool sound = has_lengths && lengths + codec::words_of_bits(total) == word_count;
    if (sound && c < chunk_count) {
      constexpr probability_ladder ladder{};
      sound = read_chunk(ladder, words, word_count, 16 * lengths + before, length, tables + chunks[c] * set_cells) ==
              chunk_fault::none;
    }
    if (!sound) { simt::atomic_max(*fault, static_cast<std::uint32_t>(front_fault::tables)); }
  }
};

}  // namespace gpuimg::paco::detail
