// Medians of large pictures on a device: tall ones, windows that need a workspace, and more samples than 2^31, for
// which set GPUIMG_LARGE (9 GB of device memory).
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <doctest/doctest.h>
#include <random>
#include <vector>

#include "tests/filter/median_cases.hpp"
#include "tests/filter/median_device.cuh"

using namespace median_tests;

namespace {

// A picture whose samples follow from their places, made on the device.
template <class T>
struct known_picture {
  gpu_tests::device_fixture device;
  std::int64_t width;
  std::int64_t height;
  gpuimg::simt::device_buffer source;
  gpuimg::simt::device_buffer result;

  static GPUIMG_FUNCTION T sample(std::int64_t x, std::int64_t y) {
    auto hash = static_cast<std::uint32_t>(x * 0x9E3779B1 + y * 0x85EBCA77 + (y >> 16) * 31);
    hash = (hash ^ hash >> 15) * 0x2C1B3C6Du;
    hash = (hash ^ hash >> 12) * 0x297A2D39u;
    return static_cast<T>(hash ^ hash >> 15);
  }

  struct fill_kernel {
    static constexpr int threads = 256;
    struct shared_storage {};
    T* to;
    std::int64_t width;
    std::int64_t size;
    template <gpuimg::simt::block_group Block>
    GPUIMG_FUNCTION void operator()(Block& block, shared_storage&) const {
      const std::int64_t i = block.index().x * threads + block.rank();
      if (i < size) { to[i] = sample(i % width, i / width); }
    }
  };

  known_picture(std::int64_t w, std::int64_t h)
      : width(w),
        height(h),
        source(device.execution(), static_cast<std::size_t>(w * h) * sizeof(T)),
        result(device.execution(), static_cast<std::size_t>(w * h) * sizeof(T)) {
    gpuimg::simt::launch(device.execution(), {.x = (w * h + 255) / 256},
                         fill_kernel{source.template data<T>(), w, w * h});
  }

  void filter(filter::window_size size, const filter::median_options<T>& options = {}) {
    filter::median(device.execution(), image_view<const T>(source.template data<T>(), width, height),
                   image_view<T>(result.template data<T>(), width, height), size, border::reflect, options);
  }

  // Whether rows first..first+count-1 of columns left..right-1 are right.
  bool right(filter::window_size size, std::int64_t left, std::int64_t end, std::int64_t first, int count) {
    std::vector<T> rows(static_cast<std::size_t>(width * count));
    gpuimg::simt::check_cuda(cudaMemcpyAsync(rows.data(), result.template data<T>() + first * width,
                                             rows.size() * sizeof(T), cudaMemcpyDefault, device.execution().stream),
                             "download");
    device.wait();
    std::vector<T> window;
    const int rank = size.width * size.height / 2;
    for (std::int64_t y = first; y < first + count; ++y) {
      for (std::int64_t x = left; x < end; ++x) {
        window.clear();
        for (int j = 0; j < size.height; ++j) {
          for (int i = 0; i < size.width; ++i) {
            window.push_back(sample(filter::map_coordinate(border::reflect, x - size.width / 2 + i, width),
                                    filter::map_coordinate(border::reflect, y - size.height / 2 + j, height)));
          }
        }
        std::nth_element(window.begin(), window.begin() + rank, window.end());
        if (rows[static_cast<std::size_t>((y - first) * width + x)] != window[static_cast<std::size_t>(rank)]) {
          MESSAGE("(" << x << ", " << y << ")");
          return false;
        }
      }
    }
    return true;
  }
};

template <class T>
void tall(int side) {
  known_picture<T> picture(3, 700000);
  picture.filter(filter::window_size(side));
  for (const std::int64_t first : {0, 349992, 524280, 699984}) {
    CHECK(picture.right(filter::window_size(side), 0, 3, first, 16));
  }
}

template <class T>
void beyond_31_bits(int side) {
  known_picture<T> picture(65536 + 7, 32769);
  picture.filter(filter::window_size(side));
  for (const std::int64_t left : {std::int64_t{0}, picture.width / 2, picture.width - 40}) {
    for (const std::int64_t first : {std::int64_t{0}, std::int64_t{16000}, picture.height - 3}) {
      CHECK(picture.right(filter::window_size(side), left, left + 40, first, 3));
    }
  }
}

}  // namespace

TEST_SUITE("median of large pictures on a device") {
  TEST_CASE("opencv/opencv_contrib#4153: pictures of 3 x 700000") {
    tall<std::uint8_t>(5);
    tall<std::uint8_t>(21);
    tall<std::uint16_t>(21);
    tall<float>(3);
    tall<float>(33);
  }

  TEST_CASE_TEMPLATE("cupy/cupy#6453: 51 x 51 on 5120 x 5120", T, std::uint8_t, std::uint16_t) {
    known_picture<T> picture(5120, 5120);
    picture.filter(filter::window_size(51));
    CHECK(picture.right(filter::window_size(51), 2000, 2256, 3000, 256));
  }

  TEST_CASE("windows that need a workspace, the caller's or its own") {
    known_picture<std::uint16_t> picture(1200, 1100);
    const filter::window_size size(201, 199);
    const std::size_t bytes = filter::filter_workspace_size<std::uint16_t>(picture.device.execution(), picture.width,
                                                                           picture.height, 1, size, 2);
    CHECK(bytes > static_cast<std::size_t>(picture.width * picture.height) * sizeof(std::uint16_t));
    CHECK(bytes <= static_cast<std::size_t>(picture.width * picture.height) * (16 + sizeof(std::uint16_t)));
    for (const bool given : {false, true}) {
      const gpuimg::simt::device_buffer room(picture.device.execution(), bytes);
      filter::median_options<std::uint16_t> options;
      options.workspace = given ? room.template data<std::byte>() : nullptr;
      picture.filter(size, options);
      CHECK(picture.right(size, 0, 40, 0, 2));
      CHECK(picture.right(size, 580, 620, 540, 2));
      CHECK(picture.right(size, 1160, 1200, 1098, 2));
    }
  }

  TEST_CASE("more than 2^31 samples" * doctest::skip(std::getenv("GPUIMG_LARGE") == nullptr)) {
    beyond_31_bits<std::uint8_t>(3);
    beyond_31_bits<std::uint8_t>(5);
    beyond_31_bits<std::uint8_t>(21);
    beyond_31_bits<std::uint16_t>(21);
    beyond_31_bits<std::uint16_t>(9);
  }
}
