/// @file
/// What the encoders and decoders of tiles share: byte sinks, tables in their inline form, stored samples.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "gpuimg/codec/bit_packing.hpp"
#include "gpuimg/codec/bitplane_block.hpp"
#include "gpuimg/codec/paco/format.hpp"
#include "gpuimg/codec/paco/layout.hpp"
#include "gpuimg/codec/paco/options.hpp"
#include "gpuimg/codec/paco/tables.hpp"
#include "gpuimg/codec/sample_format.hpp"
#include "gpuimg/core/image_view.hpp"

namespace gpuimg::paco::detail {

/// Bytes written one after the other into a buffer of limited size.
class byte_sink {
 public:
  explicit byte_sink(std::span<std::byte> to) : to_(to) {}
  std::span<std::byte> take(std::uint64_t n) {
    if (n > to_.size() - at_) {
      throw error(errc::buffer_too_small, "PaCo: the buffer of " + std::to_string(to_.size()) +
                                              " bytes is too small, at least " + std::to_string(at_ + n) +
                                              " are needed");
    }
    const auto part = to_.subspan(at_, static_cast<std::size_t>(n));
    at_ += static_cast<std::size_t>(n);
    return part;
  }
  void put_words(std::span<const std::uint16_t> words) {
    const auto to = take(2 * words.size());
    if (!words.empty()) { std::memcpy(to.data(), words.data(), to.size()); }
  }
  std::size_t size() const noexcept { return at_; }

 private:
  std::span<std::byte> to_;
  std::size_t at_ = 0;
};

/// Gives a vector whose contents do not matter another size, without the room to grow that resize() would add.
template <class T>
void renew(std::vector<T>& v, std::uint64_t size) {
  if (v.capacity() < size) {
    std::vector<T>().swap(v);
    v.reserve(static_cast<std::size_t>(size));
  }
  v.resize(static_cast<std::size_t>(size));
}

/// The parameters of a block's walk.
inline codec::block_parameters<> parameters_of(const stream_header& h, const block_rectangle& place, int planes,
                                               int fast_planes) noexcept {
  codec::block_parameters<> p;
  p.width = place.width;
  p.height = place.height;
  p.planes = planes;
  p.fast_planes = std::min(planes, fast_planes);
  p.raw_planes = h.raw_planes;
  p.raw_sign_row = place.height;
  p.features = h.features;
  return p;
}

/// The default tables of all classes of a stream.
inline std::array<class_table, table_classes> starting_tables(const stream_header& h) {
  const default_table_set& defaults = default_tables();
  std::array<class_table, table_classes> tables;
  for (int c = 0; c < table_classes; ++c) {
    tables[static_cast<std::size_t>(c)] = h.color_transform && (c == 1 || c == 2) ? defaults.chroma : defaults.luma;
  }
  return tables;
}

/// Rows of probabilities in all classes.
inline constexpr int all_rows = table_classes * table_sets * table_rows;

/// The rows that turn `tables` into `given`, as near as the ladder allows, where the tile has sub-bands.
inline std::vector<fitted_row> rows_of(const tile_layout& layout, const probability_ladder& ladder,
                                       const std::array<class_table, table_classes>& given,
                                       const std::array<class_table, table_classes>& tables) {
  std::vector<fitted_row> rows(all_rows);
  for (const int chunk : layout.chunks) {
    const auto cls = static_cast<std::size_t>(chunk / table_sets);
    for (int plane = 0; plane < table_rows; ++plane) {
      fitted_row& row = rows[static_cast<std::size_t>(chunk * table_rows + plane)];
      for (int c = 0; c < codec::cells_per_row; ++c) {
        const auto at = static_cast<std::size_t>(chunk % table_sets * set_cells + plane * codec::cells_per_row + c);
        const int delta = ladder.level_of(std::max<int>(given[cls][at], 1)) - ladder.level_of(tables[cls][at]);
        row.delta[c] = static_cast<std::int8_t>(delta);
        row.sent = row.sent || delta != 0;
      }
    }
  }
  return rows;
}

/// Applies all rows.
inline void apply_rows(const probability_ladder& ladder, std::span<const fitted_row> rows,
                       std::array<class_table, table_classes>& tables) {
  constexpr std::size_t rows_per_class = std::size_t{table_sets} * table_rows;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    apply_row(ladder, rows[i], tables[i / rows_per_class].data() + i % rows_per_class * codec::cells_per_row);
  }
}

/// Appends inline tables. @returns whether any row is sent.
inline bool write_tables(const tile_layout& layout, std::span<const fitted_row> rows,
                         std::vector<std::uint16_t>& words) {
  const std::size_t first = words.size();
  words.resize(first + layout.chunks.size());
  codec::bit_writer bits(words);
  for (std::size_t i = 0; i < layout.chunks.size(); ++i) {
    const auto own = rows.subspan(static_cast<std::size_t>(layout.chunks[i]) * table_rows, table_rows);
    std::size_t count = table_rows;
    while (count > 0 && !own[count - 1].sent) { --count; }
    const std::uint64_t before = bits.bits();
    for (const fitted_row& row : own.first(count)) {
      bits.put(row.sent ? 1 : 0, 1);
      for (int c = 0; row.sent && c < codec::cells_per_row; ++c) {
        bits.put(delta_code(row.delta[c]), delta_bits(row.delta[c]));
      }
    }
    words[first + i] = static_cast<std::uint16_t>(bits.bits() - before);
  }
  bits.finish();
  return std::any_of(rows.begin(), rows.end(), [](const fitted_row& row) { return row.sent; });
}

/// How the samples of a stream become coefficients.
inline codec::sample_format samples_of(const stream_header& h) noexcept {
  return {.depth = h.picture.depth,
          .color_transform = h.color_transform,
          .color_components = {h.color_components[0], h.color_components[1], h.color_components[2]}};
}

/// Reads inline tables over the defaults in `tables`; `offset` is their place in the stream.
/// @throws error truncated, corrupt
inline void read_tables(const tile_layout& layout, std::span<const std::byte> bytes, std::uint64_t offset,
                        std::array<class_table, table_classes>& tables) {
  std::vector<std::uint16_t> words(bytes.size() / 2);
  if (!words.empty()) { std::memcpy(words.data(), bytes.data(), 2 * words.size()); }
  const std::size_t chunks = layout.chunks.size();
  if (words.size() < chunks) {
    refuse(errc::truncated,
           "the tables hold " + std::to_string(words.size()) + " words, the lengths of their chunks alone take " +
               std::to_string(chunks),
           offset);
  }
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < chunks; ++i) { bits += words[i]; }
  require_field(chunks + codec::words_of_bits(bits) == words.size(), "length of the tables", bytes.size(),
                "what their chunks add up to", offset);
  constexpr probability_ladder ladder{};
  std::uint64_t at = 16 * static_cast<std::uint64_t>(chunks);
  for (std::size_t i = 0; i < chunks; ++i) {
    const auto cls = static_cast<std::size_t>(layout.chunks[i] / table_sets);
    std::uint8_t* rows = tables[cls].data() + layout.chunks[i] % table_sets * set_cells;
    const chunk_fault fault = read_chunk(ladder, words.data(), words.size(), at, words[i], rows);
    if (fault != chunk_fault::none) {
      refuse(errc::corrupt, "chunk " + std::to_string(i) + " of the tables: " + text_of(fault), offset + at / 8);
    }
    at += words[i];
  }
}

/// The group that holds block `number`.
inline std::vector<block_group>::const_iterator group_of(const tile_layout& layout, std::int64_t number) {
  return layout.groups.begin() +
         group_of_block(layout.groups.data(), static_cast<std::int64_t>(layout.groups.size()), number);
}

/// Writes the samples of a tile as they are (docs/paco-format.md section 8).
template <class S>
void store_samples_as_they_are(const cube_view<const S>& tile, int depth, byte_sink& sink) {
  std::vector<std::uint16_t> words;
  codec::bit_writer bits(words);
  for (std::int64_t c = 0; c < tile.bands; ++c) {
    for (std::int64_t y = 0; y < tile.height; ++y) {
      for (std::int64_t x = 0; x < tile.width; ++x) { bits.put(static_cast<std::uint32_t>(tile(x, y, c)), depth); }
      sink.put_words(words);
      words.clear();
    }
  }
  bits.finish();
  sink.put_words(words);
}

/// Reads samples that are stored as they are, stored_bytes() of them.
template <class S>
void load_stored_samples(const stream_header& h, std::span<const std::byte> bytes, const cube_view<S>& tile) {
  const int depth = h.picture.depth;
  std::uint64_t at = 0;
  for (std::int64_t c = 0; c < tile.bands; ++c) {
    for (std::int64_t y = 0; y < tile.height; ++y) {
      for (std::int64_t x = 0; x < tile.width; ++x, at += static_cast<std::uint64_t>(depth)) {
        std::uint32_t bits = static_cast<std::uint32_t>(bytes[at / 8]) >> (at % 8);
        for (std::uint64_t next = at / 8 + 1; 8 * next < at + static_cast<std::uint64_t>(depth); ++next) {
          bits |= static_cast<std::uint32_t>(bytes[next]) << (8 * next - at);
        }
        bits &= codec::low_bits(depth);
        const bool negative = h.picture.is_signed && (bits >> (depth - 1)) != 0;
        tile(x, y, c) = static_cast<S>(negative ? static_cast<std::int32_t>(bits | ~codec::low_bits(depth))
                                                : static_cast<std::int32_t>(bits));
      }
    }
  }
}

/// Throws unless `tile` can be tile `index` of a stream with this header.
/// @throws error invalid_argument
template <class S>
void check_tile(const stream_header& h, std::int64_t index, const cube_view<S>& tile) {
  gpuimg::detail::check_index("tile", index, h.tiles());
  codec::check_format<S>(samples_of(h), tile.bands);
  const tile_rectangle t = tile_of(h, index);
  if (tile.width == t.width && tile.height == t.height && tile.bands == h.picture.components &&
      std::is_signed_v<S> == h.picture.is_signed) {
    return;
  }
  const auto text = [](std::int64_t width, std::int64_t height, std::int64_t components, bool is_signed) {
    return std::to_string(width) + "x" + std::to_string(height) + " with " + std::to_string(components) +
           (is_signed ? " signed" : " unsigned") + " components";
  };
  throw error(errc::invalid_argument, "PaCo: tile " + std::to_string(index) + " is " +
                                          text(t.width, t.height, h.picture.components, h.picture.is_signed) +
                                          ", the one given is " +
                                          text(tile.width, tile.height, tile.bands, std::is_signed_v<S>));
}

/// Reads and checks the header of tile `index`, whose payload starts at `offset`.
/// @throws error truncated, corrupt
inline tile_header read_tile_front(const stream_header& h, std::span<const std::byte> payload, std::int64_t index,
                                   std::uint64_t offset, std::int64_t width, std::int64_t height) {
  const tile_header t = read_tile_header(payload, offset);
  require_field(t.index == static_cast<std::uint64_t>(index), "index of a tile", t.index, "the next in raster order",
                offset);
  require_field(!t.stored || t.block_bytes == stored_bytes(h, width, height), "length of a stored tile", t.block_bytes,
                "what its samples take", offset + 24);
  return t;
}

/// Throws for a damaged block; `offset` is where the code-blocks start.
[[noreturn]] inline void refuse_block(std::span<const block_record> records, std::uint64_t number,
                                      std::uint64_t offset) {
  for (const block_record& r : records.first(static_cast<std::size_t>(number))) {
    offset += 2 * std::uint64_t{r.words};
  }
  refuse(errc::corrupt, "code-block " + std::to_string(number) + " of the tile is damaged", offset);
}

}  // namespace gpuimg::paco::detail
