#include <string>

#include "tests/oracle/color.hpp"
#include "tests/oracle/index.hpp"
#include "tests/oracle/stream.hpp"

namespace gpuimg::oracle {
namespace {

byte_list part_of(const byte_list& bytes, std::uint64_t offset, std::uint64_t length) {
  const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(offset);
  return {begin, begin + static_cast<std::ptrdiff_t>(length)};
}

picture decode_stored_tile(const stream_header& header, const rectangle& area, const word_list& words) {
  const auto samples = static_cast<std::uint64_t>(area.width * area.height) * header.components;
  if (words.size() != (samples * header.depth + 15) / 16) {
    throw error(errc::corrupt, "TILE: " + std::to_string(words.size()) + " words of stored samples");
  }
  bit_reader bits(words);
  const sample_range range = range_of(header.depth, header.is_signed);
  picture tile(header.components, plane(area.width, area.height));
  for (plane& component : tile) {
    for (coordinate y = 0; y < area.height; ++y) {
      for (coordinate x = 0; x < area.width; ++x) {
        auto sample = static_cast<std::int64_t>(bits.get(header.depth));
        if (sample > range.high) sample -= std::int64_t{1} << header.depth;
        component.at(x, y) = static_cast<std::int32_t>(sample);
      }
    }
  }
  return tile;
}

/// The three parts of a coded tile.
struct tile_parts {
  word_list tables;
  word_list index;
  word_list blocks;
};

picture decode_coded_tile(const stream_header& header, const rectangle& area, const default_tables& defaults,
                          bool inline_tables, const tile_parts& parts) {
  std::vector<table_class> classes = classes_of(header, defaults);
  if (inline_tables) change_tables(read_inline_tables(chunks_of(header, area), parts.tables), classes);

  const std::vector<block_group> groups = groups_of(header, area);
  std::vector<std::size_t> block_counts;
  block_counts.reserve(groups.size());
  for (const block_group& group : groups) block_counts.push_back(group.blocks.size());
  const block_index index = read_index(parts.index, block_counts, {header.fast_planes, header.raw_signs});

  picture coefficients(header.components, plane(area.width, area.height));
  std::size_t offset = 0;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const block_group& group = groups[g];
    const auto table_class_number = static_cast<std::size_t>(class_of(header, group.component));
    const auto set_number = static_cast<std::size_t>(set_of(group.level, group.which));
    const table_set& table = classes.at(table_class_number).at(set_number);
    for (std::size_t i = 0; i < group.blocks.size(); ++i) {
      const block_entry& entry = index[g][i];
      const rectangle& block = group.blocks[i];
      if (entry.length > parts.blocks.size() - offset) {
        throw error(errc::corrupt, "block index: a length of " + std::to_string(entry.length) + " words");
      }
      const auto begin = parts.blocks.begin() + static_cast<std::ptrdiff_t>(offset);
      const word_list words(begin, begin + static_cast<std::ptrdiff_t>(entry.length));
      offset += entry.length;
      if (entry.planes == 0) continue;
      const plane values = entry.raw ? decode_raw_block(words, block.width, block.height, entry.planes)
                                     : decode_block(words, block.width, block.height, entry.planes, table,
                                                    options_of(header, entry.fast_planes, entry.raw_sign_sevenths))
                                           .values;
      paste(values, coefficients.at(static_cast<std::size_t>(group.component)), block.x, block.y);
    }
  }
  if (offset != parts.blocks.size()) throw error(errc::corrupt, "TILE: code-blocks do not fill B");
  return inverse_transforms(header, coefficients);
}

picture decode_tile(const stream_header& header, const segment& source, std::uint64_t expected,
                    const default_tables& defaults) {
  const tile_header tile = read_tile_header(source);
  if (tile.index != expected || expected >= tile_count(header)) {
    throw error(errc::corrupt, "TILE: index " + std::to_string(tile.index), source.offset + 16);
  }
  const rectangle area = tile_rectangle(header, tile.index);
  const std::uint64_t index_offset = tile_header_size + tile.table_bytes;
  const tile_parts parts{
      words_of(part_of(source.payload, tile_header_size, tile.table_bytes)),
      words_of(part_of(source.payload, index_offset, tile.index_bytes)),
      words_of(part_of(source.payload, index_offset + tile.index_bytes, tile.block_bytes)),
  };
  return tile.stored ? decode_stored_tile(header, area, parts.blocks)
                     : decode_coded_tile(header, area, defaults, tile.inline_tables, parts);
}

/// Whether width x height x components is at most the limit; the products may exceed 64 bits.
bool fits(const stream_header& header, std::uint64_t limit) {
  if (header.width == 0 || header.height == 0) return true;
  return header.width <= limit / header.height &&
         std::uint64_t{header.width} * header.height <= limit / header.components;
}

}  // namespace

decoded_stream decode_stream(const byte_list& stream, const default_tables& defaults, std::uint64_t sample_limit) {
  std::size_t offset = read_beginning(stream);
  decoded_stream result;
  result.header = read_header(read_segment(stream, offset), checksum_of(defaults));
  if (!fits(result.header, sample_limit)) {
    throw error(errc::out_of_memory, "HEAD: a picture of more than " + std::to_string(sample_limit) + " samples");
  }
  result.samples.assign(result.header.components, plane(result.header.width, result.header.height));
  std::uint64_t tiles = 0;
  while (true) {
    const segment part = read_segment(stream, offset);
    if (part.type == "TILE") {
      const picture tile = decode_tile(result.header, part, tiles, defaults);
      const rectangle area = tile_rectangle(result.header, tiles);
      for (std::size_t i = 0; i < tile.size(); ++i) paste(tile[i], result.samples[i], area.x, area.y);
      ++tiles;
    } else if (part.type == "END ") {
      if (!part.payload.empty()) throw error(errc::corrupt, "END: it has a payload", part.offset + 8);
      if (tiles != tile_count(result.header)) {
        throw error(errc::corrupt, "END: after " + std::to_string(tiles) + " tiles", part.offset);
      }
      return result;
    } else if (!part.optional) {
      throw error(errc::unsupported, "segment of unknown type " + part.type, part.offset);
    }
  }
}

}  // namespace gpuimg::oracle
