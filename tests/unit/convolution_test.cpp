// Convolution on the host: against the oracle, reports of other libraries' users, and what is refused.
#include "gpuimg/filter/convolution.hpp"

#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <vector>

#include "tests/filter/convolution_cases.hpp"
#include "tests/filter/convolution_tables.hpp"

#include "gpuimg/filter/smoothing.hpp"

using namespace filter_tests;

namespace {

template <class T>
struct host_values {
  std::vector<T> held;
  T* data() noexcept { return held.data(); }
  const std::vector<T>& values() const noexcept { return held; }
};

struct host_place {
  unsigned threads = 1;

  template <class T>
  host_values<T> upload(const std::vector<T>& values) const {
    return {values};
  }
  template <class Sum, class S, class D, class Kernel>
  void run(const cube_view<const S>& source, const cube_view<D>& destination, const Kernel& kernel, bool turned,
           const convolution_options& options) const {
    if (turned) {
      filter::convolve<Sum>(host{threads}, source, destination, kernel, options);
    } else {
      filter::correlate<Sum>(host{threads}, source, destination, kernel, options);
    }
  }
};

template <class Call>
errc code_of(const Call& call) {
  try {
    call();
  } catch (const error& problem) { return problem.code(); }
  FAIL("nothing was thrown");
  return errc::io;
}

}  // namespace

TEST_SUITE("convolution") {
  TEST_CASE("sizes, even and odd, and anchors") { check_sizes(host_place{}); }
  TEST_CASE("borders, of pictures smaller than the window too") { check_borders(host_place{2}); }
  TEST_CASE("pitches, crops, planes, interleaved channels, empty pictures") { check_layouts(host_place{3}); }
  TEST_CASE("types of samples and coefficients") { check_types(host_place{}); }
  TEST_CASE("integer sums are exact at any size, and divided") { check_exact_sums(host_place{}); }
  TEST_CASE("a row and a column") { check_products(host_place{}); }
  TEST_CASE("NaN stays within the window") { check_nan_stays(host_place{}); }
  TEST_CASE("rounding and saturation") { check_rounding(host_place{}); }
  TEST_CASE("kernels of a static size, sums of a chosen type") { check_static_kernels(host_place{}); }

  TEST_CASE("kernels up to 127 x 127") {
    check_size<float, float, float>(host_place{}, packed(70, 65), packed(70, 65), 127, 127, false, {});
  }

  TEST_CASE("results of SciPy's tests") { check_scipy_facts(host_place{}); }
  TEST_CASE("convolution turns the kernel, correlation does not") { check_turning(host_place{}); }
  TEST_CASE("the value of a constant border") { check_border_values(host_place{}); }
  TEST_CASE("padding of rows") { check_padding(host_place{2}); }
  TEST_CASE("tall pictures") { check_tall_pictures(host_place{}); }

  TEST_CASE("products are found and are exact for integers") {
    const std::vector<std::int32_t> binomial{2, 4, 6, 4, 8, 12, -2, -4, -6};
    const auto split = filter::split_kernel(filter::kernel_view(binomial.data(), 3, 3));
    REQUIRE(split.has_value());
    for (int y = 0; y < 3; ++y) {
      for (int x = 0; x < 3; ++x) {
        CHECK(split->row[static_cast<std::size_t>(x)] * split->column[static_cast<std::size_t>(y)] ==
              binomial[static_cast<std::size_t>(3 * y + x)]);
      }
    }
    const std::vector<std::int32_t> plus{0, 1, 0, 1, 1, 1, 0, 1, 0};
    CHECK(!filter::split_kernel(filter::kernel_view(plus.data(), 3, 3)).has_value());
    std::vector<float> smooth;
    for (const float y : {0.1f, 0.7f, 0.2f}) {
      for (const float x : {0.3f, 0.4f, 0.3f}) { smooth.push_back(x * y); }
    }
    CHECK(filter::split_kernel(filter::kernel_view(smooth.data(), 3, 3)).has_value());
    smooth[4] *= 1.001f;
    CHECK(!filter::split_kernel(filter::kernel_view(smooth.data(), 3, 3)).has_value());
    CHECK(filter::split_kernel(filter::kernel_view(smooth.data(), 3, 3), 0.01).has_value());
    // Integer kernels are split on the way, which must not show.
    std::vector<std::int32_t> product;
    for (int y = 0; y < 7; ++y) {
      for (int x = 0; x < 5; ++x) { product.push_back((x * x - 3) * (2 * y - 5)); }
    }
    const filter::kernel_view<std::int32_t> kernel(product.data(), 5, 7, 1, 6);
    const auto picture = packed(61, 23);
    check_kernel<filter::automatic_sum, std::int64_t, std::int16_t, std::int32_t>(
        host_place{}, picture, picture, random_values<std::int16_t>(picture.size(), 1), kernel, kernel, true, {});
  }

  TEST_CASE("box and Gaussian") {
    const std::vector<std::uint8_t> in{10, 11, 12, 20, 0, 255};
    std::vector<std::uint8_t> out(6);
    const image_view<const std::uint8_t> from(in.data(), 6, 1);
    filter::box(host{1}, from, image_view<std::uint8_t>(out.data(), 6, 1), filter::window_size(2, 1));
    CHECK(out == std::vector<std::uint8_t>{10, 10, 12, 16, 10, 128});
    const auto coefficients = filter::gaussian_coefficients<double>(1.0);
    REQUIRE(coefficients.size() == 9);
    CHECK(coefficients[4] == doctest::Approx(0.39894346935609776));
    CHECK(coefficients[3] == doctest::Approx(0.24197144565660075));
    std::vector<float> smooth(6);
    filter::gaussian(host{1}, from, image_view<float>(smooth.data(), 6, 1), 0.6);
    CHECK(smooth[0] == doctest::Approx(10.2145).epsilon(0.01));
    CHECK(code_of([&] { filter::gaussian_coefficients<float>(0.0); }) == errc::invalid_argument);
    CHECK(code_of([&] {
            filter::box(host{1}, from, image_view<float>(smooth.data(), 6, 1), filter::window_size(0, 1));
          }) == errc::invalid_argument);
  }

  TEST_CASE("what is refused") {
    std::vector<float> buffer(100);
    const std::vector<float> ones(9, 1.0f);
    const filter::kernel_view<float> kernel(ones.data(), 3, 3);
    const image_view<float> all(buffer.data(), 10, 10);
    const auto run = [&](const image_view<const float>& from, const image_view<float>& to, const auto& k,
                         const convolution_options& options = {}) {
      return code_of([&] { filter::correlate(host{1}, from, to, k, options); });
    };
    CHECK(run(all, all, kernel) == errc::aliased);
    CHECK(run(all.crop(0, 0, 10, 6), all.crop(0, 5, 10, 5).crop(0, 0, 10, 5), kernel) == errc::invalid_argument);
    CHECK(run(all.crop(0, 0, 6, 10), all.crop(4, 0, 6, 10), kernel) == errc::aliased);
    CHECK_NOTHROW(
        filter::correlate(host{1}, image_view<const float>(all.crop(0, 0, 5, 10)), all.crop(5, 0, 5, 10), kernel));
    std::vector<float> other(100);
    const image_view<float> to(other.data(), 10, 10);
    CHECK(run(all, to, filter::kernel_view<float>(ones.data(), 0, 3)) == errc::invalid_argument);
    CHECK(run(all, to, filter::kernel_view<float>(ones.data(), 3, 3, 3, 0)) == errc::invalid_argument);
    CHECK(run(all, to, kernel, {.divisor = 2}) == errc::invalid_argument);
    CHECK(run({buffer.data(), 9, 9, 37}, {other.data(), 9, 9, 36}, kernel) == errc::invalid_argument);
    const std::vector<std::int32_t> huge(9, 2147483647);
    std::vector<std::int32_t> whole(100);
    CHECK(code_of([&] {
            filter::correlate(host{1}, image_view<const std::int32_t>(whole.data(), 10, 10),
                              image_view<float>(other.data(), 10, 10), filter::kernel_view(huge.data(), 3, 3));
          }) == errc::unsupported);
  }
}
