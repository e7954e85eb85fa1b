/// @file
/// Segments after the last slab of an LCE-style stream (docs/lce-format.md, section 2.1).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpuimg/core/byte_order.hpp"
#include "gpuimg/core/crc32.hpp"
#include "gpuimg/core/error.hpp"

namespace gpuimg::lce {

inline constexpr std::size_t segment_header_bytes = 16;

/// What stands before the contents of a segment.
struct segment_header {
  std::array<char, 4> kind;
  std::uint32_t checksum;
  std::uint64_t bytes;

  std::string_view name() const noexcept { return {kind.data(), kind.size()}; }
  /// Zero bytes behind the contents.
  std::uint64_t padding() const noexcept { return (0 - bytes) % 4; }

  /// Throws unless `contents` has the checksum.
  /// @throws error corrupt
  void check(std::span<const std::byte> contents, std::uint64_t offset) const {
    if (crc32(contents) != checksum) {
      throw error(errc::corrupt, "lce: the checksum of segment " + std::string(name()) + " is wrong", offset);
    }
  }
};

inline segment_header read_segment_header(std::span<const std::byte, segment_header_bytes> bytes) noexcept {
  segment_header header;
  std::memcpy(header.kind.data(), bytes.data(), 4);
  header.checksum = load_little<std::uint32_t>(bytes.data() + 4);
  header.bytes = load_little<std::uint64_t>(bytes.data() + 8);
  return header;
}

/// A whole segment.
inline std::vector<std::byte> write_segment(std::array<char, 4> kind, std::span<const std::byte> contents) {
  const segment_header header{kind, crc32(contents), contents.size()};
  std::vector<std::byte> bytes(segment_header_bytes + contents.size() + header.padding());
  std::memcpy(bytes.data(), kind.data(), 4);
  store_little(bytes.data() + 4, header.checksum);
  store_little(bytes.data() + 8, header.bytes);
  if (!contents.empty()) { std::memcpy(bytes.data() + segment_header_bytes, contents.data(), contents.size()); }
  return bytes;
}

}  // namespace gpuimg::lce
