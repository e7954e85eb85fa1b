// The host's codec against the oracle: each decodes what the other encodes, and for the same choices they write the
// same bytes.
#include "tests/codec/paco_oracle.hpp"

#include <algorithm>
#include <array>
#include <doctest/doctest.h>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace gpuimg;
using namespace paco_tests;

using random_source = std::mt19937;

int draw(random_source& random, int low, int high) {
  return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
}

/// A case of its own, small enough for the oracle.
picture_case random_case(random_source& random) {
  picture_case c;
  c.width = draw(random, 1, 90);
  c.height = draw(random, 1, 70);
  c.components = draw(random, 1, 5);
  c.depth = draw(random, 1, 16);
  c.is_signed = draw(random, 0, 1) == 1;
  c.block = 16 << draw(random, 0, 3);
  c.kind = static_cast<content>(draw(random, 0, 4));
  auto& o = c.options;
  o.levels = draw(random, 0, 7);
  o.tile_width = draw(random, 0, 2) == 0 ? draw(random, 5, 100) : 0;
  o.tile_height = draw(random, 0, 2) == 0 ? draw(random, 5, 100) : 0;
  o.color_transform = draw(random, 0, 2) > 0;
  if (c.components >= 3) { o.color_components = {2, 0, draw(random, 0, 1) == 1 ? 1 : c.components - 1}; }
  if (o.color_components[2] == 2) { o.color_components = {2, 0, 1}; }
  o.choice = static_cast<paco::table_choice>(draw(random, 0, 1));
  o.raw_planes = draw(random, 0, 4);
  o.features = {draw(random, 0, 1) == 1, draw(random, 0, 1) == 1, draw(random, 0, 1) == 1};
  o.fast_planes = std::max(0, draw(random, -4, 5));
  o.crc = draw(random, 0, 1) == 1;
  return c;
}

/// Every choice of a tile drawn by lot.
oracle::tile_choice random_tile(random_source& random, const oracle::stream_header& header,
                                const oracle::default_tables& defaults, std::uint64_t index) {
  oracle::tile_choice tile;
  tile.stored = draw(random, 0, 5) == 0;
  tile.inline_tables = draw(random, 0, 1) == 1;
  const auto classes = oracle::classes_of(header, defaults);
  for (const auto& key : oracle::chunks_of(header, oracle::tile_rectangle(header, index))) {
    const auto& set = classes.at(static_cast<std::size_t>(key.first)).at(static_cast<std::size_t>(key.second));
    oracle::chunk rows(static_cast<std::size_t>(draw(random, 0, 24)));
    for (std::size_t plane = 0; plane < rows.size(); ++plane) {
      if (draw(random, 0, 2) == 0) { continue; }
      auto& row = rows[plane].emplace();
      for (std::size_t cell = 0; cell < row.size(); ++cell) {
        const int level = oracle::ladder_level(set.at(plane).at(cell));
        if (draw(random, 0, 1) == 1) { row[cell] = draw(random, 0, 63) - level; }
      }
    }
    tile.changes[key] = rows;
  }
  const int odds = draw(random, 0, 9);
  tile.block = [&random, odds](const auto&, const auto&) {
    return oracle::block_choice{draw(random, 0, 24), draw(random, 0, 7), draw(random, 0, 9) < odds / 2};
  };
  return tile;
}

/// Puts segments that a reader may skip between the others.
oracle::byte_list with_notes(const oracle::byte_list& stream, bool checksums) {
  oracle::byte_list result = oracle::begin_stream();
  std::size_t offset = oracle::read_beginning(stream);
  while (offset < stream.size()) {
    oracle::append(result, oracle::read_segment(stream, offset));
    if (offset < stream.size()) { oracle::append(result, {"QLAY", checksums, true, {1, 2, 3, 4, 5, 6}}); }
  }
  return result;
}

}  // namespace

TEST_CASE("the oracle decodes the host's streams, and encodes the same bytes from the same choices") {
  random_source random(31);
  const auto defaults = oracle_tables();
  CHECK(oracle::checksum_of(defaults) == paco::default_tables().checksum);
  for (int round = 0; round < 400; ++round) {
    const auto c = random_case(random);
    if (round % slow_build_stride != 0) { continue; }
    CAPTURE(round);
    CAPTURE(c.name());
    with_sample_type(c.depth, c.is_signed, [&](auto sample) {
      const auto picture = make_picture<decltype(sample)>(c, static_cast<arrangement>(round % arrangements));
      const auto codec = make_host_codec(c.block, c.options);
      const auto stream = oracle_bytes(encode(*codec, picture.read_only(), c.depth));
      const auto header = oracle_header(codec->header(c.format<decltype(sample)>()));
      const auto samples = oracle_picture(picture.read_only());
      const auto decoded = oracle::decode_stream(stream, defaults);
      CHECK(decoded.header == header);
      CHECK(decoded.samples == samples);
      const auto choices = choices_of(stream, header);
      const auto again = oracle::encode_stream(header, samples, defaults,
                                               {c.options.crc, [&](std::uint64_t index) { return choices.at(index); }});
      CHECK(again == stream);
    });
  }
}

TEST_CASE("the host decodes whatever the oracle encodes") {
  random_source random(32);
  const auto defaults = oracle_tables();
  for (int round = 0; round < 400; ++round) {
    const auto c = random_case(random);
    const auto seed = random();
    if (round % slow_build_stride != 0) { continue; }
    CAPTURE(round);
    CAPTURE(c.name());
    random_source choosing(seed);
    with_sample_type(c.depth, c.is_signed, [&](auto sample) {
      const auto codec = make_host_codec(c.block, c.options);
      const auto picture = make_picture<decltype(sample)>(c, arrangement::planar);
      const auto header = oracle_header(codec->header(c.format<decltype(sample)>()));
      auto stream = oracle::encode_stream(
          header, oracle_picture(picture.read_only()), defaults,
          {c.options.crc, [&](std::uint64_t index) { return random_tile(choosing, header, defaults, index); }});
      if (round % 3 == 0) { stream = with_notes(stream, c.options.crc); }
      const auto bytes = library_bytes(stream);
      CHECK(oracle_header(paco::read_header(bytes)) == header);
      CHECK(decodes_to(*codec, bytes, picture.read_only(), static_cast<arrangement>(round % arrangements)));
    });
  }
}

TEST_CASE("tables that are given travel as steps of the ladder, and the oracle reads them") {
  random_source random(33);
  std::array<paco::class_table, paco::table_classes> tables{};
  for (auto& cls : tables) {
    for (auto& p : cls) { p = static_cast<std::uint8_t>(draw(random, 0, 255)); }
  }
  picture_case c{.width = 60, .height = 50, .components = 4};
  c.options.choice = paco::table_choice::given;
  c.options.tables = &tables;
  const auto picture = make_picture<std::uint8_t>(c, arrangement::interleaved);
  const auto codec = make_host_codec(64, c.options);
  const auto stream = encode(*codec, picture.read_only(), c.depth);
  CHECK(oracle::decode_stream(oracle_bytes(stream), oracle_tables()).samples == oracle_picture(picture.read_only()));
  CHECK(decodes_to(*codec, stream, picture.read_only(), arrangement::planar));
}

TEST_CASE("of a damaged stream without checksums, host and oracle make the same picture or both refuse it") {
  random_source random(34);
  const auto defaults = oracle_tables();
  int refused = 0;
  int decoded = 0;
  for (int round = 0; round < 1500; ++round) {
    auto c = random_case(random);
    c.width = std::min<std::int64_t>(c.width, 40);
    c.height = std::min<std::int64_t>(c.height, 30);
    c.components = std::min(c.components, 3);
    c.options.color_components = {0, 1, 2};
    c.options.crc = false;
    const auto seed = random();
    if (round % slow_build_stride != 0) { continue; }
    random_source choosing(seed);
    with_sample_type(c.depth, c.is_signed, [&](auto sample) {
      const auto codec = make_host_codec(c.block, c.options);
      using S = decltype(sample);
      const auto picture = make_picture<S>(c, arrangement::planar);
      const auto header = oracle_header(codec->header(c.format<S>()));
      auto stream = oracle::encode_stream(header, oracle_picture(picture.read_only()), defaults,
                                          {false, [&](std::uint64_t index) {
                                             auto tile = random_tile(choosing, header, defaults, index);
                                             tile.stored = false;
                                             return tile;
                                           }});
      const std::size_t first = 16 + 16 + 48 + 16;
      for (int i = draw(choosing, 1, 3); i > 0; --i) {
        stream.at(first + choosing() % (stream.size() - first)) ^=
            static_cast<std::uint8_t>(1U << draw(choosing, 0, 7));
      }
      const auto bytes = library_bytes(stream);
      std::string fault;
      stored_picture<S> ours(c.format<S>(), arrangement::planar);
      try {
        codec->decode(bytes, ours.view());
      } catch (const error& e) {
        CHECK(e.offset().has_value());
        fault = e.what();
      }
      std::string oracle_fault;
      oracle::picture theirs;
      try {
        theirs = oracle::decode_stream(stream, defaults).samples;
      } catch (const error& e) { oracle_fault = e.what(); }
      CAPTURE(round);
      CAPTURE(c.name());
      CAPTURE(fault);
      CAPTURE(oracle_fault);
      CHECK(fault.empty() == oracle_fault.empty());
      if (fault.empty() && oracle_fault.empty()) { CHECK(oracle_picture(ours.read_only()) == theirs); }
      ++(fault.empty() ? decoded : refused);
    });
  }
  CHECK(refused > 500 / slow_build_stride);
  CHECK(decoded > 10 / slow_build_stride);
}
