// The pieces of medians: networks by the zero-one principle, forgetful selection, keys, packed words.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "tests/oracle/median.hpp"

#include "gpuimg/filter/compare_exchange.hpp"
#include "gpuimg/filter/forgetful_median.hpp"
#include "gpuimg/filter/median_key.hpp"
#include "gpuimg/filter/register_window.hpp"
#include "gpuimg/filter/selection_network.hpp"
#include "gpuimg/filter/sorted_columns.hpp"

using namespace gpuimg;

namespace {

// A network sorts everything if it sorts all zeros and ones (Knuth 5.3.4, theorem Z).
template <int Count>
void sorts_zeros_and_ones() {
  for (std::uint32_t pattern = 0; pattern < (1u << Count); ++pattern) {
    std::uint8_t keys[Count];
    for (int i = 0; i < Count; ++i) { keys[i] = static_cast<std::uint8_t>(pattern >> i & 1); }
    filter::sort<Count>(keys);
    REQUIRE(std::is_sorted(std::begin(keys), std::end(keys)));
  }
}

template <int A, int B, int First, int Wanted>
void merges_zeros_and_ones() {
  for (int a = 0; a <= A; ++a) {
    for (int b = 0; b <= B; ++b) {
      std::uint8_t keys[A + B];
      for (int i = 0; i < A; ++i) { keys[i] = i >= a; }
      for (int i = 0; i < B; ++i) { keys[A + i] = i >= b; }
      std::uint8_t results[Wanted];
      filter::merge_runs<A, B, First, Wanted>(keys, results);
      for (int i = 0; i < Wanted; ++i) { REQUIRE(results[i] == (First + i >= a + b)); }
    }
  }
}

template <int Count, int Rank>
void forgets_to_the_rank() {
  for (std::uint32_t pattern = 0; pattern < (1u << Count); ++pattern) {
    const auto found =
        filter::forgetful_rank<Count, Rank>([&](int i) { return static_cast<std::uint8_t>(pattern >> i & 1); });
    REQUIRE(found == (Rank >= Count - std::popcount(pattern)));
  }
}

template <int Count, int... Rank>
void forgets_to_every_rank(std::integer_sequence<int, Rank...>) {
  (forgets_to_the_rank<Count, Rank>(), ...);
}

// A tile whose pixels are an array.
struct array_tile {
  int columns;
  int core_row;
  int core_rows;
  std::vector<std::uint16_t> pixels;
  std::vector<std::uint16_t> results;
  int tile_width;

  std::uint16_t pixel(int x, int y) const { return pixels[static_cast<std::size_t>(y * columns + x)]; }
  std::uint16_t sorted_column(int x, int i) const {
    std::vector<std::uint16_t> column;
    for (int y = core_row; y < core_row + core_rows; ++y) { column.push_back(pixel(x, y)); }
    std::sort(column.begin(), column.end());
    return column[static_cast<std::size_t>(i)];
  }
  void keep(int i, std::uint16_t word) { kept_words[static_cast<std::size_t>(i)] = word; }
  std::uint16_t kept(int i) const { return kept_words[static_cast<std::size_t>(i)]; }
  void settle() {}
  void emit(int x, int y, std::uint16_t word) { results[static_cast<std::size_t>(y * tile_width + x)] = word; }

  std::vector<std::uint16_t> kept_words = std::vector<std::uint16_t>(1000);
};

template <int W, int H, int TileWidth, int TileHeight, int Rank, bool Keep>
void selects_in_tiles() {
  using shape = filter::tile_shape<W, H, TileWidth, TileHeight>;
  std::mt19937 random(W * 100 + H);
  for (int round = 0; round < 30; ++round) {
    array_tile tile{shape::columns, TileHeight - 1, shape::core_rows, {}, {}, TileWidth};
    for (int i = 0; i < shape::columns * shape::rows; ++i) {
      tile.pixels.push_back(static_cast<std::uint16_t>(random() % (round % 2 == 0 ? 65536 : 3)));
    }
    tile.results.resize(TileWidth * TileHeight);
    filter::tile_selection<shape, Rank, Keep>::template run<std::uint16_t>(tile);
    for (int y = 0; y < TileHeight; ++y) {
      for (int x = 0; x < TileWidth; ++x) {
        std::vector<std::uint16_t> window;
        for (int j = 0; j < H; ++j) {
          for (int i = 0; i < W; ++i) { window.push_back(tile.pixel(x + i, y + j)); }
        }
        std::nth_element(window.begin(), window.begin() + Rank, window.end());
        REQUIRE(tile.results[static_cast<std::size_t>(y * TileWidth + x)] == window[Rank]);
      }
    }
  }
}

template <class T>
void orders(const std::vector<T>& ascending) {
  for (std::size_t i = 0; i < ascending.size(); ++i) {
    const auto key = filter::sample_order<T>::key(ascending[i]);
    CHECK(oracle::same(filter::sample_order<T>::sample(key), ascending[i]));
    if (i > 0) { CHECK(filter::sample_order<T>::key(ascending[i - 1]) < key); }
  }
}

}  // namespace

TEST_SUITE("median blocks") {
  TEST_CASE("sorting networks") {
    sorts_zeros_and_ones<1>();
    sorts_zeros_and_ones<2>();
    sorts_zeros_and_ones<3>();
    sorts_zeros_and_ones<7>();
    sorts_zeros_and_ones<9>();
    sorts_zeros_and_ones<12>();
    sorts_zeros_and_ones<15>();
  }

  TEST_CASE("merging networks, whole and in part") {
    merges_zeros_and_ones<1, 1, 0, 2>();
    merges_zeros_and_ones<1, 9, 0, 10>();
    merges_zeros_and_ones<12, 3, 0, 15>();
    merges_zeros_and_ones<16, 15, 15, 1>();
    merges_zeros_and_ones<5, 13, 4, 7>();
    merges_zeros_and_ones<82, 24, 24, 58>();
    CHECK(filter::detail::network_of<16, 15, 15, 1>.operations() == 30);  // one a key: no half is wasted
    CHECK(filter::detail::network_of<8, 8, 0, 16>.operations() == 50);
  }

  TEST_CASE("forgetful selection") {
    forgets_to_every_rank<1>(std::make_integer_sequence<int, 1>{});
    forgets_to_every_rank<2>(std::make_integer_sequence<int, 2>{});
    forgets_to_every_rank<5>(std::make_integer_sequence<int, 5>{});
    forgets_to_every_rank<9>(std::make_integer_sequence<int, 9>{});
    forgets_to_the_rank<16, 8>();
    std::mt19937 random(3);
    for (int round = 0; round < 50; ++round) {
      std::vector<std::uint32_t> values(49);
      for (auto& value : values) { value = static_cast<std::uint32_t>(random() % 1000); }
      const auto found = filter::forgetful_median<49>([&](int i) { return values[static_cast<std::size_t>(i)]; });
      std::sort(values.begin(), values.end());
      CHECK(found == values[24]);
    }
  }

  TEST_CASE("tiles of sorted columns") {
    selects_in_tiles<3, 3, 1, 1, 4, false>();
    selects_in_tiles<3, 3, 2, 2, 0, false>();
    selects_in_tiles<5, 5, 4, 4, 12, true>();
    selects_in_tiles<4, 6, 2, 4, 12, false>();
    selects_in_tiles<9, 9, 8, 8, 40, true>();
    selects_in_tiles<7, 3, 4, 1, 20, false>();
    selects_in_tiles<2, 11, 1, 8, 5, false>();
  }

  TEST_CASE("keys keep the order of samples") {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    orders<float>({-infinity, -3.0f, -1e-42f, -0.0f, 0.0f, 1e-42f, 0.5f, 3.0f, infinity, std::nanf("")});
    orders<double>({-1e300, -0.0, 0.0, 5e-324, 1.0, 1e300, std::nan("")});
    orders<std::int8_t>({-128, -1, 0, 1, 127});
    orders<std::uint8_t>({0, 1, 128, 255});
    orders<std::int16_t>({-32768, -1, 0, 32767});
    orders<std::int64_t>({std::numeric_limits<std::int64_t>::min(), -1, 0, 1});
    orders<filter::binary16>(
        {{0xFC00}, {0xBC00}, {0x8001}, {0x8000}, {0x0000}, {0x0001}, {0x3C00}, {0x7C00}, {0x7E00}});
    CHECK(filter::sample_order<float>::key(-std::nanf("")) == filter::sample_order<float>::key(std::nanf("")));
  }

  TEST_CASE("packed words compare lane by lane") {
    auto a = filter::pack(7, 40000);
    auto b = filter::pack(65535, 5);
    filter::compare_exchange(a, b);
    CHECK(a.bits == filter::pack(7, 5).bits);
    CHECK(b.bits == filter::pack(65535, 40000).bits);
    CHECK(filter::select_bytes(0x03020100u, 0x07060504u, 0x7410u) == 0x07040100u);
  }

  TEST_CASE("the least, the middle and the greatest of three, in any order") {
    const std::uint32_t keys[] = {0, 1, 7, 0xFFFF, 0x10000, 0xFFFFFFFE, 0xFFFFFFFF};  // sums of three overflow
    for (const std::uint32_t a : keys) {
      for (const std::uint32_t b : keys) {
        for (const std::uint32_t c : keys) {
          const std::uint32_t sorted[] = {std::min({a, b, c}), std::max(std::min(a, b), std::min(std::max(a, b), c)),
                                          std::max({a, b, c})};
          CHECK(filter::minimum(a, b, c) == sorted[0]);
          CHECK(filter::middle(a, b, c) == sorted[1]);
          CHECK(filter::maximum(a, b, c) == sorted[2]);
          const auto narrow = [](std::uint32_t key) { return static_cast<std::uint16_t>(key); };
          // Lane 0 has the keys in another order than lane 1.
          const auto found = filter::middle(filter::pack(narrow(b), narrow(a)), filter::pack(narrow(c), narrow(b)),
                                            filter::pack(narrow(a), narrow(c)));
          const auto alone = filter::middle(narrow(a), narrow(b), narrow(c));
          CHECK(found.lane(0) == alone);
          CHECK(found.lane(1) == alone);
        }
      }
    }
  }

  TEST_CASE("signed words compare too") {
    for (const int a : {-2147483647 - 1, -1, 0, 2147483647}) {
      CHECK(filter::minimum(a, 0) == std::min(a, 0));
      CHECK(filter::maximum(a, 0) == std::max(a, 0));
      CHECK(filter::middle(a, -1, 7) == std::max(std::min(a, -1), std::min(std::max(a, -1), 7)));
    }
  }

  TEST_CASE("floats compare as their keys, and NaN win") {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    const float ascending[] = {-infinity, -3.0f, -1e-42f, -0.0f, 0.0f, 1e-42f, 0.5f, infinity};
    for (const float& low : ascending) {
      for (const float& high : ascending) {
        if (&low > &high) { continue; }
        CHECK(oracle::same(filter::minimum(filter::float_word{high}, filter::float_word{low}).value, low));
        CHECK(oracle::same(filter::maximum(filter::float_word{high}, filter::float_word{low}).value, high));
      }
      const filter::float_word nan{-std::nanf("7")};
      for (const auto& found : {filter::minimum(nan, {low}), filter::minimum({low}, nan), filter::maximum(nan, {low}),
                                filter::maximum({low}, nan), filter::middle({low}, nan, filter::float_word{1.0f})}) {
        CHECK(std::bit_cast<std::uint32_t>(found.value) == 0x7FFFFFFFu);
      }
    }
  }
}
