/// @file
/// Order and place of a tile's code-blocks, and the block index. Source: docs/paco-format.md section 4.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "gpuimg/codec/bit_packing.hpp"
#include "gpuimg/codec/paco/format.hpp"
#include "gpuimg/codec/paco/tables.hpp"
#include "gpuimg/codec/subband.hpp"
#include "gpuimg/simt/bits.hpp"

namespace gpuimg::paco {

/// The blocks of one (resolution, component, sub-band).
struct block_group {
  codec::subband_rectangle area;  ///< in the component's plane (Mallat layout)
  std::int64_t first_block = 0;   ///< number of its first block in the tile
  std::int64_t first_sample = 0;  ///< coefficients of all groups before it
  std::int64_t columns = 0;       ///< blocks in a row of blocks
  std::int64_t rows = 0;
  int component = 0;
  int table = 0;  ///< class x 16 + set: which probabilities
  int resolution = 0;

  GPUIMG_FUNCTION constexpr std::int64_t blocks() const noexcept { return columns * rows; }
};

/// Rectangle of a block in its component's plane.
struct block_rectangle {
  std::int64_t x, y;
  int width, height;
};

/// Place of block `number` (counted in the tile) of group `g`.
GPUIMG_FUNCTION constexpr block_rectangle block_of(const block_group& g, std::int64_t number, int block_width,
                                                   int block_height) noexcept {
  const std::int64_t i = number - g.first_block;
  const std::int64_t x = i % g.columns * block_width;
  const std::int64_t y = i / g.columns * block_height;
  const std::int64_t w = g.area.width - x;
  const std::int64_t h = g.area.height - y;
  return {g.area.x + x, g.area.y + y, static_cast<int>(w < block_width ? w : block_width),
          static_cast<int>(h < block_height ? h : block_height)};
}

/// All groups of a tile, in coding order.
struct tile_layout {
  std::int64_t width = 0;
  std::int64_t height = 0;
  std::int64_t blocks = 0;
  std::vector<block_group> groups;
  std::vector<int> chunks;  ///< class x 16 + set of each chunk of inline tables, in order

  friend bool operator==(const tile_layout&, const tile_layout&) = delete;
};

/// Sub-bands and code-blocks that each component of a tile has.
struct layout_counts {
  std::int64_t groups = 0;
  std::int64_t blocks = 0;
};

/// Counts the groups and blocks of one component in a tile of `width` x `height`. O(levels).
inline layout_counts count_layout(const stream_header& h, std::int64_t width, std::int64_t height) noexcept {
  layout_counts counts;
  for (int r = 0; r <= h.levels; ++r) {
    for (const auto o : codec::orientations_of_resolution(r)) {
      const auto area = codec::subband(width, height, h.levels, r, o);
      if (area.width == 0 || area.height == 0) { continue; }
      ++counts.groups;
      counts.blocks +=
          (((area.width - 1) >> h.block_width_log2) + 1) * (((area.height - 1) >> h.block_height_log2) + 1);
    }
  }
  return counts;
}

/// Layout of a tile of `width` x `height`. O(components x levels).
inline tile_layout layout_tile(const stream_header& h, std::int64_t width, std::int64_t height) {
  tile_layout layout;
  layout.width = width;
  layout.height = height;
  const std::int64_t block_width = std::int64_t{1} << h.block_width_log2;
  const std::int64_t block_height = std::int64_t{1} << h.block_height_log2;
  std::int64_t samples = 0;
  bool used[table_classes * table_sets] = {};
  layout.groups.reserve(static_cast<std::size_t>(count_layout(h, width, height).groups * h.picture.components));
  for (int r = 0; r <= h.levels; ++r) {
    for (int c = 0; c < h.picture.components; ++c) {
      for (const auto o : codec::orientations_of_resolution(r)) {
        block_group g;
        g.area = codec::subband(width, height, h.levels, r, o);
        if (g.area.width == 0 || g.area.height == 0) { continue; }
        g.first_block = layout.blocks;
        g.first_sample = samples;
        samples += g.area.width * g.area.height;
        g.columns = (g.area.width + block_width - 1) / block_width;
        g.rows = (g.area.height + block_height - 1) / block_height;
        g.component = c;
        g.resolution = r;
        const auto& color = h.color_components;
        g.table = table_class(c, h.color_transform, color[0], color[1], color[2]) * table_sets +
                  table_set(h.levels - r + 1, o);
        used[g.table] = true;
        layout.blocks += g.blocks();
        layout.groups.push_back(g);
      }
    }
  }
  for (int t = 0; t < table_classes * table_sets; ++t) {
    if (used[t]) { layout.chunks.push_back(t); }
  }
  return layout;
}

/// The group of `groups` that holds block `number`. O(log groups).
GPUIMG_FUNCTION constexpr std::int64_t group_of_block(const block_group* groups, std::int64_t count,
                                                      std::int64_t number) noexcept {
  std::int64_t low = 0;
  while (count > 1) {
    const std::int64_t half = count / 2;
    if (groups[low + half].first_block <= number) { low += half; }
    count -= half;
  }
  return low;
}

/// What the index says of a block.
struct block_record {
  std::uint32_t words = 0;
  std::uint8_t planes = 0;         ///< M
  std::uint8_t fast_planes = 0;    ///< N
  std::uint8_t raw_sign_rows = 0;  ///< q
  bool raw = false;
};

/// Header word of a group: how its blocks' fields are packed.
struct group_fields {
  int smallest_planes = 0;
  int planes_bits = 0;
  int words_bits = 0;
  bool has_raw = false;

  GPUIMG_FUNCTION constexpr std::uint16_t pack() const noexcept {
    return static_cast<std::uint16_t>(smallest_planes | (planes_bits << 5) | (words_bits << 8) |
                                      (has_raw ? 1 << 13 : 0));
  }
  GPUIMG_FUNCTION static constexpr group_fields unpack(std::uint16_t word) noexcept {
    return {word & 31, (word >> 5) & 7, (word >> 8) & 31, ((word >> 13) & 1) != 0};
  }
  /// Bits of one block.
  GPUIMG_FUNCTION constexpr std::uint64_t block_bits(bool fast_planes, bool raw_signs) const noexcept {
    return static_cast<std::uint64_t>(planes_bits + words_bits + (has_raw ? 1 : 0) + (fast_planes ? 5 : 0) +
                                      (raw_signs ? 3 : 0));
  }
  /// Gives a block's fields in their order to put(value, bits).
  GPUIMG_ANY_TARGET
  template <class Put>
  GPUIMG_FUNCTION constexpr void write(const block_record& r, bool fast_planes, bool raw_signs, const Put& put) const {
    put(static_cast<std::uint32_t>(r.planes - smallest_planes), planes_bits);
    put(r.words, words_bits);
    if (has_raw) { put(r.raw ? 1 : 0, 1); }
    if (fast_planes) { put(r.fast_planes, 5); }
    if (raw_signs) { put(r.raw_sign_rows, 3); }
  }
  /// The inverse; take(bits) gives the next value.
  GPUIMG_ANY_TARGET
  template <class Take>
  GPUIMG_FUNCTION constexpr block_record read(bool fast_planes, bool raw_signs, const Take& take) const {
    block_record r;
    r.planes = static_cast<std::uint8_t>(static_cast<std::uint32_t>(smallest_planes) + take(planes_bits));
    r.words = take(words_bits);
    r.raw = has_raw && take(1) != 0;
    r.fast_planes = static_cast<std::uint8_t>(fast_planes ? take(5) : 0);
    r.raw_sign_rows = static_cast<std::uint8_t>(raw_signs ? take(3) : 0);
    return r;
  }
};

/// Appends the block index to `words`.
inline void write_index(const stream_header& h, const tile_layout& layout, std::span<const block_record> records,
                        std::vector<std::uint16_t>& words) {
  const std::size_t first = words.size();
  words.resize(first + layout.groups.size());
  codec::bit_writer bits(words);
  for (std::size_t i = 0; i < layout.groups.size(); ++i) {
    const block_group& g = layout.groups[i];
    const auto own = records.subspan(static_cast<std::size_t>(g.first_block), static_cast<std::size_t>(g.blocks()));
    group_fields f;
    f.smallest_planes = 31;
    int largest = 0;
    std::uint32_t longest = 0;
    for (const block_record& r : own) {
      f.smallest_planes = std::min(f.smallest_planes, static_cast<int>(r.planes));
      largest = std::max(largest, static_cast<int>(r.planes));
      longest = std::max(longest, r.words);
      f.has_raw = f.has_raw || r.raw;
    }
    f.planes_bits = simt::bit_width(static_cast<std::uint32_t>(largest - f.smallest_planes));
    f.words_bits = simt::bit_width(longest);
    words[first + i] = f.pack();
    for (const block_record& r : own) {
      f.write(r, h.fast_planes, h.features.raw_signs, [&](std::uint32_t value, int n) { bits.put(value, n); });
    }
  }
  bits.finish();
}

/// Most words that a raw block takes.
GPUIMG_FUNCTION constexpr std::uint32_t raw_block_words(int width, int height, int planes) noexcept {
  return static_cast<std::uint32_t>(codec::words_of_bits(
      static_cast<std::uint64_t>(width) * static_cast<std::uint64_t>(height) * static_cast<std::uint64_t>(planes + 1)));
}

/// Reads the index of a tile; checks every record and that the lengths fill `block_bytes`.
/// @throws error truncated, corrupt; `offset` is the index's place in the stream.
inline void read_index(const stream_header& h, const tile_layout& layout, std::span<const std::byte> bytes,
                       std::uint64_t block_bytes, std::uint64_t offset, std::vector<block_record>& records) {
  using detail::require_field;
  const std::uint64_t group_words = layout.groups.size();
  const std::uint64_t words = bytes.size() / 2;
  if (words < group_words) {
    detail::refuse(errc::truncated,
                   "the block index holds " + std::to_string(words) + " words, its groups alone take " +
                       std::to_string(group_words),
                   offset);
  }
  const auto word_at = [&](std::uint64_t i) { return load_little<std::uint16_t>(bytes.data() + 2 * i); };
  std::uint64_t total_bits = 0;
  for (std::uint64_t i = 0; i < group_words; ++i) {
    const std::uint16_t word = word_at(i);
    const group_fields f = group_fields::unpack(word);
    require_field((word >> 14) == 0 && f.planes_bits <= 5, "group word", word,
                  "of bits 0..13, with at most 5 plane bits", offset + 2 * i);
    total_bits +=
        static_cast<std::uint64_t>(layout.groups[i].blocks()) * f.block_bits(h.fast_planes, h.features.raw_signs);
  }
  require_field(group_words + codec::words_of_bits(total_bits) == words, "length of the block index", bytes.size(),
                "what its groups add up to", offset);
  records.clear();
  records.reserve(static_cast<std::size_t>(layout.blocks));
  records.resize(static_cast<std::size_t>(layout.blocks));
  std::uint64_t at = 16 * group_words;
  const auto take = [&](int n) {
    std::uint64_t bits = 0;
    for (std::uint64_t i = 0; i < 3; ++i) {
      if (at / 16 + i < words) { bits |= std::uint64_t{word_at(at / 16 + i)} << (16 * i); }
    }
    const auto value = static_cast<std::uint32_t>(bits >> (at % 16)) & codec::low_bits(n);
    at += static_cast<std::uint64_t>(n);
    return value;
  };
  const auto largest = static_cast<std::uint32_t>(largest_planes(h.picture.depth, h.color_transform));
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < group_words; ++i) {
    const block_group& g = layout.groups[i];
    const group_fields f = group_fields::unpack(word_at(i));
    for (std::int64_t b = g.first_block; b < g.first_block + g.blocks(); ++b) {
      const std::uint64_t where = offset + at / 8;
      const block_record r = f.read(h.fast_planes, h.features.raw_signs, take);
      records[static_cast<std::size_t>(b)] = r;
      require_field(r.planes <= largest, "planes of a block", r.planes, "what the depth allows", where);
      require_field(r.fast_planes <= r.planes, "fast planes of a block", r.fast_planes, "at most its planes", where);
      require_field(r.planes > 0 || (r.words == 0 && !r.raw && r.raw_sign_rows == 0), "length of an empty block",
                    r.words, "0 without options", where);
      const block_rectangle place = block_of(g, b, 1 << h.block_width_log2, 1 << h.block_height_log2);
      require_field(!r.raw || (r.words == raw_block_words(place.width, place.height, r.planes) && r.fast_planes == 0 &&
                               r.raw_sign_rows == 0),
                    "length of a raw block", r.words, "what its planes take, without options", where);
      sum += r.words;
    }
  }
  require_field(2 * sum == block_bytes, "sum of the blocks' lengths", 2 * sum, "the length of the code-blocks", offset);
}

}  // namespace gpuimg::paco
