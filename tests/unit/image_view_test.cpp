// Views: which sample a coordinate names, for packed, pitched, bottom-up, cropped and interleaved memory.
#include "gpuimg/core/image_view.hpp"

#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

using namespace gpuimg;

namespace {

template <class Body>
errc thrown_by(const Body& body) {
  try {
    body();
  } catch (const error& e) {
    CHECK(std::string(e.what()).size() > 10);
    return e.code();
  }
  FAIL("nothing was thrown");
  return errc::io;
}

// Memory in which every sample differs from the others.
template <class T>
std::vector<T> ramp(std::int64_t count) {
  std::vector<T> samples(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < samples.size(); ++i) { samples[i] = static_cast<T>(i); }
  return samples;
}

}  // namespace

TEST_SUITE("image_view") {
  static_assert(std::is_trivially_copyable_v<image_view<float>>);
  static_assert(std::is_trivially_copyable_v<planar_view<const std::uint8_t>>);
  static_assert(std::is_trivially_copyable_v<cube_view<std::int16_t>>);
  static_assert(std::is_convertible_v<image_view<int>, image_view<const int>>);
  static_assert(!std::is_convertible_v<image_view<const int>, image_view<int>>);
  static_assert(std::is_same_v<image_view<const int>::value_type, int>);

  TEST_CASE("a default view is empty") {
    CHECK(image_view<int>{}.empty());
    CHECK(planar_view<int>{}.empty());
    CHECK(cube_view<int>{}.empty());
    CHECK(image_view<int>{}.size() == 0);
  }

  TEST_CASE_TEMPLATE("a packed view names samples row by row", T, std::uint8_t, std::int8_t, std::uint16_t,
                     std::int16_t, std::int32_t, std::uint32_t, float) {
    auto samples = ramp<T>(5 * 3);
    const image_view<T> image(samples.data(), 5, 3);
    CHECK(image.pitch == 5 * static_cast<std::int64_t>(sizeof(T)));
    CHECK(image.size() == 15);
    CHECK_FALSE(image.empty());
    for (std::int64_t y = 0; y < 3; ++y) {
      for (std::int64_t x = 0; x < 5; ++x) { CHECK(&image(x, y) == samples.data() + y * 5 + x); }
    }
    image(4, 2) = T{42};
    CHECK(samples[14] == T{42});
  }

  TEST_CASE("one side of zero makes a view empty") {
    std::uint8_t sample = 0;
    CHECK(image_view<std::uint8_t>(&sample, 0, 7).empty());
    CHECK(image_view<std::uint8_t>(&sample, 7, 0).empty());
    CHECK(image_view<std::uint8_t>(&sample, 7, 0).size() == 0);
  }

  TEST_CASE("a pitch need not be a multiple of the sample") {
    // 13 bytes from row to row; samples are bytes here, so that none is misaligned.
    auto samples = ramp<std::uint8_t>(13 * 4);
    const image_view<const std::uint8_t> image(samples.data(), 5, 4, 13);
    CHECK(image(0, 3) == 39);
    CHECK(image(4, 3) == 43);
    CHECK(image.row(2) == samples.data() + 26);
  }

  TEST_CASE("a negative pitch reads a picture that is stored bottom-up") {
    auto samples = ramp<std::uint16_t>(4 * 3);
    const image_view<std::uint16_t> image(samples.data() + 8, 4, 3, -8);
    CHECK(image(0, 0) == 8);
    CHECK(image(3, 0) == 11);
    CHECK(image(0, 2) == 0);
    const auto window = image.crop(1, 1, 2, 2);
    CHECK(window(0, 0) == 5);
    CHECK(window(1, 1) == 2);
    CHECK(window.pitch == -8);
  }

  TEST_CASE("a crop is a window on the same samples") {
    auto samples = ramp<int>(7 * 5);
    const image_view<int> image(samples.data(), 7, 5);
    const auto window = image.crop(2, 1, 4, 3);
    CHECK(window.width == 4);
    CHECK(window.height == 3);
    CHECK(window.pitch == image.pitch);
    CHECK(&window(0, 0) == &image(2, 1));
    CHECK(&window(3, 2) == &image(5, 3));
    CHECK(&window.crop(1, 1, 2, 2)(1, 1) == &image(4, 3));
  }

  TEST_CASE("a crop may be empty, anywhere in the picture or at its edge") {
    int sample = 0;
    const image_view<int> image(&sample, 1, 1);
    CHECK(image.crop(0, 0, 0, 0).empty());
    CHECK(image.crop(1, 1, 0, 0).empty());
    CHECK(image.crop(1, 0, 0, 1).empty());
    CHECK(image_view<int>{}.crop(0, 0, 0, 0).empty());
  }

  TEST_CASE("a crop that leaves the picture is refused, by overflow too") {
    int sample = 0;
    const image_view<int> image(&sample, 7, 5);
    const auto most = std::numeric_limits<std::int64_t>::max();
    struct window {
      std::int64_t x, y, width, height;
    };
    const window refused[] = {{-1, 0, 1, 1}, {0, -1, 1, 1},   {0, 0, -1, 1},   {0, 0, 1, -1},
                              {0, 0, 8, 1},  {0, 0, 1, 6},    {7, 0, 1, 1},    {0, 5, 1, 1},
                              {8, 0, 0, 0},  {1, 0, most, 1}, {0, 1, 1, most}, {most, most, most, most}};
    for (const auto& w : refused) {
      CAPTURE(w.x);
      CAPTURE(w.y);
      CAPTURE(w.width);
      CAPTURE(w.height);
      const planar_view<int> planes(&sample, 7, 5, 1);
      const cube_view<int> cube(image);
      CHECK(thrown_by([&] { image.crop(w.x, w.y, w.width, w.height); }) == errc::invalid_argument);
      CHECK(thrown_by([&] { planes.crop(w.x, w.y, w.width, w.height); }) == errc::invalid_argument);
      CHECK(thrown_by([&] { cube.crop(w.x, w.y, w.width, w.height); }) == errc::invalid_argument);
    }
  }

  TEST_CASE("the message of a refused crop names the window and the picture") {
    int sample = 0;
    try {
      image_view<int>(&sample, 7, 5).crop(1, 2, 3, 4);
      FAIL("nothing was thrown");
    } catch (const error& e) {
      CHECK(std::string(e.what()) == "crop: window 3x4 at (1, 2) is outside of the 7x5 picture");
    }
  }

  TEST_CASE("sizes and pitches beyond 32 bits are kept") {
    // The addresses are computed, never read.
    const std::int64_t side = std::int64_t{1} << 33;
    std::uint8_t origin = 0;
    const image_view<std::uint8_t> image(&origin, side, 3, 0);
    CHECK(image.size() == 3 * side);
    CHECK(image_view<std::uint8_t>(&origin, side, 1).pitch == side);
    CHECK(cube_view<std::uint8_t>(&origin, side, 3, 5, interleave::bip).y_stride == 5 * side);
    CHECK(planar_view<std::uint8_t>(&origin, side, 3, 2).plane_pitch == 3 * side);
  }
}

TEST_SUITE("planar_view") {
  TEST_CASE("a plane is a picture with the pitch of the whole") {
    auto samples = ramp<std::uint16_t>(200);
    const planar_view<std::uint16_t> packed(samples.data(), 4, 3, 5);
    CHECK(packed.pitch == 8);
    CHECK(packed.plane_pitch == 24);
    CHECK(packed.plane(4)(3, 2) == 4 * 12 + 11);
    const planar_view<std::uint16_t> pitched(samples.data(), 4, 3, 5, 20, 70);
    CHECK(pitched.plane(2)(1, 2) == 2 * 35 + 2 * 10 + 1);
  }

  TEST_CASE("a crop takes the same window of every plane") {
    auto samples = ramp<std::uint8_t>(100);
    const planar_view<const std::uint8_t> image(samples.data(), 5, 4, 3);
    const auto window = image.crop(1, 2, 3, 2);
    CHECK(window.planes == 3);
    for (std::int64_t p = 0; p < 3; ++p) { CHECK(&window.plane(p)(2, 1) == &image.plane(p)(3, 3)); }
  }

  TEST_CASE("a plane that does not exist is refused") {
    int sample = 0;
    const planar_view<int> image(&sample, 1, 1, 1);
    CHECK(thrown_by([&] { image.plane(-1); }) == errc::invalid_argument);
    CHECK(thrown_by([&] { image.plane(1); }) == errc::invalid_argument);
    CHECK(thrown_by([] { planar_view<int>{}.plane(0); }) == errc::invalid_argument);
  }

  TEST_CASE("no planes make an empty picture") {
    int sample = 0;
    CHECK(planar_view<int>(&sample, 3, 3, 0).empty());
    CHECK_FALSE(planar_view<int>(&sample, 1, 1, 1).empty());
  }
}

TEST_SUITE("cube_view") {
  TEST_CASE("each interleave names the sample that its definition says") {
    const std::int64_t width = 5;
    const std::int64_t height = 3;
    const std::int64_t bands = 4;
    auto samples = ramp<std::uint16_t>(width * height * bands);
    const cube_view<std::uint16_t> bsq(samples.data(), width, height, bands, interleave::bsq);
    const cube_view<std::uint16_t> bil(samples.data(), width, height, bands, interleave::bil);
    const cube_view<std::uint16_t> bip(samples.data(), width, height, bands, interleave::bip);
    for (std::int64_t y = 0; y < height; ++y) {
      for (std::int64_t x = 0; x < width; ++x) {
        for (std::int64_t b = 0; b < bands; ++b) {
          CHECK(bsq(x, y, b) == (b * height + y) * width + x);
          CHECK(bil(x, y, b) == (y * bands + b) * width + x);
          CHECK(bip(x, y, b) == (y * width + x) * bands + b);
        }
      }
    }
    CHECK(bip.size() == 60);
  }

  TEST_CASE("a band is a picture where the samples of a row are adjacent") {
    auto samples = ramp<float>(60);
    for (const auto order : {interleave::bsq, interleave::bil}) {
      const cube_view<float> cube(samples.data(), 5, 3, 4, order);
      CHECK(&cube.band(3)(2, 1) == &cube(2, 1, 3));
    }
    const cube_view<float> bip(samples.data(), 5, 3, 4, interleave::bip);
    CHECK(thrown_by([&] { bip.band(0); }) == errc::unsupported);
    CHECK(thrown_by([&] { bip.band(4); }) == errc::invalid_argument);
    const cube_view<float> grey(samples.data(), 5, 3, 1, interleave::bip);
    CHECK(&grey.band(0)(4, 2) == &samples[14]);
  }

  TEST_CASE("pictures and planes are cubes") {
    auto samples = ramp<int>(60);
    const image_view<int> image(samples.data(), 5, 3, 24);
    CHECK(&cube_view<int>(image)(4, 2, 0) == &image(4, 2));
    const planar_view<int> planes(samples.data(), 5, 3, 4);
    CHECK(&cube_view<int>(planes)(4, 2, 3) == &planes.plane(3)(4, 2));
  }

  TEST_CASE("a crop takes the same window of every band") {
    auto samples = ramp<std::uint8_t>(60);
    const cube_view<const std::uint8_t> cube = cube_view<std::uint8_t>(samples.data(), 5, 3, 4, interleave::bip);
    const auto window = cube.crop(2, 1, 3, 2);
    CHECK(&window(2, 1, 3) == &cube(4, 2, 3));
    CHECK(window.bands == 4);
    CHECK(window.crop(3, 2, 0, 0).empty());
  }
}
