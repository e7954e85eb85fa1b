/// @file
/// Cubes of any order as few rectangles.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <doctest/doctest.h>
#include <vector>

#include "tests/oracle/lce_cases.hpp"

#include "gpuimg/codec/lce/cube_transfer.hpp"

using gpuimg::interleave;
namespace lce = gpuimg::lce;
using gpuimg::oracle::lce::stored_cube;

namespace {

/// Copies to the packed form as a device's copies would, and compares.
template <class T>
void check_transfer(const gpuimg::cube_view<T>& view, std::int64_t most_copies) {
  const lce::any_mutable_cube cube(view);
  const lce::cube_transfer transfer(cube);
  CHECK(transfer.count <= most_copies);
  REQUIRE(transfer.bytes() == view.size() * static_cast<std::int64_t>(sizeof(T)));
  std::vector<T> packed(static_cast<std::size_t>(view.size()));
  auto* to = reinterpret_cast<std::byte*>(packed.data());
  for (std::int64_t i = 0; i < transfer.count; ++i) {
    for (std::int64_t row = 0; row < transfer.rows; ++row, to += transfer.run) {
      std::memcpy(to, cube.data + i * transfer.pitch + row * transfer.row_pitch,
                  static_cast<std::size_t>(transfer.run));
    }
  }
  const auto copy = transfer.packed<std::byte>(cube, reinterpret_cast<std::byte*>(packed.data()));
  for (std::int64_t b = 0; b < view.bands; ++b) {
    for (std::int64_t y = 0; y < view.height; ++y) {
      for (std::int64_t x = 0; x < view.width; ++x) {
        REQUIRE(*reinterpret_cast<const T*>(copy.at(x, y, b)) == view(x, y, b));
      }
    }
  }
}

}  // namespace

TEST_CASE_TEMPLATE("transfers pack cubes of every order, whole and in rows", T, std::uint8_t, std::int16_t) {
  for (const auto order : {interleave::bsq, interleave::bil, interleave::bip}) {
    for (const std::int64_t gap : {0, 3}) {
      stored_cube<T> cube(6, 5, 4, order, gap);
      for (std::size_t i = 0; i < cube.memory.size(); ++i) { cube.memory[i] = static_cast<T>(i); }
      check_transfer(cube.view, gap == 0 ? 1 : 5);
      check_transfer(cube.view.crop(0, 1, 6, 3), gap == 0 ? 1 : 5);
      check_transfer(cube.view.crop(2, 1, 1, 1), 5);
      check_transfer(cube.view.crop(0, 0, 1, 5), 5);
    }
  }
}

TEST_CASE("a cube without adjacent samples is refused") {
  stored_cube<std::uint16_t> cube(6, 5, 4, interleave::bip);
  auto view = cube.view;
  view.bands = 2;
  view.band_stride *= 2;
  CHECK_THROWS_AS(lce::cube_transfer(lce::any_cube(view)), gpuimg::error);
}

TEST_CASE("recommended slabs are whole blocks of about 16 MiB") {
  CHECK(lce::recommended_slab_rows(512, 220, lce::sample_type::u16) == 64);
  CHECK(lce::recommended_slab_rows(30000, 138, lce::sample_type::u16) == 16);
  CHECK(lce::recommended_slab_rows(0, 0, lce::sample_type::u8) % 16 == 0);
}
