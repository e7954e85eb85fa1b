/// @file
/// A hyperspectral scene of any size for benchmarks.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "gpuimg/core/image_view.hpp"

namespace lce_benchmark {

/// Jasper Ridge (198 x 100 x 100) mirrored in all three directions, where the data directory is there; else spectra
/// that look alike from pixel to pixel over a smooth picture. Seeded noise of one count, so that no tile repeats.
class scene {
 public:
  scene() {
    const char* folder = std::getenv("GPUIMG_DATA");
    const std::string base = folder != nullptr ? folder : std::string(GPUIMG_SOURCE_DIR) + "/../shared/data";
    std::ifstream file(base + "/hyperspectral/jasper_ridge_aviris.raw", std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
    if (bytes.size() != edge * edge * bands * 2) { return; }
    for (std::size_t i = 0; i < bytes.size(); i += 2) {
      tile_.push_back(static_cast<std::uint16_t>(static_cast<unsigned char>(bytes[i]) |
                                                 static_cast<unsigned char>(bytes[i + 1]) << 8));
    }
  }

  std::string name() const { return tile_.empty() ? "generated" : "Jasper Ridge, mirrored"; }

  /// The scene's samples in memory in the given order.
  std::vector<std::uint16_t> make(std::int64_t width, std::int64_t height, std::int64_t band_count,
                                  gpuimg::interleave order) const {
    std::vector<std::uint16_t> values(static_cast<std::size_t>(width * height * band_count));
    const gpuimg::cube_view<std::uint16_t> view(values.data(), width, height, band_count, order);
    for (std::int64_t b = 0; b < band_count; ++b) {
      for (std::int64_t y = 0; y < height; ++y) {
        for (std::int64_t x = 0; x < width; ++x) {
          const auto noise = scramble(static_cast<std::uint32_t>((b * height + y) * width + x)) % 3;
          view(x, y, b) = static_cast<std::uint16_t>(at(x, y, b) + noise);
        }
      }
    }
    return values;
  }

 private:
  static constexpr std::size_t edge = 100;
  static constexpr std::size_t bands = 198;

  static constexpr std::uint32_t scramble(std::uint32_t i) noexcept {
    i = (i ^ (i >> 16)) * 0x7FEB352Du;
    i = (i ^ (i >> 15)) * 0x846CA68Bu;
    return i ^ (i >> 16);
  }

  /// 0 1 ... n-1 n-1 ... 1 0 0 1 ...
  static constexpr std::size_t mirror(std::int64_t i, std::size_t n) noexcept {
    const auto place = static_cast<std::size_t>(i) % (2 * n);
    return place < n ? place : 2 * n - 1 - place;
  }

  std::uint32_t at(std::int64_t x, std::int64_t y, std::int64_t b) const {
    if (!tile_.empty()) { return tile_[(mirror(b, bands) * edge + mirror(y, edge)) * edge + mirror(x, edge)]; }
    const double brightness = 1.2 + std::sin(static_cast<double>(x) / 17) * std::cos(static_cast<double>(y) / 23);
    const double spectrum = 900 + 700 * std::sin(static_cast<double>(b) / 31);
    const auto texture = scramble(static_cast<std::uint32_t>(y * 65537 + x)) % 64 +
                         scramble(static_cast<std::uint32_t>((b * 4099 + y) * 4099 + x)) % 24;
    return static_cast<std::uint32_t>(brightness * spectrum) + texture;
  }

  std::vector<std::uint16_t> tile_;
};

}  // namespace lce_benchmark
