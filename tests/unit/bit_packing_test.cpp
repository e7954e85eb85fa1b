/// @file
/// Bit strings of one thread, against strings of single bits.
#include "tests/codec/bit_packing.hpp"

#include <cstdint>
#include <doctest/doctest.h>
#include <random>
#include <vector>

#include "tests/oracle/bit_string.hpp"

#include "gpuimg/codec/bit_packing.hpp"

namespace codec = gpuimg::codec;
namespace oracle = gpuimg::oracle;
using codec_tests::bit_field;

namespace {

std::vector<bit_field> make_fields(unsigned seed, int count) {
  std::mt19937 random(seed);
  std::vector<bit_field> fields;
  for (int i = 0; i < count; ++i) {
    fields.push_back({static_cast<std::uint32_t>(random()), static_cast<int>(random() % 33)});
  }
  return fields;
}

}  // namespace

static_assert(codec::low_bits(0) == 0 && codec::low_bits(1) == 1 && codec::low_bits(31) == 0x7FFFFFFFu &&
              codec::low_bits(32) == 0xFFFFFFFFu);
static_assert(codec::words_of_bits(0) == 0 && codec::words_of_bits(1) == 1 && codec::words_of_bits(16) == 1 &&
              codec::words_of_bits(17) == 2 && codec::words_of_bits(std::uint64_t{1} << 40) == std::uint64_t{1} << 36);

TEST_CASE("bit writer: fields follow one another, and finish() fills up the word") {
  for (int count = 0; count < 40; ++count) {
    const auto fields = make_fields(1u + static_cast<unsigned>(count), count);
    std::vector<std::uint16_t> words = {0xABCD};
    codec::bit_writer writer(words);
    oracle::bit_string expected;
    for (const auto& [value, length] : fields) {
      writer.put(value, length);
      expected.put(value, length);
    }
    CHECK(writer.bits() == expected.size());
    writer.finish();
    writer.finish();
    CHECK(words.front() == 0xABCD);
    words.erase(words.begin());
    CHECK(words == expected.words());
  }
}

TEST_CASE("read_bits: every length from every bit, zeros beyond the end") {
  const std::vector<std::uint16_t> words = {0x1234, 0xFEDC, 0x8001, 0xFFFF, 0xA5A5};
  for (std::size_t count = 0; count <= words.size(); ++count) {
    const std::vector<std::uint16_t> some(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(count));
    for (std::uint64_t at = 0; at < 100; ++at) {
      for (int length = 0; length <= 32; ++length) {
        std::uint32_t expected = 0;
        for (int i = 0; i < length; ++i) {
          const std::uint64_t bit = at + static_cast<std::uint64_t>(i);
          if (bit < 16 * count) { expected |= ((some[bit / 16] >> (bit % 16)) & 1u) << i; }
        }
        REQUIRE(codec::read_bits(some.data(), count, at, length) == expected);
      }
    }
    CHECK(codec::read_bits(some.data(), count, ~std::uint64_t{0} - 40, 32) == 0);
  }
}

TEST_CASE("deposit_bits: the same string in words of 32 bits, and not a word more") {
  const auto fields = make_fields(5, 300);
  oracle::bit_string expected;
  for (const auto& [value, length] : fields) { expected.put(value, length); }
  std::vector<std::uint32_t> words((expected.size() + 31) / 32);
  std::uint64_t at = 0;
  for (const auto& [value, length] : fields) {
    codec::deposit_bits(words.data(), at, value, length);
    at += static_cast<std::uint64_t>(length);
  }
  CHECK(at == expected.size());
  CHECK(words == codec_tests::wide_words(expected.words()));
}

TEST_CASE("gather_bits and scatter_bits: bits under a mask, and back") {
  std::mt19937 random(6);
  for (int round = 0; round < 2000; ++round) {
    const auto value = static_cast<std::uint32_t>(random());
    auto mask = static_cast<std::uint32_t>(random());
    if (round % 3 == 1) { mask &= static_cast<std::uint32_t>(random() & random()); }
    if (round < 2) { mask = round == 0 ? 0 : 0xFFFFFFFFu; }
    std::uint32_t gathered = 0;
    std::uint32_t scattered = 0;
    int n = 0;
    for (int i = 0; i < 32; ++i) {
      if (((mask >> i) & 1u) == 0) { continue; }
      gathered |= ((value >> i) & 1u) << n;
      scattered |= ((value >> n) & 1u) << i;
      ++n;
    }
    REQUIRE(codec::gather_bits(value, mask) == gathered);
    REQUIRE(codec::scatter_bits(value, mask) == scattered);
    REQUIRE(codec::scatter_bits(codec::gather_bits(value, mask), mask) == (value & mask));
  }
}
