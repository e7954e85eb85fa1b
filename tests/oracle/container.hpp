/// @file
/// Magic, segments and the two headers of a PaCo stream (docs/paco-format.md, section 1).
#pragma once

#include <cstdint>
#include <string>

#include "tests/oracle/bit_string.hpp"
#include "tests/oracle/layout.hpp"

namespace gpuimg::oracle {

/// Little-endian numbers of 1 to 8 bytes.
void put_number(byte_list& bytes, std::uint64_t number, int size);
std::uint64_t get_number(const byte_list& bytes, std::size_t offset, int size);

byte_list bytes_of(const word_list& words);
word_list words_of(const byte_list& bytes);

/// Magic and version.
byte_list begin_stream();

struct segment {
  std::string type;
  bool has_checksum = false;
  bool optional = false;
  byte_list payload;
  std::size_t offset = 0;  ///< of the segment in the stream
};

void append(byte_list& stream, const segment& part);

/// Checks magic and version; returns where the first segment begins.
std::size_t read_beginning(const byte_list& stream);

/// Reads the segment at `offset` and moves `offset` behind it. Throws errc::truncated at the end of the bytes and
/// errc::corrupt for a wrong checksum or field.
segment read_segment(const byte_list& stream, std::size_t& offset);

/// The payload of HEAD.
byte_list write_header(const stream_header& header, std::uint32_t table_checksum);

/// Reads HEAD. Throws errc::corrupt for an illegal value and errc::unsupported for other tables.
stream_header read_header(const segment& head, std::uint32_t table_checksum);

/// The first 32 bytes of TILE.
struct tile_header {
  std::uint64_t index = 0;
  bool stored = false;
  bool inline_tables = false;
  std::uint64_t table_bytes = 0;  ///< T
  std::uint64_t index_bytes = 0;  ///< I
  std::uint64_t block_bytes = 0;  ///< B
};

inline constexpr std::size_t tile_header_size = 32;

byte_list write_tile_header(const tile_header& header);
tile_header read_tile_header(const segment& tile);

}  // namespace gpuimg::oracle
