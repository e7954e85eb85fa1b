#include "tests/oracle/tables.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "tests/oracle/crc32.hpp"

namespace gpuimg::oracle {
namespace {

constexpr int longest_prefix = 6;

void put_change(bit_string& bits, int change) {
  const int u = change >= 0 ? 2 * change : -2 * change - 1;
  const int z = bits_of(static_cast<std::uint64_t>(u) + 1) - 1;
  bits.put(0, z);
  bits.put_bit(true);
  bits.put(static_cast<std::uint64_t>(u) + 1, z);
}

int get_change(bit_reader& bits) {
  int z = 0;
  while (!bits.get_bit()) {
    ++z;
    if (z > longest_prefix) throw error(errc::corrupt, "inline tables: more than 6 zero bits before a change");
  }
  const int u = (1 << z) + static_cast<int>(bits.get(z)) - 1;
  return u % 2 == 0 ? u / 2 : -(u + 1) / 2;
}

bit_string write_chunk(const chunk& rows) {
  bit_string bits;
  for (const row_change& row : rows) {
    bits.put_bit(row.has_value());
    if (!row) continue;
    for (const int change : *row) put_change(bits, change);
  }
  return bits;
}

chunk read_chunk(bit_reader& bits, std::size_t length) {
  chunk rows;
  const std::size_t end = bits.position() + length;
  while (bits.position() < end) {
    if (rows.size() == plane_limit) throw error(errc::corrupt, "inline tables: a chunk of more than 24 rows");
    row_change row;
    if (bits.get_bit()) {
      row.emplace();
      for (int& change : *row) change = get_change(bits);
    }
    rows.push_back(row);
  }
  if (bits.position() != end) throw error(errc::corrupt, "inline tables: a row crosses the end of its chunk");
  return rows;
}

}  // namespace

const std::array<std::uint8_t, 64> probability_ladder = {
    1,   2,   3,   4,   5,   6,   8,   10,  12,  15,  18,  20,  22,  25,  28,  32,   //
    36,  40,  45,  49,  55,  61,  67,  74,  81,  88,  96,  104, 112, 120, 128, 137,  //
    145, 153, 161, 168, 176, 183, 189, 196, 201, 207, 212, 216, 220, 224, 228, 231,  //
    234, 236, 238, 240, 242, 244, 245, 247, 248, 249, 250, 251, 252, 253, 254, 255};

byte_list bytes_of(const default_tables& tables) {
  byte_list bytes;
  for (const table_class* each : {&tables.luma, &tables.chroma}) {
    for (const table_set& set : *each) {
      for (const table_row& row : set) bytes.insert(bytes.end(), row.begin(), row.end());
    }
  }
  return bytes;
}

std::uint32_t checksum_of(const default_tables& tables) { return crc32(bytes_of(tables)); }

int set_of(int level, band which) {
  switch (which) {
    case band::ll: return 0;
    case band::hl: return 1 + 3 * (std::min(level, 5) - 1);
    case band::lh: return 2 + 3 * (std::min(level, 5) - 1);
    case band::hh: return 3 + 3 * (std::min(level, 5) - 1);
  }
  return 0;
}

int ladder_level(std::uint8_t probability) {
  int nearest = 0;
  int nearest_distance = 256;
  for (int level = 0; level < static_cast<int>(probability_ladder.size()); ++level) {
    const int distance = std::abs(probability_ladder.at(static_cast<std::size_t>(level)) - probability);
    if (distance < nearest_distance) {
      nearest = level;
      nearest_distance = distance;
    }
  }
  return nearest;
}

word_list write_inline_tables(const std::vector<chunk_key>& keys, const table_changes& changes) {
  word_list words;
  bit_string all;
  for (const chunk_key& key : keys) {
    const auto found = changes.find(key);
    const bit_string bits = found == changes.end() ? bit_string() : write_chunk(found->second);
    words.push_back(static_cast<std::uint16_t>(bits.size()));
    all.append(bits);
  }
  const word_list chunk_words = all.words();
  words.insert(words.end(), chunk_words.begin(), chunk_words.end());
  return words;
}

table_changes read_inline_tables(const std::vector<chunk_key>& keys, const word_list& words) {
  if (words.size() < keys.size()) {
    throw error(errc::corrupt, "inline tables: " + std::to_string(words.size()) + " words for " +
                                   std::to_string(keys.size()) + " chunks");
  }
  bit_reader bits({words.begin() + static_cast<std::ptrdiff_t>(keys.size()), words.end()});
  table_changes changes;
  for (std::size_t i = 0; i < keys.size(); ++i) changes[keys[i]] = read_chunk(bits, words[i]);
  if ((bits.position() + 15) / 16 + keys.size() != words.size()) {
    throw error(errc::corrupt, "inline tables: " + std::to_string(words.size()) + " words, but the chunks end at bit " +
                                   std::to_string(bits.position()));
  }
  return changes;
}

void change_tables(const table_changes& changes, std::vector<table_class>& classes) {
  for (const auto& [key, rows] : changes) {
    table_set& set = classes.at(static_cast<std::size_t>(key.first)).at(static_cast<std::size_t>(key.second));
    for (std::size_t j = 0; j < rows.size(); ++j) {
      if (!rows[j]) continue;
      for (std::size_t cell = 0; cell < cell_count; ++cell) {
        const int change = rows[j]->at(cell);
        if (change == 0) continue;
        const int level = ladder_level(set.at(j).at(cell)) + change;
        if (level < 0 || level > 63) {
          throw error(errc::corrupt, "inline tables: level " + std::to_string(level) + " outside of 0 .. 63");
        }
        set.at(j).at(cell) = probability_ladder.at(static_cast<std::size_t>(level));
      }
    }
  }
}

}  // namespace gpuimg::oracle
