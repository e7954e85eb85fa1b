/// @file
/// Building blocks of the LCE-style codec against the oracle: codes, division, quantisers, gain, bit strings.
#include <cstdint>
#include <cstdlib>
#include <doctest/doctest.h>
#include <random>
#include <vector>

#include "tests/oracle/lce_block.hpp"

#include "gpuimg/codec/bit_packing.hpp"
#include "gpuimg/codec/bit_stream.hpp"
#include "gpuimg/codec/exact_division.hpp"
#include "gpuimg/codec/golomb.hpp"
#include "gpuimg/codec/linear_prediction.hpp"
#include "gpuimg/codec/residual_quantizer.hpp"

using namespace gpuimg::codec;
namespace oracle = gpuimg::oracle::lce;

namespace {

std::uint64_t value_of(const oracle::bit_list& list) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < list.bits.size(); ++i) { value |= std::uint64_t(list.bits[i]) << i; }
  return value;
}

}  // namespace

TEST_CASE("the map of signed numbers and its inverse") {
  for (int q = -65536; q <= 65536; ++q) {
    const auto mapped = map_signed(q);
    if (mapped != oracle::map(q) || unmap_signed(mapped) != q ||
        mapped_magnitude(mapped) != std::uint32_t(std::abs(q))) {
      FAIL("map of " << q);
    }
  }
}

TEST_CASE("codewords are those of the oracle and are read back") {
  for (std::uint32_t v = 0; v <= golomb_limit; v += v < 5000 ? 1 : 97) {
    for (int k = 0; k <= 16; ++k) {
      oracle::bit_list expected;
      oracle::put_golomb(expected, v, k);
      const auto word = golomb_codeword(v, k);
      const auto read = read_golomb(std::uint64_t{0xF0F0F0F0F0F0F0F0} << word.length | word.bits, k);
      if (word.bits != value_of(expected) || word.length != int(expected.bits.size()) ||
          golomb_length(v, k) != word.length || read.value != v || read.length != word.length) {
        FAIL("golomb code of " << v << ", k = " << k);
      }
    }
    oracle::bit_list expected;
    oracle::put_exp_golomb(expected, v);
    const auto word = exp_golomb_codeword(v);
    const auto read = read_exp_golomb(std::uint64_t{0xF0F0F0F0F0F0F0F0} << word.length | word.bits);
    if (word.bits != value_of(expected) || word.length != int(expected.bits.size()) ||
        exp_golomb_length(v) != word.length || read.value != v || read.length != word.length) {
      FAIL("exponential golomb code of " << v);
    }
  }
  CHECK(read_exp_golomb(0).value > golomb_limit);
  CHECK(read_exp_golomb(std::uint64_t{1} << 17).value > golomb_limit);
  CHECK(read_golomb(0, 3).length == 32);
}

TEST_CASE("the parameter of the golomb code is the smallest that the rule allows") {
  for (std::uint32_t count = 1; count <= 32; ++count) {
    for (std::uint32_t sum = 0; sum <= count * 65535; sum += sum < 3000 ? 1 : 911) {
      int k = 0;
      while ((count << k) < sum) { ++k; }
      if (golomb_parameter(sum, count) != k || (count == 32 && golomb_window_parameter(sum) != k)) {
        FAIL("sum " << sum << " of " << count);
      }
    }
  }
}

TEST_CASE("division by multiplication is exact") {
  for (std::uint32_t d = 1; d <= 65535; d = d < 300 ? d + 1 : d * 5 / 4) {
    const exact_divider divide(d);
    for (std::uint32_t n = 0; n < 1u << 18; n += n % d < 2 ? 1 : (d > 3 ? d - 3 : 1)) {
      if (divide(n) != n / d) { FAIL(n << " / " << d); }
    }
  }
  for (std::uint32_t d = 1; d <= 65535; d = d < 300 ? d + 1 : d + d / 7) {
    const exact_scaled_divider divide(d);
    for (std::uint32_t n = 0; n < 1u << 16; ++n) {
      if (divide(n) != n / d) { FAIL(n << " / " << d); }
    }
    for (std::uint32_t k = (1u << 30) / d - 20; k < (1u << 30) / d; ++k) {  // about the largest multiples
      if (divide(k * d) != k || (k != 0 && divide(k * d - 1) != k - 1)) { FAIL(k << " times " << d); }
    }
  }
  CHECK(exact_scaled_divider(65535)(65535) == 1);
  CHECK(exact_scaled_divider(65535)(65534) == 0);
  for (std::uint32_t d = 1; d <= 256; ++d) {
    const exact_divider divide(d);
    CHECK(divide(d * 65535 + d / 2) == (d * 65535 + d / 2) / d);
    CHECK(divide(d * 65535 - 1) == 65534);
  }
}

TEST_CASE("quantisers agree with the oracle and keep their bound") {
  struct parameters {
    std::uint32_t delta, threshold, offset;
  };
  std::vector<parameters> list;
  for (const std::uint32_t delta : {1u, 2u, 3u, 4u, 11u, 31u, 61u, 1000u, 65535u}) {
    list.push_back({delta, delta - delta / 2, delta / 2});
  }
  list.insert(list.end(), {{31, 19, 16}, {31, 31, 11}, {3, 1, 0}, {65535, 65535, 65534}, {100, 5, 99}});
  for (const parameters& p : list) {
    // CAPTURE takes variables; clang 14 does not let lambdas have structured bindings.
    const std::uint32_t delta = p.delta;
    const std::uint32_t threshold = p.threshold;
    const std::uint32_t offset = p.offset;
    CAPTURE(delta);
    oracle::rules rules;
    rules.delta = delta;
    rules.threshold = threshold;
    rules.offset = offset;
    const oracle::quantizer expected(rules, false);
    const residual_quantizer quantizer(delta, threshold, offset, static_cast<std::uint32_t>(expected.limit()));
    std::int32_t worst = 0;
    for (std::int32_t e = -65535; e <= 65535; ++e) {
      const auto q = quantizer.index(e);
      if (q != expected.index(e)) { FAIL("index of " << e); }
      if (quantizer.plain()) {
        const auto size = static_cast<std::uint32_t>(std::abs(e));
        REQUIRE(quantizer.round(size) == static_cast<std::uint32_t>(std::abs(q)));
        REQUIRE(quantizer.value(quantizer.round(size)) == static_cast<std::uint32_t>(std::abs(q)) * delta);
      }
      worst = std::max(worst, std::abs(quantizer.residual(q) - e));
    }
    // delta = 2 alone limits an index, where clipping the sample keeps the bound.
    CHECK(worst <= static_cast<std::int32_t>(quantizer.error_bound()));
  }
}

TEST_CASE("the gain is the rounded least-squares quotient") {
  std::mt19937 random(5);
  for (int round = 0; round < 3000; ++round) {
    const auto count = 1 + static_cast<std::uint32_t>(random()) % 256;
    const auto range = std::uint32_t{1} << (1 + random() % 16);
    const auto slope = static_cast<std::uint32_t>(random()) % 300;
    oracle::samples p;
    oracle::samples x;
    prediction_sums sums{};
    for (std::uint32_t j = 0; j < count; ++j) {
      const std::uint32_t a = static_cast<std::uint32_t>(random()) % range;
      const std::uint32_t noise = static_cast<std::uint32_t>(random()) % (round % 3 == 0 ? range : 3);
      const std::uint32_t b = std::min<std::uint32_t>(65535, a * slope / 128 + noise);
      p.push_back(a);
      x.push_back(b);
      sums.x += b;
      sums.p += a;
      sums.px += std::uint64_t{a} * b;
      sums.pp += std::uint64_t{a} * a;
    }
    const exact_divider by_count(count);
    const auto mx = rounded_mean(sums.x, count, by_count);
    const auto mp = rounded_mean(sums.p, count, by_count);
    REQUIRE(mx == oracle::mean_of(x));
    REQUIRE(mp == oracle::mean_of(p));
    REQUIRE(least_squares_gain(sums, count, mx, mp) == oracle::best_gain(x, p, mx, mp));
  }
}

TEST_CASE("bit strings: what is written is read, from any place, and past the end come zeros") {
  std::mt19937 random(9);
  std::vector<std::uint32_t> fields;
  std::vector<int> lengths;
  std::vector<std::uint32_t> words(2000);
  word_bit_writer writer(words.data());
  for (int i = 0; i < 1500; ++i) {
    lengths.push_back(static_cast<int>(random() % 33));
    fields.push_back(static_cast<std::uint32_t>(random()) & low_bits(lengths.back()));
    writer.put(fields.back(), lengths.back());
  }
  const std::int64_t count = writer.words();
  std::vector<std::uint32_t> exact(words.begin(), words.begin() + count);
  memory_bit_reader memory(exact.data(), count);
  register_bit_reader registers(exact.data(), count);
  std::vector<std::uint32_t> deposited(static_cast<std::size_t>(count) + 1);
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const std::int64_t at = memory.position();
    REQUIRE(registers.position() == at);
    REQUIRE((static_cast<std::uint32_t>(memory.peek()) & low_bits(lengths[i])) == fields[i]);
    REQUIRE((static_cast<std::uint32_t>(registers.peek_word()) & low_bits(lengths[i])) == fields[i]);
    register_bit_reader anywhere(exact.data(), count, at);
    REQUIRE((anywhere.peek() & 0x1FFFFFFFF) == (memory.peek() & 0x1FFFFFFFF));
    deposit_bits(deposited.data(), static_cast<std::uint64_t>(at), fields[i], lengths[i]);
    memory.skip(lengths[i]);
    registers.skip(lengths[i]);
  }
  CHECK(memory.position() == writer.bits());
  deposited.resize(static_cast<std::size_t>(count));
  CHECK(deposited == exact);  // what a warp packs and what a thread writes are the same string
  for (int i = 0; i < 10; ++i) {
    memory.skip(33);
    registers.peek();
    registers.skip(33);
  }
  CHECK(memory.peek() == 0);
  CHECK(registers.peek() == 0);
  CHECK(registers.position() == memory.position());
}
