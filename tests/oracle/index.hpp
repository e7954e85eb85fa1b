/// @file
/// The block index of a tile (docs/paco-format.md, section 4.1).
#pragma once

#include <cstddef>
#include <vector>

#include "tests/oracle/bit_string.hpp"

namespace gpuimg::oracle {

/// What the index says about a block.
struct block_entry {
  int planes = 0;          ///< M
  std::size_t length = 0;  ///< in words
  bool raw = false;
  int fast_planes = 0;        ///< N
  int raw_sign_sevenths = 0;  ///< q

  bool operator==(const block_entry&) const = default;
};

/// The entries of each group.
using block_index = std::vector<std::vector<block_entry>>;

/// The features that add fields to the index.
struct index_fields {
  bool fast_planes = false;
  bool raw_signs = false;
};

word_list write_index(const block_index& index, index_fields fields);

/// Reads the index of groups that have `block_counts` blocks. Throws errc::corrupt for a value outside of its range or
/// a length that the contents contradict.
block_index read_index(const word_list& words, const std::vector<std::size_t>& block_counts, index_fields fields);

}  // namespace gpuimg::oracle
