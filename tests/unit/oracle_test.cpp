#include <algorithm>
#include <doctest/doctest.h>
#include <random>
#include <string>

#include "tests/oracle/block_coder.hpp"
#include "tests/oracle/color.hpp"
#include "tests/oracle/crc32.hpp"
#include "tests/oracle/index.hpp"
#include "tests/oracle/stream.hpp"
#include "tests/oracle/tables.hpp"
#include "tests/oracle/wavelet.hpp"

using namespace gpuimg;
using namespace gpuimg::oracle;

namespace {

using random_source = std::mt19937;

int draw(random_source& random, int low, int high) {
  return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
}

template <class Value, std::size_t Count>
Value pick(random_source& random, const std::array<Value, Count>& values) {
  return values.at(random() % Count);
}

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

table_set random_table(random_source& random) {
  table_set table;
  for (table_row& row : table) {
    for (std::uint8_t& cell : row) cell = static_cast<std::uint8_t>(draw(random, 1, 255));
  }
  return table;
}

table_class random_class(random_source& random) {
  table_class result;
  for (table_set& set : result) set = random_table(random);
  return result;
}

/// Values whose magnitudes have up to `planes` planes; small ones are more frequent, some rows are zero.
plane random_values(random_source& random, coordinate width, coordinate height, int planes) {
  plane values(width, height);
  const int zero_rows = draw(random, 0, 3);
  for (coordinate y = 0; y < height; ++y) {
    const bool zero = draw(random, 0, 5) < zero_rows;
    for (coordinate x = 0; x < width; ++x) {
      if (zero) continue;
      const int bits = std::min(draw(random, 0, planes), draw(random, 0, planes));
      const auto magnitude = static_cast<std::int32_t>(random() % (1U << bits));
      values.at(x, y) = draw(random, 0, 1) == 1 ? -magnitude : magnitude;
    }
  }
  return values;
}

picture random_picture(random_source& random, const stream_header& header) {
  const sample_range range = range_of(header.depth, header.is_signed);
  picture samples;
  for (int i = 0; i < header.components; ++i) {
    plane component(header.width, header.height);
    const auto span = static_cast<unsigned>(range.high - range.low + 1);
    for (coordinate y = 0; y < component.height(); ++y) {
      for (coordinate x = 0; x < component.width(); ++x) {
        const auto ramp = static_cast<unsigned>(3 * x + 2 * y + i) + random() % 4;
        component.at(x, y) = static_cast<std::int32_t>(range.low + static_cast<int>(ramp % span));
      }
    }
    samples.push_back(component);
  }
  return samples;
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

TEST_CASE("oracle: check value of the CRC") {
  const std::string text = "123456789";
  CHECK(crc32(byte_list(text.begin(), text.end())) == 0xCBF43926U);
}

TEST_CASE("oracle: the colour transform is reversible and floors") {
  for (std::int64_t r = -3; r <= 3; ++r) {
    for (std::int64_t g = -3; g <= 3; ++g) {
      for (std::int64_t b = -3; b <= 3; ++b) {
        const std::array<std::int64_t, 3> rgb = {r, g, b};
        CHECK(inverse_color(forward_color(rgb)) == rgb);
      }
    }
  }
  CHECK(forward_color({-1, 0, 0}) == std::array<std::int64_t, 3>{-1, 0, -1});
}

TEST_CASE("oracle: the wavelet of known signals") {
  const halves constant = forward_wavelet(std::vector<std::int32_t>(7, 9));
  CHECK(constant.low == std::vector<std::int32_t>(4, 9));
  CHECK(constant.high == std::vector<std::int32_t>(3, 0));
  const halves single = forward_wavelet({5});
  CHECK(single.low == std::vector<std::int32_t>{5});
  CHECK(single.high.empty());
  // d = 4 - ((1 + 1) >> 1) = 3; a = 1 + ((3 + 3 + 2) >> 2) = 3
  const halves pair = forward_wavelet({1, 4});
  CHECK(pair.low == std::vector<std::int32_t>{3});
  CHECK(pair.high == std::vector<std::int32_t>{3});
}

TEST_CASE("oracle: the wavelet is reversible for all sizes and levels") {
  random_source random(3);
  for (const coordinate width : {1, 2, 3, 4, 5, 8, 13, 33}) {
    for (const coordinate height : {1, 2, 3, 7, 16, 21}) {
      for (const int levels : {0, 1, 2, 5, 32}) {
        const plane samples = random_values(random, width, height, 16);
        plane transformed = samples;
        forward_wavelet(transformed, levels);
        inverse_wavelet(transformed, levels);
        CHECK(transformed == samples);
      }
    }
  }
}

TEST_CASE("oracle: sub-bands") {
  CHECK(sub_band_rectangle(5, 3, 1, band::hl) == rectangle{3, 0, 2, 2});
  CHECK(sub_band_rectangle(5, 3, 1, band::lh) == rectangle{0, 2, 3, 1});
  CHECK(sub_band_rectangle(5, 3, 1, band::hh) == rectangle{3, 2, 2, 1});
  CHECK(sub_band_rectangle(5, 3, 2, band::ll) == rectangle{0, 0, 2, 1});
  CHECK(sub_band_rectangle(5, 3, 2, band::lh) == rectangle{0, 1, 2, 1});
  CHECK(sub_band_rectangle(1, 1, 3, band::hh).empty());
}

TEST_CASE("oracle: block index") {
  const block_index index = {{{3, 10, false, 2, 0}, {0, 0, false, 0, 0}}, {{24, 25600, true, 0, 0}}};
  const word_list words = write_index(index, {true, true});
  // m = 0, a = 2, b = 4; m = 24, a = 0, b = 15, raw. Blocks of 2 + 4 + 5 + 3 bits twice and 15 + 1 + 5 + 3 bits.
  CHECK(words.size() == 2 + 4);
  CHECK(words[0] == 0 + (2 << 5) + (4 << 8));
  CHECK(words[1] == 24 + (0 << 5) + (15 << 8) + (1 << 13));
  CHECK(words[2] == 3 + (10 << 2) + (2 << 6));
  CHECK(read_index(words, {2, 1}, {true, true}) == index);
  word_list damaged = words;
  damaged[0] = static_cast<std::uint16_t>(damaged[0] + (1 << 15));
  CHECK_THROWS_AS(read_index(damaged, {2, 1}, {true, true}), error);
  damaged = words;
  damaged.push_back(0);
  CHECK_THROWS_AS(read_index(damaged, {2, 1}, {true, true}), error);
}

TEST_CASE("oracle: ladder and inline tables") {
  CHECK(std::is_sorted(probability_ladder.begin(), probability_ladder.end()));
  CHECK(ladder_level(1) == 0);
  CHECK(ladder_level(7) == 5);  // between 6 and 8
  CHECK(ladder_level(255) == 63);

  const std::vector<chunk_key> keys = {{0, 0}, {0, 3}, {1, 0}};
  std::array<int, cell_count> change = {1, 0, -1, 63, -63};
  const table_changes changes = {{{0, 3}, {std::nullopt, change}}, {{1, 0}, {change}}};
  const word_list words = write_inline_tables(keys, changes);
  // A change of 0 takes a bit, 1 and -1 take three (u = 2 and 1), 63 and -63 thirteen (u = 126 and 125).
  CHECK(words[0] == 0);
  CHECK(words[1] == 1 + 1 + 2 * 3 + 2 * 13 + 12);
  CHECK(words[2] == words[1] - 1);
  table_changes read = read_inline_tables(keys, words);
  CHECK(read[{0, 0}].empty());
  CHECK(read[{0, 3}] == changes.at({0, 3}));
  CHECK(read[{1, 0}] == changes.at({1, 0}));

  std::vector<table_class> classes(2);
  for (table_class& each : classes) {
    for (table_set& set : each) {
      for (table_row& row : set) row.fill(100);
    }
  }
  change = {1, 0, -1};
  change_tables({{{1, 2}, {change}}}, classes);
  CHECK(classes[1][2][0][0] == 104);  // 100 is as far from 96 as from 104, so it counts as 96
  CHECK(classes[1][2][0][1] == 100);
  CHECK(classes[1][2][0][2] == 88);
  change = {40};
  CHECK_THROWS_AS(change_tables({{{1, 2}, {change}}}, classes), error);
}

TEST_CASE("oracle: places of the header's fields") {
  stream_header header;
  header.components = 4;
  header.color_transform = true;
  header.color_components = {3, 1, 2};
  header.depth = 10;
  header.raw_planes = 2;
  header.strip_flags = true;
  header.fast_planes = true;
  const byte_list bytes = write_header(header, 0x01020304);
  REQUIRE(bytes.size() == 48);
  const byte_list from_components = {4, 0,  3, 0, 1,  0, 2, 0, 10, 2, 1, 0, 5, 6,
                                     6, 16, 8, 2, 10, 0, 1, 0, 0,  0, 4, 3, 2, 1};
  CHECK(byte_list(bytes.begin() + 16, bytes.begin() + 44) == from_components);
}

TEST_CASE("oracle: streams decode to what was encoded") {
  random_source random(99);
  const default_tables defaults{random_class(random), random_class(random)};
  for (int round = 0; round < 40; ++round) {
    stream_header header;
    header.width = static_cast<std::uint32_t>(draw(random, 0, 70));
    header.height = static_cast<std::uint32_t>(draw(random, 0, 50));
    header.tile_width = static_cast<std::uint32_t>(draw(random, 8, 80));
    header.tile_height = static_cast<std::uint32_t>(draw(random, 8, 80));
    header.components = static_cast<std::uint16_t>(draw(random, 1, 5));
    header.depth = static_cast<std::uint8_t>(draw(random, 1, 16));
    header.is_signed = draw(random, 0, 1) == 1;
    header.color_transform = header.components >= 3 && draw(random, 0, 1) == 1;
    if (header.color_transform) header.color_components = {2, 0, 1};
    header.levels = static_cast<std::uint8_t>(round == 0 ? 32 : draw(random, 0, 7));
    header.block_width_log2 = static_cast<std::uint8_t>(draw(random, 4, 7));
    header.block_height_log2 = static_cast<std::uint8_t>(draw(random, 4, 7));
    header.raw_planes = static_cast<std::uint8_t>(draw(random, 0, 3));
    header.raw_signs = draw(random, 0, 1) == 1;
    header.strip_flags = draw(random, 0, 1) == 1;
    header.compact_refinement = draw(random, 0, 1) == 1;
    header.fast_planes = draw(random, 0, 1) == 1;
    const picture samples = random_picture(random, header);

    std::array<int, cell_count> steps = {};
    stream_choice choice;
    choice.checksums = round % 2 == 0;
    choice.tile = [&](std::uint64_t) {
      tile_choice tile;
      tile.stored = draw(random, 0, 4) == 0;
      tile.inline_tables = draw(random, 0, 1) == 1;
      // Towards the middle of the ladder, so that every level exists.
      for (std::size_t i = 0; i < steps.size(); ++i) {
        steps[i] = 0;
        if (defaults.luma[0][0][i] > 40 && defaults.luma[0][0][i] < 220) steps[i] = draw(random, -9, 9);
      }
      tile.changes = {{{0, 0}, {steps}}};
      tile.block = [&](const block_group&, const rectangle&) {
        return block_choice{draw(random, 0, 5), draw(random, 0, 7), draw(random, 0, 5) == 0};
      };
      return tile;
    };
    CAPTURE(round);
    const byte_list stream = encode_stream(header, samples, defaults, choice);
    const decoded_stream decoded = decode_stream(stream, defaults);
    CHECK(decoded.header == header);
    CHECK(decoded.samples == samples);
  }
}

TEST_CASE("oracle: a stream refuses what it does not know, and skips what it may") {
  random_source random(1);
  const default_tables defaults{random_class(random), random_class(random)};
  stream_header header;
  header.width = 9;
  header.height = 5;
  const picture samples = random_picture(random, header);
  const byte_list stream = encode_stream(header, samples, defaults);
  const std::size_t after_head = 16 + 16 + 48 + 4;

  for (const bool optional : {false, true}) {
    byte_list extended(stream.begin(), stream.begin() + after_head);
    append(extended, {"NOTE", false, optional, {1, 2}});
    extended.insert(extended.end(), stream.begin() + after_head, stream.end());
    if (optional) {
      CHECK(decode_stream(extended, defaults).samples == samples);
    } else {
      CHECK_THROWS_AS(decode_stream(extended, defaults), error);
    }
  }
  for (std::size_t length = 0; length < stream.size(); ++length) {
    const byte_list cut(stream.begin(), stream.begin() + static_cast<std::ptrdiff_t>(length));
    CHECK_THROWS_AS(decode_stream(cut, defaults), error);
  }
  // Every byte after the version is under a checksum, or is the checksum.
  for (std::size_t i = 16; i < stream.size(); ++i) {
    byte_list damaged = stream;
    damaged[i] ^= 0x10;
    CHECK_THROWS_AS(decode_stream(damaged, defaults), error);
  }
  default_tables other = defaults;
  other.chroma[0][0][0] ^= 2;
  CHECK_THROWS_AS(decode_stream(stream, other), error);
  CHECK_THROWS_AS(decode_stream(stream, defaults, 44), error);
}

TEST_CASE("oracle: damaged streams without checksums end in an error or a picture") {
  random_source random(2);
  const default_tables defaults{random_class(random), random_class(random)};
  stream_header header;
  header.width = 40;
  header.height = 21;
  header.components = 3;
  header.color_transform = true;
  header.color_components = {0, 1, 2};
  header.raw_planes = 2;
  header.fast_planes = true;
  header.raw_signs = true;
  header.strip_flags = true;
  stream_choice choice;
  choice.checksums = false;
  choice.tile = [](std::uint64_t) { return tile_choice{.inline_tables = true}; };
  const byte_list stream = encode_stream(header, random_picture(random, header), defaults, choice);
  for (int round = 0; round < 300; ++round) {
    byte_list damaged = stream;
    damaged.at(random() % damaged.size()) ^= static_cast<std::uint8_t>(1U << draw(random, 0, 7));
    try {
      decode_stream(damaged, defaults, 10000);
    } catch (const error& fault) { CHECK(fault.code() != errc::invalid_argument); }
  }
}
