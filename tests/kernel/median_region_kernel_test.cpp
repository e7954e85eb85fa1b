// Kernels of windows by the order of regions, in the emulator: every size of tile, sample type, border and policy.
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <vector>

#include "tests/filter/median_cases.hpp"
#include "tests/filter/median_emulated.hpp"
#include "tests/filter/median_tables.hpp"

using namespace median_tests;

namespace {

// Calls kernel by kernel, on tiles that share two blocks.
template <class T, class Kernel>
void in_workspace(const picture<T>& source, filter::window_size size, int rank, border mode, bool descending) {
  auto result = unwritten(source);
  Kernel kernel{};
  kernel.source = {filter::detail::bands_of(image_view<const T>(source.samples.data(), source.width, source.height)),
                   mode, border_value<T>()};
  kernel.destination = cube_view<T>(image_view<T>(result.samples.data(), source.width, source.height));
  kernel.frame = filter::detail::frame_of(size);
  kernel.rank = rank;
  kernel.tiles = filter::detail::tiles_of<Kernel>({source.width, source.height, 1}, Kernel::block_height);
  std::vector<std::byte> workspace(static_cast<std::size_t>(2 * Kernel::region_bytes(kernel.frame)));
  kernel.workspace = workspace.data();
  REQUIRE(Kernel::fits(kernel.frame, std::int64_t{1} << 30));
  simt::emulate({.x = 2}, kernel, {.descending = descending});
  CHECK(difference(source, result, {size.width, size.height, {}}, rank, mode) == "");
}

}  // namespace

TEST_SUITE("median region kernels") {
  TEST_CASE_TEMPLATE("every border", T, std::uint8_t, std::uint16_t, std::int16_t, std::int32_t, std::int64_t, float,
                     double, binary16) {
    for (const bool descending : {false, true}) {
      emulated_backend backend{false, descending, std::size_t{100} << 10};
      for (const border mode : modes) {
        any_window<T>(backend, 35, 19, 5, 6, 14, mode);
        any_window<T>(backend, 37, 9, 20, 7, 71, mode);
      }
    }
  }

  TEST_CASE("every size of tile") {
    emulated_backend backend;
    for (const int side : {2, 11, 12, 23, 24, 35, 36, 65, 66, 124, 125, 141}) {
      any_window<std::uint16_t>(backend, 34, 3, side, side, side * side / 2, border::reflect);
    }
    for (const int side : {51, 52, 65, 102}) {
      any_window<float>(backend, 3, 34, side, side, side * side / 2, border::reflect101);
    }
    any_window<float>(backend, 67, 3, 190, 3, 569, border::wrap);
    any_window<double>(backend, 4, 4, 3, 90, 0, border::constant);
  }

  TEST_CASE("every small picture") {
    emulated_backend backend;
    for (int height = 1; height <= 4; ++height) {
      for (int width = 1; width <= 5; ++width) {
        any_window<std::uint16_t>(backend, width, height, 4, 3, 6, border::reflect101);
      }
    }
  }

  TEST_CASE("equal samples, few bits, all ranks") {
    emulated_backend backend;
    for (const int distinct : {1, 2, 3, 300}) {
      auto source = make_picture<std::uint16_t>(33, 17, 2);
      for (auto& sample : source.samples) { sample = static_cast<std::uint16_t>(sample % distinct * 64); }
      for (int rank = 0; rank < 9; ++rank) {
        auto result = unwritten(source);
        backend.run(source, result, [&](const auto& execution, const auto& from, const auto& to) {
          filter::rank(execution, from, to, filter::window_size(3), rank, border::replicate);
        });
        CHECK(difference(source, result, {3, 3, {}}, rank, border::replicate) == "");
      }
    }
  }

  TEST_CASE("regions in a workspace") {
    using narrow = filter::detail::median_workspace_kernel<std::uint16_t, filter::detail::word_places, 1, 4, 8>;
    using wide = filter::detail::median_workspace_kernel<float, filter::detail::word_places, 2, 8, 16>;
    for (const bool descending : {false, true}) {
      in_workspace<std::uint16_t, narrow>(make_picture<std::uint16_t>(70, 35, 2), {300, 5}, 700, border::wrap,
                                          descending);
      in_workspace<float, wide>(make_picture<float>(130, 66, 3), {6, 9}, 20, border::constant, descending);
    }
  }

  TEST_CASE("the workspace is at most 16 bytes a pixel") {
    const gpuimg::simt::grid_extent picture{4096, 4096, 1};
    for (const int side : {3, 21, 51, 101, 141, 142, 255, 268, 269, 1023}) {
      const auto frame = filter::detail::frame_of(filter::window_size(side));
      const auto bytes = filter::detail::device_workspace_size<std::uint16_t>(picture, frame);
      CAPTURE(side);
      CHECK(bytes <= std::size_t{16} * 4096 * 4096);
      CHECK((bytes != 0) == (side > 141 && side < 269));
      const bool no_histogram = side > 255;
      CHECK((filter::detail::device_workspace_size<std::uint8_t>(picture, frame) != 0) == (no_histogram && bytes != 0));
    }
    CHECK(filter::detail::device_workspace_size<std::uint16_t>(
              {300, 300, 1}, filter::detail::frame_of(filter::window_size(255))) == 0);
  }

  TEST_CASE("a device that is short of shared memory leaves the caller's workspace alone") {
    const auto source = make_picture<std::uint16_t>(256, 128, 2);
    auto result = unwritten(source);
    std::vector<std::byte> own(64, std::byte{0x3C});
    filter::median_options<std::uint16_t> options;
    options.workspace = own.data();
    emulated_backend{false, false, 100}.run(
        source, result, [&](const auto& execution, const auto& from, const auto& to) {
          filter::rank(execution, from, to, filter::window_size{4, 3}, 5, border::wrap, options);
        });
    CHECK(difference(source, result, {4, 3, {}}, 5, border::wrap) == "");
    CHECK(own == std::vector<std::byte>(64, std::byte{0x3C}));
  }

  TEST_CASE("NaN") {
    emulated_backend backend;
    not_a_number<float, 19>(backend, 40, 20);
    not_a_number<binary16, 19>(backend, 20, 5);
    not_a_number<double, 18>(backend, 20, 5);
    picture<float> none{40, 3, std::vector<float>(120, std::numeric_limits<float>::quiet_NaN())};
    none.samples[60] = 1;
    for (const nan_policy policy : {nan_policy::propagate, nan_policy::ignore, nan_policy::preserve}) {
      auto result = unwritten(none);
      filter::median_options<float> options;
      options.nan = policy;
      backend.run(none, result, [&](const auto& execution, const auto& from, const auto& to) {
        filter::rank(execution, from, to, filter::window_size{5, 2}, 3, border::replicate, options);
      });
      CHECK(difference(none, result, {5, 2, {}}, 3, border::replicate, policy) == "");
    }
  }

  TEST_CASE("more bands than four") {
    bands_one_by_one<std::uint8_t>(emulated_device{});
    bands_one_by_one<std::uint16_t>(emulated_device{});
  }

  TEST_CASE_TEMPLATE("tables of SciPy's tests", T, std::uint8_t, std::uint16_t, float) {
    emulated_backend backend;
    agrees_with_tables<T>(backend);
  }
}
