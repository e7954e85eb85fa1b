// Convolution on the host by the code for each instruction set that this processor has: sums, stores and means against
// the oracle.
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <vector>

#include "tests/filter/convolution_cases.hpp"
#include "tests/oracle/convolution.hpp"

#include "gpuimg/filter/convolution.hpp"
#include "gpuimg/filter/detail/convolution_host_box.hpp"
#include "gpuimg/filter/detail/convolution_host_stores.hpp"
#include "gpuimg/filter/detail/host_isa.hpp"

using namespace filter_tests;
using filter::detail::host_isa;

namespace {

template <class T>
struct values_of_isa {
  std::vector<T> held;
  T* data() noexcept { return held.data(); }
  const std::vector<T>& values() const noexcept { return held; }
};

/// The host with the code for one instruction set.
struct isa_place {
  host_isa isa;

  template <class T>
  values_of_isa<T> upload(const std::vector<T>& values) const {
    return {values};
  }
  template <class Sum, class S, class D, class Kernel>
  void run(const cube_view<const S>& source, const cube_view<D>& destination, const Kernel& kernel, bool turned,
           const convolution_options& options) const {
    filter::detail::run<Sum>(filter::detail::host_engine{host{2}, isa}, source, destination, kernel, turned, options);
  }
};

template <class Body>
void with_every_isa(const Body& body) {
  for (const host_isa isa : {host_isa::plain, host_isa::avx2}) {
    CAPTURE(static_cast<int>(isa));
    if (filter::detail::has_isa(isa)) { body(isa); }
  }
}

/// Stores a line of sums and compares each with expected(sum).
template <class D, class A, class Store, class Expected>
void check_store(const std::vector<A>& sums, const Store& store, const Expected& expected) {
  with_every_isa([&](host_isa isa) {
    std::vector<D> results(sums.size());
    filter::detail::store_line(isa, sums.data(), static_cast<std::int64_t>(sums.size()), results.data(), sizeof(D),
                               store);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < sums.size(); ++i) { wrong += results[i] == expected(sums[i]) ? 0 : 1; }
    CHECK(wrong == 0);
  });
}

template <class D, class A, class Store>
void check_quotients(const std::vector<A>& sums, std::int64_t divisor, const Store& store) {
  CAPTURE(divisor);
  check_store<D>(sums, store,
                 [&](A sum) { return oracle::rounded<D>(oracle::quotient(static_cast<std::int64_t>(sum), divisor)); });
}

template <class A>
std::vector<A> range(std::int64_t first, std::int64_t last, std::int64_t step) {
  std::vector<A> all;
  for (std::int64_t i = first; i <= last; i += step) { all.push_back(static_cast<A>(i)); }
  return all;
}

/// Means of windows of integers, which are sums of ones and a division.
template <class S, class D>
void check_box(host_isa isa, const placement& from, const placement& to, int width, int height, border mode) {
  const std::vector<std::int32_t> ones(static_cast<std::size_t>(width * height), 1);
  const filter::kernel_view<std::int32_t> view(ones.data(), width, height);
  const filter::separable_kernel<std::int32_t> kernel(std::vector<std::int32_t>(static_cast<std::size_t>(width), 1),
                                                      std::vector<std::int32_t>(static_cast<std::size_t>(height), 1));
  convolution_options options{.mode = mode, .value = 3};
  options.divisor = std::int64_t{width} * height;
  check_kernel<filter::automatic_sum, std::int64_t, S, D>(isa_place{isa}, from, to, random_values<S>(from.size(), 5),
                                                          kernel, view, false, options);
}

}  // namespace

TEST_SUITE("convolution on the host") {
  TEST_CASE("sizes, types and layouts by every instruction set") {
    with_every_isa([](host_isa isa) {
      check_sizes(isa_place{isa});
      check_layouts(isa_place{isa});
      check_types(isa_place{isa});
      check_products(isa_place{isa});
      check_nan_stays(isa_place{isa});
    });
  }

  TEST_CASE("more than one strip of columns and band of rows") {
    with_every_isa([](host_isa isa) {
      for (const std::int64_t width : {255, 256, 257, 2049}) {
        const placement flat = packed(width, 6);
        check_size<float, float, float>(isa_place{isa}, flat, flat, 3, 3, false, {});
        check_size<std::uint8_t, std::uint8_t, float>(isa_place{isa}, flat, flat, 5, 2, true, {});
        check_box<std::uint8_t, std::uint8_t>(isa, flat, flat, 5, 3, border::reflect);
      }
      const placement tall = packed(5, 262);
      check_size<float, float, float>(isa_place{isa}, tall, tall, 3, 3, false, {});
      check_box<std::uint16_t, std::uint16_t>(isa, tall, tall, 3, 3, border::wrap);
    });
  }

  TEST_CASE("means of integers") {
    with_every_isa([](host_isa isa) {
      const placement picture = packed(77, 40);
      for (const border mode : all_borders) {
        for (int side = 1; side <= 17; ++side) {
          check_box<std::uint8_t, std::uint8_t>(isa, picture, picture, side, side, mode);
        }
        check_box<std::uint8_t, std::uint8_t>(isa, picture, picture, 31, 31, mode);
        check_box<std::uint8_t, std::int16_t>(isa, picture, picture, 4, 3, mode);
        check_box<std::int8_t, std::int8_t>(isa, picture, picture, 4, 4, mode);
        check_box<std::int8_t, std::int16_t>(isa, picture, picture, 31, 2, mode);
        check_box<std::uint16_t, std::uint16_t>(isa, picture, picture, 5, 5, mode);
        check_box<std::uint16_t, std::uint16_t>(isa, picture, picture, 31, 31, mode);
        check_box<std::int16_t, std::int16_t>(isa, picture, picture, 8, 8, mode);
        check_box<std::int16_t, std::int16_t>(isa, picture, picture, 7, 3, mode);
      }
      for (const int side : {1, 2, 9, 63, 64, 127, 128, 130, 255, 300}) {
        check_box<std::uint8_t, std::uint8_t>(isa, picture, picture, side, 1, border::reflect);
        check_box<std::uint8_t, std::uint8_t>(isa, picture, picture, 1, side, border::reflect);
      }
      check_box<std::uint8_t, std::uint8_t>(isa, interleaved(19, 7, 3), interleaved(19, 7, 3), 3, 3, border::reflect);
      check_box<std::uint8_t, std::uint8_t>(isa, pitched(19, 7, 23, 2), packed(19, 7), 3, 3, border::reflect);
    });
  }

  TEST_CASE("means of bytes: every sum") {
    for (std::int64_t number = 2; number <= filter::detail::byte_mean::most; ++number) {
      check_quotients<std::uint8_t>(range<std::uint16_t>(0, 255 * number, 1), number,
                                    filter::detail::byte_mean(number));
    }
  }

  TEST_CASE("odd means by a product: about every half, and the largest sums") {
    for (const std::int64_t number : {1, 3, 9, 25, 49, 63}) {
      const filter::detail::line_mean<std::uint16_t> mean(number);
      const std::int64_t most = std::min<std::int64_t>(65535 * number, mean.most_sum);
      check_quotients<std::uint16_t>(range<std::int32_t>(0, most, 1), number, mean);
      check_quotients<std::int16_t>(range<std::int32_t>(-32768 * number, 32767 * number, 7), number,
                                    filter::detail::line_mean<std::int16_t>(number));
    }
    for (const std::int64_t number : {225, 961, 9999, 16129}) {
      check_quotients<std::uint8_t>(range<std::int32_t>(0, 255 * number, 1), number,
                                    filter::detail::line_mean<std::uint8_t>(number));
    }
  }

  TEST_CASE("quotients: halves, both signs, sums beyond the type") {
    for (const std::int64_t divisor : {1, 2, 3, 4, 7, 16, 255, 256, 961, 65536, 4194304}) {
      const std::vector<std::int32_t> small = range<std::int32_t>(-70000, 70000, 1);
      const std::vector<float> large = range<float>(-16777216, 16777216, 999);
      check_quotients<std::uint8_t>(small, divisor, filter::detail::line_quotient<std::uint8_t>(divisor));
      check_quotients<std::int8_t>(small, divisor, filter::detail::line_quotient<std::int8_t>(divisor));
      check_quotients<std::uint16_t>(small, divisor, filter::detail::line_quotient<std::uint16_t>(divisor));
      check_quotients<std::int16_t>(large, divisor, filter::detail::line_quotient<std::int16_t>(divisor));
      check_quotients<std::uint16_t>(large, divisor, filter::detail::line_quotient<std::uint16_t>(divisor));
    }
    for (const std::int64_t divisor : {4096, 31 * 181, 32768}) {  // sums of up to 31 bits
      check_quotients<std::uint16_t>(range<std::int32_t>(0, 65535 * divisor, 5003), divisor,
                                     filter::detail::line_quotient<std::uint16_t>(divisor));
    }
  }

  TEST_CASE_TEMPLATE("rounding: halves, saturation, NaN", D, std::uint8_t, std::int8_t, std::uint16_t, std::int16_t) {
    std::vector<float> sums = range<float>(-140000, 140000, 1);
    for (float& sum : sums) { sum /= 2; }
    for (const float special :
         {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::quiet_NaN(),
          std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(), 3e9f, -3e9f, 2147483648.0f,
          -2147483648.0f, 1e30f, -1e30f, 0.49999997f, -0.0f, 254.50002f, 255.49998f, 65535.49f}) {
      for (int i = 0; i < 33; ++i) { sums.push_back(special); }
    }
    check_store<D>(sums, filter::detail::line_rounding<D>{}, [](float sum) { return oracle::rounded<D>(sum); });
  }
}
