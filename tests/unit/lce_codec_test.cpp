/// @file
/// The LCE-style host codec against the oracle: every content, many sizes, all options.
#include <cstdint>
#include <cstdlib>
#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "tests/oracle/lce_cases.hpp"

#include "gpuimg/codec/lce/host_decoder.hpp"
#include "gpuimg/codec/lce/host_encoder.hpp"

using gpuimg::cube_view;
using gpuimg::host;
using gpuimg::interleave;
namespace lce = gpuimg::lce;
namespace oracle = gpuimg::oracle::lce;
using oracle::content;
using oracle::stored_cube;

namespace {

std::vector<std::byte> as_bytes(const oracle::bytes& list) {
  std::vector<std::byte> result;
  for (const auto b : list) { result.push_back(std::byte{b}); }
  return result;
}

/// Encodes with the host version and the oracle, decodes, and checks bytes, samples and bound.
template <class T>
void check_cube(const oracle::cube& c, const lce::coding_options& options, interleave order, unsigned threads = 1) {
  stored_cube<T> source(c.width, c.height, c.bands, order, 1);
  source.assign(c);
  const auto stream = lce::encode(host{threads}, source.view, options, order);
  const auto header = lce::read_header(stream);
  REQUIRE(stream == as_bytes(oracle::encode(oracle::fields_of(header), c)));

  stored_cube<T> decoded(c.width, c.height, c.bands, interleave::bsq, 2);
  const auto untouched = decoded.memory;
  lce::decode(host{threads}, stream, decoded.view);
  oracle::number worst = 0;
  for (std::size_t b = 0; b < c.bands; ++b) {
    for (std::size_t y = 0; y < c.height; ++y) {
      for (std::size_t x = 0; x < c.width; ++x) {
        const auto v = stored_cube<T>::number_of(decoded.at(x, y, b));
        worst = std::max(worst, std::abs(v - c.at(x, y, b)));
        decoded.at(x, y, b) = T(77);
      }
    }
  }
  if (options.mode != lce::coding_mode::lossy) { CHECK(worst <= header.max_error()); }
  if (options.mode == lce::coding_mode::lossless) { CHECK(worst == 0); }
  CHECK(decoded.memory == untouched);  // nothing outside of the view was written
}

}  // namespace

TEST_CASE_TEMPLATE("streams are the oracle's, for every content and all options", T, std::uint8_t, std::uint16_t,
                   std::int16_t) {
  int turn = 0;
  for (const auto kind : oracle::all_contents) {
    const auto c = oracle::make_cube(21, 19, 11, kind, 8 * sizeof(T));
    for (const auto& options : oracle::all_options()) {
      CAPTURE(static_cast<int>(kind));
      CAPTURE(turn);
      check_cube<T>(c, options, static_cast<interleave>(turn % 3), turn % 2 == 0 ? 1 : 3);
      ++turn;
    }
  }
}

TEST_CASE("every size from 1 to 40, and up to 300 bands") {
  const auto options = oracle::all_options();
  for (std::size_t i = 1; i <= 40; ++i) {
    CAPTURE(i);
    const auto kind = oracle::all_contents[i % 6];
    check_cube<std::uint16_t>(oracle::make_cube(i, 41 - i, 3, kind), options[i % options.size()], interleave::bil);
    check_cube<std::int16_t>(oracle::make_cube(i, i, 2, kind), options[(i + 1) % options.size()], interleave::bip);
  }
  for (const std::size_t bands : {1u, 2u, 7u, 8u, 9u, 255u, 300u}) {
    CAPTURE(bands);
    check_cube<std::uint16_t>(oracle::make_cube(17, 2, bands, content::smooth), options[0], interleave::bsq);
    check_cube<std::uint8_t>(oracle::make_cube(3, 5, bands, content::noise, 8), options[4], interleave::bip);
  }
}

TEST_CASE("empty cubes have a header and nothing else") {
  for (const std::size_t axis : {0u, 1u, 2u}) {
    const auto c = oracle::make_cube(axis == 0 ? 0 : 5, axis == 1 ? 0 : 5, axis == 2 ? 0 : 5, content::ramp);
    check_cube<std::uint16_t>(c, {}, interleave::bsq);
    stored_cube<std::uint16_t> source(c.width, c.height, c.bands, interleave::bsq);
    CHECK(lce::encode(host{1}, source.view, {}).size() == lce::header_bytes);
  }
}

TEST_CASE("noise grows by less than 1 percent") {
  const auto c = oracle::make_cube(32, 32, 40, content::noise);
  stored_cube<std::uint16_t> source(32, 32, 40, interleave::bsq);
  source.assign(c);
  const auto stream = lce::encode(host{1}, source.view, {});
  CHECK(static_cast<double>(stream.size()) < 1.01 * 2 * 32 * 32 * 40);
}

TEST_CASE("windows and band ranges decode alone") {
  const auto c = oracle::make_cube(50, 37, 20, content::smooth);
  stored_cube<std::uint16_t> source(50, 37, 20, interleave::bsq);
  source.assign(c);
  std::mt19937 random(3);
  for (const int restart : {0, 1, 5, 7}) {
    for (const int band_group : {0, 1, 4, 15}) {
      for (const bool index : {false, true}) {
        lce::coding_options options;
        options.restart = restart;
        options.band_group = band_group;
        options.block_index = index;
        options.slab_rows = 16;
        const auto stream = lce::encode(host{1}, source.view, options);
        for (int round = 0; round < 12; ++round) {
          const std::size_t x = random() % 50, y = random() % 37, b = random() % 20;
          const std::size_t w = random() % (51 - x), h = random() % (38 - y), n = random() % (21 - b);
          stored_cube<std::uint16_t> part(w, h, n, static_cast<interleave>(round % 3));
          lce::decode(host{1}, stream, part.view,
                      {.x = static_cast<std::int64_t>(x),
                       .y = static_cast<std::int64_t>(y),
                       .first_band = static_cast<std::int64_t>(b)});
          bool same = true;
          for (std::size_t k = 0; k < n; ++k) {
            for (std::size_t j = 0; j < h; ++j) {
              for (std::size_t i = 0; i < w; ++i) { same = same && part.at(i, j, k) == c.at(x + i, y + j, b + k); }
            }
          }
          REQUIRE(same);
        }
      }
    }
  }
}

TEST_CASE("slabs are coded and decoded one at a time") {
  const auto c = oracle::make_cube(33, 70, 6, content::dead_bands);
  stored_cube<std::uint16_t> source(33, 70, 6, interleave::bil);
  source.assign(c);
  lce::coding_options options;
  options.slab_rows = 32;
  const auto whole = lce::encode(host{2}, source.view, options);
  const auto header = lce::read_header(whole);
  REQUIRE(header.slabs() == 3);
  lce::host_encoder encoder(host{1}, header);
  lce::host_decoder decoder(host{1}, header);
  stored_cube<std::uint16_t> decoded(33, 70, 6, interleave::bsq);
  std::size_t offset = lce::header_bytes;
  for (std::int64_t slab = 0; slab < 3; ++slab) {
    const auto top = header.first_row(slab);
    std::vector<std::byte> bytes;
    encoder.encode_slab(slab, lce::any_cube(source.view).rows(top, header.rows(slab)), bytes);
    REQUIRE(std::equal(bytes.begin(), bytes.end(), whole.begin() + static_cast<std::ptrdiff_t>(offset)));
    const auto rows = decoded.view.crop(0, top, 33, header.rows(slab));
    decoder.decode_slab(slab, bytes, offset, lce::any_mutable_cube(rows), {.y = top});
    offset += bytes.size();
  }
  CHECK(offset == whole.size());
  for (std::size_t y = 0; y < 70; ++y) { REQUIRE(decoded.at(32, y, 5) == c.at(32, y, 5)); }
  CHECK_THROWS_AS(encoder.encode_slab(3, source.view, *std::make_unique<std::vector<std::byte>>()), gpuimg::error);
  CHECK_THROWS_AS(encoder.encode_slab(0, source.view, *std::make_unique<std::vector<std::byte>>()), gpuimg::error);
}

namespace {

/// Decodes what it encodes; returns the bits of a sample.
template <class T>
double check_real_cube(const oracle::real_cube& c, const std::vector<std::uint16_t>& samples,
                       const lce::coding_options& options) {
  const cube_view<const T> source(reinterpret_cast<const T*>(samples.data()), c.width, c.height, c.bands, c.order);
  std::vector<T> decoded(samples.size());
  const auto stream = lce::encode(host{2}, source, options, c.order);
  lce::decode(host{2}, stream, cube_view<T>(decoded.data(), c.width, c.height, c.bands, c.order));
  int worst = 0;
  for (std::size_t j = 0; j < samples.size(); ++j) {
    worst = std::max(worst, std::abs(decoded[j] - static_cast<T>(samples[j])));
  }
  CHECK(worst <= static_cast<int>(options.delta / 2));
  return 8.0 * static_cast<double>(stream.size()) / static_cast<double>(samples.size());
}

/// Bits a sample of an independent study codec on the real cubes, in their order; 0: not measured there.
struct studied_rates {
  std::uint32_t max_error;
  double plain[8];
  double zero_flags[8];
};

constexpr studied_rates studied[] = {
    {0, {6.48, 2.96, 5.40, 6.07, 6.10, 6.11, 7.53, 0}, {}},
    {5, {3.10, 1.22, 2.66, 3.00, 2.81, 2.75, 4.12, 0}, {}},
    {15, {2.01, 0.94, 1.74, 1.99, 1.82, 1.66, 2.88, 0}, {0, 0.492}},
    {30, {1.58, 0.76, 1.37, 1.58, 1.42, 1.21, 2.23, 0}, {1.389, 0, 1.242, 0, 1.156}},
};

}  // namespace

TEST_CASE("an automatic index of bands costs at most 1/128 bit a sample") {
  const auto group = [](std::int64_t width, std::int64_t height) {
    return lce::make_header(width, height, 100, lce::sample_type::u16, lce::coding_options::lossless())
        .options.band_group;
  };
  CHECK(group(512, 512) == 8);
  CHECK(group(100, 100) == 11);  // 49 blocks of 204 samples
  CHECK(group(50, 50) == 14);
  CHECK(group(7, 7) == 15);
  CHECK(group(1, 1) == 15);
  CHECK(group(0, 5) == 8);
  CHECK(lce::make_header((std::int64_t{1} << 31) - 1, (std::int64_t{1} << 31) - 1, 0, lce::sample_type::u16, {})
            .options.band_group == 8);
}

TEST_CASE("zero flags are chosen where they pay") {
  for (const bool sparse : {false, true}) {
    std::vector<std::uint16_t> samples;
    std::uint32_t state = 1;
    for (int i = 0; i < 70 * 40 * 20; ++i) {
      state = state * 1664525 + 1013904223;
      const std::uint32_t noise = state >> 16;
      samples.push_back(static_cast<std::uint16_t>(sparse ? (noise < 1000 ? 500 : 100) : 100 + noise % 400));
    }
    const cube_view<const std::uint16_t> cube(samples.data(), 70, 40, 20, interleave::bsq);
    auto options = lce::coding_options::near_lossless(5);
    const auto header = lce::make_header(70, 40, 20, lce::sample_type::u16, options);
    CHECK(lce::zero_flags_pay(host{1}, header, 0, lce::any_cube(cube)) == sparse);
    CHECK(lce::zero_flags_pay(host{3}, header, 0, lce::any_cube(cube)) == sparse);
    const auto chosen = lce::encode(host{1}, cube, options);
    options.zero_flags = lce::zero_flag_use::on;
    const auto with = lce::encode(host{1}, cube, options);
    options.zero_flags = lce::zero_flag_use::off;
    const auto without = lce::encode(host{1}, cube, options);
    CHECK(chosen == (sparse ? with : without));
    CHECK((with.size() < without.size()) == sparse);
  }
  // Nothing to try.
  const auto options = lce::coding_options::near_lossless(5);
  const cube_view<const std::uint16_t> empty(nullptr, 0, 40, 20, interleave::bsq);
  CHECK(lce::encode(host{1}, empty, options).size() == lce::header_bytes);
}

TEST_CASE("real cubes come back within the bound, at the rates of the study") {
  int found = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    const auto& c = oracle::real_cubes[i];
    const auto samples = oracle::load(c);
    if (samples.empty()) { continue; }
    ++found;
    CAPTURE(std::string(c.name));
    REQUIRE(samples.size() == static_cast<std::size_t>(c.width * c.height * c.bands));
    for (const auto& study : studied) {
      CAPTURE(study.max_error);
      auto options = lce::coding_options::near_lossless(study.max_error);
      options.band_group = 0;  // an index is no part of the study's rates
      for (const bool zero_flags : {false, true}) {
        options.zero_flags = zero_flags ? lce::zero_flag_use::on : lce::zero_flag_use::off;
        const double bits = c.is_signed ? check_real_cube<std::int16_t>(c, samples, options)
                                        : check_real_cube<std::uint16_t>(c, samples, options);
        // Half of the study's last digit, and half a percent.
        if (!zero_flags && study.plain[i] > 0) { CHECK(bits <= (study.plain[i] + 0.005) * 1.005); }
        if (zero_flags && study.zero_flags[i] > 0) { CHECK(bits <= (study.zero_flags[i] + 0.0005) * 1.005); }
      }
      // With everything that is on unless told otherwise, against the study's digits as they stand.
      const auto defaults = lce::coding_options::near_lossless(study.max_error);
      const double bits = c.is_signed ? check_real_cube<std::int16_t>(c, samples, defaults)
                                      : check_real_cube<std::uint16_t>(c, samples, defaults);
      if (study.plain[i] > 0) { CHECK(bits <= study.plain[i] * 1.005); }
    }
  }
  if (found == 0) { MESSAGE("no data directory: generated cubes only"); }
}
