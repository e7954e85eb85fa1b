/// @file
/// Probability tables: their shape, the ladder, and the inline tables of a tile (docs/paco-format.md, section 6).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "tests/oracle/bit_string.hpp"
#include "tests/oracle/block_coder.hpp"
#include "tests/oracle/wavelet.hpp"

namespace gpuimg::oracle {

inline constexpr int set_count = 16;
inline constexpr int class_limit = 4;

/// The sets of one class of components.
using table_class = std::array<table_set, set_count>;

/// What a stream starts from.
struct default_tables {
  table_class luma;
  table_class chroma;
};

/// All bytes of the default tables in the order of their checksum, and the checksum.
byte_list bytes_of(const default_tables& tables);
std::uint32_t checksum_of(const default_tables& tables);

/// The set of a sub-band of a level (1 is the finest).
int set_of(int level, band which);

extern const std::array<std::uint8_t, 64> probability_ladder;

/// Index of the ladder's entry nearest to a probability, the lower of two.
int ladder_level(std::uint8_t probability);

/// Changes of a row in ladder levels; none keeps the row's defaults.
using row_change = std::optional<std::array<int, cell_count>>;

/// The rows of a chunk, from plane 0 on; rows that are not there keep their defaults.
using chunk = std::vector<row_change>;

/// Class and set of a chunk, in the order of the stream.
using chunk_key = std::pair<int, int>;
using table_changes = std::map<chunk_key, chunk>;

/// The inline tables of a tile whose chunks are `keys`; a key without changes gets an empty chunk.
word_list write_inline_tables(const std::vector<chunk_key>& keys, const table_changes& changes);
table_changes read_inline_tables(const std::vector<chunk_key>& keys, const word_list& words);

/// Changes `classes` as the chunks say. Throws errc::corrupt for a level outside of the ladder.
void change_tables(const table_changes& changes, std::vector<table_class>& classes);

}  // namespace gpuimg::oracle
