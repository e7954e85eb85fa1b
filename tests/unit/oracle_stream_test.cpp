#include <doctest/doctest.h>
#include <string>

#include "tests/oracle/color.hpp"
#include "tests/oracle/crc32.hpp"
#include "tests/oracle/index.hpp"
#include "tests/oracle/random_input.hpp"
#include "tests/oracle/stream.hpp"
#include "tests/oracle/tables.hpp"
#include "tests/oracle/wavelet.hpp"

using namespace gpuimg;
using namespace gpuimg::oracle;

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
