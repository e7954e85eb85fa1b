/// @file
/// What the warp's block coder has to do on every target: the same as the host's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <vector>

#include "tests/codec/block_cases.hpp"
#include "tests/codec/block_kernels.hpp"

#include "gpuimg/codec/bitplane_host.hpp"

// NOLINTNEXTLINE: doctest's CAPTURE lives to the end of the scope, so this cannot be a function
#define GPUIMG_DESCRIBE_BLOCK(block)                \
  CAPTURE((block).parameters.width);                \
  CAPTURE((block).parameters.height);               \
  CAPTURE((block).parameters.planes);               \
  CAPTURE((block).parameters.fast_planes);          \
  CAPTURE((block).parameters.raw_planes);           \
  CAPTURE((block).parameters.raw_sign_row);         \
  CAPTURE((block).parameters.features.raw_signs);   \
  CAPTURE((block).parameters.features.strip_flags); \
  CAPTURE((block).parameters.features.compact_refinement)

namespace codec_tests {

template <class Coding>
using host_coder_of = codec::host_block_coder<typename Coding::shape, 16, Coding::probability_bits>;

template <class Coder>
int load(Coder& coder, const block_case& block) {
  return coder.load(block.parameters.width, block.parameters.height, [&](int x, int y) { return block.at(x, y); });
}

/// The blocks with the words of the host's encoder.
template <class Coding>
std::vector<worded_block> encode_on_host(const std::vector<block_case>& blocks) {
  host_coder_of<Coding> coder;
  std::vector<worded_block> result;
  for (const block_case& block : blocks) {
    word_list words;
    load(coder, block);
    coder.encode(block.parameters, block.probabilities.data(), words);
    result.push_back({block, words});
  }
  return result;
}

/// Encodes, counts and decodes blocks.
template <class Coding, class Backend>
void check_blocks(const Backend& backend, const std::vector<block_case>& blocks) {
  const auto expected = encode_on_host<Coding>(blocks);
  auto unwritten = expected;
  for (auto& block : unwritten) { block.words.assign(block.words.size(), 0x5A5A); }

  const block_batch encoder(backend, unwritten, false);
  const auto sizes = encoder.template run<encode_kernel, Coding>();
  const auto counts = encoder.template count<Coding>();
  const block_batch decoder(backend, expected, true);
  const auto verdicts = decoder.template run<decode_kernel, Coding>();

  host_coder_of<Coding> host;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const block_case& block = blocks[i];
    CAPTURE(i);
    GPUIMG_DESCRIBE_BLOCK(block);
    REQUIRE(sizes[i].planes == block.parameters.planes);
    REQUIRE(sizes[i].value == expected[i].words.size());
    REQUIRE(encoder.words(i) == expected[i].words);
    symbol_counts expected_counts{};
    load(host, block);
    host.count(block.parameters, expected_counts.data());
    REQUIRE(counts[i] == expected_counts);
    REQUIRE(verdicts[i].value == 1);
    REQUIRE(decoder.values(i) == block.values);
  }
}

/// Encodes into less room than the words need.
template <class Coding, class Backend>
void check_capacity(const Backend& backend, const std::vector<block_case>& blocks, unsigned seed) {
  constexpr std::uint16_t untouched = 0x5A5A;
  random_source random(seed);
  const auto expected = encode_on_host<Coding>(blocks);
  auto unwritten = expected;
  for (auto& block : unwritten) { block.words.assign(block.words.size(), untouched); }
  block_batch encoder(backend, unwritten, false);
  std::vector<std::size_t> capacities;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    capacities.push_back(random() % 4 == 0 ? 0 : random() % (expected[i].words.size() + 1));
    encoder.set_word_count(i, capacities[i]);
  }
  const auto sizes = encoder.template run<encode_kernel, Coding>();
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    CAPTURE(capacities[i]);
    GPUIMG_DESCRIBE_BLOCK(blocks[i]);
    REQUIRE(sizes[i].value == expected[i].words.size());
    word_list incomplete = expected[i].words;
    for (std::size_t w = capacities[i]; w < incomplete.size(); ++w) { incomplete[w] = untouched; }
    REQUIRE(encoder.words(i) == incomplete);
  }
}

/// Words cut at every length, and `mutations` times changed, of each block.
template <class Coding>
std::vector<worded_block> damage(const std::vector<block_case>& blocks, int mutations, unsigned seed) {
  random_source random(seed);
  std::vector<worded_block> result;
  for (const auto& [block, words] : encode_on_host<Coding>(blocks)) {
    for (std::size_t length = 0; length < words.size(); ++length) {
      result.push_back({block, {words.begin(), words.begin() + static_cast<std::ptrdiff_t>(length)}});
    }
    for (int round = 0; round < mutations && !words.empty(); ++round) {
      word_list changed = words;
      for (int i = draw(random, 1, 3); i > 0; --i) {
        changed[random() % changed.size()] = static_cast<std::uint16_t>(random() % 3 == 0 ? 0xFFFF : random());
      }
      if (round % 4 == 3) { changed.resize(random() % (2 * changed.size())); }
      result.push_back({block, changed});
    }
  }
  return result;
}

/// Damaged words end as they do on the host: in the same block, or in none.
template <class Coding, class Backend>
void check_damage(const Backend& backend, const std::vector<worded_block>& damaged) {
  const block_batch decoder(backend, damaged, true);
  const auto verdicts = decoder.template run<decode_kernel, Coding>();
  host_coder_of<Coding> host;
  for (std::size_t i = 0; i < damaged.size(); ++i) {
    const block_case& block = damaged[i].block;
    const auto& p = block.parameters;
    GPUIMG_DESCRIBE_BLOCK(block);
    const bool sound = host.decode(p, block.probabilities.data(), damaged[i].words);
    REQUIRE(verdicts[i].value == sound);
    if (!sound) { continue; }
    std::vector<std::int32_t> values(block.values.size());
    host.store(p.width, p.height, p.planes,
               [&](int x, int y, std::int32_t v) { values[static_cast<std::size_t>(y * p.width + x)] = v; });
    REQUIRE(decoder.values(i) == values);
  }
}

/// The words that an independent model gives.
template <class Backend>
void check_vectors(const Backend& backend) {
  using coding = block_coding<block_shape<64, 64>, 16, codec::coder_features, 7>;
  for (const check_result& expected : check_results) {
    const block_case block = check_block(expected.fast_planes);
    const block_batch encoder(backend, {{block, word_list(expected.words)}}, false);
    const auto size = encoder.template run<encode_kernel, coding>();
    CHECK(size[0].value == expected.words);
    CHECK(hash_of(encoder.words(0)) == expected.hash);
    const block_batch decoder(backend, {{block, encoder.words(0)}}, true);
    CHECK(decoder.template run<decode_kernel, coding>()[0].value == 1);
    CHECK(decoder.values(0) == block.values);
  }
}

/// Blocks whose features are those of a type.
template <class Features>
std::vector<block_case> with_features(std::vector<block_case> blocks, Features features) {
  for (auto& block : blocks) { block.parameters.features = features; }
  return blocks;
}

/// Blocks of at most `planes` planes.
inline std::vector<block_case> within_planes(std::vector<block_case> blocks, int planes) {
  std::erase_if(blocks, [&](const block_case& block) { return block.parameters.planes > planes; });
  return blocks;
}

}  // namespace codec_tests
