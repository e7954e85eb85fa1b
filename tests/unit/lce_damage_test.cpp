/// @file
/// What the LCE-style decoder makes of headers, indices and strings that no encoder writes.
#include <cstdint>
#include <doctest/doctest.h>
#include <random>
#include <string>
#include <vector>

#include "tests/oracle/lce_cases.hpp"

#include "gpuimg/codec/lce/host_decoder.hpp"
#include "gpuimg/codec/lce/host_encoder.hpp"

using gpuimg::errc;
using gpuimg::host;
using gpuimg::interleave;
namespace lce = gpuimg::lce;
namespace oracle = gpuimg::oracle::lce;
using oracle::stored_cube;
using stream_bytes = std::vector<std::byte>;

namespace {

constexpr std::size_t width = 40, height = 35, bands = 9;

stream_bytes make_stream(const lce::coding_options& options) {
  stored_cube<std::uint16_t> source(width, height, bands, interleave::bsq);
  source.assign(oracle::make_cube(width, height, bands, oracle::content::smooth));
  return lce::encode(host{1}, source.view, options);
}

struct outcome {
  std::vector<std::uint16_t> samples;
  std::vector<lce::damaged_block> damage;
};

outcome decode_all(const stream_bytes& stream) {
  stored_cube<std::uint16_t> decoded(width, height, bands, interleave::bsq);
  outcome result;
  result.damage = lce::decode(host{1}, stream, decoded.view, {.keep_going = true});
  result.samples = decoded.memory;
  return result;
}

errc code_of(const stream_bytes& stream) {
  try {
    stored_cube<std::uint16_t> decoded(width, height, bands, interleave::bsq);
    lce::decode(host{1}, stream, decoded.view);
  } catch (const gpuimg::error& e) {
    CHECK(e.offset().has_value());
    return e.code();
  }
  FAIL("no error");
  return errc::io;
}

/// With the checksum of the header made right again.
stream_bytes with_field(stream_bytes stream, std::size_t offset, std::uint32_t value, int size) {
  for (int i = 0; i < size; ++i) {
    stream[offset + static_cast<std::size_t>(i)] = static_cast<std::byte>(value >> (8 * i));
  }
  gpuimg::store_little(stream.data() + 60, gpuimg::crc32(std::span(stream).first(60)));
  return stream;
}

}  // namespace

TEST_CASE("headers with a wrong field are refused with its offset") {
  const auto good = make_stream({});
  CHECK(code_of(stream_bytes(good.begin(), good.begin() + 63)) == errc::truncated);
  auto bad = good;
  bad[0] = std::byte{0};
  CHECK(code_of(bad) == errc::corrupt);
  bad = good;
  bad[17] ^= std::byte{1};
  CHECK(code_of(bad) == errc::corrupt);
  CHECK(code_of(with_field(good, 8, 2, 2)) == errc::unsupported);
  CHECK(code_of(with_field(good, 12, 60, 4)) == errc::corrupt);
  CHECK(code_of(with_field(good, 16, 0x80000000, 4)) == errc::corrupt);
  CHECK(code_of(with_field(good, 24, (1 << 24) + 1, 4)) == errc::corrupt);
  CHECK(code_of(with_field(good, 28, 17, 4)) == errc::corrupt);
  CHECK(code_of(with_field(good, 32, 3, 1)) == errc::corrupt);
  CHECK(code_of(with_field(good, 33, 3, 1)) == errc::corrupt);
  CHECK(code_of(with_field(good, 34, 3, 1)) == errc::corrupt);
  CHECK(code_of(with_field(good, 35, 8, 1)) == errc::unsupported);
  CHECK(code_of(with_field(good, 36, 0, 4)) == errc::corrupt);
  CHECK(code_of(with_field(good, 36, 2, 4)) == errc::corrupt);  // lossless has step 1
  CHECK(code_of(with_field(good, 44, 1, 4)) == errc::corrupt);
  CHECK(code_of(with_field(good, 48, 9, 2)) == errc::corrupt);
  CHECK(code_of(with_field(good, 52, 16, 1)) == errc::corrupt);
  stream_bytes huge = with_field(with_field(good, 16, 0x7FFFFFFF, 4), 20, 0x7FFFFFFF, 4);
  CHECK(code_of(huge) == errc::corrupt);
}

TEST_CASE("a stream cut anywhere is truncated or damaged, never more") {
  const auto good = make_stream({});
  for (std::size_t size = 0; size < good.size(); size += size < 200 ? 1 : 97) {
    CHECK(code_of(stream_bytes(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size))) == errc::truncated);
  }
}

TEST_CASE("lengths that do not add up are refused") {
  const auto good = make_stream({});
  auto bad = good;
  bad[lce::header_bytes] = std::byte{'X'};
  CHECK(code_of(bad) == errc::corrupt);
  bad = good;
  bad[lce::header_bytes + 4] ^= std::byte{1};
  CHECK(code_of(bad) == errc::corrupt);
  bad = good;
  bad[lce::header_bytes + 8] ^= std::byte{1};
  CHECK(code_of(bad) == errc::corrupt);
  bad = good;
  bad[lce::header_bytes + 15] = std::byte{0x7F};
  CHECK(code_of(bad) == errc::corrupt);
  bad = good;
  bad[lce::header_bytes + 16] ^= std::byte{1};
  CHECK(code_of(bad) == errc::corrupt);
}

TEST_CASE("a damaged block with a checksum costs its own pixels only") {
  lce::coding_options options;
  options.checksums = true;
  const auto good = make_stream(options);
  const auto clean = decode_all(good);
  REQUIRE(clean.damage.empty());
  const auto header = lce::read_header(good);
  const lce::slab_layout layout(header, 0);
  const std::size_t payload = lce::header_bytes + static_cast<std::size_t>(layout.payload);
  std::mt19937 random(1);
  for (int round = 0; round < 60; ++round) {
    auto bad = good;
    bad[payload + random() % (good.size() - payload)] ^= static_cast<std::byte>(1 + random() % 255);
    const auto result = decode_all(bad);
    REQUIRE(result.damage.size() == 1);
    CHECK(code_of(bad) == errc::corrupt);
    const auto& block = result.damage.front();
    CHECK(block.band == 0);
    std::size_t i = 0;
    bool contained = true;
    for (std::size_t b = 0; b < bands; ++b) {
      for (std::int64_t y = 0; y < std::int64_t{height}; ++y) {
        for (std::int64_t x = 0; x < std::int64_t{width}; ++x, ++i) {
          const bool inside = x / 16 * 16 == block.x && y / 16 * 16 == block.y;
          contained = contained && result.samples[i] == (inside ? 0 : clean.samples[i]);
        }
      }
    }
    CHECK(contained);
  }
}

TEST_CASE("damaged strings decode as the oracle says, without checksums") {
  int seen = 0;
  for (const bool zero_flags : {false, true}) {
    for (const std::uint32_t bound : {0u, 4u}) {
      auto options = lce::coding_options::near_lossless(bound);
      options.zero_flags = zero_flags ? lce::zero_flag_use::on : lce::zero_flag_use::off;
      options.band_group = 0;
      options.restart = 4;
      const auto good = make_stream(options);
      const auto header = lce::read_header(good);
      const auto fields = oracle::fields_of(header);
      const lce::slab_layout layout(header, 0);
      const std::size_t payload = lce::header_bytes + static_cast<std::size_t>(layout.payload);
      std::mt19937 random(zero_flags ? 7 : 8);
      for (int round = 0; round < 40; ++round) {
        auto bad = good;
        for (int i = 0; i < 1 + round % 3; ++i) {
          bad[payload + random() % (good.size() - payload)] ^= static_cast<std::byte>(1 + random() % 255);
        }
        const auto result = decode_all(bad);
        std::size_t start = payload;
        std::size_t damaged_blocks = 0;
        for (std::int64_t block = 0; block < layout.blocks; ++block) {
          const auto area = header.blocks(0).at(block);
          const auto words = gpuimg::load_little<std::uint32_t>(bad.data() + lce::header_bytes + 16 + 4 * block);
          oracle::bytes string;
          for (std::size_t i = 0; i < 4 * words; ++i) { string.push_back(static_cast<std::uint8_t>(bad[start + i])); }
          start += 4 * words;
          bool damaged = false;
          const auto expected =
              oracle::decode_block(fields.coding, string, bands, static_cast<std::size_t>(area.samples()),
                                   static_cast<std::size_t>(area.width), damaged);
          damaged_blocks += damaged;
          bool same = true;
          for (std::size_t b = 0; b < bands; ++b) {
            for (int j = 0; j < area.samples(); ++j) {
              const auto x = static_cast<std::size_t>(area.x + j % area.width);
              const auto y = static_cast<std::size_t>(area.y + j / area.width);
              same = same && result.samples[(b * height + y) * width + x] == expected[b][static_cast<std::size_t>(j)];
            }
          }
          REQUIRE(same);
        }
        CHECK(damaged_blocks == result.damage.size());
        seen += damaged_blocks > 0;
      }
    }
  }
  CHECK(seen > 20);
}

TEST_CASE("a wrong group index is noticed and does not mislead") {
  lce::coding_options options;
  options.band_group = 4;
  const auto good = make_stream(options);
  const auto clean = decode_all(good);
  const lce::slab_layout layout(lce::read_header(good), 0);
  auto bad = good;
  bad[lce::header_bytes + static_cast<std::size_t>(layout.groups) + 2] ^= std::byte{1};  // block 0, bands 4 .. 7
  const auto result = decode_all(bad);
  REQUIRE(result.damage.size() == 1);
  CHECK(result.damage.front() ==
        lce::damaged_block{0, 0, 0, 8, lce::header_bytes + static_cast<std::uint64_t>(layout.payload)});
  CHECK(result.samples[7 * width * height] == clean.samples[7 * width * height]);
  CHECK(result.samples[8 * width * height] == 0);
}

TEST_CASE("options and windows that cannot be are refused") {
  const auto refused = [](auto change) {
    auto options = lce::coding_options::lossy(31);
    change(options);
    CHECK_THROWS_AS(lce::make_header(1, 1, 1, lce::sample_type::u16, options), gpuimg::error);
  };
  refused([](auto& o) { o.delta = 0; });
  refused([](auto& o) { o.delta = 65536; });
  refused([](auto& o) { o.threshold = 0; });
  refused([](auto& o) { o.offset = 31; });
  refused([](auto& o) { o.restart = -1; });
  refused([](auto& o) { o.band_group = 16; });
  refused([](auto& o) { o.slab_rows = 8; });
  refused([](auto& o) { o.gamma = 65536; });
  refused([](auto& o) { o.mode = lce::coding_mode::lossless; });
  refused([](auto& o) { o.mode = lce::coding_mode::near_lossless; });
  CHECK_THROWS_AS(lce::make_header(-1, 1, 1, lce::sample_type::u16, {}), gpuimg::error);
  CHECK_THROWS_AS(lce::make_header(1 << 30, 1 << 30, 1, lce::sample_type::u16, {}), gpuimg::error);

  const auto stream = make_stream({});
  stored_cube<std::uint16_t> part(8, 8, 2, interleave::bsq);
  CHECK_THROWS_AS(lce::decode(host{1}, stream, part.view, {.x = 33}), gpuimg::error);
  CHECK_THROWS_AS(lce::decode(host{1}, stream, part.view, {.y = -1}), gpuimg::error);
  CHECK_THROWS_AS(lce::decode(host{1}, stream, part.view, {.first_band = 8}), gpuimg::error);
  stored_cube<std::int16_t> other(8, 8, 2, interleave::bsq);
  CHECK_THROWS_AS(lce::decode(host{1}, stream, other.view), gpuimg::error);
}
