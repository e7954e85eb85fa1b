// Encoders and decoders as objects: repeatable, independent, steady in memory, and plain about what they refuse.
#include <algorithm>
#include <array>
#include <doctest/doctest.h>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tests/codec/paco_streams.hpp"

namespace {

using namespace gpuimg;
using namespace paco_tests;

/// The error of an action; fails when there is none.
error error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const error& e) { return e; }
  FAIL("no error");
  return {errc::io, ""};
}

void check_refused(errc code, const std::vector<std::string>& parts, const std::function<void()>& action) {
  const auto e = error_of(action);
  const std::string what = e.what();
  CAPTURE(what);
  CHECK(e.code() == code);
  for (const auto& part : parts) {
    CAPTURE(part);
    CHECK(what.find(part) != std::string::npos);
  }
}

}  // namespace

TEST_CASE("the bytes do not depend on the number of threads, nor on what was coded before") {
  for (const auto kind : {content::smooth, content::sparse, content::noise}) {
    picture_case c{.width = 300, .height = 270, .components = 4, .block = 32, .kind = kind};
    c.options.tile_width = 200;
    const auto picture = make_picture<std::uint8_t>(c, arrangement::interleaved);
    const auto other = make_picture<std::uint8_t>({.width = 99, .height = 301, .components = 2}, arrangement::planar);
    using codec_type = codec_of<32, 32>;
    paco::encoder<codec_type> first(host{1}, c.options);
    const auto stream = encode(first, picture.read_only(), 8);
    for (const unsigned threads : {1u, 2u, 5u}) {
      paco::encoder<codec_type> encoder(host{threads}, c.options);
      paco::decoder<codec_type> decoder(host{threads});
      for (int i = 0; i < 3; ++i) {
        CHECK(encode(encoder, picture.read_only(), 8) == stream);
        CHECK(decodes_to(decoder, stream, picture.read_only(), arrangement::by_line));
        CHECK(decodes_to(decoder, encode(encoder, other.read_only(), 8), other.read_only(), arrangement::cropped));
      }
    }
  }
}

TEST_CASE("a damaged stream leaves a decoder as good as new") {
  const picture_case c{.width = 100, .height = 90, .components = 3};
  const auto picture = make_picture<std::uint8_t>(c, arrangement::planar);
  paco::encoder<paco::lossless> encoder(host{1});
  const auto stream = encode(encoder, picture.read_only(), 8);
  paco::decoder<paco::lossless> decoder(host{2});
  for (std::size_t at = 96; at < stream.size(); at += 37) {
    auto damaged = stream;
    damaged[at] ^= std::byte{0x55};
    stored_picture<std::uint8_t> out(c.format<std::uint8_t>(), arrangement::planar);
    try {
      decoder.decode(damaged, out.view());
    } catch (const error&) {}
    REQUIRE(decodes_to(decoder, stream, picture.read_only(), arrangement::planar));
  }
}

TEST_CASE("with changing sizes, memory stays what the largest picture needs") {
  std::mt19937 random(5);
  paco::encoder<paco::lossless> encoder(host{1});
  paco::decoder<paco::lossless> decoder(host{1});
  const auto code = [&](int width, int height, int components, int kind) {
    const picture_case c{
        .width = width, .height = height, .components = components, .kind = static_cast<content>(kind)};
    const auto picture = make_picture<std::uint8_t>(c, arrangement::interleaved);
    REQUIRE(decodes_to(decoder, encode(encoder, picture.read_only(), 8), picture.read_only(), arrangement::planar));
  };
  constexpr int largest = 200;
  for (int kind = 0; kind < 5; ++kind) { code(largest, largest, 3, kind); }
  // Narrow pictures have more blocks for their size, of a record each.
  const auto encoding = encoder.workspace_size() + 4096;
  const auto decoding = decoder.workspace_size() + 4096;
  CHECK(encoding > largest * largest * 3 * sizeof(std::int16_t));
  CHECK(decoding > largest * largest * 3 * sizeof(std::int16_t));
  for (int round = 0; round < 400 / slow_build_stride; ++round) {
    const auto draw = [&](int most) { return 1 + static_cast<int>(random() % static_cast<unsigned>(most)); };
    code(draw(largest), draw(largest), draw(3), draw(5) - 1);
    CHECK(encoder.workspace_size() <= encoding);
    CHECK(decoder.workspace_size() <= decoding);
  }
}

TEST_CASE("objects with other parameters work at the same time") {
  picture_case a{.width = 120, .height = 110, .components = 3};
  picture_case b{.width = 111, .height = 121, .components = 1, .depth = 16, .kind = content::edges};
  b.options = {.levels = 2, .raw_planes = 0, .features = {false, false, true}, .fast_planes = 3, .crc = true};
  const auto work = [](const picture_case& c, auto sample, bool& good) {
    using S = decltype(sample);
    const auto picture = make_picture<S>(c, arrangement::interleaved);
    paco::encoder<paco::lossless> encoder(host{1}, c.options);
    const auto expected = encode(encoder, picture.read_only(), c.depth);
    for (int round = 0; round < 100 / slow_build_stride; ++round) {
      paco::encoder<paco::lossless> fresh(host{1}, c.options);
      paco::decoder<paco::lossless> decoder(host{1});
      const auto stream = encode(round % 2 == 0 ? fresh : encoder, picture.read_only(), c.depth);
      good = good && stream == expected && decodes_to(decoder, stream, picture.read_only(), arrangement::planar);
    }
  };
  bool first = true;
  bool second = true;
  {
    const std::jthread other([&] { work(a, std::uint8_t{}, first); });
    work(b, std::uint16_t{}, second);
  }
  CHECK(first);
  CHECK(second);
}

TEST_CASE("a buffer that is too small is refused at every size, and nothing is written behind it") {
  for (const auto kind : {content::smooth, content::noise}) {
    for (const bool crc : {false, true}) {
      picture_case c{.width = 21, .height = 17, .components = 3, .kind = kind};
      c.options.crc = crc;
      c.options.tile_width = 11;
      const auto picture = make_picture<std::uint8_t>(c, arrangement::planar);
      paco::encoder<paco::lossless> encoder(host{1}, c.options);
      const auto stream = encode(encoder, picture.read_only(), 8);
      std::vector<std::byte> buffer(stream.size() + 64);
      for (std::size_t size = 0; size <= stream.size(); ++size) {
        CAPTURE(size);
        std::fill(buffer.begin(), buffer.end(), std::byte{0xA5});
        const auto out = std::span(buffer).first(size);
        if (size < stream.size()) {
          CHECK(error_of([&] { encoder.encode(picture.read_only(), 8, out); }).code() == errc::buffer_too_small);
        } else {
          CHECK(encoder.encode(picture.read_only(), 8, out) == size);
          CHECK(std::equal(stream.begin(), stream.end(), buffer.begin()));
        }
        CHECK(std::all_of(buffer.begin() + static_cast<std::ptrdiff_t>(size), buffer.end(),
                          [](std::byte b) { return b == std::byte{0xA5}; }));
      }
      CHECK(encode(encoder, picture.read_only(), 8) == stream);
    }
  }
}

TEST_CASE("bad options are refused with their value and its limit") {
  const paco::picture_format good{10, 10, 3, 8, false};
  const auto refused = [&](const paco::picture_format& format, const paco::encode_options& options,
                           const std::vector<std::string>& parts) {
    const paco::encoder<paco::lossless> encoder(host{1}, options);
    check_refused(errc::invalid_argument, parts, [&] { encoder.header(format); });
    CHECK_FALSE(encoder.can_encode(format));
  };
  refused({-1, 1, 1, 8, false}, {}, {"width", "-1", "2^32-1"});
  refused({1, std::int64_t{1} << 32, 1, 8, false}, {}, {"height", "4294967296", "2^32-1"});
  refused({1, 1, 0, 8, false}, {}, {"components", "0", "65535"});
  refused({1, 1, 65536, 8, false}, {}, {"components", "65536", "65535"});
  refused({1, 1, 1, 0, false}, {}, {"depth", "0", "16"});
  refused({1, 1, 1, 17, false}, {}, {"depth", "17", "16"});
  refused(good, {.levels = 33}, {"levels", "33", "32"});
  refused(good, {.levels = -2}, {"levels", "-2", "32"});
  refused(good, {.tile_width = -1}, {"tile width", "-1"});
  refused(good, {.tile_height = std::int64_t{1} << 32}, {"tile height", "4294967296"});
  refused(good, {.color_components = {0, 1, 3}}, {"colour component", "3"});
  refused(good, {.color_components = {0, -1, 2}}, {"colour component", "-1"});
  refused(good, {.color_components = {2, 1, 2}}, {"colour component", "2", "once"});
  refused(good, {.choice = paco::table_choice::given}, {"tables"});
  refused(good, {.raw_planes = 25}, {"raw planes", "25", "24"});
  refused(good, {.raw_planes = -1}, {"raw planes", "-1", "24"});
  refused(good, {.fast_planes = 25}, {"fast planes", "25", "24"});
  refused({4294967295, 4294967295, 1, 8, false}, {.tile_width = 1, .tile_height = 1}, {"tile", "2^63"});
  CHECK(paco::encoder<paco::lossless>(host{1}).can_encode(good));
}

TEST_CASE("bounds of huge pictures grow with the picture, and what no stream can hold is refused") {
  const auto bound = [](std::int64_t w, std::int64_t h, int components, int depth, std::int64_t tile) {
    const paco::encoder<paco::lossless> encoder(host{1}, {.tile_width = tile, .tile_height = tile});
    return encoder.bound({w, h, components, depth, false});
  };
  CHECK(bound(13400, 13400, 3, 8, 0) > 3ull * 13400 * 13400);
  CHECK(bound(13400, 13400, 8, 16, 0) > 16ull * 13400 * 13400);
  CHECK(bound(65808, 74096, 1, 8, 4096) > 65808ull * 74096);
  CHECK(bound(4294967295, 4294967295, 1, 1, 65536) > (std::uint64_t{1} << 60));
  CHECK(bound(4294967295, 4294967295, 65535, 16, 65536) == UINT64_MAX);  // more than any number of 64 bits
  const paco::encoder<paco::lossless> untiled(host{1});
  CHECK(untiled.can_encode({4294967295, 65536, 1, 16, false}));
  for (const auto& format : {paco::picture_format{4294967295, 4294967295, 1, 1, false},
                             paco::picture_format{4294967295, 4294967295, 65535, 16, false},
                             paco::picture_format{4294967295, 65536, 2049, 8, false}}) {
    CHECK_FALSE(untiled.can_encode(format));
    check_refused(errc::invalid_argument, {"tile height", "2^59"}, [&] { untiled.header(format); });
  }
}

TEST_CASE("pictures that do not fit their description are refused") {
  stored_picture<std::uint8_t> picture({4, 3, 1, 8, false}, arrangement::planar);
  picture.each([](std::uint8_t& s, auto x, auto y, auto) { s = static_cast<std::uint8_t>(x + 4 * y); });
  stream_bytes out(1000);
  paco::encoder<paco::lossless> encoder(host{1});
  check_refused(errc::invalid_argument, {"8", "(0, 2)", "0..7"}, [&] { encoder.encode(picture.read_only(), 3, out); });
  check_refused(errc::invalid_argument, {"depth", "9", "8"}, [&] { encoder.encode(picture.read_only(), 9, out); });
  stored_picture<std::int8_t> negative({2, 1, 1, 8, true}, arrangement::planar);
  negative.each([](std::int8_t& s, auto x, auto, auto) { s = static_cast<std::int8_t>(-4 - x); });
  check_refused(errc::invalid_argument, {"-5", "-4..3"}, [&] { encoder.encode(negative.read_only(), 3, out); });
  auto many = picture.read_only();
  many.bands = (std::int64_t{1} << 32) + 1;
  check_refused(errc::invalid_argument, {"components", "4294967297"}, [&] { encoder.encode(many, 8, out); });

  const auto stream = encode(encoder, picture.read_only(), 8);
  paco::decoder<paco::lossless> decoder(host{1});
  const auto mismatch = [&](auto& to) {
    check_refused(errc::invalid_argument, {}, [&] { decoder.decode(stream, to.view()); });
  };
  stored_picture<std::uint8_t> wide({5, 3, 1, 8, false}, arrangement::planar);
  stored_picture<std::uint8_t> deep({4, 3, 2, 8, false}, arrangement::planar);
  stored_picture<std::int8_t> other_sign({4, 3, 1, 8, true}, arrangement::planar);
  mismatch(wide);
  mismatch(deep);
  mismatch(other_sign);
  // A wider type takes the samples, a narrower one does not.
  stored_picture<std::uint16_t> wider({4, 3, 1, 16, false}, arrangement::planar);
  decoder.decode(stream, wider.view());
  CHECK(wider.view()(3, 2, 0) == 11);
  const auto deep_stream = encode(encoder, wider.read_only(), 9);
  check_refused(errc::invalid_argument, {"9 bits"}, [&] { decoder.decode(deep_stream, picture.view()); });
}

TEST_CASE("a decoder refuses streams of another codec by name") {
  const auto picture = make_picture<std::uint8_t>({.width = 20, .height = 20, .components = 3}, arrangement::planar);
  paco::encoder<paco::lossless> encoder(host{1});
  const auto stream = encode(encoder, picture.read_only(), 8);
  stored_picture<std::uint8_t> out({20, 20, 3, 8, false}, arrangement::planar);
  const auto refused = [&](auto decoder, const char* part) {
    check_refused(errc::unsupported, {part}, [&] { decoder.decode(stream, out.view()); });
  };
  refused(paco::decoder<codec_of<32, 32>>(host{1}), "64x64");
  using no_color = codec::image_codec<codec::no_color, codec::wavelet<codec::cdf_5_3, 5>, codec::no_quantizer,
                                      codec::paco_coder<64, 64>>;
  refused(paco::decoder<no_color>(host{1}), "colour");
  refused(paco::decoder<codec_of<64, 64, codec::static_coder_features<false, false, true>>>(host{1}), "features");
  auto other_tables = stream;
  other_tables.at(16 + 16 + 40) ^= std::byte{1};
  check_refused(errc::unsupported, {"table set"},
                [&] { paco::decoder<paco::lossless>(host{1}).decode(other_tables, out.view()); });
}
