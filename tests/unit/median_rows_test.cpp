// Windows on the host, by the code for each instruction set that this processor has, against the oracle.
#include <cstdint>
#include <doctest/doctest.h>

#include "tests/filter/median_backends.hpp"
#include "tests/filter/median_cases.hpp"

#include "gpuimg/filter/detail/host_isa.hpp"
#include "gpuimg/filter/detail/median_host_histogram.hpp"
#include "gpuimg/filter/detail/median_host_rows.hpp"
#include "gpuimg/filter/median.hpp"

using namespace median_tests;
using filter::detail::host_isa;

namespace {

/// host_row_filter as it is called for a window, on pictures in frames that must not change.
template <int Width, int Height, int Rank, class T>
void check_rows(host_isa isa, const picture<T>& source, border mode, nan_policy policy = nan_policy::propagate) {
  if (!filter::detail::has_isa(isa)) { return; }
  auto result = unwritten(source);
  with_framed(source, result, false, [&](auto& from, auto& to) {
    const filter::detail::bordered_bands<T> bands{
        cube_view<const T>(from.view(const_cast<const T*>(from.memory().data()))), mode, border_value<T>()};
    const auto frame = filter::detail::frame_of(filter::window_size{Width, Height});
    filter::detail::host_row_filter<T, Width, Height, Rank>(bands, cube_view<T>(to.view(to.memory().data())), frame,
                                                            policy, isa)
        .run(1);
  });
  CHECK(difference(source, result, {Width, Height, {}}, Rank, mode, policy) == "");
}

template <class T, int Width, int Height, int Rank>
void check_window() {
  for (const host_isa isa : {host_isa::plain, host_isa::avx2}) {
    CAPTURE(static_cast<int>(isa));
    unsigned seed = 1;
    for (const border mode : modes) {
      check_rows<Width, Height, Rank>(isa, make_picture<T>(67, 9, ++seed), mode);
      check_rows<Width, Height, Rank>(isa, make_picture<T>(1, 1, ++seed), mode);
      check_rows<Width, Height, Rank>(isa, make_picture<T>(3, 70, ++seed), mode);
    }
  }
}

}  // namespace

TEST_SUITE("medians by rows on the host") {
  TEST_CASE_TEMPLATE("medians of every width of a sample", T, std::uint8_t, std::int8_t, std::uint16_t, std::int16_t,
                     std::uint32_t, std::int32_t, std::int64_t, float, double, binary16) {
    check_window<T, 3, 3, 4>();
    check_window<T, 5, 5, 12>();
  }

  TEST_CASE("larger, even, flat and tall windows") {
    check_window<std::uint8_t, 7, 7, 24>();
    check_window<float, 7, 7, 24>();
    check_window<std::uint8_t, 9, 9, 40>();
    check_window<std::uint16_t, 4, 4, 8>();
    check_window<std::uint8_t, 2, 2, 2>();
    check_window<float, 1, 7, 3>();
    check_window<std::int16_t, 7, 1, 3>();
    check_window<std::uint8_t, 1, 1, 0>();
    check_window<std::uint8_t, 6, 3, 9>();
    check_window<std::uint16_t, 3, 8, 12>();
  }

  TEST_CASE("every rank") {
    check_window<std::uint8_t, 3, 3, 0>();
    check_window<std::uint8_t, 3, 3, 1>();
    check_window<std::uint16_t, 3, 3, 7>();
    check_window<float, 3, 3, 8>();
    check_window<std::uint8_t, 5, 5, 24>();
    check_window<std::uint16_t, 5, 4, 3>();
  }

  TEST_CASE("every width about the words, and more than one strip") {
    for (const host_isa isa : {host_isa::plain, host_isa::avx2}) {
      for (std::int64_t width = 1; width <= 70; ++width) {
        check_rows<3, 3, 4>(isa, make_picture<std::uint8_t>(width, 3, static_cast<unsigned>(width)), border::reflect);
      }
      for (const std::int64_t width : {2047, 2048, 2049, 4100}) {
        check_rows<5, 5, 12>(isa, make_picture<std::uint8_t>(width, 4, 1), border::wrap);
      }
      for (const std::int64_t width : {511, 512, 513, 1030}) {
        check_rows<3, 3, 4>(isa, make_picture<float>(width, 5, 2), border::constant);
      }
    }
  }

  TEST_CASE_TEMPLATE("large windows of bytes by histograms", T, std::uint8_t, std::int8_t) {
    for (const host_isa isa : {host_isa::plain, host_isa::avx2}) {
      if (!filter::detail::has_isa(isa)) { continue; }
      const auto source = make_picture<T>(530, 21, 6);
      auto result = unwritten(source);
      with_framed(source, result, false, [&](auto& from, auto& to) {
        const filter::detail::bordered_bands<T> bands{
            cube_view<const T>(from.view(const_cast<const T*>(from.memory().data()))), border::wrap, T{}};
        const auto frame = filter::detail::frame_of(filter::window_size{15, 13});
        filter::detail::host_histogram_filter<T>(bands, cube_view<T>(to.view(to.memory().data())), frame, 90, isa)
            .run(1);
      });
      CHECK(difference(source, result, {15, 13, {}}, 90, border::wrap) == "");
    }
  }

  TEST_CASE_TEMPLATE("NaN is seen only by the windows about it", T, float, double, binary16) {
    for (const host_isa isa : {host_isa::plain, host_isa::avx2}) {
      for (const nan_policy policy : {nan_policy::propagate, nan_policy::ignore, nan_policy::preserve}) {
        const auto source = make_picture<T>(83, 11, 8, true);
        check_rows<3, 3, 4>(isa, source, border::constant, policy);
        check_rows<5, 5, 12>(isa, source, border::reflect, policy);
        check_rows<3, 2, 3>(isa, source, border::wrap, policy);
      }
    }
  }
}
