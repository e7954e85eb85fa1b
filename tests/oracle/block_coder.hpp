/// @file
/// A code-block of the PaCo stream: both ways, one coefficient at a time (docs/paco-format.md, section 5).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tests/oracle/arithmetic_coder.hpp"
#include "tests/oracle/grid.hpp"

namespace gpuimg::oracle {

inline constexpr int plane_limit = 24;
inline constexpr int cell_count = 16;

/// Probabilities of symbol 0 in one plane: 0 - 8 significance, 9 - 12 sign, 13 refinement, 14 - 15 strip flags.
using table_row = std::array<std::uint8_t, cell_count>;
/// A row for each plane.
using table_set = std::array<table_row, plane_limit>;

/// What the header, the index and the version of the format say about the coding of a block.
struct block_options {
  int block_width = 64;       ///< of the header; a block at the right edge may be narrower
  int fast_planes = 0;        ///< N
  int raw_planes = 0;         ///< R
  int raw_sign_sevenths = 0;  ///< q
  bool raw_signs = false;
  bool strip_flags = false;
  bool compact_refinement = false;
  precision bits;
};

/// How often symbol 0 and symbol 1 occurred.
using symbol_counts = std::array<std::uint64_t, 2>;

/// What coding a block took.
struct block_cost {
  std::array<std::array<symbol_counts, cell_count>, plane_limit> counts = {};  ///< by plane and cell
  std::uint64_t events = 0;          ///< with at least one lane: the steps of a warp
  std::size_t arithmetic_words = 0;  ///< words that lanes reserved
  std::size_t pool_bits = 0;         ///< raw bits
  std::size_t carried_bits = 0;      ///< those of them that the open codewords carry

  /// Decisions in cells first .. last, all planes.
  std::uint64_t decisions(int first_cell, int last_cell) const;
};

struct encoded_block {
  int planes = 0;  ///< M
  word_list words;
  block_cost cost;
};

struct decoded_block {
  plane values;
  block_cost cost;
};

/// M of a block: the number of planes that hold all magnitudes.
int planes_of(const plane& values);

/// Codes a block arithmetically. Magnitudes are below 2^24, N is at most M.
encoded_block encode_block(const plane& values, const table_set& table, const block_options& options);

/// Decodes what encode_block() wrote. Throws errc::corrupt when the words end early, when the block is longer than
/// its contents, or when the last word of a lane is out of range.
decoded_block decode_block(const word_list& words, coordinate width, coordinate height, int planes,
                           const table_set& table, const block_options& options);

/// A raw block (section 5.7).
word_list encode_raw_block(const plane& values);
plane decode_raw_block(const word_list& words, coordinate width, coordinate height, int planes);

}  // namespace gpuimg::oracle
