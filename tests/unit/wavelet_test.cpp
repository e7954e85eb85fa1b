#include "tests/oracle/wavelet.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <doctest/doctest.h>
#include <limits>
#include <vector>

#include "tests/codec/pictures.hpp"

#include "gpuimg/codec/wavelet_transform.hpp"

using namespace gpuimg;
using codec_tests::number_source;
using codec_tests::padded_planes;

namespace {

template <class T>
oracle::plane to_oracle(const image_view<T>& view) {
  oracle::plane result(view.width, view.height);
  for (std::int64_t y = 0; y < view.height; ++y) {
    for (std::int64_t x = 0; x < view.width; ++x) { result.at(x, y) = view(x, y); }
  }
  return result;
}

/// Number of coefficients of `view` that are not those of the oracle, in the store of T.
template <class T>
std::size_t differences(const image_view<T>& view, const oracle::plane& expected) {
  std::size_t count = 0;
  for (std::int64_t y = 0; y < view.height; ++y) {
    for (std::int64_t x = 0; x < view.width; ++x) { count += view(x, y) != expected.at(x, y); }
  }
  return count;
}

/// Bits of random samples whose coefficients T holds.
template <class T>
constexpr int safe_bits = sizeof(T) == 2 ? 12 : 28;

/// Forward and back, one size; a failure names it.
template <class T>
void check_size(std::int64_t width, std::int64_t height, int levels, std::int64_t margin, unsigned threads) {
  CAPTURE(width);
  CAPTURE(height);
  CAPTURE(levels);
  number_source numbers(static_cast<std::uint64_t>(width * 1000 + height * 10 + levels));
  padded_planes<T> picture(width, height, 1, margin);
  picture.fill(numbers, safe_bits<T>);
  const auto plane = picture.plane();
  const auto original = to_oracle(plane);
  auto expected = original;
  oracle::forward_wavelet(expected, levels);
  codec::forward_cdf_5_3(host{threads}, plane, levels);
  REQUIRE(differences(plane, expected) == 0);
  codec::inverse_cdf_5_3(host{threads}, plane, levels);
  REQUIRE(differences(plane, original) == 0);
  REQUIRE(picture.padding_is_intact());
}

}  // namespace

TEST_CASE_TEMPLATE("sizes 0 to 33, levels 0 to 6, as the oracle", T, std::int16_t, std::int32_t) {
  for (std::int64_t width = 0; width <= 33; ++width) {
    for (std::int64_t height = 0; height <= 33; ++height) {
      for (int levels = 0; levels <= 6; ++levels) { check_size<T>(width, height, levels, 0, 1); }
    }
  }
}

TEST_CASE_TEMPLATE("larger sizes, pitched views, several threads, as the oracle", T, std::int16_t, std::int32_t) {
  check_size<T>(257, 131, 5, 7, 3);
  check_size<T>(131, 257, 32, 1, 1);
  check_size<T>(521, 509, 4, 3, 4);
  check_size<T>(1, 1009, 12, 2, 2);
  check_size<T>(1009, 1, 12, 2, 2);
  check_size<T>(2, 777, 3, 5, 1);
  check_size<T>(128, 64, 5, 0, 2);
}

TEST_CASE("a picture stored bottom-up") {
  number_source numbers(1);
  padded_planes<std::int16_t> picture(40, 30, 1, 0);
  picture.fill(numbers, 10);
  const auto top_down = picture.plane();
  const image_view<std::int16_t> bottom_up(top_down.row(29), 40, 30, -top_down.pitch);
  auto expected = to_oracle(bottom_up);
  oracle::forward_wavelet(expected, 3);
  codec::forward_cdf_5_3(host{1}, bottom_up, 3);
  CHECK(differences(bottom_up, expected) == 0);
}

TEST_CASE("fewer levels undone give the low-pass rectangle of that level") {
  number_source numbers(2);
  padded_planes<std::int16_t> picture(101, 67, 1, 1);
  picture.fill(numbers, 12);
  const auto original = picture;
  constexpr int levels = 6;
  std::vector<std::int16_t> scratch;
  for (int undone = 0; undone <= levels; ++undone) {
    CAPTURE(undone);
    auto copy = original;
    const auto plane = copy.plane();
    auto coarse = to_oracle(plane);
    oracle::forward_wavelet(coarse, levels - undone);
    const auto area = oracle::low_pass_rectangle(101, 67, levels - undone);
    codec::forward_cdf_5_3(host{2}, plane, levels, scratch);
    codec::inverse_cdf_5_3(host{2}, plane, levels, undone, scratch);
    CHECK(differences(plane.crop(0, 0, area.width, area.height), oracle::crop(coarse, area)) == 0);
  }
}

TEST_CASE("int32: coefficients of a damaged stream wrap modulo 2^32, as the oracle's") {
  number_source numbers(3);
  padded_planes<std::int32_t> picture(61, 45, 1, 0);
  picture.fill(numbers);
  const auto plane = picture.plane();
  plane(5, 5) = plane(5, 6) = plane(6, 5) = std::numeric_limits<std::int32_t>::max();
  plane(50, 5) = plane(50, 6) = plane(51, 5) = std::numeric_limits<std::int32_t>::min();
  auto expected = to_oracle(plane);
  oracle::inverse_wavelet(expected, 5);
  codec::inverse_cdf_5_3(host{1}, plane, 5);
  CHECK(differences(plane, expected) == 0);
  oracle::forward_wavelet(expected, 5);
  codec::forward_cdf_5_3(host{1}, plane, 5);
  CHECK(differences(plane, expected) == 0);
}

TEST_CASE("int16: whatever the samples, what goes forward comes back") {
  number_source numbers(4);
  for (const std::int64_t width : {1, 2, 37, 64, 300}) {
    padded_planes<std::int16_t> picture(width, 41, 1, 0);
    picture.fill(numbers);
    const auto original = to_oracle(picture.plane());
    codec::forward_cdf_5_3(host{1}, picture.plane(), 5);
    codec::inverse_cdf_5_3(host{1}, picture.plane(), 5);
    CHECK(differences(picture.plane(), original) == 0);
  }
}

TEST_CASE("steps inside of 16 bits are those of cdf_5_3, modulo 2^16") {
  using codec::cdf_5_3;
  using lanes = codec::detail::lifting_steps<std::int16_t>;
  std::vector<std::int16_t> values;
  for (const int v : {-32768, -32767, -16385, -16384, -3, -2, -1, 0, 1, 2, 3, 16383, 16384, 32766, 32767}) {
    values.push_back(static_cast<std::int16_t>(v));
  }
  number_source numbers(5);
  for (int i = 0; i < 40; ++i) { values.push_back(static_cast<std::int16_t>(numbers.next() >> 16)); }
  std::size_t wrong = 0;
  const auto compare = [&](std::int16_t actual, std::int32_t expected) {
    wrong += actual != static_cast<std::int16_t>(expected);
  };
  for (const auto x : values) {
    for (const auto a : values) {
      for (const auto b : values) {
        compare(lanes::predict()(x, a, b), cdf_5_3::predict(x, a, b));
        compare(lanes::undo_predict()(x, a, b), cdf_5_3::undo_predict(x, a, b));
        compare(lanes::update()(x, a, b), cdf_5_3::update(x, a, b));
        compare(lanes::undo_update()(x, a, b), cdf_5_3::undo_update(x, a, b));
      }
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("each step is undone, whatever its arguments") {
  using codec::cdf_5_3;
  constexpr std::int32_t ends[] = {std::numeric_limits<std::int32_t>::min(), -1, 0, 1,
                                   std::numeric_limits<std::int32_t>::max()};
  for (const auto x : ends) {
    for (const auto a : ends) {
      for (const auto b : ends) {
        CHECK(cdf_5_3::undo_predict(cdf_5_3::predict(x, a, b), a, b) == x);
        CHECK(cdf_5_3::undo_update(cdf_5_3::update(x, a, b), a, b) == x);
      }
    }
  }
  static_assert(cdf_5_3::predict(10, 3, 6) == 6 && cdf_5_3::update(10, -3, 0) == 9);
}

TEST_CASE("the pictures with the largest coefficients fit int16 as long as coefficients_fit_int16 says so") {
  constexpr std::int64_t size = 256;
  constexpr int levels = 6;
  CHECK(codec::coefficients_fit_int16(12, false));
  CHECK(codec::coefficients_fit_int16(11, true));
  CHECK_FALSE(codec::coefficients_fit_int16(13, false));
  CHECK_FALSE(codec::coefficients_fit_int16(12, true));

  // Taps of one coefficient of each sub-band, by impulses; a picture of extreme samples with their signs drives it
  // furthest.
  const auto drive = [&](int bits) {
    const std::int32_t half = std::int32_t{1} << (bits - 1);
    std::int32_t largest = 0;
    for (int level = 1; level <= levels; ++level) {
      const auto area = oracle::sub_band_rectangle(size, 1, level, oracle::band::hl);
      const std::int64_t target = area.x + area.width / 2;
      std::vector<bool> negative;
      for (std::int64_t x = 0; x < size; ++x) {
        oracle::plane impulse(size, 1);
        impulse.at(x, 0) = 1 << 20;
        oracle::forward_wavelet(impulse, level);
        negative.push_back(impulse.at(target, 0) < 0);
      }
      oracle::plane picture(size, size);
      for (std::int64_t y = 0; y < size; ++y) {
        for (std::int64_t x = 0; x < size; ++x) {
          const bool minus = negative.at(static_cast<std::size_t>(x)) != negative.at(static_cast<std::size_t>(y));
          picture.at(x, y) = minus ? -half : half;
        }
      }
      oracle::forward_wavelet(picture, level);
      for (std::int64_t y = 0; y < size; ++y) {
        for (std::int64_t x = 0; x < size; ++x) { largest = std::max(largest, std::abs(picture.at(x, y))); }
      }
    }
    return largest;
  };
  CHECK(drive(12) <= 32767);
  CHECK(drive(13) > 32767);
}

TEST_CASE("levels outside of their range are refused") {
  std::vector<std::int32_t> samples(12);
  const image_view<std::int32_t> plane(samples.data(), 4, 3);
  const auto refused = [](const auto& call) {
    try {
      call();
    } catch (const error& e) { return e.code() == errc::invalid_argument; }
    return false;
  };
  CHECK(refused([&] { codec::forward_cdf_5_3(host{1}, plane, 33); }));
  CHECK(refused([&] { codec::forward_cdf_5_3(host{1}, plane, -1); }));
  CHECK(refused([&] { codec::inverse_cdf_5_3(host{1}, plane, 33); }));
  CHECK(refused([&] { codec::inverse_cdf_5_3(host{1}, plane, 2, 3); }));
  CHECK(refused([&] { codec::inverse_cdf_5_3(host{1}, plane, 2, -1); }));
  CHECK(samples == std::vector<std::int32_t>(12));
}
