/// @file
/// Noisy pictures of known targets.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

namespace oracle {

/// Draws of the laws that noise models name, the same on every machine but for the library's elementary functions.
class noise_source {
 public:
  explicit noise_source(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15u + 1) {}

  std::uint64_t word() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_ * 0x2545F4914F6CDD1Du;
  }
  /// 0 .. count - 1
  int below(int count) { return static_cast<int>((word() >> 33) % static_cast<std::uint64_t>(count)); }
  /// In (0, 1).
  double uniform() { return (static_cast<double>(word() >> 12) + 0.5) / 4503599627370496.0; }
  double normal() { return std::sqrt(-2 * std::log(uniform())) * std::cos(6.283185307179586 * uniform()); }
  double exponential() { return -std::log(uniform()); }
  double gamma(int order) {
    double sum = 0;
    for (int i = 0; i < order; ++i) { sum += exponential(); }
    return sum / order;
  }
  /// By counting arrivals.
  double poisson(double mean) {
    int count = 0;
    for (double t = exponential(); t < mean; t += exponential()) { ++count; }
    return count;
  }

 private:
  std::uint64_t state_;
};

enum class shape { disc, star, box, concave };

/// Whether (u, v), both in -1 .. 1 over the picture, belongs to the target.
inline bool belongs(shape kind, double u, double v) {
  const double r = std::hypot(u, v);
  switch (kind) {
    case shape::disc: return r < 0.5;
    case shape::star: return r < 0.5 + 0.16 * std::cos(5 * std::atan2(v, u));
    case shape::box: return std::abs(u) < 0.55 && std::abs(v) < 0.4;
    case shape::concave: return std::hypot(u, v) < 0.6 && !(u > -0.1 && std::abs(v) < 0.2);
  }
  return false;
}

/// A picture and its truth.
template <class T>
struct scene {
  int width = 0;
  int height = 0;
  std::vector<T> samples;
  std::vector<std::uint8_t> truth;  ///< 1 in the target
};

template <class T>
T to_sample(double v) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(v);
  } else {
    const double low = static_cast<double>(std::numeric_limits<T>::min());
    const double high = static_cast<double>(std::numeric_limits<T>::max());
    return static_cast<T>(std::clamp(std::floor(v + 0.5), low, high));
  }
}

/// A target of the given shape; draw(noise, in_target) makes the samples.
template <class T, class Draw>
scene<T> make_scene(shape kind, int width, int height, std::uint64_t seed, const Draw& draw) {
  scene<T> result{width, height, {}, {}};
  noise_source noise(seed);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const bool in = belongs(kind, (2.0 * x + 1) / width - 1, (2.0 * y + 1) / height - 1);
      result.truth.push_back(in ? 1 : 0);
      result.samples.push_back(to_sample<T>(draw(noise, in)));
    }
  }
  return result;
}

/// A target that is as bright above its ground as the noise is strong.
template <class T>
scene<T> gaussian_scene(shape kind, int width, int height, std::uint64_t seed = 1, double sigma = 30) {
  return make_scene<T>(kind, width, height, seed,
                       [sigma](noise_source& noise, bool in) { return 100 + sigma * (noise.normal() + (in ? 1 : 0)); });
}

}  // namespace oracle
