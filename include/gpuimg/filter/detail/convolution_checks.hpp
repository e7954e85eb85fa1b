/// @file
/// What every convolution settles before it starts: are its pictures and options sound, and in which type does it sum?
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <type_traits>

#include "gpuimg/core/error.hpp"
#include "gpuimg/core/image_view.hpp"
#include "gpuimg/filter/border.hpp"
#include "gpuimg/filter/convolution_arithmetic.hpp"
#include "gpuimg/filter/convolution_kernel.hpp"
#include "gpuimg/filter/detail/convolution_tile.hpp"

namespace gpuimg::filter {

/// A view of samples that a convolution takes: image_view, planar_view or cube_view.
template <class V>
concept picture = convolution_sample<typename V::value_type> &&
    (std::is_convertible_v<const V&, cube_view<const typename V::value_type>> ||
     std::is_convertible_v<const V&, cube_view<typename V::value_type>>);

/// A picture that can be written.
template <class V>
concept writable_picture = picture<V> && std::is_convertible_v<const V&, cube_view<typename V::value_type>>;

/// What is the same for every sample.
struct convolution_options {
  border mode = border::reflect;
  double value = 0;          ///< of a `constant` border: rounded and saturated as sums are; NaN needs floating samples
  std::int64_t divisor = 1;  ///< from 1; above it only for exact sums, which are divided and rounded to nearest even
};

namespace detail {

/// The bytes that a view reaches over.
struct memory_extent {
  std::intptr_t first = 0;
  std::intptr_t last = 0;
};
template <class T>
memory_extent extent_of(const cube_view<T>& view) noexcept {
  memory_extent range{reinterpret_cast<std::intptr_t>(view.data),
                      reinterpret_cast<std::intptr_t>(view.data) + static_cast<std::intptr_t>(sizeof(T)) - 1};
  const auto reach = [&](std::int64_t count, std::int64_t stride) {
    const auto distance = static_cast<std::intptr_t>((count - 1) * stride);
    (distance < 0 ? range.first : range.last) += distance;
  };
  reach(view.width, view.x_stride);
  reach(view.height, view.y_stride);
  reach(view.bands, view.band_stride);
  return range;
}

/// Whether two ranges share bytes, or rows of pictures side by side in one buffer do.
template <class T, class U>
bool share_memory(const cube_view<T>& a, const cube_view<U>& b) noexcept {
  const memory_extent one = extent_of(a);
  const memory_extent other = extent_of(b);
  if (one.last < other.first || other.last < one.first) { return false; }
  if (a.y_stride != b.y_stride || a.y_stride <= 0 || a.bands != 1 || b.bands != 1 || a.x_stride < 0 || b.x_stride < 0) {
    return true;
  }
  // Two windows of one buffer: apart when their columns are.
  const std::intptr_t shift = ((other.first - one.first) % a.y_stride + a.y_stride) % a.y_stride;
  const auto wide_a = static_cast<std::intptr_t>((a.width - 1) * a.x_stride) + static_cast<std::intptr_t>(sizeof(T));
  const auto wide_b = static_cast<std::intptr_t>((b.width - 1) * b.x_stride) + static_cast<std::intptr_t>(sizeof(U));
  return shift < wide_a || shift + wide_b > a.y_stride;
}

template <class T>
void check_strides(const cube_view<T>& view, const char* what) {
  constexpr auto size = static_cast<std::int64_t>(sizeof(T));
  const std::int64_t strides[] = {view.x_stride, view.y_stride, view.band_stride};
  for (const std::int64_t stride : strides) {
    if (stride % size != 0) {
      throw error(errc::invalid_argument, "convolution: a stride of " + std::to_string(stride) + " bytes in the " +
                                              what + " is no multiple of its samples' " + std::to_string(size) +
                                              " bytes");
    }
  }
}

template <class S, class D>
void check_pictures(const cube_view<const S>& source, const cube_view<D>& destination) {
  const auto shape = [](const auto& v) {
    return std::to_string(v.width) + "x" + std::to_string(v.height) + "x" + std::to_string(v.bands);
  };
  if (source.width < 0 || source.height < 0 || source.bands < 0 || source.width != destination.width ||
      source.height != destination.height || source.bands != destination.bands) {
    throw error(errc::invalid_argument, "convolution: the source is " + shape(source) + ", the destination " +
                                            shape(destination) + " samples; they must be alike");
  }
  check_strides(source, "source");
  check_strides(destination, "destination");
  if (!source.empty() && share_memory(source, destination)) {
    throw error(errc::aliased, "convolution: source and destination share memory; it cannot work in place");
  }
}

/// A source with its border, for a kernel with this anchor.
template <class S>
tap_source<S> make_source(const cube_view<const S>& samples, const convolution_options& options, int anchor_x,
                          int anchor_y) {
  if (std::is_integral_v<S> && std::isnan(options.value)) {
    throw error(errc::invalid_argument, "convolution: the border's value is NaN, which integer samples cannot be");
  }
  return {samples, options.mode, saturate_round<S>(options.value), -anchor_x, -anchor_y};
}

/// The largest magnitude that an exact sum may reach; infinite beyond what fits into 64 bits.
template <class S>
double largest_sum(std::span<const std::int32_t> coefficients) noexcept {
  double sum = 0;  // exact below 2^53, and then still far above any limit that it is compared with
  for (const std::int32_t c : coefficients) { sum += std::abs(static_cast<double>(c)); }
  return sum * std::abs(static_cast<double>(std::is_signed_v<S> ? std::numeric_limits<S>::min()
                                                                : std::numeric_limits<S>::max()));
}

inline constexpr double exact_in_float = 16777216.0;             // 2^24
inline constexpr double exact_in_int32 = 2147483647.0;           // 2^31 - 1
inline constexpr double exact_in_int64 = 9223372036854774784.0;  // the largest double below 2^63

inline void check_divisor(const convolution_options& options, bool exact) {
  if (options.divisor < 1 || (options.divisor != 1 && !exact)) {
    throw error(errc::invalid_argument, "convolution: divisor " + std::to_string(options.divisor) +
                                            (exact ? " is below 1" : " is for integer kernels on integer samples"));
  }
}

/// Names the type of sums and the store for a call: run(sum_in<A>{}, store).
template <class A>
struct sum_in {
  using type = A;
};

/// @param bound  largest_sum() for exact sums
template <class Sum, class S, class D, class C, class Run>
void choose_sum(const convolution_options& options, double bound, const Run& run) {
  constexpr bool exact = exact_sums<S, C> && (std::is_same_v<Sum, automatic_sum> || std::is_integral_v<Sum>);
  check_divisor(options, exact);
  if constexpr (exact) {
    const double limit = std::is_same_v<Sum, std::int32_t> ? exact_in_int32 : exact_in_int64;
    if (bound > limit) {
      throw error(errc::unsupported, "convolution: sums of up to " + std::to_string(bound) + " exceed the " +
                                         std::to_string(limit) + " of their type");
    }
    // Integers below 2^24 are exact in float, which is the quickest.
    if (bound <= exact_in_float && options.divisor == 1) {
      run(sum_in<float>{}, plain_store<float, D>{});
    } else if (bound <= exact_in_float && options.divisor <= static_cast<std::int64_t>(exact_in_int32)) {
      run(sum_in<float>{}, dividing_store<float, D>{options.divisor});
    } else {
      run(sum_in<std::int64_t>{}, dividing_store<std::int64_t, D>{options.divisor});
    }
  } else {
    static_assert(std::is_same_v<Sum, automatic_sum> || std::is_floating_point_v<Sum>,
                  "integer sums need integer samples and an integer kernel");
    using sum_type = std::conditional_t<std::is_same_v<Sum, automatic_sum>, floating_sum<S, C>, Sum>;
    run(sum_in<sum_type>{}, plain_store<sum_type, D>{});
  }
}

}  // namespace detail
}  // namespace gpuimg::filter
