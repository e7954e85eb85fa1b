/// @file
/// Runs snakes with a noise model that is named at run time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "input.hpp"

#include "gpuimg/segment/snake_parameters.hpp"

namespace gpuimg::examples {

/// What is searched, and from where.
struct snake_search {
  std::string noise = "gaussian";  ///< gaussian, poisson, gamma:<order>, exponential, rayleigh, bernoulli, log-normal
  std::vector<snake_start> starts;
  int automatic = 0;         ///< rectangles to find, when there is no start
  rectangle window;          ///< of automatic starts; empty: the whole picture
  std::int32_t margin = -1;  ///< the window of an automatic start: its rectangle grown by so much, unless negative
  snake_parameters parameters;
  unsigned threads = 0;
};

/// Results, and the starts that led to them.
struct snake_findings {
  std::vector<snake_start> starts;
  std::vector<snake_result> results;
};

/// @throws error invalid_argument for an unknown model, and as gpuimg::snakes
snake_findings search_snakes(const snake_picture& picture, const snake_search& search);

}  // namespace gpuimg::examples
