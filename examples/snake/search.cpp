#include "search.hpp"

#include <algorithm>
#include <cstdlib>
#include <span>

#include "gpuimg/core/error.hpp"
#include "gpuimg/core/execution.hpp"
#include "gpuimg/segment/noise_model.hpp"
#include "gpuimg/segment/rectangle_search.hpp"
#include "gpuimg/segment/snake.hpp"

namespace gpuimg::examples {
namespace {

template <class Model, class T>
snake_findings run(const image_view<const T>& view, const snake_picture& picture, const snake_search& search,
                   const Model& model) {
  const host execution{search.threads};
  snake_findings found{search.starts, {}};
  if (search.automatic > 0) {
    for (const auto& r : find_rectangles<Model>(execution, view, {.count = search.automatic}, picture.mask(), model)) {
      found.starts.push_back({to_polygon(r.area), search.margin >= 0
                                                      ? grown(r.area, search.margin, picture.width, picture.height)
                                                      : search.window});
    }
  }
  found.results = snakes<Model>(execution, view, found.starts, search.parameters, picture.mask(), model);
  return found;
}

template <class Model>
snake_findings run(const snake_picture& picture, const snake_search& search, const Model& model) {
  if (picture.is_u8) {
    return run<Model>(image_view<const std::uint8_t>(picture.bytes.data(), picture.width, picture.height), picture,
                      search, model);
  }
  return run<Model>(image_view<const float>(picture.reals.data(), picture.width, picture.height), picture, search,
                    model);
}

}  // namespace

snake_findings search_snakes(const snake_picture& picture, const snake_search& search) {
  const std::string& noise = search.noise;
  if (noise == "gaussian") { return run(picture, search, gaussian{}); }
  if (noise == "poisson") { return run(picture, search, poisson{}); }
  if (noise == "exponential") { return run(picture, search, gamma_speckle{1}); }
  if (noise == "rayleigh") { return run(picture, search, rayleigh{}); }
  if (noise == "bernoulli") { return run(picture, search, bernoulli{}); }
  if (noise == "log-normal") { return run(picture, search, log_normal{}); }
  if (noise.starts_with("gamma:")) {
    char* end = nullptr;
    const double order = std::strtod(noise.c_str() + 6, &end);
    if (*end == '\0' && order > 0 && order < 1e6) { return run(picture, search, gamma_speckle{order}); }
  }
  throw error(errc::invalid_argument, "noise \"" + noise + "\" is not gaussian, poisson, gamma:<order>, exponential, " +
                                          "rayleigh, bernoulli or log-normal");
}

}  // namespace gpuimg::examples
