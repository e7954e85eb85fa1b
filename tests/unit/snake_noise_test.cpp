// The portable logarithm, noise models and sample encodings, against their definitions.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <doctest/doctest.h>
#include <limits>
#include <vector>

#include "tests/oracle/snake_oracle.hpp"
#include "tests/oracle/snake_pictures.hpp"

#include "gpuimg/segment/noise_model.hpp"
#include "gpuimg/segment/portable_real.hpp"
#include "gpuimg/segment/sample_encoding.hpp"

using namespace gpuimg;

namespace {

region_sums sums_of(const std::vector<int>& values) {
  region_sums s;
  for (const int v : values) { s += {1, v, std::int64_t{v} * v}; }
  return s;
}

/// Sums of samples that a model of non-negative samples may see.
region_sums random_region(oracle::noise_source& random, int highest) {
  std::vector<int> values(static_cast<std::size_t>(1 + random.below(200)));
  for (auto& v : values) { v = random.below(highest + 1); }
  return sums_of(values);
}

template <class Model>
void check_cost(const oracle::region_cost& definition, int highest) {
  oracle::noise_source random(3);
  for (int i = 0; i < 2000; ++i) {
    const auto s = random_region(random, highest);
    const auto expected = static_cast<double>(definition({s.count, s.sum, s.square}));
    CHECK(Model{}.cost(s, 1) == doctest::Approx(expected).epsilon(1e-12));
  }
}

}  // namespace

TEST_SUITE("snake noise models") {
  TEST_CASE("the logarithm is right to its stated error") {
    oracle::noise_source random(1);
    long double worst = 0;
    for (int i = 0; i < 400000; ++i) {
      const double range = i % 2 == 0 ? 600.0 : 1.0;
      const double x = std::exp2((random.uniform() - 0.5) * range);
      const long double exact = std::log(static_cast<long double>(x));
      const long double scale = std::max(std::abs(exact), 0.5L);
      worst = std::max(worst, std::abs(portable::log(x) - exact) / scale);
    }
    CHECK(worst < std::ldexp(1.0L, -51));
    CHECK(portable::log(1) == 0);
    CHECK(portable::log(2) == std::log(2.0));
    for (const double x : {0.5, 0.7071067811865475, 0.7071067811865476, 1.4142135623730950, 1.4142135623730951}) {
      CHECK(portable::log(x) == doctest::Approx(std::log(x)).epsilon(1e-15));
    }
  }

  TEST_CASE("the logarithm and the costs have the same bits with every compiler and every instruction set") {
    std::uint64_t hash = 0;
    const auto take = [&hash](double v) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, &v, sizeof bits);
      hash = hash * 31 + bits;
    };
    for (int i = 1; i <= 20000; ++i) { take(portable::log(i / 512.0)); }
    for (std::int64_t n = 1; n <= 5000; ++n) {
      const region_sums s{n, 91 * n + n % 7, 9999 * n + n % 13};
      take(gaussian{}.cost(s, 1));
      take(poisson{}.cost(s, 0.3));
      take(gamma_speckle{3}.cost(s, 1));
      take(rayleigh{}.cost(s, 1));
    }
    CHECK(hash == 3899212894253809215u);
  }

  TEST_CASE("costs follow their definitions") {
    check_cost<gaussian>(oracle::gaussian_cost, 255);
    check_cost<gaussian>(oracle::gaussian_cost, 1);
    check_cost<poisson>(oracle::poisson_cost, 60);
    check_cost<gamma_speckle>(oracle::exponential_cost, 4000);
    check_cost<rayleigh>(oracle::rayleigh_cost, 4000);
    check_cost<bernoulli>(oracle::bernoulli_cost, 1);
  }

  TEST_CASE("the order of a gamma law scales its cost") {
    const auto s = sums_of({3, 5, 9, 200});
    CHECK(gamma_speckle{4}.cost(s, 1) == doctest::Approx(4 * gamma_speckle{}.cost(s, 1)));
  }

  TEST_CASE("flat and empty regions have finite costs") {
    for (const auto& s : {sums_of({0}), sums_of({0, 0, 0}), sums_of({7, 7, 7})}) {
      CHECK(std::isfinite(gaussian{}.cost(s, 1)));
      CHECK(std::isfinite(poisson{}.cost(s, 1)));
      CHECK(std::isfinite(gamma_speckle{}.cost(s, 1)));
      CHECK(std::isfinite(rayleigh{}.cost(s, 1)));
      CHECK(std::isfinite(criterion(gaussian{}, s, s, 1)));  // no background
    }
    CHECK(criterion(gaussian{}, {}, sums_of({1, 2}), 1) == impossible);
    CHECK(criterion(gaussian{}, sums_of({1, 2, 3}), sums_of({1, 2}), 1) == impossible);
    CHECK(gaussian{}.cost({2, 10, 1}, 1) == impossible);  // smaller squares than the mean allows
    CHECK(bernoulli{}.cost({2, 3, 3}, 1) == impossible);
  }

  TEST_CASE("the Gaussian cost does not feel a constant, to the last bit") {
    oracle::noise_source random(5);
    for (int i = 0; i < 1000; ++i) {
      std::vector<int> values(static_cast<std::size_t>(2 + random.below(50)));
      for (auto& v : values) { v = random.below(256); }
      auto moved = values;
      for (auto& v : moved) { v += 30000; }
      CHECK(gaussian{}.cost(sums_of(values), 1) == gaussian{}.cost(sums_of(moved), 1));
    }
  }

  TEST_CASE("samples outside of a model's domain are not valid") {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const float inf = std::numeric_limits<float>::infinity();
    for (const float v : {nan, inf, -inf}) {
      CHECK_FALSE(is_valid_sample<gaussian>(v));
      CHECK_FALSE(is_valid_sample<bernoulli>(v));
      CHECK(pixel_sums<gaussian>({}, v) == region_sums{});
    }
    CHECK(is_valid_sample<gaussian>(-3.0f));
    CHECK_FALSE(is_valid_sample<poisson>(-3.0f));
    CHECK(is_valid_sample<poisson>(0.0f));
    CHECK_FALSE(is_valid_sample<log_normal>(std::uint8_t{0}));
    CHECK(pixel_sums<gaussian>({}, std::uint8_t{9}, false) == region_sums{});
  }

  TEST_CASE("f32 samples span all codes, and sums of squares fit") {
    for (const std::int64_t pixels :
         {std::int64_t{1}, std::int64_t{1} << 18, std::int64_t{100000000}, std::int64_t{1} << 31}) {
      const int bits = code_bits(pixels);
      CHECK(bits <= 24);
      CHECK(bits >= 15);
      const auto largest = static_cast<long double>((std::int64_t{1} << bits) - 1);
      CHECK(largest * largest * static_cast<long double>(pixels) < std::ldexp(1.0L, 62));
    }
    const auto encoding = make_encoding<gaussian, float>({-2, 6}, 1 << 18);
    CHECK(encode_sample<gaussian>(encoding, -2.0f) == 0);
    CHECK(encode_sample<gaussian>(encoding, 6.0f) == (1 << 22) - 1);
    const auto flat = make_encoding<gaussian, float>({5, 5}, 100);
    CHECK(encode_sample<gaussian>(flat, 5.0f) == 0);
    const auto speckle = make_encoding<gamma_speckle, float>({2, 8}, 1 << 18);
    CHECK(encode_sample<gamma_speckle>(speckle, 0.0f) == 0);
    CHECK(encode_sample<gamma_speckle>(speckle, 8.0f) == (1 << 22) - 1);
    const auto logs = make_encoding<log_normal, std::uint8_t>({}, 1 << 18);
    CHECK(encode_sample<log_normal>(logs, std::uint8_t{1}) == 0);
    CHECK(encode_sample<log_normal>(logs, std::uint8_t{255}) == (1 << 22) - 1);
    CHECK(encode_sample<bernoulli>({}, std::uint16_t{4000}) == 1);
  }

  TEST_CASE("statistics are in the picture's units") {
    const auto encoding = make_encoding<gaussian, float>({10, 50}, 4);
    region_sums s;
    for (const float v : {10.0f, 20.0f, 30.0f, 40.0f}) { s += pixel_sums<gaussian>(encoding, v); }
    const auto r = to_statistics(s, encoding);
    CHECK(r.pixels == 4);
    CHECK(r.mean == doctest::Approx(25));
    CHECK(r.variance == doctest::Approx(125));
    CHECK(to_statistics({}, encoding).pixels == 0);
  }
}
