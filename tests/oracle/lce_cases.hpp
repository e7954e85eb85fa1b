/// @file
/// Cubes and options that the tests of the LCE-style codec share, on the host, in the emulator and on a device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "tests/oracle/lce_stream.hpp"

#include "gpuimg/codec/lce/format.hpp"
#include "gpuimg/core/image_view.hpp"

namespace gpuimg::oracle::lce {

/// What a generated cube looks like.
enum class content { constant, ramp, smooth, noise, extremes, dead_bands, mixed };

inline constexpr content all_contents[] = {content::constant, content::ramp,       content::smooth, content::noise,
                                           content::extremes, content::dead_bands, content::mixed};

/// A cube of `depth` bits, the same on every machine.
inline cube make_cube(std::size_t width, std::size_t height, std::size_t bands, content kind, int depth = 16,
                      unsigned seed = 1) {
  std::mt19937 random(seed);
  const number greatest = (number{1} << depth) - 1;
  constexpr int amplitudes[] = {1, 3, 16, 4, 11, 8, 2, 13};  // bits of noise, by bands
  cube c{width, height, bands, samples(width * height * bands)};
  for (std::size_t b = 0; b < bands; ++b) {
    for (std::size_t y = 0; y < height; ++y) {
      for (std::size_t x = 0; x < width; ++x) {
        const auto noise = static_cast<number>(random());
        number v = 0;
        switch (kind) {
          case content::constant: v = greatest / 3; break;
          case content::ramp: v = static_cast<number>(7 * x + 11 * y + 300 * b); break;
          case content::smooth:
            v = greatest / 2 + static_cast<number>((x * y) % 97 * (b % 13 + 1)) + noise % 7 - 3;
            break;
          case content::noise: v = noise; break;
          case content::extremes: v = (x + y + b) % 2 == 0 ? 0 : greatest; break;
          case content::mixed:  // codes of every length, after jumps of the mean
            v = greatest / 3 + static_cast<number>(b * 25717) + (noise & ((number{1} << amplitudes[b % 8]) - 1));
            break;
          case content::dead_bands: v = b % 5 == 2 ? 0 : static_cast<number>(b * 3 + x) + noise % 11; break;
        }
        c.at(x, y, b) = kind == content::ramp || kind == content::noise || kind == content::mixed
                            ? v & greatest
                            : std::min(std::max<number>(v, 0), greatest);
      }
    }
  }
  return c;
}

/// Samples in memory in some order, with gaps where `gap` says so.
template <class T>
struct stored_cube {
  std::vector<T> memory;
  cube_view<T> view;

  stored_cube(std::size_t width, std::size_t height, std::size_t bands, interleave order, std::int64_t gap = 0) {
    const auto w = static_cast<std::int64_t>(width) + gap;
    const auto h = static_cast<std::int64_t>(height) + gap;
    const auto n = static_cast<std::int64_t>(bands) + (order == interleave::bip ? gap : 0);
    memory.assign(static_cast<std::size_t>(w * h * n), T(77));
    view = cube_view<T>(memory.data(), w, h, n, order);
    view.width = static_cast<std::int64_t>(width);
    view.height = static_cast<std::int64_t>(height);
    view.bands = static_cast<std::int64_t>(bands);
  }
  stored_cube(const stored_cube&) = delete;
  stored_cube& operator=(const stored_cube&) = delete;

  /// A sample from its number: signed ones are 32768 less.
  static T sample(number v) { return static_cast<T>(std::is_signed_v<T> ? v - 32768 : v); }
  static number number_of(T v) { return std::is_signed_v<T> ? number{v} + 32768 : number{v}; }

  void assign(const cube& c) {
    for (std::size_t b = 0; b < c.bands; ++b) {
      for (std::size_t y = 0; y < c.height; ++y) {
        for (std::size_t x = 0; x < c.width; ++x) { at(x, y, b) = sample(c.at(x, y, b)); }
      }
    }
  }
  T& at(std::size_t x, std::size_t y, std::size_t b) {
    return view(static_cast<std::int64_t>(x), static_cast<std::int64_t>(y), static_cast<std::int64_t>(b));
  }
};

/// The oracle's fields for a header.
inline stream_fields fields_of(const gpuimg::lce::stream_header& h) {
  const auto& o = h.options;
  stream_fields f;
  f.coding = {.depth = h.depth(),
              .delta = o.delta,
              .threshold = o.threshold,
              .offset = o.offset,
              .lossy = o.mode == gpuimg::lce::coding_mode::lossy,
              .gamma = o.gamma,
              .restart = o.restart,
              .band_group = o.band_group,
              .zero_flags = o.zero_flags != gpuimg::lce::zero_flag_use::off};
  f.type = static_cast<int>(h.type);
  f.origin = static_cast<int>(h.origin);
  f.mode = static_cast<int>(o.mode);
  f.block_index = o.block_index;
  f.checksums = o.checksums;
  f.slab_rows = static_cast<std::size_t>(o.slab_rows);
  return f;
}

/// Options that together use everything that the format has.
inline std::vector<gpuimg::lce::coding_options> all_options() {
  using gpuimg::lce::coding_options;
  std::vector<coding_options> list;
  list.push_back(coding_options::lossless());
  list.push_back(coding_options::lossless());
  list.back().restart = 3;
  list.back().band_group = 2;
  list.back().checksums = true;
  list.back().slab_rows = 16;
  list.back().zero_flags = gpuimg::lce::zero_flag_use::on;
  for (const std::uint32_t bound : {1u, 5u, 30u, 32767u}) { list.push_back(coding_options::near_lossless(bound)); }
  for (std::size_t i = 2; i < 5; ++i) { list[i].zero_flags = gpuimg::lce::zero_flag_use::on; }
  list.back().band_group = 0;
  list.push_back(coding_options::near_lossless(15));
  list.back().zero_flags = gpuimg::lce::zero_flag_use::off;
  list.back().block_index = false;
  list.back().band_group = 15;
  list.push_back(coding_options::near_lossless(15));
  list.back().threshold = 19;
  list.back().offset = 16;
  list.back().slab_rows = 32;
  list.push_back(coding_options::near_lossless(1));
  list.back().set_uniform(2);
  list.push_back(coding_options::lossy(31));
  list.push_back(coding_options::lossy(1, 65535));
  list.back().restart = 2;
  list.back().checksums = true;
  return list;
}

/// A cube of the optional data directory (GPUIMG_DATA, else ../shared/data).
struct real_cube {
  const char* name;
  std::int64_t width;
  std::int64_t height;
  std::int64_t bands;
  interleave order;
  bool is_signed;
};

inline constexpr real_cube real_cubes[] = {
    {"jasper_ridge_aviris", 100, 100, 198, interleave::bsq, false},
    {"samson", 95, 95, 156, interleave::bsq, false},
    {"santa_barbara_aviris", 90, 90, 224, interleave::bip, true},
    {"salton_sea_aviris", 56, 51, 224, interleave::bsq, false},
    {"moffett_aviris", 50, 50, 189, interleave::bsq, false},
    {"corn_kernel", 43, 31, 580, interleave::bil, false},
    {"indian_pines_strip", 10, 145, 145, interleave::bsq, false},
    {"tiny_aviris_7x7", 7, 7, 224, interleave::bil, true},
};

/// The samples of a real cube in the order of its file; empty where the file is absent.
inline std::vector<std::uint16_t> load(const real_cube& c) {
  const char* folder = std::getenv("GPUIMG_DATA");
  const std::string base = folder != nullptr ? folder : std::string(GPUIMG_SOURCE_DIR) + "/../shared/data";
  std::ifstream file(base + "/hyperspectral/" + c.name + ".raw", std::ios::binary);
  const std::vector<char> content_of_file{std::istreambuf_iterator<char>(file), {}};
  std::vector<std::uint16_t> values(content_of_file.size() / 2);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<std::uint16_t>(static_cast<unsigned char>(content_of_file[2 * i]) |
                                           static_cast<unsigned char>(content_of_file[2 * i + 1]) << 8);
  }
  return values;
}

}  // namespace gpuimg::oracle::lce
