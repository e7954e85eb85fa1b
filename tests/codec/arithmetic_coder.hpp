/// @file
/// The warp's arithmetic coder alone, one stream a warp: an example, and its tests on every target.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <random>
#include <vector>

#include "tests/oracle/arithmetic_coder.hpp"

#include "gpuimg/codec/arithmetic_coder.hpp"
#include "gpuimg/simt/group.hpp"

namespace codec_tests {

namespace codec = gpuimg::codec;
namespace simt = gpuimg::simt;

/// What a lane does in an event.
struct lane_decision {
  std::uint8_t active;
  std::uint8_t symbol;
  std::uint8_t probability;  ///< of symbol 0
};

/// What is left of a stream after its last event, as each lane sees it.
struct lane_ending {
  std::uint32_t words;
  std::uint32_t spare_bits;
  std::uint32_t payload;
  std::uint32_t exhausted;
  friend bool operator==(const lane_ending&, const lane_ending&) = default;
};

/// Warp w of a block codes its own decisions, [event][lane], into words [w * capacity ...].
template <int W, int P, int Warps>
struct arithmetic_encode_kernel {
  static constexpr int threads = 32 * Warps;
  struct shared_storage {};

  const lane_decision* decisions;
  std::uint16_t* words;
  lane_ending* endings;
  int events;
  std::uint32_t capacity;
  std::uint32_t payload;  ///< as much of it as a lane's codeword can carry

  template <simt::block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage&) const {
    auto warp = block.warp();
    codec::warp_arithmetic_encoder<W, P> encoder(words + capacity * static_cast<unsigned>(block.warp_rank()), capacity);
    for (int e = 0; e < events; ++e) {
      const lane_decision& own = decisions[(block.warp_rank() * events + e) * simt::warp_size + warp.rank()];
      encoder.encode(warp, own.active != 0, own.symbol != 0, own.probability);
    }
    const std::uint32_t hidden = payload & ((std::uint32_t{1} << encoder.spare_bits()) - 1);
    endings[block.rank()] = {encoder.words(), static_cast<std::uint32_t>(encoder.spare_bits()), hidden, 0};
    encoder.flush(hidden);
  }
};

/// Fills in the symbols of the decisions.
template <int W, int P, int Warps>
struct arithmetic_decode_kernel {
  static constexpr int threads = 32 * Warps;
  struct shared_storage {};

  lane_decision* decisions;
  const std::uint16_t* words;
  lane_ending* endings;
  int events;
  std::uint32_t capacity;
  std::uint32_t count;  ///< words that there are of each stream

  template <simt::block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage&) const {
    auto warp = block.warp();
    codec::warp_arithmetic_decoder<W, P> decoder(words + capacity * static_cast<unsigned>(block.warp_rank()), count);
    for (int e = 0; e < events; ++e) {
      lane_decision& own = decisions[(block.warp_rank() * events + e) * simt::warp_size + warp.rank()];
      own.symbol = decoder.decode(warp, own.active != 0, own.probability);
    }
    endings[block.rank()] = {decoder.words(), static_cast<std::uint32_t>(decoder.spare_bits()), decoder.payload(),
                             decoder.exhausted()};
  }
};

/// Events with few, many, all or no lanes, and symbols as probable as they are said to be, or not.
template <int P>
std::vector<lane_decision> make_decisions(int events, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<lane_decision> decisions;
  for (int e = 0; e < events; ++e) {
    const auto share = random() % 5;  // quarters of the lanes
    const bool honest = random() % 4 != 0;
    for (int lane = 0; lane < simt::warp_size; ++lane) {
      const bool active = random() % 4 < share;
      const auto p = static_cast<std::uint8_t>(1 + random() % ((1u << P) - 1));
      const bool symbol = honest ? random() % (1u << P) >= p : random() % 2 == 0;
      decisions.push_back({active, active && symbol, p});
    }
  }
  return decisions;
}

/// The oracle's words for some decisions, and the lanes' endings; open codewords carry what fits of `payload`.
template <int W, int P>
std::vector<std::uint16_t> oracle_words(const lane_decision* decisions, int events, std::uint32_t payload,
                                        lane_ending* endings) {
  gpuimg::oracle::arithmetic_encoder encoder({W, P});
  for (int e = 0; e < events; ++e) {
    gpuimg::oracle::event event;
    for (int lane = 0; lane < simt::warp_size; ++lane) {
      const lane_decision& own = decisions[e * simt::warp_size + lane];
      if (own.active != 0) { event.push_back({lane, own.symbol, own.probability}); }
    }
    encoder.code(event);
  }
  for (int lane = 0; lane < simt::warp_size; ++lane) {
    const auto& last = encoder.lane(lane);
    const auto spare = static_cast<std::uint32_t>(last.open() ? last.free_bits() : 0);
    const std::uint32_t hidden = payload % (std::uint32_t{1} << spare);
    endings[lane] = {static_cast<std::uint32_t>(encoder.reserved()), spare, hidden, 0};
    if (last.open()) { encoder.set_word(last.place, last.low + hidden); }
  }
  return encoder.words();
}

template <int W, int P, class Backend>
void check_arithmetic_coder(const Backend& backend, int events, unsigned seed) {
  constexpr int warps = 3;
  constexpr std::uint32_t payload = 0x5A6B;
  const auto decisions = make_decisions<P>(warps * events, seed);
  const auto per_warp = static_cast<std::size_t>(events) * simt::warp_size;
  std::vector<lane_ending> expected_endings(simt::warp_size * warps);
  std::vector<std::vector<std::uint16_t>> expected;
  std::size_t longest = 0;
  for (std::size_t w = 0; w < warps; ++w) {
    expected.push_back(oracle_words<W, P>(decisions.data() + w * per_warp, events, payload,
                                          expected_endings.data() + w * simt::warp_size));
    longest = std::max(longest, expected.back().size());
  }
  // Short of the longest stream, too: what does not fit is counted and not stored.
  for (const std::size_t capacity : {longest, longest / 2}) {
    CAPTURE(capacity);
    auto input = backend.upload(decisions);
    auto words = backend.upload(std::vector<std::uint16_t>(warps * capacity, 0x5A5A));
    auto endings = backend.upload(std::vector<lane_ending>(expected_endings.size()));
    backend.run({}, arithmetic_encode_kernel<W, P, warps>{input.data(), words.data(), endings.data(), events,
                                                          static_cast<std::uint32_t>(capacity), payload});
    REQUIRE(bool(endings.values() == expected_endings));
    std::vector<std::uint16_t> expected_words(warps * capacity, 0x5A5A);
    for (std::size_t w = 0; w < warps; ++w) {
      for (std::size_t i = 0; i < std::min(capacity, expected[w].size()); ++i) {
        expected_words[w * capacity + i] = expected[w][i];
      }
    }
    REQUIRE(words.values() == expected_words);

    auto output = decisions;
    for (auto& decision : output) { decision.symbol = 0xEE; }
    auto symbols = backend.upload(output);
    backend.run({}, arithmetic_decode_kernel<W, P, warps>{symbols.data(), words.data(), endings.data(), events,
                                                          static_cast<std::uint32_t>(capacity),
                                                          static_cast<std::uint32_t>(capacity)});
    const auto decoded = symbols.values();
    const auto decoded_endings = endings.values();
    for (std::size_t w = 0; w < warps; ++w) {
      const auto& first = decoded_endings[w * simt::warp_size];
      REQUIRE(first.exhausted == (expected[w].size() > capacity));
      if (first.exhausted != 0) { continue; }  // what follows the first missing word is not data
      REQUIRE(first.words == expected[w].size());
      std::size_t wrong = 0;
      for (std::size_t i = w * per_warp; i < (w + 1) * per_warp; ++i) {
        wrong += decoded[i].symbol != decisions[i].symbol;
      }
      REQUIRE(wrong == 0);
      for (std::size_t lane = w * simt::warp_size; lane < (w + 1) * simt::warp_size; ++lane) {
        REQUIRE(bool(decoded_endings[lane] == expected_endings[lane]));
      }
    }
  }
}

/// The check vector of an independent model: one lane, probabilities of 7 bits.
struct lane_vector {
  static constexpr int events = 64;
  std::vector<lane_decision> decisions;  ///< of lane 0 alone
  std::vector<std::uint16_t> words = {0xCF2B, 0x51F7, 0xDA9F, 0xC8B7};

  lane_vector() {
    constexpr std::array<std::uint8_t, 9> p = {112, 98, 87, 79, 73, 69, 66, 65, 64};
    std::uint32_t x = 1;
    for (std::size_t i = 0; i < events; ++i) {
      x = x * 1103515245u + 12345u;
      decisions.push_back({1, ((x >> 16) & 127u) >= p[i % 9], p[i % 9]});
    }
  }
};

/// The check vector in one lane of a warp, the others idle.
template <class Backend>
void check_lane_vector(const Backend& backend, int lane) {
  const lane_vector vector;
  std::vector<lane_decision> decisions(vector.events * simt::warp_size, lane_decision{0, 1, 100});
  for (std::size_t e = 0; e < vector.events; ++e) {
    decisions[e * simt::warp_size + static_cast<std::size_t>(lane)] = vector.decisions[e];
  }
  auto input = backend.upload(decisions);
  auto words = backend.upload(std::vector<std::uint16_t>(4));
  auto endings = backend.upload(std::vector<lane_ending>(simt::warp_size));
  backend.run({}, arithmetic_encode_kernel<16, 7, 1>{input.data(), words.data(), endings.data(), vector.events, 4, 0});
  CHECK(words.values() == vector.words);
  CHECK(bool(endings.values() == std::vector<lane_ending>(simt::warp_size, lane_ending{4, 0, 0, 0})));
}

}  // namespace codec_tests
