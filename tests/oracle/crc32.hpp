/// @file
/// CRC-32 (ISO-HDLC), bit by bit.
#pragma once

#include <cstdint>
#include <span>

namespace gpuimg::oracle {

/// Checksum of some bytes. The check value of "123456789" is CBF43926.
inline std::uint32_t crc32(std::span<const std::uint8_t> bytes) {
  std::uint32_t remainder = 0xFFFFFFFF;
  for (const std::uint8_t byte : bytes) {
    remainder ^= byte;
    for (int bit = 0; bit < 8; ++bit) {
      const bool odd = remainder % 2 == 1;
      remainder = remainder / 2;
      if (odd) remainder ^= 0xEDB88320;  // 04C11DB7 with its bits in reverse order
    }
  }
  return remainder ^ 0xFFFFFFFF;
}

}  // namespace gpuimg::oracle
