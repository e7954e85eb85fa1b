/// @file
/// Headers and segments of the PaCo stream: reading with every field checked, writing. Source: docs/paco-format.md
/// sections 1 and 7.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>

#include "gpuimg/codec/bitplane_block.hpp"
#include "gpuimg/core/byte_order.hpp"
#include "gpuimg/core/crc32.hpp"
#include "gpuimg/core/error.hpp"

namespace gpuimg::paco {

/// What a picture is, apart from its samples.
struct picture_format {
  std::int64_t width = 0;   ///< 0 .. 2^32-1
  std::int64_t height = 0;  ///< 0 .. 2^32-1
  int components = 1;       ///< 1 .. 65535
  int depth = 8;            ///< significant bits of a sample, 1 .. 16
  bool is_signed = false;
  friend bool operator==(const picture_format&, const picture_format&) = default;
};

/// HEAD: all that a decoder must know before the first tile.
struct stream_header {
  picture_format picture;
  std::int64_t tile_width = 1;
  std::int64_t tile_height = 1;
  bool lossless = true;
  bool color_transform = false;
  std::array<int, 3> color_components{0, 0, 0};
  int levels = 5;
  int block_width_log2 = 6;
  int block_height_log2 = 6;
  int raw_planes = 0;
  codec::coder_features features{};
  bool fast_planes = false;
  std::uint32_t table_id = 0;
  std::uint32_t table_checksum = 0;

  std::int64_t tile_columns() const noexcept { return (picture.width + tile_width - 1) / tile_width; }
  std::int64_t tile_rows() const noexcept { return (picture.height + tile_height - 1) / tile_height; }
  std::int64_t tiles() const noexcept {
    return picture.width == 0 || picture.height == 0 ? 0 : tile_columns() * tile_rows();
  }
  /// Whether a tile has fewer samples than 2^59, so that sizes of all kinds have room in 64 bits.
  bool tile_is_countable() const noexcept {
    const auto width = static_cast<std::uint64_t>(std::min(tile_width, picture.width));
    const auto height = static_cast<std::uint64_t>(std::min(tile_height, picture.height));
    return width * height <= ((std::uint64_t{1} << 59) - 1) / static_cast<std::uint64_t>(picture.components);
  }
  friend bool operator==(const stream_header&, const stream_header&) = default;
};

/// Rectangle of a tile in the picture.
struct tile_rectangle {
  std::int64_t x, y, width, height;
};

/// Place of tile `index` (raster order).
inline tile_rectangle tile_of(const stream_header& h, std::int64_t index) noexcept {
  const std::int64_t x = index % h.tile_columns() * h.tile_width;
  const std::int64_t y = index / h.tile_columns() * h.tile_height;
  return {x, y, std::min(h.tile_width, h.picture.width - x), std::min(h.tile_height, h.picture.height - y)};
}

/// Most magnitude planes that coefficients of this stream can have: the 5/3 filters' gains are below 1.72 (low)
/// and 2.87 (high) a direction at any level, so three bits and a fraction on top of a sample's own; chroma of the
/// reversible transform has one more.
constexpr int largest_planes(int depth, bool color_transform) noexcept { return depth + (color_transform ? 4 : 3); }

inline constexpr std::array<std::uint8_t, 8> stream_magic = {0x89, 'G', 'P', 'C', 0x0D, 0x0A, 0x1A, 0x0A};
inline constexpr std::size_t stream_start_bytes = 16;
inline constexpr std::size_t segment_header_bytes = 16;
inline constexpr std::size_t head_bytes = 48;
inline constexpr std::size_t head_offset = stream_start_bytes + segment_header_bytes;  ///< of HEAD's payload
inline constexpr std::size_t tile_header_bytes = 32;

/// Type of a segment: its four letters, first letter lowest.
constexpr std::uint32_t segment_type(const char (&letters)[5]) noexcept {
  std::uint32_t type = 0;
  for (unsigned i = 0; i < 4; ++i) { type |= std::uint32_t{static_cast<unsigned char>(letters[i])} << (8 * i); }
  return type;
}
inline constexpr std::uint32_t head_type = segment_type("HEAD");
inline constexpr std::uint32_t tile_type = segment_type("TILE");
inline constexpr std::uint32_t end_type = segment_type("END ");

/// The four letters, with unprintable ones as '?'.
inline std::string letters_of(std::uint32_t type) {
  std::string s(4, '?');
  for (unsigned i = 0; i < 4; ++i) {
    const auto c = static_cast<char>((type >> (8 * i)) & 0xFFu);
    if (c >= 0x20 && c < 0x7F) { s[i] = c; }
  }
  return s;
}

/// The 16 bytes before a segment's payload.
struct segment_header {
  std::uint32_t type = 0;
  bool has_crc = false;
  bool optional = false;
  std::uint64_t length = 0;

  /// Bytes of the segment behind this header.
  std::uint64_t rest() const noexcept { return length + (has_crc ? 4 : 0); }
};

namespace detail {

[[noreturn]] inline void refuse(errc code, const std::string& what, std::uint64_t offset) {
  throw error(code, "PaCo stream: " + what, offset);
}

inline void require_field(bool good, const char* field, std::uint64_t value, const char* legal, std::uint64_t offset) {
  if (!good) {
    refuse(errc::corrupt, std::string(field) + " is " + std::to_string(value) + ", must be " + legal, offset);
  }
}

}  // namespace detail

/// Checks the 16 bytes at the start of a stream.
/// @throws error truncated, corrupt (not a PaCo stream), unsupported (version)
inline void read_stream_start(std::span<const std::byte> bytes) {
  if (bytes.size() < stream_start_bytes) {
    detail::refuse(errc::truncated, "only " + std::to_string(bytes.size()) + " bytes, the start takes 16",
                   bytes.size());
  }
  if (std::memcmp(bytes.data(), stream_magic.data(), stream_magic.size()) != 0) {
    detail::refuse(errc::corrupt, "the magic number is missing, this is no PaCo stream", 0);
  }
  if (bytes[8] != std::byte{1}) {
    detail::refuse(errc::unsupported, "version " + std::to_string(static_cast<int>(bytes[8])) + ", this reader knows 1",
                   8);
  }
  for (std::size_t i = 10; i < stream_start_bytes; ++i) {
    detail::require_field(bytes[i] == std::byte{0}, "reserved byte", static_cast<std::uint64_t>(bytes[i]), "0", i);
  }
}

/// Reads a segment header; `offset` is its place in the stream, for messages.
/// @throws error truncated, corrupt
inline segment_header read_segment_header(std::span<const std::byte> bytes, std::uint64_t offset) {
  if (bytes.size() < segment_header_bytes) {
    detail::refuse(errc::truncated, "a segment header of 16 bytes is cut to " + std::to_string(bytes.size()), offset);
  }
  segment_header s;
  s.type = load_little<std::uint32_t>(bytes.data());
  const auto flags = load_little<std::uint32_t>(bytes.data() + 4);
  detail::require_field(flags <= 3, "segment flags", flags, "0..3", offset + 4);
  s.has_crc = (flags & 1u) != 0;
  s.optional = (flags & 2u) != 0;
  s.length = load_little<std::uint64_t>(bytes.data() + 8);
  detail::require_field(s.length % 2 == 0 && s.length < (std::uint64_t{1} << 62), "segment length", s.length,
                        "even and below 2^62", offset + 8);
  return s;
}

/// Writes a segment header to 16 bytes.
inline void write_segment_header(std::byte* to, const segment_header& s) noexcept {
  store_little(to, s.type);
  store_little(to + 4, (s.has_crc ? 1u : 0u) | (s.optional ? 2u : 0u));
  store_little(to + 8, s.length);
}

/// Verifies the CRC of a whole segment (header, payload, 4 bytes of CRC).
/// @throws error corrupt
inline void check_segment_crc(std::span<const std::byte> segment, std::uint64_t offset) {
  const std::size_t covered = segment.size() - 4;
  const auto stored = load_little<std::uint32_t>(segment.data() + covered);
  const std::uint32_t computed = crc32(segment.first(covered));
  if (stored != computed) {
    detail::refuse(errc::corrupt,
                   "segment " + letters_of(load_little<std::uint32_t>(segment.data())) + " has CRC-32 " +
                       std::to_string(computed) + ", its end says " + std::to_string(stored),
                   offset + covered);
  }
}

/// Reads HEAD's payload; `offset` is its place in the stream.
/// @throws error corrupt, unsupported
inline stream_header read_head(std::span<const std::byte> bytes, std::uint64_t offset) {
  using detail::require_field;
  require_field(bytes.size() == head_bytes, "length of HEAD", bytes.size(), "48", offset);
  const auto u8 = [&](std::size_t at) { return static_cast<unsigned>(bytes[at]); };
  const auto u16 = [&](std::size_t at) { return load_little<std::uint16_t>(bytes.data() + at); };
  const auto u32 = [&](std::size_t at) { return load_little<std::uint32_t>(bytes.data() + at); };
  stream_header h;
  h.picture.width = u32(0);
  h.picture.height = u32(4);
  h.tile_width = u32(8);
  h.tile_height = u32(12);
  require_field(h.tile_width > 0, "tile width", 0, "at least 1", offset + 8);
  require_field(h.tile_height > 0, "tile height", 0, "at least 1", offset + 12);
  require_field(h.tile_columns() == 0 || h.tile_rows() <= INT64_MAX / h.tile_columns(), "number of tile rows",
                static_cast<std::uint64_t>(h.tile_rows()), "such that tiles stay below 2^63", offset + 12);
  h.picture.components = u16(16);
  require_field(h.picture.components > 0, "components", 0, "1..65535", offset + 16);
  require_field(h.tile_is_countable(), "tile height", static_cast<std::uint64_t>(h.tile_height),
                "such that a tile has fewer than 2^59 samples", offset + 12);
  h.picture.depth = static_cast<int>(u8(24));
  if (h.picture.depth > 16 && h.picture.depth <= 32) {
    detail::refuse(errc::unsupported, "depth " + std::to_string(u8(24)) + ", this reader knows 1..16", offset + 24);
  }
  require_field(h.picture.depth >= 1 && h.picture.depth <= 16, "depth", u8(24), "1..16", offset + 24);
  require_field(u8(25) <= 3, "picture flags", u8(25), "0..3", offset + 25);
  h.picture.is_signed = (u8(25) & 1u) != 0;
  h.lossless = (u8(25) & 2u) != 0;
  require_field(u8(26) <= 1, "colour transform", u8(26), "0 or 1", offset + 26);
  h.color_transform = u8(26) == 1;
  for (std::size_t i = 0; i < 3; ++i) {
    h.color_components[i] = u16(18 + 2 * i);
    require_field(h.color_transform ? h.color_components[i] < h.picture.components : h.color_components[i] == 0,
                  "component of the colour transform", u16(18 + 2 * i), "a component, or 0 without a transform",
                  offset + 18 + 2 * i);
  }
  const auto& c = h.color_components;
  require_field(!h.color_transform || (c[0] != c[1] && c[1] != c[2] && c[0] != c[2]),
                "component of the colour transform", static_cast<std::uint64_t>(c[2]), "used once", offset + 18);
  require_field(u8(27) == 0, "wavelet", u8(27), "0", offset + 27);
  h.levels = static_cast<int>(u8(28));
  require_field(h.levels <= 32, "levels", u8(28), "0..32", offset + 28);
  h.block_width_log2 = static_cast<int>(u8(29));
  h.block_height_log2 = static_cast<int>(u8(30));
  require_field(h.block_width_log2 >= 4 && h.block_width_log2 <= 7, "log2 of the block width", u8(29), "4..7",
                offset + 29);
  require_field(h.block_height_log2 >= 4 && h.block_height_log2 <= 7, "log2 of the block height", u8(30), "4..7",
                offset + 30);
  require_field(u8(31) == 16, "codeword bits", u8(31), "16", offset + 31);
  require_field(u8(32) == 8, "probability bits", u8(32), "8", offset + 32);
  h.raw_planes = static_cast<int>(u8(33));
  require_field(h.raw_planes <= codec::largest_plane_count, "raw planes", u8(33), "0..24", offset + 33);
  require_field(u16(34) <= 15, "coder features", u16(34), "0..15", offset + 34);
  h.features.raw_signs = (u16(34) & 1u) != 0;
  h.features.strip_flags = (u16(34) & 2u) != 0;
  h.features.compact_refinement = (u16(34) & 4u) != 0;
  h.fast_planes = (u16(34) & 8u) != 0;
  h.table_id = u32(36);
  h.table_checksum = u32(40);
  require_field(u32(44) == 0, "reserved field", u32(44), "0", offset + 44);
  return h;
}

/// Writes HEAD's payload to 48 bytes.
inline void write_head(std::byte* to, const stream_header& h) noexcept {
  std::memset(to, 0, head_bytes);
  const auto u8 = [&](std::size_t at, int v) { to[at] = static_cast<std::byte>(v); };
  const auto u16 = [&](std::size_t at, int v) { store_little(to + at, static_cast<std::uint16_t>(v)); };
  const auto u32 = [&](std::size_t at, std::int64_t v) { store_little(to + at, static_cast<std::uint32_t>(v)); };
  u32(0, h.picture.width);
  u32(4, h.picture.height);
  u32(8, h.tile_width);
  u32(12, h.tile_height);
  u16(16, h.picture.components);
  for (std::size_t i = 0; i < 3; ++i) { u16(18 + 2 * i, h.color_transform ? h.color_components[i] : 0); }
  u8(24, h.picture.depth);
  u8(25, (h.picture.is_signed ? 1 : 0) | (h.lossless ? 2 : 0));
  u8(26, h.color_transform ? 1 : 0);
  u8(28, h.levels);
  u8(29, h.block_width_log2);
  u8(30, h.block_height_log2);
  u8(31, 16);
  u8(32, 8);
  u8(33, h.raw_planes);
  u16(34, (h.features.raw_signs ? 1 : 0) | (h.features.strip_flags ? 2 : 0) | (h.features.compact_refinement ? 4 : 0) |
              (h.fast_planes ? 8 : 0));
  u32(36, h.table_id);
  u32(40, h.table_checksum);
}

/// The first 32 bytes of TILE's payload.
struct tile_header {
  std::uint64_t index = 0;
  bool stored = false;
  bool inline_tables = false;
  std::uint64_t table_bytes = 0;
  std::uint64_t index_bytes = 0;
  std::uint64_t block_bytes = 0;
};

/// Reads TILE's header from the front of `bytes` and checks that the parts fill the payload of `payload_bytes` bytes
/// exactly; the rest of the payload need not be there.
/// @throws error truncated, corrupt
inline tile_header read_tile_header(std::span<const std::byte> bytes, std::uint64_t payload_bytes,
                                    std::uint64_t offset) {
  using detail::require_field;
  if (payload_bytes < tile_header_bytes || bytes.size() < tile_header_bytes) {
    detail::refuse(errc::truncated, "a tile's header of 32 bytes is cut to " + std::to_string(payload_bytes), offset);
  }
  tile_header t;
  t.index = load_little<std::uint64_t>(bytes.data());
  const auto mode = static_cast<unsigned>(bytes[8]);
  const auto tables = static_cast<unsigned>(bytes[9]);
  require_field(mode <= 1, "tile mode", mode, "0 or 1", offset + 8);
  require_field(tables <= 1, "tables", tables, "0 or 1", offset + 9);
  require_field(load_little<std::uint16_t>(bytes.data() + 10) == 0, "reserved field",
                load_little<std::uint16_t>(bytes.data() + 10), "0", offset + 10);
  t.stored = mode == 1;
  t.inline_tables = tables == 1;
  t.table_bytes = load_little<std::uint32_t>(bytes.data() + 12);
  t.index_bytes = load_little<std::uint64_t>(bytes.data() + 16);
  t.block_bytes = load_little<std::uint64_t>(bytes.data() + 24);
  const std::uint64_t rest = payload_bytes - tile_header_bytes;
  require_field(t.table_bytes % 2 == 0 && t.table_bytes <= rest && (t.inline_tables || t.table_bytes == 0),
                "length of the tables", t.table_bytes, "even, within the tile, 0 without tables", offset + 12);
  require_field(t.index_bytes % 2 == 0 && t.index_bytes <= rest - t.table_bytes, "length of the block index",
                t.index_bytes, "even and within the tile", offset + 16);
  require_field(t.block_bytes == rest - t.table_bytes - t.index_bytes, "length of the code-blocks", t.block_bytes,
                "what the tile has left", offset + 24);
  require_field(!t.stored || (t.table_bytes == 0 && t.index_bytes == 0), "tile mode", mode,
                "0 where there are tables or an index", offset + 8);
  return t;
}

/// The same for a payload that is all there.
inline tile_header read_tile_header(std::span<const std::byte> bytes, std::uint64_t offset) {
  return read_tile_header(bytes, bytes.size(), offset);
}

/// Writes TILE's header to 32 bytes.
inline void write_tile_header(std::byte* to, const tile_header& t) noexcept {
  std::memset(to, 0, tile_header_bytes);
  store_little(to, t.index);
  to[8] = static_cast<std::byte>(t.stored);
  to[9] = static_cast<std::byte>(t.inline_tables);
  store_little(to + 12, static_cast<std::uint32_t>(t.table_bytes));
  store_little(to + 16, t.index_bytes);
  store_little(to + 24, t.block_bytes);
}

}  // namespace gpuimg::paco
