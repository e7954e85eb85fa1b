// Pictures that codecs are known to stumble over, through the host's codec and back.
#include <array>
#include <cstdint>
#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "tests/codec/paco_streams.hpp"

namespace {

using namespace gpuimg;
using namespace paco_tests;

/// Encodes and decodes a picture; gives the stream.
template <class S>
stream_bytes round_trip(const stored_picture<S>& picture, int depth, const paco::encode_options& options = {},
                        int block = 64) {
  const auto codec = make_host_codec(block, options);
  const auto stream = encode(*codec, picture.read_only(), depth);
  CHECK(decodes_to(*codec, stream, picture.read_only(), arrangement::planar));
  return stream;
}

void round_trip(const picture_case& c, arrangement how = arrangement::interleaved) {
  CAPTURE(c.name());
  with_sample_type(c.depth, c.is_signed, [&](auto sample) {
    round_trip(make_picture<decltype(sample)>(c, how), c.depth, c.options, c.block);
  });
}

/// Bytes that a stream takes beside its samples as they are, with so many tiles.
std::uint64_t overhead(std::uint64_t tiles) { return 16 + (16 + 48 + 4) + (16 + 4) + 52 * tiles; }

template <class S>
stored_picture<S> picture_of(std::int64_t width, std::int64_t height, const std::vector<S>& samples) {
  stored_picture<S> picture({width, height, 1, 8 * static_cast<int>(sizeof(S)), std::is_signed_v<S>},
                            arrangement::planar);
  picture.each([&](S& s, auto x, auto y, auto) { s = samples.at(static_cast<std::size_t>(y * width + x)); });
  return picture;
}

}  // namespace

TEST_CASE("odd sizes of several blocks") {
  const std::array<std::array<int, 2>, 6> sizes = {
      {{127, 131}, {129, 255}, {191, 193}, {255, 129}, {257, 127}, {1, 257}}};
  int i = 0;
  for (const auto [width, height] : sizes) {
    for (const int block : {16, 64, 128}) {
      picture_case c{
          .width = width, .height = height, .components = 1 + i % 4, .depth = 3 + 5 * (i % 3), .block = block};
      c.is_signed = i % 2 == 0;
      c.kind = static_cast<content>(i % 5);
      c.options.levels = i % 8;
      round_trip(c, static_cast<arrangement>(i++ % arrangements));
    }
  }
}

TEST_CASE("tiles: two columns wide, of one sample, larger than the picture, not of whole blocks") {
  for (const auto kind : {content::noise, content::smooth}) {
    picture_case c{.width = 80, .height = 53, .components = 4, .kind = kind};
    c.options.tile_width = 39;
    c.options.tile_height = 53;
    round_trip(c);
  }
  const std::array<std::array<std::int64_t, 4>, 8> cases = {{{9, 7, 1, 1},
                                                             {9, 7, 4294967295, 4294967295},
                                                             {200, 3, 64, 64},
                                                             {70, 100, 3, 2},
                                                             {100, 70, 99, 69},
                                                             {64, 64, 64, 1},
                                                             {64, 64, 1, 64},
                                                             {65, 65, 64, 64}}};
  for (const auto& [width, height, tile_width, tile_height] : cases) {
    picture_case c{.width = width, .height = height, .components = 3};
    c.options.tile_width = tile_width;
    c.options.tile_height = tile_height;
    c.options.crc = true;
    round_trip(c);
  }
}

TEST_CASE("sizes that are no multiple of a block") {
  const std::array<std::array<int, 2>, 5> sizes = {{{2586, 2048 / slow_build_stride}, {4, 16}, {7, 5}, {9, 1}, {1, 9}}};
  for (const auto [width, height] : sizes) { round_trip(picture_case{.width = width, .height = height}); }
}

TEST_CASE("tile by tile gives the bytes of the whole, whatever the order of decoding") {
  picture_case c{.width = 150, .height = 90, .components = 3};
  c.options.tile_width = 64;
  c.options.tile_height = 32;
  const auto picture = make_picture<std::uint8_t>(c, arrangement::cropped);
  paco::encoder<paco::lossless> encoder(host{1}, c.options);
  const auto whole = encode(encoder, picture.read_only(), c.depth);
  const auto h = encoder.header(c.format<std::uint8_t>());
  stream_bytes parts(1 << 16);
  std::vector<std::span<const std::byte>> segments;
  std::uint64_t size = encoder.begin(h, parts);
  for (std::int64_t i = 0; i < h.tiles(); ++i) {
    const auto t = paco::tile_of(h, i);
    const auto rest = std::span(parts).subspan(size);
    const auto limit = static_cast<std::size_t>(paco::tile_bound(h, t.width, t.height));
    const auto bytes =
        encoder.encode_tile(h, picture.read_only().crop(t.x, t.y, t.width, t.height), i, rest.first(limit));
    segments.push_back(rest.first(static_cast<std::size_t>(bytes)));
    size += bytes;
  }
  size += encoder.end(std::span(parts).subspan(size));
  parts.resize(size);
  CHECK(parts == whole);

  stored_picture<std::uint8_t> decoded(h.picture, arrangement::planar);
  paco::decoder<paco::lossless> decoder(host{1});
  for (std::int64_t i = h.tiles() - 1; i >= 0; --i) {
    const auto t = paco::tile_of(h, i);
    const auto segment = segments.at(static_cast<std::size_t>(i));
    decoder.decode_tile(h, segment.subspan(16), i, 0, decoded.view().crop(t.x, t.y, t.width, t.height));
  }
  decoded.each([&](std::uint8_t s, auto x, auto y, auto b) { REQUIRE(s == picture.view()(x, y, b)); });
}

TEST_CASE("an empty picture is a stream without tiles") {
  for (const auto& [width, height] :
       std::vector<std::array<std::int64_t, 2>>{{0, 5}, {5, 0}, {0, 0}, {4294967295, 0}}) {
    for (const bool crc : {false, true}) {
      paco::encoder<paco::lossless> encoder(host{1}, {.crc = crc});
      const paco::picture_format format{width, height, 3, 8, false};
      const cube_view<const std::uint8_t> nothing(nullptr, width, height, 3, interleave::bip);
      stream_bytes stream(static_cast<std::size_t>(encoder.bound(format)));
      stream.resize(static_cast<std::size_t>(encoder.encode(nothing, 8, std::span(stream))));
      CHECK(stream.size() == overhead(0) - (crc ? 0 : 8));
      CHECK(paco::read_header(stream).picture == format);
      CHECK(paco::read_header(stream).tiles() == 0);
      const cube_view<std::uint8_t> to(nullptr, width, height, 3, interleave::bip);
      CHECK(paco::decoder<paco::lossless>(host{1}).decode(stream, to).picture == format);
    }
  }
}

TEST_CASE("noise of one bit comes back, and is no larger than its bits and the headers") {
  for (const auto& [width, height] : std::vector<std::array<std::int64_t, 2>>{{123, 234}, {70, 100}}) {
    const picture_case c{.width = width, .height = height, .depth = 1, .kind = content::noise};
    const auto stream = round_trip(make_picture<std::uint8_t>(c, arrangement::planar), 1);
    CHECK(stream.size() <= static_cast<std::uint64_t>(width * height + 7) / 8 + 1 + overhead(1));
  }
}

TEST_CASE("noise of every depth grows by the headers alone") {
  for (int depth = 1; depth <= 16; ++depth) {
    for (const bool crc : {false, true}) {
      for (const std::int64_t tile : {0, 31}) {
        picture_case c{.width = 77, .height = 65, .components = 3, .depth = depth, .kind = content::noise};
        c.options.crc = crc;
        c.options.tile_width = tile;
        const auto stream = round_trip(make_picture<std::int16_t>(c, arrangement::interleaved), depth, c.options);
        const paco::encoder<paco::lossless> encoder(host{1}, c.options);
        CHECK(stream.size() <= encoder.bound(c.format<std::int16_t>()));
        const std::uint64_t tiles = tile == 0 ? 1 : 3;
        const auto bits = static_cast<std::uint64_t>(c.width * c.height * c.components * depth);
        CHECK(stream.size() <= bits / 8 + 2 * tiles + overhead(tiles));
      }
    }
  }
}

TEST_CASE("extreme signed samples keep their values and their sign") {
  const auto wide = round_trip(picture_of<std::int16_t>(2, 2, {100, -1, 200, -32768}), 16);
  CHECK(paco::read_header(wide).picture.is_signed);
  const auto narrow = round_trip(picture_of<std::int8_t>(3, 2, {-128, 127, -1, 0, 127, -128}), 8);
  CHECK(paco::read_header(narrow).picture.is_signed);
  CHECK_FALSE(paco::read_header(round_trip(picture_of<std::uint16_t>(2, 1, {0, 65535}), 16)).picture.is_signed);
}

TEST_CASE("every depth is restored, grey and colour, planar and interleaved") {
  for (int depth = 1; depth <= 16; ++depth) {
    for (const int components : {1, 3}) {
      for (const auto how : {arrangement::planar, arrangement::interleaved}) {
        const picture_case c{.width = 73, .height = 43, .components = components, .depth = depth};
        with_sample_type(depth, false, [&](auto sample) {
          const auto stream = round_trip(make_picture<decltype(sample)>(c, how), depth);
          CHECK(paco::read_header(stream).picture == c.format<decltype(sample)>());
        });
      }
    }
  }
}

TEST_CASE("the header says whether a stream is lossless, without decoding") {
  const auto picture = picture_of<std::uint8_t>(3, 1, {1, 2, 3});
  auto stream = round_trip(picture, 8);
  CHECK(paco::read_header(stream).lossless);
  stream.at(16 + 16 + 25) &= std::byte{1};
  CHECK_FALSE(paco::read_header(stream).lossless);
  paco::decoder<paco::lossless> decoder(host{1});
  CHECK(decodes_to(decoder, stream, picture.read_only(), arrangement::planar));
}

TEST_CASE("extreme compressibility, and less than one block") {
  const int side = 1024 / slow_build_stride;
  stored_picture<std::uint8_t> stripes({side, side, 1, 8, false}, arrangement::planar);
  stripes.each([](std::uint8_t& s, auto x, auto, auto) { s = static_cast<std::uint8_t>(x % 2); });
  CHECK(round_trip(stripes, 8).size() < static_cast<std::size_t>(side * side / 100 + 500));
  stored_picture<std::uint8_t> flat({side, side, 1, 8, false}, arrangement::planar);
  flat.each([](std::uint8_t& s, auto...) { s = 77; });
  CHECK(round_trip(flat, 8).size() < 1200);
  round_trip(picture_case{.width = 33, .height = 1});
  round_trip(picture_case{.width = 1, .height = 33, .kind = content::noise});
}

TEST_CASE("many components, and a colour transform on any three of them") {
  picture_case c{.width = 5, .height = 4, .components = 300};
  c.options.color_components = {299, 7, 150};
  round_trip(c);
  c.width = 1;
  c.height = 1;
  c.components = 65535;
  c.options.color_components = {65534, 0, 65533};
  round_trip(c);
}
