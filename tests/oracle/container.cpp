#include "tests/oracle/container.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "tests/oracle/crc32.hpp"

namespace gpuimg::oracle {
namespace {

constexpr std::array<std::uint8_t, 8> magic = {0x89, 0x47, 0x50, 0x43, 0x0D, 0x0A, 0x1A, 0x0A};
constexpr std::size_t segment_header_size = 16;
constexpr std::size_t head_size = 48;

/// Reads the fields of a payload one after the other and refuses values that the format does not allow.
class field_reader {
 public:
  explicit field_reader(const segment& source) : source_(source) {}

  std::uint64_t get(const std::string& field, int size, std::uint64_t smallest, std::uint64_t largest) {
    const std::uint64_t value = get_number(source_.payload, position_, size);
    if (value < smallest || value > largest) {
      throw error(errc::corrupt,
                  source_.type + ": " + field + " is " + std::to_string(value) + ", not " + std::to_string(smallest) +
                      " .. " + std::to_string(largest),
                  source_.offset + segment_header_size + position_);
    }
    position_ += static_cast<std::size_t>(size);
    return value;
  }

 private:
  const segment& source_;
  std::size_t position_ = 0;
};

constexpr std::uint64_t largest_number(int size) { return (std::uint64_t{1} << (8 * size)) - 1; }

bool bit_of(std::uint64_t flags, int bit) { return (flags >> bit) % 2 == 1; }

void check_components(const stream_header& header, const segment& head) {
  const auto& list = header.color_components;
  bool right = true;
  if (header.color_transform) {
    right = list[0] != list[1] && list[1] != list[2] && list[0] != list[2];
    for (const auto component : list) right = right && component < header.components;
  } else {
    for (const auto component : list) right = right && component == 0;
  }
  if (!right) throw error(errc::corrupt, "HEAD: components of the colour transform", head.offset + segment_header_size);
}

}  // namespace

void put_number(byte_list& bytes, std::uint64_t number, int size) {
  for (int i = 0; i < size; ++i) {
    bytes.push_back(static_cast<std::uint8_t>(number % 256));
    number = number / 256;
  }
}

std::uint64_t get_number(const byte_list& bytes, std::size_t offset, int size) {
  std::uint64_t number = 0;
  for (int i = size - 1; i >= 0; --i) number = number * 256 + bytes.at(offset + static_cast<std::size_t>(i));
  return number;
}

byte_list bytes_of(const word_list& words) {
  byte_list bytes;
  for (const std::uint16_t word : words) put_number(bytes, word, 2);
  return bytes;
}

word_list words_of(const byte_list& bytes) {
  word_list words;
  for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) {
    words.push_back(static_cast<std::uint16_t>(get_number(bytes, i, 2)));
  }
  return words;
}

byte_list begin_stream() {
  byte_list stream(magic.begin(), magic.end());
  put_number(stream, 1, 1);
  put_number(stream, 0, 1);
  put_number(stream, 0, 6);
  return stream;
}

void append(byte_list& stream, const segment& part) {
  byte_list bytes(part.type.begin(), part.type.end());
  put_number(bytes, (part.has_checksum ? 1 : 0) + (part.optional ? 2 : 0), 4);
  put_number(bytes, part.payload.size(), 8);
  bytes.insert(bytes.end(), part.payload.begin(), part.payload.end());
  if (part.has_checksum) put_number(bytes, crc32(bytes), 4);
  stream.insert(stream.end(), bytes.begin(), bytes.end());
}

std::size_t read_beginning(const byte_list& stream) {
  if (stream.size() < 16) throw error(errc::truncated, "stream: shorter than magic and version", stream.size());
  if (!std::equal(magic.begin(), magic.end(), stream.begin())) throw error(errc::corrupt, "stream: magic", 0);
  if (stream.at(8) != 1) throw error(errc::unsupported, "stream: major version " + std::to_string(stream.at(8)), 8);
  if (get_number(stream, 10, 6) != 0) throw error(errc::corrupt, "stream: reserved bytes", 10);
  return 16;
}

segment read_segment(const byte_list& stream, std::size_t& offset) {
  if (stream.size() - offset < segment_header_size) throw error(errc::truncated, "segment: header", offset);
  segment part;
  part.offset = offset;
  part.type.assign(stream.begin() + static_cast<std::ptrdiff_t>(offset),
                   stream.begin() + static_cast<std::ptrdiff_t>(offset + 4));
  const std::uint64_t flags = get_number(stream, offset + 4, 4);
  if (flags > 3) throw error(errc::corrupt, part.type + ": flags " + std::to_string(flags), offset + 4);
  part.has_checksum = bit_of(flags, 0);
  part.optional = bit_of(flags, 1);
  const std::uint64_t length = get_number(stream, offset + 8, 8);
  if (length % 2 != 0) throw error(errc::corrupt, part.type + ": length " + std::to_string(length), offset + 8);
  const std::size_t rest = stream.size() - offset - segment_header_size;
  const std::size_t checksum_size = part.has_checksum ? 4 : 0;
  if (length > rest || checksum_size > rest - length) {
    throw error(errc::truncated, part.type + ": length " + std::to_string(length), offset + 8);
  }
  const std::size_t end = offset + segment_header_size + length;
  part.payload.assign(stream.begin() + static_cast<std::ptrdiff_t>(offset + segment_header_size),
                      stream.begin() + static_cast<std::ptrdiff_t>(end));
  if (part.has_checksum &&
      get_number(stream, end, 4) != crc32(std::span(stream).subspan(offset, segment_header_size + length))) {
    throw error(errc::corrupt, part.type + ": checksum", end);
  }
  offset = end + checksum_size;
  return part;
}

byte_list write_header(const stream_header& header, std::uint32_t table_checksum) {
  byte_list bytes;
  put_number(bytes, header.width, 4);
  put_number(bytes, header.height, 4);
  put_number(bytes, header.tile_width, 4);
  put_number(bytes, header.tile_height, 4);
  put_number(bytes, header.components, 2);
  for (const auto component : header.color_components) put_number(bytes, component, 2);
  put_number(bytes, header.depth, 1);
  put_number(bytes, (header.is_signed ? 1 : 0) + (header.lossless ? 2 : 0), 1);
  put_number(bytes, header.color_transform ? 1 : 0, 1);
  put_number(bytes, 0, 1);
  put_number(bytes, header.levels, 1);
  put_number(bytes, header.block_width_log2, 1);
  put_number(bytes, header.block_height_log2, 1);
  put_number(bytes, 16, 1);
  put_number(bytes, 8, 1);
  put_number(bytes, header.raw_planes, 1);
  put_number(bytes,
             (header.raw_signs ? 1 : 0) + (header.strip_flags ? 2 : 0) + (header.compact_refinement ? 4 : 0) +
                 (header.fast_planes ? 8 : 0),
             2);
  put_number(bytes, 1, 4);
  put_number(bytes, table_checksum, 4);
  put_number(bytes, 0, 4);
  return bytes;
}

stream_header read_header(const segment& head, std::uint32_t table_checksum) {
  if (head.type != "HEAD") throw error(errc::corrupt, "stream: begins with " + head.type, head.offset);
  if (head.payload.size() != head_size) throw error(errc::corrupt, "HEAD: length", head.offset + 8);
  field_reader fields(head);
  stream_header header;
  header.width = static_cast<std::uint32_t>(fields.get("width", 4, 0, largest_number(4)));
  header.height = static_cast<std::uint32_t>(fields.get("height", 4, 0, largest_number(4)));
  header.tile_width = static_cast<std::uint32_t>(fields.get("tile width", 4, 1, largest_number(4)));
  header.tile_height = static_cast<std::uint32_t>(fields.get("tile height", 4, 1, largest_number(4)));
  header.components = static_cast<std::uint16_t>(fields.get("components", 2, 1, largest_number(2)));
  for (auto& component : header.color_components) {
    component = static_cast<std::uint16_t>(fields.get("colour component", 2, 0, largest_number(2)));
  }
  header.depth = static_cast<std::uint8_t>(fields.get("depth", 1, 1, 16));
  const std::uint64_t flags = fields.get("flags", 1, 0, 3);
  header.is_signed = bit_of(flags, 0);
  header.lossless = bit_of(flags, 1);
  header.color_transform = fields.get("colour transform", 1, 0, 1) == 1;
  fields.get("wavelet", 1, 0, 0);
  header.levels = static_cast<std::uint8_t>(fields.get("levels", 1, 0, 32));
  header.block_width_log2 = static_cast<std::uint8_t>(fields.get("code-block width", 1, 4, 7));
  header.block_height_log2 = static_cast<std::uint8_t>(fields.get("code-block height", 1, 4, 7));
  fields.get("W", 1, 16, 16);
  fields.get("P", 1, 8, 8);
  header.raw_planes = static_cast<std::uint8_t>(fields.get("R", 1, 0, 24));
  const std::uint64_t features = fields.get("coder features", 2, 0, 15);
  header.raw_signs = bit_of(features, 0);
  header.strip_flags = bit_of(features, 1);
  header.compact_refinement = bit_of(features, 2);
  header.fast_planes = bit_of(features, 3);
  fields.get("default table set", 4, 1, 1);
  if (fields.get("checksum of the tables", 4, 0, largest_number(4)) != table_checksum) {
    throw error(errc::unsupported, "HEAD: other default tables", head.offset + segment_header_size + 40);
  }
  fields.get("reserved bytes", 4, 0, 0);
  check_components(header, head);
  return header;
}

byte_list write_tile_header(const tile_header& header) {
  byte_list bytes;
  put_number(bytes, header.index, 8);
  put_number(bytes, header.stored ? 1 : 0, 1);
  put_number(bytes, header.inline_tables ? 1 : 0, 1);
  put_number(bytes, 0, 2);
  put_number(bytes, header.table_bytes, 4);
  put_number(bytes, header.index_bytes, 8);
  put_number(bytes, header.block_bytes, 8);
  return bytes;
}

tile_header read_tile_header(const segment& tile) {
  if (tile.payload.size() < tile_header_size) throw error(errc::corrupt, "TILE: length", tile.offset + 8);
  // No part can be longer than the payload; with that known, the sum of the three cannot overflow.
  const std::uint64_t largest = tile.payload.size() - tile_header_size;
  field_reader fields(tile);
  tile_header header;
  header.index = fields.get("index", 8, 0, ~std::uint64_t{0});
  header.stored = fields.get("mode", 1, 0, 1) == 1;
  header.inline_tables = fields.get("tables", 1, 0, 1) == 1;
  fields.get("reserved bytes", 2, 0, 0);
  header.table_bytes = fields.get("T", 4, 0, header.inline_tables ? largest : 0);
  header.index_bytes = fields.get("I", 8, 0, header.stored ? 0 : largest);
  header.block_bytes = fields.get("B", 8, 0, largest);
  const bool even = header.table_bytes % 2 == 0 && header.index_bytes % 2 == 0 && header.block_bytes % 2 == 0;
  if (!even || header.table_bytes + header.index_bytes + header.block_bytes != largest ||
      (header.stored && header.table_bytes != 0)) {
    throw error(errc::corrupt, "TILE: T, I or B", tile.offset + segment_header_size + 12);
  }
  return header;
}

}  // namespace gpuimg::oracle
