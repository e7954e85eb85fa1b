/// @file
/// Whole LCE-style streams, slowly (docs/lce-format.md, sections 1, 2 and 6).
#pragma once

#include <cstdint>
#include <vector>

#include "tests/oracle/crc32.hpp"
#include "tests/oracle/lce_block.hpp"

namespace gpuimg::oracle::lce {

using bytes = std::vector<std::uint8_t>;

/// A cube of numbers from 0 on: sample (x, y) of band b is at [(b * height + y) * width + x].
struct cube {
  std::size_t width = 0;
  std::size_t height = 0;
  std::size_t bands = 0;
  samples values;

  number& at(std::size_t x, std::size_t y, std::size_t b) { return values.at((b * height + y) * width + x); }
  number at(std::size_t x, std::size_t y, std::size_t b) const { return values.at((b * height + y) * width + x); }
};

/// All that a header says besides the size of the cube.
struct stream_fields {
  rules coding;
  int type = 1;
  int origin = 0;
  int mode = 0;
  bool block_index = true;
  bool checksums = false;
  std::size_t slab_rows = 16;
};

inline void put(bytes& out, std::uint64_t value, int size) {
  for (int i = 0; i < size; ++i) {
    out.push_back(static_cast<std::uint8_t>(value % 256));
    value = value / 256;
  }
}

inline bytes header(const stream_fields& f, const cube& c) {
  bytes out{0x89, 'G', 'L', 'C', 0x0D, 0x0A, 0x1A, 0x0A};
  put(out, 1, 2);
  put(out, 0, 2);
  put(out, 64, 4);
  put(out, c.width, 4);
  put(out, c.height, 4);
  put(out, c.bands, 4);
  put(out, f.slab_rows, 4);
  put(out, static_cast<std::uint64_t>(f.type), 1);
  put(out, static_cast<std::uint64_t>(f.origin), 1);
  put(out, static_cast<std::uint64_t>(f.mode), 1);
  put(out, (f.block_index ? 1u : 0u) + (f.checksums ? 2u : 0u) + (f.coding.zero_flags ? 4u : 0u), 1);
  put(out, static_cast<std::uint64_t>(f.coding.delta), 4);
  put(out, static_cast<std::uint64_t>(f.coding.threshold), 4);
  put(out, static_cast<std::uint64_t>(f.coding.offset), 4);
  put(out, static_cast<std::uint64_t>(f.coding.gamma), 2);
  put(out, static_cast<std::uint64_t>(f.coding.restart), 2);
  put(out, static_cast<std::uint64_t>(f.coding.band_group), 1);
  put(out, 0, 7);
  put(out, crc32(out), 4);
  return out;
}

/// The samples of a block: one list a band.
inline std::vector<samples> block_of(const cube& c, std::size_t x0, std::size_t y0, std::size_t bottom,
                                     std::size_t& width) {
  width = std::min<std::size_t>(16, c.width - x0);
  const std::size_t height = std::min<std::size_t>(16, bottom - y0);
  std::vector<samples> bands(c.bands);
  for (std::size_t b = 0; b < c.bands; ++b) {
    for (std::size_t y = y0; y < y0 + height; ++y) {
      for (std::size_t x = x0; x < x0 + width; ++x) { bands[b].push_back(c.at(x, y, b)); }
    }
  }
  return bands;
}

inline bytes padded(const bit_list& string) {
  bytes out((string.bits.size() + 31) / 32 * 4, 0);
  for (std::size_t i = 0; i < string.bits.size(); ++i) {
    if (string.bits[i] == 1) { out[i / 8] = static_cast<std::uint8_t>(out[i / 8] + (1u << (i % 8))); }
  }
  return out;
}

inline bytes encode(const stream_fields& f, const cube& c) {
  bytes out = header(f, c);
  if (c.width * c.height * c.bands == 0) { return out; }
  for (std::size_t top = 0, slab = 0; top < c.height; top += f.slab_rows, ++slab) {
    const std::size_t bottom = std::min(c.height, top + f.slab_rows);
    bytes lengths;
    bytes checksums;
    bytes groups;
    bytes payload;
    for (std::size_t y = top; y < bottom; y += 16) {
      for (std::size_t x = 0; x < c.width; x += 16) {
        std::size_t width = 0;
        std::vector<number> group_bits;
        const auto bands = block_of(c, x, y, bottom, width);
        const bytes string = padded(encode_block(f.coding, bands, width, group_bits));
        if (f.block_index) { put(lengths, string.size() / 4, 4); }
        if (f.checksums) { put(checksums, crc32(string), 4); }
        for (const number bits : group_bits) { put(groups, static_cast<std::uint64_t>(bits), 2); }
        payload.insert(payload.end(), string.begin(), string.end());
      }
    }
    if (groups.size() % 4 != 0) { put(groups, 0, 2); }
    for (const char letter : {'S', 'L', 'A', 'B'}) { out.push_back(static_cast<std::uint8_t>(letter)); }
    put(out, slab, 4);
    put(out, payload.size(), 8);
    for (const bytes* part : {&lengths, &checksums, &groups, &payload}) {
      out.insert(out.end(), part->begin(), part->end());
    }
  }
  return out;
}

/// What comes of one block's string: bands that cannot be decoded are zeros, and `damaged` is told.
inline std::vector<samples> decode_block(const rules& r, const bytes& string, std::size_t bands, std::size_t count,
                                         std::size_t width, bool& damaged) {
  bit_list in;
  for (const std::uint8_t byte : string) { in.put(byte, 8); }
  std::vector<samples> result;
  samples decoded;
  damaged = false;
  try {
    for (std::size_t b = 0; b < bands; ++b) {
      decode_band(r, in, r.restarts_at(b), count, width, decoded);
      result.push_back(decoded);
    }
    const std::size_t left = in.bits.size() - in.next;
    if (left > 31 || in.get(static_cast<int>(left)) != 0) { damaged = true; }
  } catch (const damage&) { damaged = true; }
  result.resize(bands, samples(count, 0));
  return result;
}

}  // namespace gpuimg::oracle::lce
