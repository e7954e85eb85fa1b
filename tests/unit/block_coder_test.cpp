/// @file
/// The host's block coder, bit for bit against the oracle.
#include "tests/oracle/block_coder.hpp"

#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <span>
#include <vector>

#include "tests/codec/block_cases.hpp"

#include "gpuimg/codec/bitplane_host.hpp"

namespace oracle = gpuimg::oracle;
using namespace codec_tests;
using gpuimg::codec::host_block_coder;

namespace {

using word_list = std::vector<std::uint16_t>;

oracle::plane plane_of(const block_case& block) {
  oracle::plane values(block.parameters.width, block.parameters.height);
  for (int y = 0; y < block.parameters.height; ++y) {
    for (int x = 0; x < block.parameters.width; ++x) { values.at(x, y) = block.at(x, y); }
  }
  return values;
}

oracle::table_set table_of(const block_case& block) {
  oracle::table_set set{};
  for (std::size_t i = 0; i < block.probabilities.size(); ++i) {
    set[i / cells_per_row][i % cells_per_row] = block.probabilities[i];
  }
  return set;
}

oracle::block_options options_of(const block_case& block, int block_width) {
  const auto& p = block.parameters;
  oracle::block_options options;
  options.block_width = block_width;
  options.fast_planes = p.fast_planes;
  options.raw_planes = p.raw_planes;
  options.raw_sign_sevenths = block.raw_sign_sevenths;
  options.raw_signs = p.features.raw_signs;
  options.strip_flags = p.features.strip_flags;
  options.compact_refinement = p.features.compact_refinement;
  return options;
}

symbol_counts counts_of(const oracle::block_cost& cost) {
  symbol_counts counts{};
  std::size_t i = 0;
  for (const auto& row : cost.counts) {
    for (const auto& cell : row) {
      for (const std::uint64_t n : cell) { counts[i++] = static_cast<std::uint32_t>(n); }
    }
  }
  return counts;
}

template <class Coder>
int load(Coder& coder, const block_case& block) {
  return coder.load(block.parameters.width, block.parameters.height, [&](int x, int y) { return block.at(x, y); });
}

template <class Coder>
std::vector<std::int32_t> decoded_values(const Coder& coder, const block_parameters<>& p) {
  std::vector<std::int32_t> values(static_cast<std::size_t>(p.width * p.height), 12345);
  coder.store(p.width, p.height, p.planes,
              [&](int x, int y, std::int32_t v) { values[static_cast<std::size_t>(y * p.width + x)] = v; });
  return values;
}

#define DESCRIBE(block)                             \
  CAPTURE((block).parameters.width);                \
  CAPTURE((block).parameters.height);               \
  CAPTURE((block).parameters.planes);               \
  CAPTURE((block).parameters.fast_planes);          \
  CAPTURE((block).parameters.raw_planes);           \
  CAPTURE((block).raw_sign_sevenths);               \
  CAPTURE((block).parameters.features.raw_signs);   \
  CAPTURE((block).parameters.features.strip_flags); \
  CAPTURE((block).parameters.features.compact_refinement)

/// Whether the oracle decodes the words; the values if it does.
bool oracle_decodes(const word_list& words, const block_case& block, int block_width, oracle::plane& values) {
  const auto& p = block.parameters;
  try {
    values = oracle::decode_block(words, p.width, p.height, p.planes, table_of(block), options_of(block, block_width))
                 .values;
    return true;
  } catch (const gpuimg::error& e) {
    CHECK(e.code() == gpuimg::errc::corrupt);
    return false;
  }
}

template <class Shape>
void check_damaged(host_block_coder<Shape>& coder, const block_case& block, const word_list& words) {
  const auto& p = block.parameters;
  const word_list exact(words);  // of its own size, so that a sanitizer sees a read beyond
  const bool accepted = coder.decode(p, block.probabilities.data(), exact);
  oracle::plane expected;
  REQUIRE(accepted == oracle_decodes(words, block, Shape::width, expected));
  if (!accepted) { return; }
  const auto values = decoded_values(coder, p);
  for (int y = 0; y < p.height; ++y) {
    for (int x = 0; x < p.width; ++x) {
      REQUIRE(values[static_cast<std::size_t>(y * p.width + x)] == expected.at(x, y));
    }
  }
}

}  // namespace

TEST_CASE_TEMPLATE("host block coder: words, counts and coefficients are the oracle's", Shape, block_shape<16, 16>,
                   block_shape<32, 32>, block_shape<64, 64>, block_shape<128, 128>, block_shape<128, 16>,
                   block_shape<16, 128>, block_shape<32, 64>, block_shape<64, 32>) {
  host_block_coder<Shape> coder;  // one for all blocks: nothing may stay behind
  for (const block_case& block : make_blocks<Shape>(1 + Shape::width * Shape::height, Shape::steps > 128 ? 1 : 3)) {
    DESCRIBE(block);
    const auto& p = block.parameters;
    const auto expected = oracle::encode_block(plane_of(block), table_of(block), options_of(block, Shape::width));
    REQUIRE(expected.planes == p.planes);

    REQUIRE(load(coder, block) == p.planes);
    word_list words = {0xABCD};
    coder.encode(p, block.probabilities.data(), words);
    REQUIRE(words.front() == 0xABCD);
    words.erase(words.begin());
    REQUIRE(words == expected.words);

    symbol_counts counts{};
    coder.count(p, counts.data());
    REQUIRE(counts == counts_of(expected.cost));

    REQUIRE(coder.decode(p, block.probabilities.data(), words));
    REQUIRE(decoded_values(coder, p) == block.values);
  }
}

TEST_CASE("host block coder: the check vectors of an independent model, probabilities of 7 bits") {
  for (const check_result& expected : check_results) {
    const block_case block = check_block(expected.fast_planes);
    host_block_coder<block_shape<64, 64>, 16, 7> coder;
    CHECK(load(coder, block) == 6);
    word_list words;
    coder.encode(block.parameters, block.probabilities.data(), words);
    CHECK(words.size() == expected.words);
    CHECK(hash_of(words) == expected.hash);
    CHECK(coder.decode(block.parameters, block.probabilities.data(), words));
    CHECK(decoded_values(coder, block.parameters) == block.values);
  }
}

TEST_CASE("host block coder: cut words are damage at every length") {
  using shape = block_shape<16, 16>;
  host_block_coder<shape> coder;
  for (const block_case& block : make_blocks<shape>(2, 1)) {
    DESCRIBE(block);
    load(coder, block);
    word_list words;
    coder.encode(block.parameters, block.probabilities.data(), words);
    for (std::size_t length = 0; length < words.size(); ++length) {
      const word_list cut(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(length));
      REQUIRE(!coder.decode(block.parameters, block.probabilities.data(), cut));
    }
    words.push_back(0);
    REQUIRE(!coder.decode(block.parameters, block.probabilities.data(), words));
  }
}

TEST_CASE_TEMPLATE("host block coder: damaged words end as they do in the oracle", Shape, block_shape<16, 16>,
                   block_shape<64, 16>) {
  random_source random(3);
  host_block_coder<Shape> coder;
  for (const block_case& block : make_blocks<Shape>(4, 1)) {
    if (block.parameters.planes == 0 || block.values.size() > 600) { continue; }
    DESCRIBE(block);
    load(coder, block);
    word_list words;
    coder.encode(block.parameters, block.probabilities.data(), words);
    for (int round = 0; round < 12; ++round) {
      word_list damaged = words;
      for (int i = draw(random, 1, 3); i > 0; --i) {
        damaged[random() % damaged.size()] = static_cast<std::uint16_t>(random() % 3 == 0 ? 0xFFFF : random());
      }
      if (round % 4 == 3) { damaged.resize(random() % (2 * damaged.size())); }
      check_damaged(coder, block, damaged);
    }
  }
}
