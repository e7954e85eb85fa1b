/// @file
/// How samples become the integers that a region snake sums.
///
/// Integer samples are summed as they are. f32 samples, and logarithms, are moved and scaled to 0 .. 2^bits - 1 over
/// the range of the picture's valid samples, and rounded: `bits` is as large (at most 24) as sums of squares over the
/// whole picture allow in 64 bits, e.g. 22 for 512 x 512 and 18 for 10000 x 10000. So all sums are exact, and results
/// do not depend on the picture's range.
#pragma once

#include <concepts>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "gpuimg/core/config.hpp"
#include "gpuimg/segment/noise_model.hpp"
#include "gpuimg/segment/portable_real.hpp"
#include "gpuimg/segment/region_sums.hpp"

namespace gpuimg {

/// A sample type that region snakes take.
template <class T>
concept snake_sample = std::same_as<T, std::uint8_t> || std::same_as<T, std::uint16_t> ||
    std::same_as<T, std::int16_t> || std::same_as<T, float>;

/// Least and greatest valid sample of a picture; none when low > high.
struct sample_range {
  double low = std::numeric_limits<double>::max();
  double high = std::numeric_limits<double>::lowest();
};

/// Maps samples to integers.
struct sample_encoding {
  double offset = 0;  ///< what code 0 stands for
  double scale = 1;   ///< codes in a unit of the sample (or of its logarithm)
};

namespace detail {

inline constexpr float greatest_f32 = std::numeric_limits<float>::max();

template <class T>
inline constexpr double greatest_sample = static_cast<double>(std::numeric_limits<T>::max());

}  // namespace detail

/// Whether `Model` knows the sample.
template <noise_model Model, snake_sample T>
GPUIMG_FUNCTION constexpr bool is_valid_sample(T sample) noexcept {
  if constexpr (std::same_as<T, float>) {
    if (!(sample >= -detail::greatest_f32 && sample <= detail::greatest_f32)) {
      return false;
    }  // also NaN, which fails every comparison
  }
  if constexpr (Model::domain == sample_domain::positive) { return sample > T{0}; }
  if constexpr (Model::domain == sample_domain::non_negative && !std::is_unsigned_v<T>) { return sample >= T{0}; }
  return true;
}

/// Whether `Model` knows every sample of type T: then a picture without a mask needs no counts.
template <noise_model Model, snake_sample T>
inline constexpr bool all_samples_valid =
    !std::same_as<T, float> && (Model::domain == sample_domain::real ||
                                (Model::domain == sample_domain::non_negative && std::unsigned_integral<T>));

/// Whether the encoding depends on the samples of the picture.
template <noise_model Model, snake_sample T>
inline constexpr bool needs_range = std::same_as<T, float>&& Model::encoding != sample_encoding_kind::binary;

/// Bits of a code for a picture of `pixels` pixels.
GPUIMG_FUNCTION constexpr int code_bits(std::int64_t pixels) noexcept {
  int size = 0;
  while (size < 62 && (std::int64_t{1} << size) < pixels) { ++size; }
  const int bits = (62 - size) / 2;
  return bits > 24 ? 24 : bits;
}

/// The encoding of a picture whose valid samples have the given range (which is read when needs_range says so).
template <noise_model Model, snake_sample T>
GPUIMG_FUNCTION sample_encoding make_encoding(const sample_range& range, std::int64_t pixels) noexcept {
  constexpr auto kind = Model::encoding;
  if constexpr (kind == sample_encoding_kind::binary ||
                (!std::same_as<T, float> && kind != sample_encoding_kind::logarithmic)) {
    return {};
  } else {
    double low = range.low;
    double high = range.high;
    if constexpr (!std::same_as<T, float>) {
      low = 1;
      high = detail::greatest_sample<T>;
    }
    if (low > high) { return {}; }
    if constexpr (kind == sample_encoding_kind::logarithmic) {
      low = portable::log(low);
      high = portable::log(high);
    }
    if constexpr (kind == sample_encoding_kind::linear) { low = 0; }
    const double extent = portable::add(high, -low);
    const auto codes = static_cast<double>((std::int64_t{1} << code_bits(pixels)) - 1);
    return {low, extent > 0 ? portable::divide(codes, extent) : 1.0};
  }
}

/// The integer that is summed for a valid sample.
template <noise_model Model, snake_sample T>
GPUIMG_FUNCTION std::int64_t encode_sample(const sample_encoding& encoding, T sample) noexcept {
  constexpr auto kind = Model::encoding;
  if constexpr (kind == sample_encoding_kind::binary) {
    return sample != T{0} ? 1 : 0;
  } else if constexpr (!std::same_as<T, float> && kind != sample_encoding_kind::logarithmic) {
    return sample;
  } else {
    auto v = static_cast<double>(sample);
    if constexpr (kind == sample_encoding_kind::logarithmic) { v = portable::log(v); }
    const double code = portable::add(portable::multiply(portable::add(v, -encoding.offset), encoding.scale), 0.5);
    return static_cast<std::int64_t>(code);  // never negative: truncation is the floor
  }
}

/// Count, code and squared code of one pixel, all 0 when it is not valid.
template <noise_model Model, snake_sample T>
GPUIMG_FUNCTION region_sums pixel_sums(const sample_encoding& encoding, T sample, bool masked_in = true) noexcept {
  if (!masked_in || !is_valid_sample<Model>(sample)) { return {}; }
  const std::int64_t code = encode_sample<Model>(encoding, sample);
  return {1, code, code * code};
}

/// Mean and variance of a region in units of the samples (of their logarithms, for a logarithmic encoding).
struct region_statistics {
  std::int64_t pixels = 0;  ///< valid ones
  double mean = 0;
  double variance = 0;
};

inline region_statistics to_statistics(const region_sums& sums, const sample_encoding& encoding) noexcept {
  if (sums.count <= 0) { return {}; }
  const auto n = static_cast<double>(sums.count);
  const double mean = static_cast<double>(sums.sum) / n;
  const double spread = static_cast<double>(sums.square) / n - mean * mean;
  return {sums.count, encoding.offset + mean / encoding.scale,
          (spread < 0 ? 0 : spread) / (encoding.scale * encoding.scale)};
}

}  // namespace gpuimg
