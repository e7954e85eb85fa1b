/// @file
/// CRC-32 (ISO-HDLC, as in PNG, zip and Ethernet).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace gpuimg {

namespace detail {

/// Tables for eight bytes at a time: entry [k][b] is the CRC of byte b followed by k zero bytes.
struct crc32_tables {
  std::array<std::array<std::uint32_t, 256>, 8> of{};
  constexpr crc32_tables() {
    for (std::uint32_t b = 0; b < 256; ++b) {
      std::uint32_t crc = b;
      for (int i = 0; i < 8; ++i) { crc = (crc >> 1) ^ ((crc & 1u) != 0 ? 0xEDB88320u : 0u); }
      of[0][b] = crc;
    }
    for (std::uint32_t b = 0; b < 256; ++b) {
      for (std::size_t k = 1; k < 8; ++k) { of[k][b] = (of[k - 1][b] >> 8) ^ of[0][of[k - 1][b] & 0xFFu]; }
    }
  }
};
inline constexpr crc32_tables crc32_table{};

}  // namespace detail

/// CRC-32 of `bytes`, or of a longer string whose beginning has the CRC `before`. About one byte a cycle.
constexpr std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t before = 0) noexcept {
  const auto& t = detail::crc32_table.of;
  std::uint32_t crc = ~before;
  std::size_t i = 0;
  const auto at = [&](std::size_t k) { return static_cast<std::uint32_t>(bytes[k]); };
  for (; i + 8 <= bytes.size(); i += 8) {
    const std::uint32_t low = crc ^ (at(i) | at(i + 1) << 8 | at(i + 2) << 16 | at(i + 3) << 24);
    crc = t[7][low & 0xFFu] ^ t[6][(low >> 8) & 0xFFu] ^ t[5][(low >> 16) & 0xFFu] ^ t[4][low >> 24] ^ t[3][at(i + 4)] ^
          t[2][at(i + 5)] ^ t[1][at(i + 6)] ^ t[0][at(i + 7)];
  }
  for (; i < bytes.size(); ++i) { crc = (crc >> 8) ^ t[0][(crc ^ at(i)) & 0xFFu]; }
  return ~crc;
}

}  // namespace gpuimg
