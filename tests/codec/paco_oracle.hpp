/// @file
/// Between the library's pictures, headers and streams and those of the oracle.
#pragma once

#include <cstring>
#include <utility>
#include <vector>

#include "tests/codec/paco_streams.hpp"
#include "tests/oracle/index.hpp"
#include "tests/oracle/stream.hpp"

namespace paco_tests {

namespace oracle = gpuimg::oracle;

/// The library's default tables in the oracle's form.
inline oracle::default_tables oracle_tables() {
  const auto& source = paco::default_tables();
  oracle::default_tables tables;
  const auto copy = [](const paco::class_table& from, oracle::table_class& to) {
    std::size_t at = 0;
    for (auto& set : to) {
      for (auto& row : set) {
        for (auto& cell : row) { cell = from.at(at++); }
      }
    }
  };
  copy(source.luma, tables.luma);
  copy(source.chroma, tables.chroma);
  return tables;
}

inline oracle::byte_list oracle_bytes(const stream_bytes& stream) {
  oracle::byte_list bytes(stream.size());
  if (!bytes.empty()) { std::memcpy(bytes.data(), stream.data(), bytes.size()); }
  return bytes;
}

inline stream_bytes library_bytes(const oracle::byte_list& stream) {
  stream_bytes bytes(stream.size());
  if (!bytes.empty()) { std::memcpy(bytes.data(), stream.data(), bytes.size()); }
  return bytes;
}

inline oracle::stream_header oracle_header(const paco::stream_header& h) {
  oracle::stream_header o;
  o.width = static_cast<std::uint32_t>(h.picture.width);
  o.height = static_cast<std::uint32_t>(h.picture.height);
  o.tile_width = static_cast<std::uint32_t>(h.tile_width);
  o.tile_height = static_cast<std::uint32_t>(h.tile_height);
  o.components = static_cast<std::uint16_t>(h.picture.components);
  for (std::size_t i = 0; i < 3; ++i) {
    o.color_components[i] = static_cast<std::uint16_t>(h.color_transform ? h.color_components[i] : 0);
  }
  o.depth = static_cast<std::uint8_t>(h.picture.depth);
  o.is_signed = h.picture.is_signed;
  o.lossless = h.lossless;
  o.color_transform = h.color_transform;
  o.levels = static_cast<std::uint8_t>(h.levels);
  o.block_width_log2 = static_cast<std::uint8_t>(h.block_width_log2);
  o.block_height_log2 = static_cast<std::uint8_t>(h.block_height_log2);
  o.raw_planes = static_cast<std::uint8_t>(h.raw_planes);
  o.raw_signs = h.features.raw_signs;
  o.strip_flags = h.features.strip_flags;
  o.compact_refinement = h.features.compact_refinement;
  o.fast_planes = h.fast_planes;
  return o;
}

template <class S>
oracle::picture oracle_picture(const gpuimg::cube_view<const S>& samples) {
  oracle::picture picture;
  for (std::int64_t c = 0; c < samples.bands; ++c) {
    oracle::plane component(samples.width, samples.height);
    for (std::int64_t y = 0; y < samples.height; ++y) {
      for (std::int64_t x = 0; x < samples.width; ++x) { component.at(x, y) = samples(x, y, c); }
    }
    picture.push_back(std::move(component));
  }
  return picture;
}

/// What an encoder has chosen for the tiles of a stream, read from the stream by the oracle.
inline std::vector<oracle::tile_choice> choices_of(const oracle::byte_list& stream,
                                                   const oracle::stream_header& header) {
  std::vector<oracle::tile_choice> choices;
  std::size_t offset = oracle::read_beginning(stream);
  oracle::read_segment(stream, offset);
  for (auto s = oracle::read_segment(stream, offset); s.type == "TILE"; s = oracle::read_segment(stream, offset)) {
    const auto t = oracle::read_tile_header(s);
    oracle::tile_choice choice{.stored = t.stored, .inline_tables = t.inline_tables};
    if (!t.stored) {
      const auto area = oracle::tile_rectangle(header, t.index);
      const auto part = [&](std::uint64_t at, std::uint64_t bytes) {
        const auto first = s.payload.begin() + static_cast<std::ptrdiff_t>(oracle::tile_header_size + at);
        return oracle::words_of({first, first + static_cast<std::ptrdiff_t>(bytes)});
      };
      if (t.inline_tables) {
        choice.changes = oracle::read_inline_tables(oracle::chunks_of(header, area), part(0, t.table_bytes));
      }
      const auto groups = oracle::groups_of(header, area);
      std::vector<std::size_t> counts;
      for (const auto& g : groups) { counts.push_back(g.blocks.size()); }
      std::vector<oracle::block_choice> blocks;
      for (const auto& group :
           oracle::read_index(part(t.table_bytes, t.index_bytes), counts, {header.fast_planes, header.raw_signs})) {
        for (const auto& e : group) { blocks.push_back({e.fast_planes, e.raw_sign_sevenths, e.raw}); }
      }
      choice.block = [blocks, next = std::size_t{0}](const auto&, const auto&) mutable { return blocks.at(next++); };
    }
    choices.push_back(std::move(choice));
  }
  return choices;
}

}  // namespace paco_tests
