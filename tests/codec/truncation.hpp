/// @file
/// Blocks cut at the end of a pass: what the words up to there decode to, on every target.
#pragma once

#include <cstdint>
#include <doctest/doctest.h>
#include <span>
#include <vector>

#include "tests/codec/backends.hpp"

#include "gpuimg/codec/bitplane_host.hpp"
#include "gpuimg/codec/bitplane_warp.hpp"
#include "gpuimg/simt/group.hpp"

namespace codec_tests {

using truncation_shape = gpuimg::codec::block_shape<64, 64>;
inline constexpr int truncation_planes = 16;

/// Encodes a block, noting where its passes end, and decodes its first `passes` passes from the words noted for them.
struct truncation_kernel {
  static constexpr int threads = gpuimg::simt::warp_size;
  using shared_storage = gpuimg::codec::compact_warp_block_storage<truncation_shape, truncation_planes>;

  gpuimg::codec::block_parameters<> parameters;
  const std::int32_t* values;
  const std::uint8_t* table;
  std::uint16_t* words;
  std::uint32_t capacity;
  std::uint32_t* truncation;
  std::int32_t* decoded;
  int passes;
  std::uint32_t* sound;

  template <gpuimg::simt::block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage& shared) const {
    auto warp = block.warp();
    auto p = parameters;
    p.planes = gpuimg::codec::load_block<truncation_shape>(
        warp, p.width, p.height, [&](int x, int y) { return values[y * p.width + x]; }, shared.block);
    gpuimg::codec::encode_block<truncation_shape>(warp, shared, p, table, words, capacity, truncation);
    warp.sync();
    p.passes = passes;
    const bool good =
        gpuimg::codec::decode_block<truncation_shape>(warp, shared, p, table, words, truncation[passes - 1]);
    if (warp.rank() == 0) { *sound = good ? 1 : 0; }
    gpuimg::codec::store_block<truncation_shape>(warp, p.width, p.height, p.planes, shared.block,
                                                 [&](int x, int y, std::int32_t v) { decoded[y * p.width + x] = v; });
  }
};

struct truncation_case {
  gpuimg::codec::block_parameters<> parameters;
  std::vector<std::int32_t> values;
  std::vector<std::uint8_t> table;
};

/// Blocks with every feature off and on.
inline std::vector<truncation_case> truncation_cases() {
  std::vector<truncation_case> cases;
  for (int i = 0; i < 4; ++i) {
    truncation_case c;
    c.parameters.width = 64 - 13 * i;
    c.parameters.height = 64 - 7 * i;
    c.parameters.raw_sign_row = c.parameters.height;
    c.parameters.fast_planes = i == 3 ? 2 : 0;
    c.parameters.features = {false, i % 2 != 0, i >= 2};
    std::uint32_t state = 77u + static_cast<std::uint32_t>(i);
    for (int k = 0; k < c.parameters.width * c.parameters.height; ++k) {
      state = state * 1664525u + 1013904223u;
      const auto m = static_cast<std::int32_t>(((state >> 8) & 0xFFu) >> ((state >> 16) & 7u));
      c.values.push_back((state >> 31) != 0 ? -m : m);
    }
    for (int k = 0; k < truncation_planes * gpuimg::codec::cells_per_row; ++k) {
      c.table.push_back(static_cast<std::uint8_t>(90 + 9 * (k % 16)));
    }
    cases.push_back(c);
  }
  return cases;
}

/// What the first `passes` passes tell of a coefficient of a block without raw bits.
inline std::int32_t known_after(const gpuimg::codec::block_parameters<>& p, int passes, std::int32_t value) {
  if (passes >= p.pass_count()) { return value; }
  const int plane = p.planes - 1 - (passes - 1) / 2;
  const std::int32_t m = value < 0 ? -value : value;
  // After a significance pass alone, what was significant before keeps its bit of this plane for the refinement.
  const bool refined = passes % 2 == 0 || (m >> (plane + 1)) == 0;
  const int lowest = refined ? plane : plane + 1;
  const std::int32_t known = (m >> lowest) << lowest;
  return value < 0 ? -known : known;
}

template <class Backend>
void check_truncation(const Backend& backend) {
  for (auto& c : truncation_cases()) {
    auto& p = c.parameters;
    gpuimg::codec::host_block_coder<truncation_shape> host;
    p.planes =
        host.load(p.width, p.height, [&](int x, int y) { return c.values[static_cast<std::size_t>(y * p.width + x)]; });
    std::vector<std::uint16_t> words;
    std::vector<std::uint32_t> truncation;
    host.encode(p, c.table.data(), words, &truncation);
    REQUIRE(truncation.size() == static_cast<std::size_t>(p.pass_count()));
    for (int passes = 1; passes <= p.pass_count(); ++passes) {
      CAPTURE(passes);
      auto cut = p;
      cut.passes = passes;
      const std::uint32_t used = truncation[static_cast<std::size_t>(passes - 1)];
      CHECK(host.decode(cut, c.table.data(), std::span(words).first(used)));
      std::vector<std::int32_t> expected;
      std::vector<std::int32_t> found(c.values.size());
      for (const std::int32_t v : c.values) { expected.push_back(known_after(p, passes, v)); }
      host.store(p.width, p.height, p.planes,
                 [&](int x, int y, std::int32_t v) { found[static_cast<std::size_t>(y * p.width + x)] = v; });
      CHECK(found == expected);

      auto kernel_words = backend.upload(std::vector<std::uint16_t>(words.size()));
      auto noted = backend.upload(std::vector<std::uint32_t>(truncation.size()));
      auto decoded = backend.upload(std::vector<std::int32_t>(c.values.size(), -7));
      auto sound = backend.upload(std::vector<std::uint32_t>(1));
      auto values = backend.upload(c.values);
      auto table = backend.upload(c.table);
      backend.run({}, truncation_kernel{p, values.data(), table.data(), kernel_words.data(),
                                        static_cast<std::uint32_t>(words.size()), noted.data(), decoded.data(), passes,
                                        sound.data()});
      CHECK(noted.values() == truncation);
      CHECK(sound.values().front() == 1);
      CHECK(decoded.values() == expected);
    }
  }
}

}  // namespace codec_tests
