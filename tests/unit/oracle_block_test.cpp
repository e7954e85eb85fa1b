#include <doctest/doctest.h>
#include <string>

#include "tests/oracle/block_coder.hpp"
#include "tests/oracle/random_input.hpp"
#include "tests/oracle/tables.hpp"

using namespace gpuimg;
using namespace gpuimg::oracle;

namespace {

/// FNV-1a over the words, low byte first.
std::uint32_t hash(const word_list& words) {
  std::uint32_t state = 2166136261U;
  for (const std::uint8_t byte : bytes_of(words)) state = (state ^ byte) * 16777619U;
  return state;
}

/// The table of the check vectors, for P = 7.
table_set check_table() {
  table_set table;
  for (table_row& row : table) {
    for (std::size_t cell = 0; cell < row.size(); ++cell) row.at(cell) = static_cast<std::uint8_t>(60 + 4 * cell);
  }
  return table;
}

plane check_block() {
  plane block(64, 64);
  for (coordinate y = 0; y < 64; ++y) {
    for (coordinate x = 0; x < 64; ++x) {
      const auto k = static_cast<std::uint64_t>(y * 64 + x);
      const std::uint64_t t = (1103515245 * (k + 1) + 12345) % (std::uint64_t{1} << 31);
      const std::uint64_t z = (t >> 8) & 0xFFFF;
      const auto magnitude = static_cast<std::int32_t>((z & 63) >> ((z >> 6) & 7));
      block.at(x, y) = ((z >> 10) & 1) == 1 ? -magnitude : magnitude;
    }
  }
  return block;
}

}  // namespace

TEST_CASE("oracle: one lane of the arithmetic coder gives the words of the check vector") {
  const std::array<std::uint32_t, 9> probabilities = {112, 98, 87, 79, 73, 69, 66, 65, 64};
  const std::string expected = "0101111111011010000001011100000111010001011000111010110101100000";
  arithmetic_encoder encoder({16, 7});
  std::string bits;
  std::uint32_t x = 1;
  for (std::size_t i = 0; i < 64; ++i) {
    x = x * 1103515245U + 12345U;
    const std::uint32_t p = probabilities.at(i % 9);
    const int symbol = ((x >> 16) & 127) >= p ? 1 : 0;
    bits += symbol == 1 ? '1' : '0';
    event one = {{0, symbol, p}};
    encoder.code(one);
  }
  CHECK(bits == expected);
  CHECK(encoder.words() == word_list{0xCF2B, 0x51F7, 0xDA9F, 0xC8B7});
  CHECK(!encoder.lane(0).open());

  arithmetic_decoder decoder({16, 7}, encoder.words());
  for (std::size_t i = 0; i < 64; ++i) {
    event one = {{0, 0, probabilities.at(i % 9)}};
    decoder.code(one);
    CHECK(one[0].symbol == (expected[i] == '1' ? 1 : 0));
  }
}

TEST_CASE("oracle: lanes of an event reserve words in ascending order, whatever the order of the list") {
  arithmetic_encoder encoder({16, 8});
  event both = {{7, 1, 128}, {3, 0, 128}};
  encoder.code(both);
  CHECK(encoder.lane(3).place == 0);
  CHECK(encoder.lane(7).place == 1);
}

TEST_CASE("oracle: a block gives the words of the check vectors") {
  const plane block = check_block();
  block_options options;
  options.bits = {16, 7};
  word_list expected_first = {0x0007, 0x011B, 0x0086, 0x16DD, 0x062F, 0x0000, 0x781E, 0x0000};

  for (const int fast_planes : {0, 3}) {
    CAPTURE(fast_planes);
    options.fast_planes = fast_planes;
    const encoded_block code = encode_block(block, check_table(), options);
    CHECK(code.planes == 6);
    CHECK(code.cost.decisions(0, 8) == 18960);
    CHECK(code.cost.decisions(9, 12) == 2568);
    CHECK(code.cost.decisions(13, 13) == 5616);
    CHECK(code.cost.decisions(14, 15) == 0);
    CHECK(code.words.size() == (fast_planes == 0 ? 1958 : 1967));
    CHECK(code.cost.arithmetic_words == code.words.size());
    CHECK(hash(code.words) == (fast_planes == 0 ? 0xC4E11837U : 0x036D3324U));
    CHECK(word_list(code.words.begin(), code.words.begin() + 8) == expected_first);
    CHECK(code.words.back() == (fast_planes == 0 ? 0xE000 : 0x0000));
    CHECK(decode_block(code.words, 64, 64, 6, check_table(), options).values == block);
  }
}

TEST_CASE("oracle: blocks of all sizes and features decode to what was encoded") {
  const std::array<int, 11> sizes = {1, 2, 3, 16, 17, 31, 32, 33, 64, 100, 128};
  random_source random(20240501);
  for (int round = 0; round < 500; ++round) {
    block_options options;
    const int width = pick(random, sizes);
    const int height = pick(random, sizes);
    do { options.block_width = 16 << draw(random, 0, 3); } while (options.block_width < width);
    const int bits = draw(random, 0, 9) == 0 ? 24 : draw(random, 0, 9);
    const plane values = random_values(random, width, height, width * height > 4096 ? std::min(bits, 4) : bits);
    const table_set table = random_table(random);
    const int planes = planes_of(values);
    options.fast_planes = draw(random, 0, 1) * draw(random, 0, planes);
    options.raw_planes = draw(random, 0, 1) * draw(random, 0, plane_limit);
    options.raw_signs = draw(random, 0, 1) == 1;
    options.raw_sign_sevenths = draw(random, 0, 7);
    options.strip_flags = draw(random, 0, 1) == 1;
    options.compact_refinement = draw(random, 0, 1) == 1;
    CAPTURE(round);
    CAPTURE(width);
    CAPTURE(height);
    CAPTURE(planes);

    const encoded_block code = encode_block(values, table, options);
    REQUIRE(code.planes == planes);
    const decoded_block decoded = decode_block(code.words, width, height, planes, table, options);
    REQUIRE(decoded.values == values);
    CHECK(decoded.cost.counts == code.cost.counts);
    CHECK(decoded.cost.events == code.cost.events);
    CHECK(decoded.cost.pool_bits == code.cost.pool_bits);
    CHECK(decode_raw_block(encode_raw_block(values), width, height, planes) == values);
  }
}

TEST_CASE("oracle: codewords and probabilities of other widths decode too") {
  random_source random(7);
  for (const int codeword : {1, 2, 8, 12, 15}) {
    for (const int probability : {7, 8}) {
      table_set table = random_table(random);
      for (table_row& row : table) {
        for (std::uint8_t& cell : row) cell = static_cast<std::uint8_t>(std::max(1, cell >> (8 - probability)));
      }
      const plane values = random_values(random, 33, 10, 6);
      block_options options;
      options.raw_planes = 3;
      options.bits = {codeword, probability};
      const encoded_block code = encode_block(values, table, options);
      CHECK(decode_block(code.words, 33, 10, code.planes, table, options).values == values);
    }
  }
}

TEST_CASE("oracle: each feature does what it is for") {
  random_source random(5);
  plane values = random_values(random, 64, 64, 6);
  for (coordinate y = 20; y < 40; ++y) {
    for (coordinate x = 0; x < 64; ++x) values.at(x, y) = 0;
  }
  const table_set table = check_table();
  const encoded_block plain = encode_block(values, table, {});
  CHECK(plain.cost.pool_bits == 0);

  block_options options;
  options.strip_flags = true;
  const encoded_block flagged = encode_block(values, table, options);
  CHECK(flagged.cost.decisions(14, 15) > 0);
  CHECK(flagged.cost.decisions(0, 8) < plain.cost.decisions(0, 8));
  CHECK(flagged.cost.decisions(9, 13) == plain.cost.decisions(9, 13));

  options = {};
  options.compact_refinement = true;
  const encoded_block compact = encode_block(values, table, options);
  CHECK(compact.cost.counts == plain.cost.counts);
  CHECK(compact.cost.events < plain.cost.events);

  options = {};
  options.raw_planes = 2;
  const encoded_block raw = encode_block(values, table, options);
  CHECK(raw.cost.pool_bits + raw.cost.decisions(13, 13) == plain.cost.decisions(13, 13));
  CHECK(raw.cost.carried_bits > 0);
  CHECK(raw.words.size() == raw.cost.arithmetic_words + (raw.cost.pool_bits - raw.cost.carried_bits + 15) / 16);

  options = {};
  options.raw_signs = true;
  options.raw_sign_sevenths = 7;
  const encoded_block signs = encode_block(values, table, options);
  CHECK(signs.cost.pool_bits + signs.cost.decisions(9, 12) == plain.cost.decisions(9, 12));

  options = {};
  options.fast_planes = plain.planes;
  const encoded_block fast = encode_block(values, table, options);
  CHECK(fast.cost.decisions(0, 8) == plain.cost.decisions(0, 8));
  CHECK(fast.cost.decisions(13, 13) == plain.cost.decisions(13, 13));
}

TEST_CASE("oracle: columns of one step do not see each other") {
  // Blocks of 16 columns have neighbours in the same step. Both become significant there, so neither context counts the
  // other, nor does a sign.
  plane values(2, 1);
  values.at(0, 0) = -1;
  values.at(1, 0) = -1;
  block_options options;
  for (const int fast_planes : {0, 1}) {
    options.fast_planes = fast_planes;
    options.block_width = 16;
    const auto narrow = encode_block(values, check_table(), options).cost.counts.front();
    CHECK(narrow.at(0) == symbol_counts{0, 2});
    CHECK(narrow.at(9) == symbol_counts{0, 2});
    // In blocks of 64 columns a lane has both, and the right one comes later.
    options.block_width = 64;
    const auto wide = encode_block(values, check_table(), options).cost.counts.front();
    CHECK(wide.at(0) == symbol_counts{0, 1});
    CHECK(wide.at(1) == symbol_counts{0, 1});
    CHECK(wide.at(9) == symbol_counts{0, 1});
    CHECK(wide.at(9 + 2) == symbol_counts{1, 0});
  }
}

TEST_CASE("oracle: words of small blocks, worked out by hand") {
  table_set halves_of_the_interval;
  for (table_row& row : halves_of_the_interval) row.fill(128);
  block_options options;
  options.block_width = 32;
  options.raw_planes = 24;
  options.raw_signs = true;
  options.raw_sign_sevenths = 7;
  // Lane 0: 1 (plane 2), sign 0, refinement 0; lane 1: 1, 1, 1; lane 2: 0, 0, 1 in planes 2, 1, 0. The pool holds
  // plane 0 of 5 and 6, then the sign of -1: all of them in the first word.
  plane row(3, 1);
  row.at(0, 0) = 5;
  row.at(1, 0) = -6;
  row.at(2, 0) = -1;
  const encoded_block code = encode_block(row, halves_of_the_interval, options);
  CHECK(code.words == word_list{0x8000 + 0b101, 0xE000, 0x2000});
  CHECK(code.cost.events == 1 + 1 + 1 + 1 + 1);
  CHECK(code.cost.pool_bits == 3);

  // The flags of strips 0 and 1 in lanes 0 and 1: 0 and 1; then lane 0 codes row 2 alone.
  options = {};
  options.strip_flags = true;
  plane column(1, 3);
  column.at(0, 2) = 1;
  CHECK(encode_block(column, halves_of_the_interval, options).words == word_list{0x4000, 0x8000});
}

TEST_CASE("oracle: damage of a block is found") {
  random_source random(11);
  const plane values = random_values(random, 64, 20, 5);
  const table_set table = check_table();
  block_options options;
  const encoded_block code = encode_block(values, table, options);

  word_list shorter = code.words;
  shorter.pop_back();
  CHECK_THROWS_AS(decode_block(shorter, 64, 20, code.planes, table, options), error);
  word_list longer = code.words;
  longer.push_back(0);
  CHECK_THROWS_AS(decode_block(longer, 64, 20, code.planes, table, options), error);
  CHECK_THROWS_AS(decode_block({}, 64, 20, code.planes, table, options), error);

  // A lane of one symbol with p = 3/4 has size 49151, so 15 free bits: words from 32768 on cannot be r + low.
  plane zero_and_one(2, 1);
  zero_and_one.at(1, 0) = 1;
  table_set flat;
  for (table_row& row : flat) row.fill(192);
  options.block_width = 32;
  CHECK(encode_block(zero_and_one, flat, options).words == word_list{0x0000, 0xC000});
  CHECK_NOTHROW(decode_block({0x7FFF, 0xC000}, 2, 1, 1, flat, options));
  CHECK_THROWS_AS(decode_block({0x8000, 0xC000}, 2, 1, 1, flat, options), error);

  options.block_width = 64;
  for (int round = 0; round < 50; ++round) {
    word_list noise(code.words.size());
    for (auto& word : noise) word = static_cast<std::uint16_t>(random());
    options.strip_flags = round % 2 == 1;
    options.raw_planes = round % 5;
    try {
      decode_block(noise, 64, 20, code.planes, table, options);
    } catch (const error& fault) { CHECK(fault.code() == errc::corrupt); }
  }
}
