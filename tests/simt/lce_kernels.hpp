/// @file
/// The kernels of the LCE-style codec against the host version: bodies for the emulator and for a device.
///
/// A backend has encode(source, header) -> the stream, and decode(stream, header, destination, options) -> how many
/// blocks are damaged; both views are in host memory. And batch(sources, header) -> the streams of one launch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <random>
#include <vector>

#include "tests/oracle/lce_cases.hpp"

#include "gpuimg/codec/lce/host_decoder.hpp"
#include "gpuimg/codec/lce/host_encoder.hpp"

namespace lce_tests {

namespace oracle = gpuimg::oracle::lce;
namespace lce = gpuimg::lce;
using gpuimg::host;
using gpuimg::interleave;
using oracle::stored_cube;

/// Encodes and decodes a cube by the backend; bytes and samples must be those of the host.
template <class T, class Backend>
void check_cube(Backend& backend, const oracle::cube& c, const lce::coding_options& options, interleave order,
                std::int64_t gap) {
  stored_cube<T> source(c.width, c.height, c.bands, order, gap);
  source.assign(c);
  const auto expected = lce::encode(host{1}, source.view, options, order);
  const auto header = lce::read_header(expected);
  const auto stream = backend.encode(lce::any_cube(source.view), header);
  REQUIRE(stream == expected);

  stored_cube<T> decoded(c.width, c.height, c.bands, order, gap);
  stored_cube<T> by_host(c.width, c.height, c.bands, order, gap);
  lce::decode(host{1}, expected, by_host.view);
  REQUIRE(backend.decode(expected, header, lce::any_mutable_cube(decoded.view), {}) == 0);
  REQUIRE(decoded.memory == by_host.memory);
}

/// Every content and all options, on a size with partial blocks; `thorough` adds sizes.
template <class Backend>
void check_contents(Backend& backend, bool thorough) {
  int turn = 0;
  const auto options = oracle::all_options();
  for (const auto kind : oracle::all_contents) {
    for (std::size_t o = 0; o < options.size(); ++o, ++turn) {
      if (!thorough && (o + static_cast<std::size_t>(kind)) % 4 != 0) { continue; }
      CAPTURE(static_cast<int>(kind));
      CAPTURE(o);
      const auto order = static_cast<interleave>(turn % 3);
      check_cube<std::uint16_t>(backend, oracle::make_cube(21, 19, 5, kind), options[o], order, turn % 2);
      check_cube<std::int16_t>(backend, oracle::make_cube(32, 17, 4, kind), options[o], order, 0);
      check_cube<std::uint8_t>(backend, oracle::make_cube(17, 5, 4, kind, 8), options[o], order, turn % 2);
    }
  }
}

template <class Backend>
void check_sizes(Backend& backend, std::size_t most) {
  const auto options = oracle::all_options();
  for (std::size_t i = 1; i <= most; i += i < 18 ? 1 : 5) {
    CAPTURE(i);
    const auto kind = oracle::all_contents[i % 6];
    check_cube<std::uint16_t>(backend, oracle::make_cube(i, most + 1 - i, 3, kind), options[i % options.size()],
                              interleave::bsq, 0);
  }
  // The longest groups that an index counts.
  lce::coding_options longest;
  longest.band_group = 15;
  check_cube<std::uint16_t>(backend, oracle::make_cube(16, 16, 16, oracle::content::noise), longest, interleave::bsq,
                            0);
  // Codes of every length, whole blocks and partial ones.
  for (const auto& o : options) {
    check_cube<std::uint16_t>(backend, oracle::make_cube(19, 16, 9, oracle::content::mixed), o, interleave::bsq, 0);
  }
}

/// Sample loads and stores of 16, 4 and 2 bytes, and of several bands at once.
template <class Backend>
void check_alignments(Backend& backend) {
  for (const std::int64_t gap : {0, 1, 2, 4, 8}) {
    CAPTURE(gap);
    for (const auto order : {interleave::bsq, interleave::bil, interleave::bip}) {
      check_cube<std::uint16_t>(backend, oracle::make_cube(32, 16, 3, oracle::content::smooth), {}, order, gap);
    }
  }
  // Strides of eight, twelve and sixteen samples, with bands that are left over and with partial blocks.
  for (const std::size_t bands : {8u, 6u, 9u, 14u}) {
    CAPTURE(bands);
    const auto gap = static_cast<std::int64_t>((4 - bands % 4) % 4);
    const auto c = oracle::make_cube(35, 20, bands, oracle::content::smooth);
    check_cube<std::uint16_t>(backend, c, {}, interleave::bip, gap);
    check_cube<std::int16_t>(backend, c, lce::coding_options::near_lossless(2), interleave::bip, gap);
    check_cube<std::uint8_t>(backend, oracle::make_cube(35, 20, bands, oracle::content::smooth, 8), {}, interleave::bip,
                             gap);
  }
}

/// A range of bands into a cube whose pixels are together, from a multiple of what is stored at once on and not.
template <class Backend>
void check_bands_of_pixels(Backend& backend) {
  stored_cube<std::uint16_t> source(33, 17, 16, interleave::bip);
  source.assign(oracle::make_cube(33, 17, 16, oracle::content::smooth));
  for (const int restart : {0, 3}) {
    lce::coding_options options;
    options.restart = restart;
    const auto stream = lce::encode(host{1}, source.view, options);
    for (const std::int64_t first : {0, 3, 4, 6, 8}) {
      CAPTURE(first);
      stored_cube<std::uint16_t> part(33, 17, 8, interleave::bip);
      stored_cube<std::uint16_t> expected(33, 17, 8, interleave::bip);
      lce::decode(host{1}, stream, expected.view, {.first_band = first});
      REQUIRE(backend.decode(stream, lce::read_header(stream), lce::any_mutable_cube(part.view),
                             {.first_band = first}) == 0);
      REQUIRE(part.memory == expected.memory);
    }
  }
}

template <class Backend>
void check_windows(Backend& backend, int rounds) {
  const auto c = oracle::make_cube(50, 37, 12, oracle::content::smooth);
  stored_cube<std::uint16_t> source(50, 37, 12, interleave::bsq);
  source.assign(c);
  std::mt19937 random(3);
  for (int round = 0; round < rounds; ++round) {
    lce::coding_options options;
    options.restart = round % 3 * 5;
    options.band_group = round % 4 * 2;
    options.slab_rows = round % 2 == 0 ? 16 : 32;
    const auto stream = lce::encode(host{1}, source.view, options);
    const std::size_t x = random() % 50, y = random() % 37, b = random() % 12;
    stored_cube<std::uint16_t> part(1 + random() % (50 - x), 1 + random() % (37 - y), 1 + random() % (12 - b),
                                    interleave::bil);
    stored_cube<std::uint16_t> expected(static_cast<std::size_t>(part.view.width),
                                        static_cast<std::size_t>(part.view.height),
                                        static_cast<std::size_t>(part.view.bands), interleave::bil);
    const lce::decode_options window{.x = static_cast<std::int64_t>(x),
                                     .y = static_cast<std::int64_t>(y),
                                     .first_band = static_cast<std::int64_t>(b)};
    lce::decode(host{1}, stream, expected.view, window);
    REQUIRE(backend.decode(stream, lce::read_header(stream), lce::any_mutable_cube(part.view), window) == 0);
    REQUIRE(part.memory == expected.memory);
  }
}

/// Damaged streams give what the host gives.
template <class Backend>
void check_damage(Backend& backend, int rounds) {
  const auto c = oracle::make_cube(35, 20, 9, oracle::content::smooth);
  stored_cube<std::uint16_t> source(35, 20, 9, interleave::bsq);
  source.assign(c);
  std::mt19937 random(4);
  std::size_t seen = 0;
  for (int round = 0; round < rounds; ++round) {
    auto options = lce::coding_options::near_lossless(static_cast<std::uint32_t>(round % 2) * 3);
    options.band_group = round % 3 * 4;
    options.restart = round % 5;
    options.checksums = round % 4 == 3;
    options.block_index = round % 7 != 6;
    auto stream = lce::encode(host{1}, source.view, options);
    const auto header = lce::read_header(stream);
    const lce::slab_layout layout(header, 0);
    // The strings, and the group index with them.
    const auto first = lce::header_bytes + static_cast<std::size_t>(round % 6 == 0 ? layout.groups : layout.payload);
    for (int i = 0; i <= round % 3; ++i) {
      stream[first + random() % (stream.size() - first)] ^= static_cast<std::byte>(1 + random() % 255);
    }
    stored_cube<std::uint16_t> expected(35, 20, 9, interleave::bsq);
    stored_cube<std::uint16_t> decoded(35, 20, 9, interleave::bsq);
    const auto damage = lce::decode(host{1}, stream, expected.view, {.keep_going = true});
    CAPTURE(round);
    REQUIRE(backend.decode(stream, header, lce::any_mutable_cube(decoded.view), {.keep_going = true}) ==
            static_cast<std::int64_t>(damage.size()));
    REQUIRE(decoded.memory == expected.memory);
    seen += damage.size();
  }
  CHECK(seen > 0);
}

/// The trial of a few blocks, on cubes of one block and of many.
template <class Backend>
void check_choice(Backend& backend) {
  int paid = 0;
  for (const std::size_t width : {5u, 83u}) {
    for (const auto kind : oracle::all_contents) {
      CAPTURE(static_cast<int>(kind));
      stored_cube<std::int16_t> cube(width, 40, 4, interleave::bil);
      cube.assign(oracle::make_cube(width, 40, 4, kind));
      for (const std::uint32_t bound : {1u, 5u, 300u}) {
        CAPTURE(bound);
        const auto header = lce::make_header(cube.view.width, cube.view.height, cube.view.bands, lce::sample_type::i16,
                                             lce::coding_options::near_lossless(bound));
        const bool pay = lce::zero_flags_pay(host{1}, header, 0, lce::any_cube(cube.view));
        paid += pay ? 1 : 0;
        REQUIRE(backend.zero_flags_pay(lce::any_cube(cube.view), header) == pay);
      }
    }
  }
  CHECK((paid > 0 && paid < 42));  // both ways were seen
}

template <class Backend>
void check_batch(Backend& backend) {
  auto options = lce::coding_options::near_lossless(2);
  options.zero_flags = lce::zero_flag_use::on;
  options.checksums = true;
  std::vector<std::unique_ptr<stored_cube<std::uint16_t>>> cubes;
  std::vector<lce::any_cube> views;
  for (unsigned i = 0; i < 5; ++i) {
    cubes.push_back(std::make_unique<stored_cube<std::uint16_t>>(20, 33, 4, static_cast<interleave>(i % 3)));
    cubes.back()->assign(oracle::make_cube(20, 33, 4, oracle::all_contents[i], 16, i));
    views.emplace_back(cubes.back()->view);
  }
  const auto header = lce::make_header(20, 33, 4, lce::sample_type::u16, options);
  const auto streams = backend.batch(views, header);
  REQUIRE(streams.size() == cubes.size());
  for (std::size_t i = 0; i < cubes.size(); ++i) {
    CAPTURE(i);
    REQUIRE(streams[i] == lce::encode(host{1}, cubes[i]->view, options));
  }
}

}  // namespace lce_tests
