/// @file
/// Code-blocks to test coders with: every kind of content, size and option, from a seed.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <vector>

#include "gpuimg/codec/bitplane_block.hpp"

namespace codec_tests {

using gpuimg::codec::block_parameters;
using gpuimg::codec::block_shape;
using gpuimg::codec::cells_per_row;
using gpuimg::codec::largest_plane_count;

using random_source = std::mt19937;

inline int draw(random_source& random, int low, int high) {
  return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
}

/// Probabilities of symbol 0: 16 cells for each of the planes.
using table = std::array<std::uint8_t, largest_plane_count * cells_per_row>;

/// counts[plane][cell][symbol].
using symbol_counts = std::array<std::uint32_t, largest_plane_count * cells_per_row * 2>;

/// What a block holds.
enum class content { zero, sparse, laplacian, noise, single, row, late_peak, largest };
inline constexpr std::array all_contents = {content::zero,   content::sparse, content::laplacian, content::noise,
                                            content::single, content::row,    content::late_peak, content::largest};

/// A block and how it is to be coded. `parameters.planes` is M.
struct block_case {
  block_parameters<> parameters;
  int raw_sign_sevenths = 0;  ///< q
  table probabilities{};
  std::vector<std::int32_t> values;  ///< in raster order

  std::int32_t at(int x, int y) const { return values[static_cast<std::size_t>(y * parameters.width + x)]; }
};

inline std::int32_t with_sign(random_source& random, std::uint32_t magnitude) {
  return random() % 2 == 0 ? static_cast<std::int32_t>(magnitude) : -static_cast<std::int32_t>(magnitude);
}

/// A value of at most `bits` bits.
inline std::int32_t uniform(random_source& random, int bits) {
  return with_sign(random, static_cast<std::uint32_t>(random()) & ((1u << bits) - 1));
}

inline std::vector<std::int32_t> make_values(content kind, int width, int height, random_source& random) {
  std::vector<std::int32_t> values(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  const int bits = draw(random, 1, 10);
  const auto last = values.size() - 1;
  switch (kind) {
    case content::zero: break;
    case content::sparse:
      for (auto& v : values) { v = random() % 40 == 0 ? uniform(random, bits) : 0; }
      break;
    case content::laplacian:
      for (auto& v : values) { v = uniform(random, std::min(draw(random, 0, bits), draw(random, 0, bits))); }
      break;
    case content::noise:
      for (auto& v : values) { v = uniform(random, bits); }
      break;
    case content::single: values[random() % values.size()] = with_sign(random, 1u << bits); break;
    case content::row:
      for (std::size_t i = 0, y = random() % static_cast<unsigned>(height); i < static_cast<std::size_t>(width); ++i) {
        values[y * static_cast<std::size_t>(width) + i] = uniform(random, bits);
      }
      break;
    case content::late_peak:  // large magnitudes only at the end
      for (auto& v : values) { v = uniform(random, 2); }
      values[last] = with_sign(random, 1u << draw(random, 8, 23));
      break;
    case content::largest:
      for (auto& v : values) { v = uniform(random, 24); }
      values[last] = with_sign(random, (1u << 24) - 1);
      break;
  }
  return values;
}

inline int planes_of(const std::vector<std::int32_t>& values) {
  std::uint32_t all = 0;
  for (const std::int32_t v : values) { all |= static_cast<std::uint32_t>(std::abs(v)); }
  return static_cast<int>(std::bit_width(all));
}

inline table make_table(random_source& random) {
  table result{};
  const int kind = draw(random, 0, 3);
  for (auto& p : result) {
    const bool extreme = kind == 1 && random() % 4 == 0;
    const int probability = extreme ? 1 + 254 * draw(random, 0, 1) : draw(random, 1, 255);
    p = static_cast<std::uint8_t>(kind == 0 ? 128 : probability);
  }
  return result;
}

/// A width or height up to `full`: often full, else small, odd, or about a warp.
inline int make_extent(random_source& random, int full) {
  switch (draw(random, 0, 3)) {
    case 0: return full;
    case 1: return std::min(full, draw(random, 1, 17));
    case 2: return std::min(full, draw(random, 31, 33));
    default: return draw(random, 0, full / 2 - 1) * 2 + 1;
  }
}

/// Sets what a stream chooses for a block, given its values and size.
inline void choose_options(block_case& block, unsigned features, random_source& random) {
  auto& p = block.parameters;
  p.planes = planes_of(block.values);
  p.fast_planes = random() % 2 == 0 ? 0 : draw(random, 0, p.planes);
  p.raw_planes = random() % 3 == 0 ? 0 : random() % 2 == 0 ? draw(random, 1, 3) : draw(random, 0, 24);
  p.features = {.raw_signs = (features & 1u) != 0,
                .strip_flags = (features & 2u) != 0,
                .compact_refinement = (features & 4u) != 0};
  block.raw_sign_sevenths = draw(random, 0, 7);
  p.raw_sign_row = gpuimg::codec::raw_sign_row(p.height, block.raw_sign_sevenths);
}

/// A block of at most width x height with the features of the bits of `features` (raw signs, strip flags, compact).
inline block_case make_block(int width, int height, content kind, unsigned features, random_source& random) {
  block_case block;
  block.parameters.width = make_extent(random, width);
  block.parameters.height = make_extent(random, height);
  block.probabilities = make_table(random);
  block.values = make_values(kind, block.parameters.width, block.parameters.height, random);
  choose_options(block, features, random);
  return block;
}

/// Blocks of all contents and features for a shape, `rounds` of each.
template <class Shape>
std::vector<block_case> make_blocks(unsigned seed, int rounds) {
  std::vector<block_case> blocks;
  random_source random(seed);
  for (int round = 0; round < rounds; ++round) {
    for (unsigned features = 0; features < 8; ++features) {
      for (const content kind : all_contents) {
        blocks.push_back(make_block(Shape::width, Shape::height, kind, features, random));
      }
    }
  }
  return blocks;
}

/// Those of the blocks that hold at most `most` coefficients.
inline std::vector<block_case> small_blocks(std::vector<block_case> blocks, std::size_t most) {
  std::erase_if(blocks, [=](const block_case& block) { return block.values.size() > most; });
  return blocks;
}

/// The block of 64 x 64 whose words an independent model has given, for probabilities of 7 bits.
inline block_case check_block(int fast_planes) {
  block_case block;
  for (std::uint64_t k = 1; k <= 64 * 64; ++k) {
    const std::uint64_t z = (((1103515245 * k + 12345) & 0x7FFFFFFF) >> 8) & 0xFFFF;
    const auto magnitude = static_cast<std::int32_t>((z & 63) >> ((z >> 6) & 7));
    block.values.push_back(((z >> 10) & 1) == 1 ? -magnitude : magnitude);
  }
  for (std::size_t i = 0; i < block.probabilities.size(); ++i) {
    block.probabilities[i] = static_cast<std::uint8_t>(60 + 4 * (i % cells_per_row));
  }
  block.parameters = {.width = 64,
                      .height = 64,
                      .planes = 6,
                      .fast_planes = fast_planes,
                      .raw_sign_row = 64,
                      .features = {.raw_signs = false, .strip_flags = false}};
  return block;
}

/// FNV-1a over words, low byte first.
inline std::uint32_t hash_of(const std::vector<std::uint16_t>& words) {
  std::uint32_t h = 2166136261u;
  for (const std::uint16_t word : words) {
    for (const std::uint32_t byte : {word & 0xFFu, std::uint32_t{word} >> 8}) { h = (h ^ byte) * 16777619u; }
  }
  return h;
}

/// What hash_of() gives for check_block(), and how many words there are.
struct check_result {
  int fast_planes;
  std::size_t words;
  std::uint32_t hash;
};
inline constexpr std::array check_results = {check_result{0, 1958, 0xC4E11837u}, check_result{3, 1967, 0x036D3324u}};

}  // namespace codec_tests
