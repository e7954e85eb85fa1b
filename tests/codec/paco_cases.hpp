/// @file
/// Pictures and options that the codec is tested with, on the host, in the emulator and on a device.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "gpuimg/codec/image_codec.hpp"
#include "gpuimg/codec/paco/encoder.hpp"

namespace paco_tests {

namespace codec = gpuimg::codec;
namespace paco = gpuimg::paco;

template <int Width, int Height, class Features = codec::coder_features>
using codec_of = codec::image_codec<codec::reversible_color, codec::wavelet<codec::cdf_5_3, 5>, codec::no_quantizer,
                                    codec::paco_coder<Width, Height, Features>>;

enum class content : std::uint8_t { flat, smooth, noise, sparse, edges };

struct picture_case {
  std::int64_t width = 1;
  std::int64_t height = 1;
  int components = 1;
  int depth = 8;
  bool is_signed = false;
  int block = 64;
  content kind = content::smooth;
  paco::encode_options options{};
  gpuimg::interleave order = gpuimg::interleave::bip;

  template <class S>
  paco::picture_format format() const {
    return {width, height, components, depth, std::is_signed_v<S>};
  }
  std::string name() const {
    return std::to_string(width) + "x" + std::to_string(height) + "x" + std::to_string(components) + " depth " +
           std::to_string(depth) + (is_signed ? " signed" : "") + " block " + std::to_string(block) + " levels " +
           std::to_string(options.levels) + " content " + std::to_string(static_cast<int>(kind));
  }
};

/// A number of 32 bits from a position: the same on every machine.
constexpr std::uint32_t hash(std::uint32_t x) noexcept {
  x = (x ^ (x >> 16)) * 0x7FEB352Du;
  x = (x ^ (x >> 15)) * 0x846CA68Bu;
  return x ^ (x >> 16);
}

template <class S>
std::vector<S> make_samples(const picture_case& c) {
  std::vector<S> samples(static_cast<std::size_t>(c.width * c.height * c.components));
  const std::int64_t range = std::int64_t{1} << c.depth;
  const std::int64_t low = std::is_signed_v<S> ? -range / 2 : 0;
  const gpuimg::cube_view<S> cube(samples.data(), c.width, c.height, c.components, c.order);
  for (std::int64_t b = 0; b < c.components; ++b) {
    for (std::int64_t y = 0; y < c.height; ++y) {
      for (std::int64_t x = 0; x < c.width; ++x) {
        const std::uint32_t r = hash(static_cast<std::uint32_t>(x + 4099 * y + 16777259 * b));
        std::int64_t v = 0;
        switch (c.kind) {
          case content::flat: v = range / 3; break;
          case content::smooth: v = (x * 5 + y * 3 + b * 17 + x * y / 64 + r % 5) % (2 * range); break;
          case content::noise: v = r % range; break;
          case content::sparse: v = r % 97 == 0 ? r / 97 % range : range / 2; break;
          case content::edges: v = ((x / 7 + y / 5 + b) % 2) * (range - 1); break;
        }
        if (v >= range) { v = 2 * range - 1 - v; }
        cube(x, y, b) = static_cast<S>(low + v);
      }
    }
  }
  return samples;
}

/// Tables that no picture asks for.
inline const std::array<paco::class_table, paco::table_classes>& some_tables() {
  static const auto tables = [] {
    std::array<paco::class_table, paco::table_classes> t{};
    for (std::size_t i = 0; i < t.size() * t[0].size(); ++i) {
      t[i / t[0].size()][i % t[0].size()] = static_cast<std::uint8_t>(1 + hash(static_cast<std::uint32_t>(i)) % 255);
    }
    return t;
  }();
  return tables;
}

/// A sparse subset of the host's cases: every feature, parity and block size, small enough for the emulator.
inline std::vector<picture_case> device_cases() {
  using enum content;
  std::vector<picture_case> cases;
  const auto add = [&](picture_case c) -> paco::encode_options& { return cases.emplace_back(c).options; };
  add({.width = 1, .height = 1});
  add({.width = 1, .height = 33, .kind = noise}).levels = 6;
  add({.width = 33, .height = 1, .components = 3, .kind = noise}).levels = 3;
  add({.width = 17, .height = 31, .components = 3}).crc = true;
  add({.width = 65, .height = 67, .components = 3});
  add({.width = 130, .height = 71, .components = 4, .order = gpuimg::interleave::bsq}).levels = 2;
  add({.width = 100, .height = 64, .kind = flat});
  add({.width = 96, .height = 80, .components = 3, .kind = noise}).crc = true;
  add({.width = 70, .height = 70, .kind = edges, .options = {.levels = 0}});
  add({.width = 64, .height = 64, .kind = sparse});
  add({.width = 61, .height = 40, .components = 2, .depth = 1, .kind = noise});
  add({.width = 50, .height = 45, .components = 3, .depth = 16});
  add({.width = 50, .height = 45, .components = 3, .depth = 16, .kind = edges});
  add({.width = 66, .height = 35, .depth = 12, .is_signed = true}).choice = paco::table_choice::standard;
  add({.width = 40, .height = 41, .depth = 16, .is_signed = true, .kind = noise});
  add({.width = 34, .height = 29, .depth = 7, .is_signed = true, .block = 16}).levels = 1;
  add({.width = 90, .height = 37, .components = 3, .block = 32});
  add({.width = 140, .height = 150, .block = 128});
  add({.width = 140, .height = 130, .depth = 16, .block = 128, .kind = edges}).levels = 1;
  picture_case features{.width = 80, .height = 75, .components = 3};
  features.options.features = {false, false, false};
  features.options.raw_planes = 0;
  add(features);
  features.options.features = {true, true, true};
  features.options.raw_planes = 4;
  add(features);
  features.options.features = {false, true, true};
  features.options.fast_planes = 3;
  add(features);
  add({.width = 75, .height = 66, .components = 3}).choice = paco::table_choice::given;
  cases.back().options.tables = &some_tables();
  features.block = 32;
  features.options.features = {true, false, true};
  features.options.fast_planes = 24;
  add(features);
  return cases;
}

template <class Codec>
struct codec_tag {
  using type = Codec;
};

/// Calls body(codec_tag, sample) with the types of a case.
template <class Body>
void visit_case(const picture_case& c, const Body& body) {
  const auto with_sample = [&](auto codec) {
    if (c.depth <= 8) {
      c.is_signed ? body(codec, std::int8_t{}) : body(codec, std::uint8_t{});
    } else {
      c.is_signed ? body(codec, std::int16_t{}) : body(codec, std::uint16_t{});
    }
  };
  switch (c.block) {
    case 16: with_sample(codec_tag<codec_of<16, 16>>{}); break;
    case 32: with_sample(codec_tag<codec_of<32, 32>>{}); break;
    case 128: with_sample(codec_tag<codec_of<128, 128>>{}); break;
    default: with_sample(codec_tag<codec_of<64, 64>>{}); break;
  }
}

}  // namespace paco_tests
