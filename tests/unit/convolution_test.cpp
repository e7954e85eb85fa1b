// Convolution on the host: against the oracle, reports of other libraries' users, and what is refused.
#include "gpuimg/filter/convolution.hpp"

#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <vector>

#include "tests/filter/convolution_cases.hpp"

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

template <class T>
std::vector<T> filtered(const std::vector<T>& in, std::int64_t width, const auto& kernel, bool turned,
                        const convolution_options& options = {}) {
  std::vector<T> out(in.size());
  const auto height = static_cast<std::int64_t>(in.size()) / width;
  const image_view<const T> from(in.data(), width, height);
  const image_view<T> to(out.data(), width, height);
  if (turned) {
    filter::convolve(host{1}, from, to, kernel, options);
  } else {
    filter::correlate(host{1}, from, to, kernel, options);
  }
  return out;
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

  TEST_CASE("convolution turns the kernel, correlation does not") {
    std::vector<float> delta(25, 0.0f);
    delta[12] = 1;
    const std::vector<float> ramp{1, 2, 3, 4, 5, 6, 7, 8, 9};
    const filter::kernel_view<float> kernel(ramp.data(), 3, 3);
    const auto centre = [](const std::vector<float>& p) {
      return std::vector<float>{p[6], p[7], p[8], p[11], p[12], p[13], p[16], p[17], p[18]};
    };
    CHECK(centre(filtered(delta, 5, kernel, true)) == ramp);
    CHECK(centre(filtered(delta, 5, kernel, false)) == std::vector<float>{9, 8, 7, 6, 5, 4, 3, 2, 1});
  }

  TEST_CASE("results of SciPy's tests where borders agree") {
    // correlate and convolve of [1, 2, 3] (reflect) by [1, 1], and of a table by [[1, 0], [0, 1]].
    const std::vector<std::int32_t> row{1, 2, 3};
    const std::vector<std::int32_t> pair{1, 1};
    const filter::kernel_view<std::int32_t> two(pair.data(), 2, 1);
    CHECK(filtered(row, 3, two, false) == std::vector<std::int32_t>{2, 3, 5});
    CHECK(filtered(row, 3, two, true) == std::vector<std::int32_t>{3, 5, 6});
    const std::vector<std::int32_t> table{1, 2, 3, 4, 5, 6};
    const std::vector<std::int32_t> cross{1, 0, 0, 1};
    const filter::kernel_view<std::int32_t> diagonal(cross.data(), 2, 2);
    CHECK(filtered(table, 3, diagonal, false) == std::vector<std::int32_t>{2, 3, 5, 5, 6, 8});
    CHECK(filtered(table, 3, diagonal, true) == std::vector<std::int32_t>{6, 8, 9, 9, 11, 12});
  }

  TEST_CASE("the value of a constant border") {
    const std::vector<float> ones(3, 1.0f);
    const filter::kernel_view<float> kernel(ones.data(), 3, 1);
    const auto real = filtered<float>({1, 2, 3, 2, 1}, 5, kernel, false, {.mode = border::constant, .value = 0.1});
    CHECK(real == std::vector<float>{3.1f, 6, 7, 6, 3.1f});
    const auto nan = std::numeric_limits<double>::quiet_NaN();
    const auto open = filtered<float>({1, 2, 3, 2, 1}, 5, kernel, false, {.mode = border::constant, .value = nan});
    CHECK(open[0] != open[0]);
    CHECK(open[1] == 6.0f);
    CHECK(open[4] != open[4]);
    const std::vector<std::int32_t> counts(3, 1);
    const filter::kernel_view<std::int32_t> whole(counts.data(), 3, 1);
    CHECK(filtered<std::int32_t>({1, 2, 3, 2, 1}, 5, whole, false, {.mode = border::constant, .value = 0.1}) ==
          std::vector<std::int32_t>{3, 6, 7, 6, 3});
    CHECK(code_of([&] {
            filtered<std::int32_t>({1, 2, 3}, 3, whole, false, {.mode = border::constant, .value = nan});
          }) == errc::invalid_argument);
  }

  TEST_CASE("tall pictures") {
    const placement tall = packed(3, 700000);
    const filter::static_kernel<float, 3, 1> along_x{{-1, 0, 1}};
    const filter::static_kernel<float, 1, 3> along_y{{-1, 0, 1}};
    const auto samples = random_values<float>(tall.size(), 2);
    check_kernel<filter::automatic_sum, float, float, float>(host_place{}, tall, tall, samples, along_x, along_x.view(),
                                                             false, {});
    check_kernel<filter::automatic_sum, float, float, float>(host_place{}, tall, tall, samples, along_y, along_y.view(),
                                                             true, {});
  }

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
