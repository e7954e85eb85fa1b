/// @file
/// Noise models by name.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>

#include "search.hpp"

#include "gpuimg/core/config.hpp"
#include "gpuimg/core/error.hpp"
#include "gpuimg/core/image_view.hpp"
#include "gpuimg/segment/noise_model.hpp"
#include "gpuimg/segment/rectangle_search.hpp"

namespace gpuimg::examples {

/// A noise model of the program's own: one of those of samples that are not negative, chosen at run time. The library's
/// models are compiled one by one; these three differ in the cost alone, and share what is compiled.
struct intensity_noise {
  enum class law : std::uint8_t { poisson, gamma, rayleigh };

  law kind = law::poisson;
  double order = 1;  ///< of gamma

  static constexpr auto domain = sample_domain::non_negative;
  static constexpr auto encoding = sample_encoding_kind::linear;

  GPUIMG_FUNCTION double cost(const region_sums& s, double unit) const noexcept {
    switch (kind) {
      case law::poisson: return poisson{}.cost(s, unit);
      case law::gamma: return gamma_speckle{order}.cost(s, unit);
      case law::rayleigh: return rayleigh{}.cost(s, unit);
    }
    return impossible;
  }
};

/// Calls body(model) with the model of the given name.
/// @throws error invalid_argument for an unknown one
template <class Body>
auto with_noise(const std::string& noise, const Body& body) {
  using law = intensity_noise::law;
  if (noise == "gaussian") { return body(gaussian{}); }
  if (noise == "poisson") { return body(intensity_noise{law::poisson}); }
  if (noise == "exponential") { return body(intensity_noise{law::gamma, 1}); }
  if (noise == "rayleigh") { return body(intensity_noise{law::rayleigh}); }
  if (noise == "bernoulli") { return body(bernoulli{}); }
  if (noise == "log-normal") { return body(log_normal{}); }
  if (noise.starts_with("gamma:")) {
    char* end = nullptr;
    const double order = std::strtod(noise.c_str() + 6, &end);
    if (*end == '\0' && order > 0 && order < 1e6) { return body(intensity_noise{law::gamma, order}); }
  }
  throw error(errc::invalid_argument, "noise \"" + noise + "\" is not gaussian, poisson, gamma:<order>, exponential, " +
                                          "rayleigh, bernoulli or log-normal");
}

/// Calls body(model, view) with the picture's samples, of u8 or f32.
template <class Body>
snake_findings with_samples(const snake_picture& picture, const snake_search& search, const Body& body) {
  return with_noise(search.noise, [&](const auto& model) {
    if (picture.is_u8) {
      return body(model, image_view<const std::uint8_t>(picture.bytes.data(), picture.width, picture.height));
    }
    return body(model, image_view<const float>(picture.reals.data(), picture.width, picture.height));
  });
}

/// The start that a found rectangle makes.
inline snake_start to_start(const found_rectangle& found, const snake_picture& picture, const snake_search& search) {
  return {to_polygon(found.area),
          search.margin >= 0 ? grown(found.area, search.margin, picture.width, picture.height) : search.window};
}

}  // namespace gpuimg::examples
