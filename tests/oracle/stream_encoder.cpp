#include <algorithm>
#include <string>

#include "tests/oracle/color.hpp"
#include "tests/oracle/index.hpp"
#include "tests/oracle/stream.hpp"

namespace gpuimg::oracle {
namespace {

void extend(byte_list& bytes, const byte_list& more) { bytes.insert(bytes.end(), more.begin(), more.end()); }

byte_list payload(tile_header header, const byte_list& tables, const byte_list& index, const byte_list& blocks) {
  header.table_bytes = tables.size();
  header.index_bytes = index.size();
  header.block_bytes = blocks.size();
  byte_list bytes = write_tile_header(header);
  extend(bytes, tables);
  extend(bytes, index);
  extend(bytes, blocks);
  return bytes;
}

byte_list encode_stored_tile(const stream_header& header, std::uint64_t index, const picture& tile) {
  bit_string bits;
  for (const plane& component : tile) {
    for (coordinate y = 0; y < component.height(); ++y) {
      for (coordinate x = 0; x < component.width(); ++x) {
        // As an unsigned number a negative sample has the low bits of its two's complement.
        bits.put(static_cast<std::uint32_t>(component.at(x, y)), header.depth);
      }
    }
  }
  return payload({.index = index, .stored = true}, {}, {}, bytes_of(bits.words()));
}

byte_list encode_coded_tile(const stream_header& header, std::uint64_t index, const picture& tile,
                            const rectangle& area, const default_tables& defaults, const tile_choice& choice) {
  std::vector<table_class> classes = classes_of(header, defaults);
  byte_list table_bytes;
  if (choice.inline_tables) {
    change_tables(choice.changes, classes);
    table_bytes = bytes_of(write_inline_tables(chunks_of(header, area), choice.changes));
  }
  const picture coefficients = forward_transforms(header, tile);
  block_index entries;
  byte_list block_bytes;
  for (const block_group& group : groups_of(header, area)) {
    const auto table_class_number = static_cast<std::size_t>(class_of(header, group.component));
    const auto set_number = static_cast<std::size_t>(set_of(group.level, group.which));
    const table_set& table = classes.at(table_class_number).at(set_number);
    entries.emplace_back();
    for (const rectangle& block : group.blocks) {
      const plane values = crop(coefficients.at(static_cast<std::size_t>(group.component)), block);
      const block_choice wish = choice.block ? choice.block(group, block) : block_choice();
      block_entry entry;
      entry.planes = planes_of(values);
      word_list words;
      if (entry.planes > 0 && wish.raw) {
        entry.raw = true;
        words = encode_raw_block(values);
      } else if (entry.planes > 0) {
        if (header.fast_planes) entry.fast_planes = std::min(wish.fast_planes, entry.planes);
        if (header.raw_signs) entry.raw_sign_sevenths = wish.raw_sign_sevenths;
        words = encode_block(values, table, options_of(header, entry.fast_planes, entry.raw_sign_sevenths)).words;
      }
      entry.length = words.size();
      entries.back().push_back(entry);
      extend(block_bytes, bytes_of(words));
    }
  }
  const index_fields fields{header.fast_planes, header.raw_signs};
  return payload({.index = index, .inline_tables = choice.inline_tables}, table_bytes,
                 bytes_of(write_index(entries, fields)), block_bytes);
}

void check(const stream_header& header, const picture& samples) {
  if (samples.size() != header.components) throw error(errc::invalid_argument, "oracle: number of components");
  const sample_range range = range_of(header.depth, header.is_signed);
  for (const plane& component : samples) {
    if (component.width() != header.width || component.height() != header.height) {
      throw error(errc::invalid_argument, "oracle: size of a component");
    }
    for (coordinate y = 0; y < component.height(); ++y) {
      for (coordinate x = 0; x < component.width(); ++x) {
        const std::int32_t sample = component.at(x, y);
        if (sample < range.low || sample > range.high) {
          throw error(errc::invalid_argument,
                      "oracle: sample " + std::to_string(sample) + " of depth " + std::to_string(header.depth));
        }
      }
    }
  }
}

}  // namespace

block_options options_of(const stream_header& header, int fast_planes, int raw_sign_sevenths) {
  block_options options;
  options.block_width = 1 << header.block_width_log2;
  options.fast_planes = fast_planes;
  options.raw_planes = header.raw_planes;
  options.raw_sign_sevenths = raw_sign_sevenths;
  options.raw_signs = header.raw_signs;
  options.strip_flags = header.strip_flags;
  options.compact_refinement = header.compact_refinement;
  return options;
}

byte_list encode_stream(const stream_header& header, const picture& samples, const default_tables& defaults,
                        const stream_choice& choice) {
  check(header, samples);
  byte_list stream = begin_stream();
  append(stream, {"HEAD", choice.checksums, false, write_header(header, checksum_of(defaults))});
  for (std::uint64_t index = 0; index < tile_count(header); ++index) {
    const rectangle area = tile_rectangle(header, index);
    const tile_choice wish = choice.tile ? choice.tile(index) : tile_choice();
    picture tile;
    for (const plane& component : samples) tile.push_back(crop(component, area));
    append(stream, {"TILE", choice.checksums, false,
                    wish.stored ? encode_stored_tile(header, index, tile)
                                : encode_coded_tile(header, index, tile, area, defaults, wish)});
  }
  append(stream, {"END ", choice.checksums, false, {}});
  return stream;
}

}  // namespace gpuimg::oracle
