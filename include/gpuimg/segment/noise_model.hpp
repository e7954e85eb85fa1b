/// @file
/// Noise models: what makes a region likely. Policies of the region snake, usable in any kernel.
///
/// A model turns the sums of a region into its cost: the negative log-likelihood of the region's samples, independent
/// and of the model's law with its parameters at their most likely values, without terms that are the same for all
/// regions of one picture. The criterion of a partition is the sum of the costs of its regions; the lower, the likelier
/// (Chesnaud, Refregier, Boulet 1999).
///
/// A model of your own has the members of `gaussian`: `domain`, `encoding` and `cost`. Its cost is computed with
/// gpuimg::portable, so that a host and a device choose the same moves.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>

#include "gpuimg/core/config.hpp"
#include "gpuimg/segment/portable_real.hpp"
#include "gpuimg/segment/region_sums.hpp"

namespace gpuimg {

/// Which samples a model knows. Others, and NaN and infinities, are left out of the statistics as if masked.
enum class sample_domain : std::uint8_t { real, non_negative, positive };

/// What is summed of a sample.
enum class sample_encoding_kind : std::uint8_t {
  affine,       ///< the sample, for f32 moved and scaled into integers: for models that a shift does not change
  linear,       ///< the sample, for f32 scaled into integers
  binary,       ///< 1 for a sample other than 0
  logarithmic,  ///< the logarithm of the sample, moved and scaled into integers
};

/// The cost of what cannot be: no pixels, or sums that no region has.
inline constexpr double impossible = std::numeric_limits<double>::max();

/// Least variance or mean of encoded samples: that of rounding to integers. Keeps the cost of a flat region finite.
inline constexpr double rounding_variance = 1.0 / 12;

namespace detail {

__extension__ using uint128 = unsigned __int128;

GPUIMG_FUNCTION inline double at_least(double v, double low) noexcept { return v < low ? low : v; }

/// n log(total / n), with a floor under total / n.
GPUIMG_FUNCTION inline double count_log_mean(std::int64_t count, std::int64_t total) noexcept {
  const auto n = static_cast<double>(count);
  return portable::multiply(
      n, portable::log(at_least(portable::divide(static_cast<double>(total), n), rounding_variance)));
}

/// v log(v / n), 0 for v = 0.
GPUIMG_FUNCTION inline double value_log_mean(std::int64_t value, std::int64_t count) noexcept {
  if (value == 0) { return 0; }
  const auto v = static_cast<double>(value);
  return portable::multiply(v, portable::log(portable::divide(v, static_cast<double>(count))));
}

}  // namespace detail

/// Normal law, mean and variance unknown: n/2 log(variance). The variance is computed from n Q - S S in 128 bits:
/// adding a constant to the picture changes no bit of it.
struct gaussian {
  static constexpr auto domain = sample_domain::real;
  static constexpr auto encoding = sample_encoding_kind::affine;

  /// @param s     sums of a region; count is positive
  /// @param unit  size of an encoded sample of 1 in the picture's units
  GPUIMG_FUNCTION double cost(const region_sums& s, [[maybe_unused]] double unit) const noexcept {
    if (s.square < 0) { return impossible; }
    const auto n = static_cast<std::uint64_t>(s.count);
    const auto size = static_cast<std::uint64_t>(s.sum < 0 ? -s.sum : s.sum);
    const auto squares = static_cast<detail::uint128>(n) * static_cast<std::uint64_t>(s.square);
    const auto square_of_sum = static_cast<detail::uint128>(size) * size;
    if (squares < square_of_sum) { return impossible; }
    const auto spread = squares - square_of_sum;
    constexpr double two_to_64 = 18446744073709551616.0;
    const double high = portable::multiply(static_cast<double>(static_cast<std::uint64_t>(spread >> 64)), two_to_64);
    const double dividend = portable::add(high, static_cast<double>(static_cast<std::uint64_t>(spread)));
    const auto count = static_cast<double>(s.count);
    const double variance = portable::divide(dividend, portable::multiply(count, count));
    return portable::multiply(portable::multiply(0.5, count),
                              portable::log(detail::at_least(variance, rounding_variance)));
  }
};

/// Counts of photons: -S log(S / n). The picture must be in counts: its scale matters, as it does in the law.
struct poisson {
  static constexpr auto domain = sample_domain::non_negative;
  static constexpr auto encoding = sample_encoding_kind::linear;

  GPUIMG_FUNCTION double cost(const region_sums& s, double unit) const noexcept {
    if (s.sum < 0) { return impossible; }
    return -portable::multiply(unit, detail::value_log_mean(s.sum, s.count));
  }
};

/// Speckle of `order` looks in intensity, mean unknown: order n log(S / n). Order 1 is the exponential law.
struct gamma_speckle {
  double order = 1;

  static constexpr auto domain = sample_domain::non_negative;
  static constexpr auto encoding = sample_encoding_kind::linear;

  GPUIMG_FUNCTION double cost(const region_sums& s, [[maybe_unused]] double unit) const noexcept {
    if (s.sum < 0) { return impossible; }
    return portable::multiply(order, detail::count_log_mean(s.count, s.sum));
  }
};

/// Speckle of one look in amplitude: n log(Q / n).
struct rayleigh {
  static constexpr auto domain = sample_domain::non_negative;
  static constexpr auto encoding = sample_encoding_kind::linear;

  GPUIMG_FUNCTION double cost(const region_sums& s, [[maybe_unused]] double unit) const noexcept {
    if (s.square < 0) { return impossible; }
    return detail::count_log_mean(s.count, s.square);
  }
};

/// A binary picture (0 and anything else), probability unknown: -S log(S / n) - (n - S) log((n - S) / n).
struct bernoulli {
  static constexpr auto domain = sample_domain::real;
  static constexpr auto encoding = sample_encoding_kind::binary;

  GPUIMG_FUNCTION double cost(const region_sums& s, [[maybe_unused]] double unit) const noexcept {
    if (s.sum < 0 || s.sum > s.count) { return impossible; }
    return -portable::add(detail::value_log_mean(s.sum, s.count), detail::value_log_mean(s.count - s.sum, s.count));
  }
};

/// The normal law on the logarithm of the samples.
struct log_normal {
  static constexpr auto domain = sample_domain::positive;
  static constexpr auto encoding = sample_encoding_kind::logarithmic;

  GPUIMG_FUNCTION double cost(const region_sums& s, double unit) const noexcept { return gaussian{}.cost(s, unit); }
};

/// What a region snake asks of a noise model.
template <class Model>
concept noise_model = requires(const Model& model, const region_sums& sums, double unit) {
  { Model::domain } -> std::convertible_to<sample_domain>;
  { Model::encoding } -> std::convertible_to<sample_encoding_kind>;
  { model.cost(sums, unit) } -> std::same_as<double>;
};

namespace detail {

/// What the target (`outer` false) or the rest of its window adds to the criterion; impossible, when it cannot be.
template <noise_model Model>
GPUIMG_FUNCTION double side_cost(const Model& model, const region_sums& s, double unit, bool outer) noexcept {
  if (s.count <= 0) { return outer && s.count == 0 ? 0 : impossible; }
  return model.cost(s, unit);
}

GPUIMG_FUNCTION inline double both_costs(double a, double b) noexcept {
  return a == impossible || b == impossible ? impossible : portable::add(a, b);
}

}  // namespace detail

/// The criterion of a target in a window whose sums are `total`: cost of the target plus cost of the rest. An empty
/// rest costs nothing; an empty target, or more target than there is window, is impossible.
template <noise_model Model>
GPUIMG_FUNCTION double criterion(const Model& model, const region_sums& target, const region_sums& total,
                                 double unit) noexcept {
  return detail::both_costs(detail::side_cost(model, target, unit, false),
                            detail::side_cost(model, total - target, unit, true));
}

}  // namespace gpuimg
